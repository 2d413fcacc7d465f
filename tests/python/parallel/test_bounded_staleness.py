"""Replicas in processes of their own, of which one is delayed as long as the test wants: the others wait for it, and no longer."""

import os
import re
import subprocess
import sys

import forked_python
import numpy as np
import package
import pytest
import task_servers
import tensorflow.compat.v1 as tf

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "async_worker.py")


class Worker:
  """A process of async_worker.py."""

  def __init__(self, cluster, folder, client, replica, **flags):
    self.replica, self.log = replica, folder / ("worker%d.log" % replica)
    words = [PROGRAM, "--target", cluster.target("worker", replica), "--replica", str(replica)]
    words += [word for key, value in flags.items() for word in (["--" + key] if value is True else ["--" + key, str(value)])]
    with open(self.log, "wb") as log:
      streams = dict(stdin=subprocess.PIPE, stdout=log, stderr=log)
      os.environ["MILLRACE_PACKAGE"] = package.pair_runner.package_folder()
      if client == "stock":
        self.process = forked_python.start(words, **streams)
      else:
        self.process = subprocess.Popen(
          [sys.executable, "-m", "millrace", *words], env=package.environment(), text=True, bufsize=1, **streams
        )

  def let(self, steps):
    """Lets it make so many steps in all."""
    self.process.stdin.write("%d\n" % steps)
    self.process.stdin.flush()

  def text(self):
    return self.log.read_text(errors="replace")

  def steps(self):
    return len(re.findall(r"^step \d+$", self.text(), re.M))

  def end(self):
    self.process.stdin.close()
    assert self.process.wait(60) == 0, self.text()
    assert self.text().endswith("done\n"), self.text()

  def kill(self):
    self.process.kill()
    self.process.wait()


@pytest.fixture(params=["millrace", "stock"])
def client(request):
  return request.param


@pytest.fixture(scope="module", params=["millrace", pytest.param("stock", marks=pytest.mark.long)])
def cluster(request):
  if request.param == "millrace" and not os.path.exists(task_servers.COMMAND):
    pytest.skip(f"{task_servers.COMMAND} is not built")
  with task_servers.Cluster({"ps": 1, "worker": 3}, kind=request.param, together=request.param == "stock") as made:
    yield made


@pytest.fixture
def start(cluster, client, tmp_path):
  """Starts workers with flags; they are killed in the end. Each test has a table and variables of its own."""
  tf.Session.reset(cluster.target("worker", 0))
  workers = []

  def begin(replicas, **flags):
    for replica in range(replicas):
      workers.append(Worker(cluster, tmp_path, client, replica, replicas=replicas, **flags))
    return workers

  yield begin
  for worker in workers:
    if worker.process.poll() is None:
      worker.kill()


def await_text(worker, pattern):
  def found():
    assert worker.process.poll() is None, worker.text()
    return re.search(pattern, worker.text(), re.M)

  return task_servers.wait_for(found, lambda: f"{worker.replica} does not say {pattern}:\n{worker.text()}", 60)


def await_steps(workers, count):
  for worker in workers:
    task_servers.wait_for(lambda: worker.steps() >= count, lambda: f"no {count} steps:\n{worker.text()}", 60)


def test_nobody_is_further_ahead_than_allowed(start, cluster):
  """Two replicas may go on to step 60; the third one makes the steps that the test wants, and then ends."""
  fast = start(3, max_ahead=2, resources=True)
  slow = fast[2]
  fast = fast[:2]
  for worker in (*fast, slow):
    await_text(worker, "^begins$")
  for worker in fast:
    worker.let(60)
  for steps in (0, 1, 5):
    if steps:
      slow.let(steps)
    for worker in fast:
      await_text(
        worker, f"has waited for .* s for replica 2, at step {steps} of its own; this one is at step {steps + 3} and may be 2"
      )
      assert worker.steps() == steps + 3
  slow.end()
  await_steps(fast, 60)
  for worker in fast:
    worker.end()
  # All updates were made, and counted once.
  with tf.Graph().as_default(), tf.device("/job:ps/task:0"), tf.variable_scope("", use_resource=True):
    step, w = tf.train.get_or_create_global_step(), tf.get_variable("w", [2])
    with tf.Session(cluster.target("worker", 0)) as session:
      assert session.run(step) == 2 * 60 + 5
      np.testing.assert_array_equal(session.run(w), [(2 * 60 + 5) / 8] * 2)


@pytest.mark.parametrize("client", ["millrace"])
def test_the_others_go_on_without_a_replica_that_is_killed(start):
  first, second = start(2, max_ahead=1, too_long_secs=1)
  for worker in (first, second):
    await_text(worker, "^begins$")
  second.kill()
  first.let(10)
  await_steps([first], 10)
  await_text(
    first,
    "for replica 1, at step 0 of its own; this one is at step 2 and may be 1 ahead; no progress for 1 s: the training goes on without",
  )
  first.end()


@pytest.mark.parametrize("client", ["stock"])
def test_warm_up_with_one_replica(start):
  first, second = start(2, warm_up_steps=20)
  second.let(3)
  await_text(first, "^begins$")
  first.let(19)
  await_steps([first], 19)
  await_text(second, "replica 1 of 'async_replicas' waits for the warm-up: replica 0 is at step 19 of 20")
  assert not re.search("^begins$", second.text(), re.M)
  first.let(20)
  await_steps([second], 3)
  for worker in (second, first):
    worker.end()
