"""Replicas in Python and of the C++ library in one asynchronous training: they know of each other, and wait for each other."""

import os
import re
import subprocess

import numpy as np
import pytest
import task_servers
from millrace import parallel
from millrace.parallel import replica_table

PROGRAM = os.path.join(os.environ.get("MILLRACE_BUILD", "build/dev"), "tests", "async_worker")
STEPS, MAX_AHEAD = 30, 2


class Replica:
  """The same as tests/programs/async_worker.cc, as replica 0 of two, and the chief."""

  def __init__(self, tf, cluster):
    with tf.variable_scope("", use_resource=False):
      with tf.device("/job:ps/task:0"):
        self.step = tf.train.get_or_create_global_step()
        self.w = tf.get_variable("w", initializer=np.zeros([2], np.float32))
      with tf.device("/job:worker/task:0"):
        loss = -tf.reduce_sum(self.w)
      self.optimizer = parallel.AsyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(0.125), replicas=2, replica=0, max_ahead=MAX_AHEAD
      )
      self.train = self.optimizer.minimize(loss, global_step=self.step)
    self.session = tf.Session(cluster.target("worker", 0), config=tf.ConfigProto(operation_timeout_in_ms=60_000))
    self.session.run(tf.global_variables_initializer())
    self.pace = self.optimizer.make_pace(report_secs=0)
    self.pace.begin(self.session)

  def clocks(self):
    return [record.clock for record in self.optimizer.read_records(self.session).replicas]

  def make_step(self):
    self.pace.before_step(self.session)
    self.session.run(self.train)


@pytest.mark.parametrize("servers", ["millrace", pytest.param("stock", marks=pytest.mark.long)])
def test_they_wait_for_each_other(tf, servers, tmp_path):
  log = tmp_path / "log"
  with task_servers.Cluster({"ps": 1, "worker": 2}, kind=servers) as cluster:
    replica = Replica(tf, cluster)
    words = [PROGRAM, cluster.target("worker", 1), "1", "2", str(STEPS), str(MAX_AHEAD)]
    with open(log, "wb") as said:
      other = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=said, text=True)

    def await_other(pattern):
      def found():
        assert other.poll() is None, log.read_text()
        return re.search(pattern, log.read_text())

      task_servers.wait_for(found, lambda: f"no {pattern}: {log.read_text()}", 60)

    try:
      for steps in (0, 1, 4):
        while replica.clocks()[0] < steps:
          replica.make_step()
        await_other(f"for replica 0, at step {steps} of its own; this one is at step {steps + 3} and may be 2 ahead")
        assert replica.clocks() == [steps, steps + 3]
      while replica.clocks()[0] < STEPS:
        replica.make_step()
      replica.pace.end(replica.session)
      greatest, _ = other.communicate(timeout=60)
    finally:
      other.kill()
      other.wait()
    assert other.returncode == 0, log.read_text()
    records = replica.optimizer.read_records(replica.session)
    assert [record.state for record in records.replicas] == [replica_table.ENDED] * 2
    assert [record.gradients for record in records.replicas] == [STEPS] * 2
    assert records.replicas[1].max_staleness == int(greatest)
    assert records.global_step == 2 * STEPS
    np.testing.assert_array_equal(replica.session.run(replica.w), [2 * STEPS / 8] * 2)
    replica.session.close()
