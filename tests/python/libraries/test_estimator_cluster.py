"""tf.estimator.train_and_evaluate and tf.contrib.learn.Experiment on clusters of processes, tasks of which are killed."""

import json
import os

from estimator_tasks import Tasks

import millrace as tf

JOBS = {"chief": 1, "worker": 2, "ps": 2}
CHIEF, WORKERS, SERVERS, EVALUATOR = ("chief", 0), [("worker", 0), ("worker", 1)], [("ps", 0), ("ps", 1)], ("evaluator", 0)

TRAIN_AND_EVALUATE = """
max_steps = int(os.environ.get("MAX_STEPS", "0")) or None
batches = json.loads(os.environ.get("BATCHES", "{}")).get(TASK)
config = tf.estimator.RunConfig(save_checkpoints_steps=5, save_summary_steps=5, log_step_count_steps=5)
estimator = tf.estimator.Estimator(model_fn, os.path.join(FOLDER, "model"), config)


class Results(tf.train.SessionRunHook):
  def end(self, session):
    say("evaluated_%d" % session.run(tf.train.get_global_step()), "")


def receiver():
  x = tf.placeholder(tf.float32, [None, 2])
  return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


tf.logging.set_verbosity(tf.logging.INFO)
tf.estimator.train_and_evaluate(
  estimator,
  tf.estimator.TrainSpec(lambda: input_fn(batches), max_steps, hooks=[Gate()]),
  tf.estimator.EvalSpec(
    lambda: input_fn(3), steps=None, hooks=[Results()], exporters=[tf.estimator.FinalExporter("final", receiver)],
    start_delay_secs=1, throttle_secs=1,
  ),
)
say(TASK + "_done", "")
"""


def checkpoint_step(folder):
  """The step in the last checkpoint: its name has one that others may have passed while it was written."""
  path = tf.train.latest_checkpoint(os.path.join(str(folder), "model"))
  return int(tf.train.load_variable(path, "global_step")) if path else -1


def evaluated(folder):
  return sorted(int(name.rpartition("_")[2]) for name in os.listdir(str(folder)) if name.startswith("evaluated_"))


def test_killed_tasks_come_back(tmp_path, monkeypatch):
  monkeypatch.setenv("MAX_STEPS", "120")
  with Tasks(tmp_path, TRAIN_AND_EVALUATE, JOBS) as tasks:
    runs = dict.fromkeys([CHIEF, *WORKERS], 8)

    def go_on():
      """Until all have had the runs that they may have."""
      tasks.limit(**{"%s_%d" % name: count for name, count in runs.items()})
      for name, count in runs.items():
        tasks.await_runs(name, count)

    tasks.start()
    go_on()
    for victim in (WORKERS[1], SERVERS[1], CHIEF):
      tasks.kill(victim)
      tasks.start(victim)
      # Those that were there go on, and the one that came back takes part.
      for name in runs:
        runs[name] += 8
      if victim in runs:
        runs[victim] = 8
      go_on()
    tasks.limit()
    codes = tasks.codes()
    assert set(codes.values()) == {0}, tasks.logs()
  seen = evaluated(tmp_path)
  assert seen[-1] >= 120 and len(seen) >= 2, seen
  model = str(tmp_path / "model")
  assert checkpoint_step(tmp_path) >= 120
  assert os.path.exists(os.path.join(model, "graph.pbtxt")) and os.path.exists(os.path.join(model, "training_over"))
  assert len(os.listdir(os.path.join(model, "export", "final"))) == 1
  w, b = tf.train.load_variable(model, "w"), tf.train.load_variable(model, "b")
  assert abs(w[0] + b - 3.0) < 0.5 and abs(w[1] + b - 1.0) < 0.7, (w, b)
  tags = set()
  for name in os.listdir(model):
    if name.startswith("events"):
      for event in tf.train.summary_iterator(os.path.join(model, name)):
        tags.update(value.tag for value in event.summary.value)
  assert {"loss", "global_step/sec"} <= tags


def test_inputs_of_different_lengths(tmp_path, monkeypatch):
  """The chief's is over first, a worker's last; parameter servers and the evaluator end all the same."""
  monkeypatch.setenv("BATCHES", '{"chief_0": 8, "worker_0": 30, "worker_1": 1}')
  with Tasks(tmp_path, TRAIN_AND_EVALUATE, JOBS) as tasks:
    tasks.limit()
    tasks.start()
    codes = tasks.codes()
    assert set(codes.values()) == {0}, tasks.logs()
    assert "The training is over." in tasks.log(SERVERS[0])
  assert evaluated(tmp_path)[-1] == checkpoint_step(tmp_path) > 0
  assert len(os.listdir(str(tmp_path / "model" / "export" / "final"))) == 1


def test_master_evaluates(tmp_path, monkeypatch):
  """A cluster of the first form: the master trains and evaluates, the first worker writes what happens in each step."""
  monkeypatch.setenv("MAX_STEPS", "30")
  with Tasks(tmp_path, TRAIN_AND_EVALUATE, {"master": 1, "worker": 2, "ps": 1}, evaluator=False) as tasks:
    tasks.limit(master_0=3, worker_1=3)
    tasks.start()
    tasks.await_runs(("worker", 0), 12)
    tasks.limit()
    assert set(tasks.codes().values()) == {0}, tasks.logs()
  assert evaluated(tmp_path)[-1] == checkpoint_step(tmp_path) >= 30
  model = str(tmp_path / "model")
  tags = {}
  for name in os.listdir(model):
    if name.startswith("events"):
      events = list(tf.train.summary_iterator(os.path.join(model, name)))
      tags[name.endswith(".worker_0")] = {value.tag for event in events for value in event.summary.value}
  assert "loss" in tags[True] and not tags[False]


def test_worker_that_does_not_come_back(tmp_path, monkeypatch):
  """Parameter servers wait for two minutes, and end without it."""
  monkeypatch.setenv("BATCHES", '{"chief_0": 8, "worker_0": 8}')
  with Tasks(tmp_path, TRAIN_AND_EVALUATE, JOBS, evaluator=False) as tasks:
    tasks.limit(chief_0=2)
    tasks.start()
    tasks.await_runs(WORKERS[1], 2)
    tasks.kill(WORKERS[1])
    tasks.limit()
    codes = tasks.codes()
    assert codes.pop(WORKERS[1]) < 0 and set(codes.values()) == {0}, tasks.logs()
    assert "can't be reached; the training is over without them" in tasks.log(SERVERS[0])


EARLY = """
from millrace.train.session import session_manager

folder = os.path.join(FOLDER, "model")
config = tf.estimator.RunConfig(model_dir=folder, save_checkpoints_steps=5, session_creation_timeout_secs=60)
estimator = tf.estimator.Estimator(model_fn, config=config)
stop = tf.estimator.experimental.make_early_stopping_hook(
  estimator, lambda: os.path.exists(os.path.join(FOLDER, "enough")), run_every_secs=None, run_every_steps=1
)
tf.estimator.train_and_evaluate(
  estimator, tf.estimator.TrainSpec(input_fn, hooks=[Gate(), stop]), tf.estimator.EvalSpec(lambda: input_fn(1))
)
"""


def test_early_stop_reaches_all_workers(tmp_path):
  with Tasks(tmp_path, EARLY, JOBS, evaluator=False) as tasks:
    tasks.limit()
    tasks.start()
    for name in (CHIEF, *WORKERS):
      tasks.await_runs(name, 3)
    (tmp_path / "enough").write_text("")
    assert set(tasks.codes().values()) == {0}, tasks.logs()


def test_worker_without_chief_asks_for_another_start(tmp_path):
  """It has waited for the model as long as it may; a scheduler that sees this code starts it again."""
  with Tasks(tmp_path, EARLY, JOBS, evaluator=False) as tasks:
    tasks.limit()
    tasks.start(WORKERS[0], *SERVERS)
    assert tasks.codes(WORKERS[0]) == {WORKERS[0]: 138}, tasks.logs()
    assert "Session was not ready after waiting 60 secs" in tasks.log(WORKERS[0])


EXPERIMENT = """
learn = tf.contrib.learn


def experiment_fn(run_config, hparams):
  def old_model_fn(features, labels, mode):
    spec = model_fn(features, labels, mode)
    return learn.ModelFnOps(mode, None, spec.loss, spec.train_op, spec.eval_metric_ops)

  return learn.Experiment(
    learn.Estimator(old_model_fn, config=run_config),
    train_input_fn=lambda: input_fn().make_one_shot_iterator().get_next(),
    eval_input_fn=lambda: input_fn(2).make_one_shot_iterator().get_next(),
    train_steps=60,
    eval_steps=1,
    train_monitors=[Gate()],
    eval_delay_secs=1,
    continuous_eval_throttle_secs=1,
    min_eval_frequency=20,
  )


tf.logging.set_verbosity(tf.logging.INFO)
config = learn.RunConfig(model_dir=os.path.join(FOLDER, "model"), save_checkpoints_steps=5)
result = learn.learn_runner.run(experiment_fn, run_config=config)
if TASK == "master_0":
  say("result", json.dumps({key: float(value) for key, value in result[0].items()}))
"""


def test_experiment(tmp_path):
  with Tasks(tmp_path, EXPERIMENT, {"master": 1, "worker": 2, "ps": 2}, environment="cloud") as tasks:
    tasks.limit(master_0=5, worker_0=5, worker_1=5)
    tasks.start()
    for name in (("master", 0), *WORKERS):
      tasks.await_runs(name, 5)
    tasks.kill(WORKERS[0])
    tasks.start(WORKERS[0])
    tasks.await_runs(WORKERS[0], 5)
    tasks.limit()
    assert set(tasks.codes().values()) == {0}, tasks.logs()
    assert "The training is over." in tasks.log(SERVERS[1])
  result = json.loads((tmp_path / "result").read_text())
  assert result["global_step"] >= 60 and result["mean"] == 2.5 and result["loss"] < 0.2
  assert os.path.isdir(str(tmp_path / "model" / "eval_continuous"))
