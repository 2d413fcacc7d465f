"""Estimators of the C++ library as processes of a cluster, alone and together with estimators in Python, in one model's folder."""

import json
import os
import subprocess

import pair_runner
import pytest
from estimator_tasks import Tasks
from waiting import wait_for

import millrace as tf

PROGRAM = os.path.join(os.environ.get("MILLRACE_BUILD", os.path.join(pair_runner.ROOT, "build/dev")), "tests", "estimator_task")
JOBS = {"chief": 1, "worker": 1, "ps": 1}
CHIEF, WORKER, SERVER, EVALUATOR = ("chief", 0), ("worker", 0), ("ps", 0), ("evaluator", 0)

# The tasks that are in Python, in a cluster with others in C++.
PYTHON = """
tf.logging.set_verbosity(tf.logging.INFO)
config = tf.estimator.RunConfig(save_checkpoints_steps=5, experimental_max_worker_delay_secs=0)
estimator = tf.estimator.Estimator(model_fn, os.path.join(FOLDER, "model"), config)
tf.estimator.train_and_evaluate(
  estimator,
  tf.estimator.TrainSpec(input_fn, int(os.environ["MAX_STEPS"]), hooks=[Gate()]),
  tf.estimator.EvalSpec(lambda: input_fn(2), steps=None, start_delay_secs=1, throttle_secs=1),
)
"""


class Cluster(Tasks):
  """Tasks of which all but those of `in_python` are in C++."""

  def __init__(self, folder, max_steps, in_python=(), gate=()):
    super().__init__(folder, PYTHON, JOBS)
    self.model = os.path.join(self.folder, "model")
    self._words = [PROGRAM, self.model, str(max_steps), *map(str, gate)]
    self._in_python = in_python

  def start(self, *names):
    for name in names or self.names:
      if name in self._in_python:
        super().start(name)
        continue
      place = json.dumps({**self._config, "task": {"type": name[0], "index": name[1]}})
      with open(self._log(name), "a") as log:
        self.processes[name] = subprocess.Popen(
          self._words, env={**os.environ, "TF_CONFIG": place}, stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
  b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
  y = tf.reduce_sum(features["x"] * w, 1) + b
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
  loss = tf.reduce_mean(tf.square(y - labels))
  train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(batches=None):
  data = tf.data.Dataset.from_tensors(({"x": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]}, [3.0, 1.0, 3.5]))
  return data.repeat(batches)


def checkpoint_step(model):
  path = tf.train.latest_checkpoint(model)
  return int(path.rpartition("-")[2]) if path else -1


def in_one_process(model, max_steps):
  """What a process in C++ without a cluster says."""
  environment = {name: value for name, value in os.environ.items() if name != "TF_CONFIG"}
  done = subprocess.run(
    [PROGRAM, model, str(max_steps)], env=environment, capture_output=True, text=True, timeout=60, check=False
  )
  assert done.returncode == 0, done.stderr
  return done.stdout.split()


def is_learned(model):
  w, b = tf.train.load_variable(model, "w"), tf.train.load_variable(model, "b")
  assert abs(w[0] + b - 3.0) < 0.5 and abs(w[1] + b - 1.0) < 0.7, (w, b)


def test_cluster_and_then_python_and_back(tmp_path, monkeypatch):
  monkeypatch.delenv("TF_CONFIG", raising=False)
  gate = tmp_path / "gate"
  with Cluster(tmp_path, 120, gate=(20, gate)) as tasks:
    tasks.start()
    wait_for(lambda: "at the gate" in tasks.log(WORKER), tasks.logs, 60)
    wait_for(lambda: os.path.isdir(os.path.join(tasks.model, "eval")), tasks.logs, 60)
    tasks.kill(WORKER)
    tasks.start(WORKER)
    gate.write_text("")
    assert set(tasks.codes().values()) == {0}, tasks.logs()
    word, step, loss, mean = tasks.log(EVALUATOR).splitlines()[-1].split()
    assert word == "evaluated" and int(step) >= 120 and float(mean) == 2.5, tasks.log(EVALUATOR)
    model = tasks.model
  is_learned(model)
  names = os.listdir(model)
  assert "training_over" in names and "eval" in names

  # Python sees what was evaluated, evaluates the same, and trains on.
  metrics = {}
  for name in os.listdir(os.path.join(model, "eval")):
    for event in tf.train.summary_iterator(os.path.join(model, "eval", name)):
      for value in event.summary.value:
        if value.HasField("simple_value"):
          metrics.setdefault(event.step, {})[value.tag] = value.simple_value
        elif value.tag == "checkpoint_path":
          assert value.tensor.string_val[0].decode().startswith(os.path.join(model, "model.ckpt-"))
  assert max(metrics) == int(step) and len(metrics) >= 2
  estimator = tf.estimator.Estimator(model_fn, model)
  found = estimator.evaluate(lambda: input_fn(2))
  assert found["global_step"] == int(step)
  assert found["loss"] == pytest.approx(float(loss), rel=1e-4)
  assert found["loss"] == pytest.approx(metrics[int(step)]["loss"], rel=1e-4)
  estimator.train(input_fn, max_steps=200)
  (predicted,) = estimator.predict(lambda: input_fn(1).map(lambda x, y: x), yield_single_examples=False)

  # C++ goes on from what Python has trained.
  said = in_one_process(model, 0)
  assert said[0] == "predicted" and [float(y) for y in said[1:]] == pytest.approx(list(predicted["y"]), rel=1e-4)
  word, step, loss, _ = in_one_process(model, 250)
  assert word == "evaluated" and step == "250"
  assert estimator.evaluate(lambda: input_fn(2))["loss"] == pytest.approx(float(loss), rel=1e-4)


@pytest.mark.parametrize(
  "in_python", [(CHIEF, SERVER), (WORKER, EVALUATOR)], ids=["chief and ps in Python", "chief and ps in C++"]
)
def test_tasks_of_both(tmp_path, monkeypatch, in_python):
  """They train the same variables, and parameter servers and evaluators learn the end from whoever trains."""
  monkeypatch.setenv("MAX_STEPS", "100")
  gate = tmp_path / "gate"
  with Cluster(tmp_path, 100, in_python, gate=(20, gate)) as tasks:
    trains_in_python, trains_in_cpp = (CHIEF, WORKER) if CHIEF in in_python else (WORKER, CHIEF)
    tasks.limit(**{"%s_%d" % trains_in_python: 10})
    tasks.start()
    tasks.await_runs(trains_in_python, 10)
    wait_for(lambda: "at the gate" in tasks.log(trains_in_cpp), tasks.logs, 60)
    tasks.limit()
    gate.write_text("")
    assert set(tasks.codes().values()) == {0}, tasks.logs()
    assert "training is over" in tasks.log(SERVER)
  assert checkpoint_step(tasks.model) >= 100
  is_learned(tasks.model)


def test_place_that_there_is_not(tmp_path):
  place = '{"cluster": {"chief": ["a:1"]}, "task": {"type": "wroker", "index": 0}}'
  words = [PROGRAM, str(tmp_path / "model"), "10"]
  done = subprocess.run(words, env={**os.environ, "TF_CONFIG": place}, capture_output=True, text=True, timeout=60, check=False)
  assert done.returncode == 1 and "Job 'wroker' is not in the cluster, whose jobs are chief" in done.stderr
