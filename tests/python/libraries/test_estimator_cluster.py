"""tf.estimator.train_and_evaluate and tf.contrib.learn.Experiment on clusters of processes, tasks of which are killed."""

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
  path = tf.train.latest_checkpoint(os.path.join(str(folder), "model"))
  return int(path.rpartition("-")[2]) if path else -1


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
