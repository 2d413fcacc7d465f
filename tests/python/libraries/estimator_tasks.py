"""Programs of estimators as tasks of a cluster: each a process of its own, which learns its place by TF_CONFIG.

A program is run by `python -m millrace`, with time that goes fifty times as fast for all that only waits. It reports what it does
into files of a folder, and a file there says how far its training may go.
"""

import json
import os
import subprocess
import sys

import package
import pair_runner

sys.path.append(os.path.join(pair_runner.ROOT, "tools"))
from free_ports import free_ports
from waiting import wait_for

_given = set()

# What programs have in common. Names of theirs: FOLDER, TASK, gate, model_fn.
COMMON = '''
import json
import os
import sys
import time

import tensorflow as tf

FOLDER = sys.argv[1]
TASK = "%(type)s_%(index)s" % json.loads(os.environ["TF_CONFIG"])["task"]


class Faster:
  """Time that goes fifty times as fast."""

  def time(self):
    return time.time() * 50

  monotonic = time

  def sleep(self, seconds):
    time.sleep(seconds / 50)


from millrace.estimator import clock
from millrace.train.session import session_manager

clock.use(Faster())
session_manager.time = Faster()


def say(name, text):
  path = os.path.join(FOLDER, name)
  with open(path + ".part", "w") as file:
    file.write(text)
  os.replace(path + ".part", path)


class Gate(tf.train.SessionRunHook):
  """Says how many runs of this process a training has had, and waits while it may have no more."""

  def __init__(self):
    self._runs = 0

  def before_run(self, run_context):
    while True:
      with open(os.path.join(FOLDER, "limits")) as file:
        if self._runs < json.loads(file.read()).get(TASK, self._runs + 1):
          return
      time.sleep(0.01)

  def after_run(self, run_context, run_values):
    self._runs += 1
    say(TASK, json.dumps({"pid": os.getpid(), "runs": self._runs}))


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [2], initializer=tf.zeros_initializer(), partitioner=None)
  b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
  y = tf.reduce_sum(features["x"] * w, 1) + b
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
  loss = tf.reduce_mean(tf.square(y - labels))
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=tf.train.get_global_step())
  metrics = {"mean": tf.metrics.mean(labels)}
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def input_fn(batches=None):
  data = tf.data.Dataset.from_tensors(({"x": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]}, [3.0, 1.0, 3.5]))
  return data.repeat(batches)
'''


def free_addresses(count):
  ports = free_ports(count, lambda port: port not in _given)
  _given.update(ports)
  return [f"127.0.0.1:{port}" for port in ports]


class Tasks:
  """The processes of a cluster. `jobs` are numbers of tasks by job; an evaluator is beside them."""

  def __init__(self, folder, program, jobs, evaluator=True, **config):
    self.folder = str(folder)
    self._program = os.path.join(self.folder, "program.py")
    with open(self._program, "w") as file:
      file.write(COMMON + program)
    addresses = free_addresses(sum(jobs.values()))
    self._config = {"cluster": {job: [addresses.pop() for _ in range(count)] for job, count in jobs.items()}, **config}
    self.names = [(job, index) for job, count in jobs.items() for index in range(count)]
    if evaluator:
      self.names.append(("evaluator", 0))
    self.processes = {}

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    for process in self.processes.values():
      process.kill()
      process.wait()

  def limit(self, **runs):
    """Lets tasks (`worker_0`) have so many runs since they were started, and others any number."""
    path = os.path.join(self.folder, "limits")
    with open(path + ".part", "w") as file:
      file.write(json.dumps(runs))
    os.replace(path + ".part", path)

  def start(self, *names):
    """Starts tasks, all by default."""
    for name in names or self.names:
      environment = package.environment()
      environment["TF_CONFIG"] = json.dumps({**self._config, "task": {"type": name[0], "index": name[1]}})
      log = open(self._log(name), "a")
      words = [sys.executable, "-m", "millrace", self._program, self.folder]
      self.processes[name] = subprocess.Popen(words, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
      log.close()

  def _log(self, name):
    return os.path.join(self.folder, "%s_%d.log" % name)

  def log(self, name):
    with open(self._log(name)) as file:
      return file.read()

  def logs(self):
    return "\n".join(
      "== %s %d (%s)\n%s" % (*name, self.processes[name].poll(), self.log(name)[-3000:]) for name in self.processes
    )

  def kill(self, name):
    """As a machine that is lost."""
    self.processes[name].kill()
    self.processes[name].wait()

  def said(self, name):
    """What a task said last about its runs, or {}."""
    try:
      with open(os.path.join(self.folder, "%s_%d" % name)) as file:
        return json.loads(file.read())
    except FileNotFoundError:
      return {}

  def await_runs(self, name, runs):
    """Waits until a task's present process has had so many runs."""

    def there():
      process = self.processes[name]
      assert process.poll() is None, self.logs()
      said = self.said(name)
      return said.get("pid") == process.pid and said["runs"] >= runs

    wait_for(there, lambda: f"{name} has not had {runs} runs\n{self.logs()}", 60)

  def codes(self, *names):
    """Waits until tasks, all by default, have ended; returns how."""
    names = names or self.names
    wait_for(
      lambda: all(self.processes[name].poll() is not None for name in names), lambda: f"not all have ended\n{self.logs()}", 60
    )
    return {name: self.processes[name].returncode for name in names}
