"""Replicas of TensorFlow's client and of the C++ library in one synchronous training: there is one answer, whoever is the chief."""

import os
import subprocess
import threading

import numpy as np
import pytest
import synchronous_replicas
import task_servers
import tensorflow as tf

tf1 = tf.compat.v1
ROWS, WIDTH, RATE, STEPS = 6, 3, 0.25, 12
IDS = [4, 1]
PROGRAM = os.path.join(os.environ.get("MILLRACE_BUILD", "build/dev"), "tests", "sync_worker")


def goal(rows, scale):
  return (scale * np.arange(rows * WIDTH, dtype=np.float32) - 1).reshape(rows, WIDTH)


def expected(steps):
  """The variables after that many updates."""
  dense, table = np.zeros([ROWS, WIDTH], np.float32), np.zeros([ROWS, WIDTH], np.float32)
  for _ in range(steps):
    dense -= np.float32(RATE) * (dense - goal(ROWS, np.float32(0.125)))
    table[IDS] -= np.float32(RATE) * (table[IDS] - goal(2, np.float32(0.5)))
  return dense, table


def stock_replica(target, task, is_chief, replicas, found):
  """Trains as tests/programs/sync_worker.cc does; the chief leaves the step and the values in `found`."""
  with tf1.Graph().as_default():
    setter = tf1.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{task}")
    with tf1.device(setter), tf1.variable_scope("", use_resource=False):
      step = tf1.train.get_or_create_global_step()
      zeros = np.zeros([ROWS, WIDTH], np.float32)
      dense = tf1.Variable(zeros, name="dense", use_resource=False)
      table = tf1.Variable(zeros, name="table", use_resource=False)
      rows = tf1.gather(table, IDS)
      loss = 0.5 * (
        tf.reduce_sum(tf.square(dense - goal(ROWS, np.float32(0.125))))
        + tf.reduce_sum(tf.square(rows - goal(2, np.float32(0.5))))
      )
      sync = tf1.train.SyncReplicasOptimizer(tf1.train.GradientDescentOptimizer(RATE), replicas, replicas)
      train = sync.minimize(loss, global_step=step)
    hooks = [sync.make_session_run_hook(is_chief), tf1.train.StopAtStepHook(last_step=STEPS)]
    config = tf1.ConfigProto(operation_timeout_in_ms=60_000)
    with tf1.train.MonitoredTrainingSession(target, is_chief, hooks=hooks, config=config, stop_grace_period_secs=1) as session:
      while not session.should_stop():
        session.run(train)
      if is_chief:
        found.extend(session._tf_sess().run([step, dense, table]))  # pylint: disable=protected-access


def check(step, dense, table):
  assert step >= STEPS
  for ours, answer in zip((dense, table), expected(int(step))):
    np.testing.assert_allclose(ours, answer, rtol=1e-6, atol=1e-6)


def start(target, task, is_chief, replicas):
  words = [PROGRAM, target, str(task), str(int(is_chief)), str(STEPS), str(replicas)]
  return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("chief", ["stock", "c++"])
@pytest.mark.parametrize("servers", ["millrace", pytest.param("stock", marks=pytest.mark.long)])
def test_one_answer(chief, servers):
  synchronous_replicas.look_often()
  with task_servers.Cluster({"ps": 1, "worker": 2}, kind=servers) as cluster:
    targets = [cluster.target("worker", task) for task in range(2)]
    found = []
    own, other = (0, 1) if chief == "stock" else (1, 0)
    thread = threading.Thread(target=stock_replica, args=(targets[own], own, own == 0, 2, found))
    process = start(targets[other], other, other == 0, 2)
    thread.start()
    out, error = process.communicate(timeout=120)
    thread.join(120)
    assert not thread.is_alive()
    if chief == "c++":
      assert process.returncode == 0, error
      numbers = out.split()
      values = np.array(numbers[1:], np.float32).reshape(2, ROWS, WIDTH)
      check(int(numbers[0]), *values)
    else:
      check(*found)
