"""tf.contrib.learn: experiments and their runner, exports, runs of graphs."""

import os

import numpy as np
import pytest
from millrace.estimator import clock

import millrace as tf

learn = tf.contrib.learn
graph_actions = tf.contrib.learn.graph_actions


class Waits(clock.Clock):
  """Time that goes on when somebody waits."""

  def __init__(self):
    self.now = 1e6
    self.waits = []

  def time(self):
    return self.now

  def sleep(self, seconds):
    self.waits.append(seconds)
    self.now += seconds


@pytest.fixture
def waits():
  made = Waits()
  before = clock.use(made)
  yield made.waits
  clock.use(before)


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
  y = features["x"] * w
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
  loss = tf.reduce_mean(tf.square(y - labels))
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={"y": tf.metrics.mean(y)})


def old_model_fn(features, labels, mode):
  spec = model_fn(features, labels, "infer" if mode == learn.ModeKeys.INFER else mode)
  return learn.ModelFnOps(mode, spec.predictions or {"y": tf.constant(0.0)}, spec.loss, spec.train_op)


def input_fn():
  return {"x": tf.constant([1.0, 2.0])}, tf.constant([2.0, 4.0])


def serving_fn():
  x = tf.placeholder(tf.float32, [None])
  return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def core(folder, steps=2):
  return tf.estimator.Estimator(model_fn, str(folder), tf.estimator.RunConfig(save_checkpoints_steps=steps))


def old(folder, steps=2):
  return learn.Estimator(old_model_fn, str(folder), learn.RunConfig(save_checkpoints_steps=steps))


class Begins(tf.train.SessionRunHook):
  def __init__(self):
    self.count = 0

  def begin(self):
    self.count += 1


@pytest.mark.parametrize("make, frequency", [(core, 1), (old, 1), (old, None)])
def test_train_and_evaluate(tmp_path, make, frequency):
  calls = []

  def export_fn(estimator, path, checkpoint_path=None, eval_result=None):
    calls.append((os.path.relpath(path, estimator.model_dir), checkpoint_path, eval_result["global_step"]))
    return "exported"

  hook, trained = Begins(), Begins()
  experiment = learn.Experiment(
    estimator=make(tmp_path),
    train_input_fn=input_fn,
    eval_input_fn=input_fn,
    eval_metrics=None,
    train_steps=7,
    eval_steps=1,
    train_monitors=[trained],
    eval_hooks=[hook],
    min_eval_frequency=frequency,
    check_interval_secs=0,
    export_strategies=learn.ExportStrategy("mine", export_fn),
  )
  metrics, exports = experiment.train_and_evaluate()
  assert metrics["global_step"] == 7 and exports == ["exported"] and calls == [(os.path.join("export", "mine"), None, 7)]
  assert hook.count >= 3 and trained.count == 1  # at the checkpoints of steps 1, 3, 5 and at the end
  assert (experiment.train_steps, experiment.eval_steps, experiment.eval_metrics) == (7, 1, None)
  assert isinstance(experiment.estimator, (tf.estimator.Estimator, learn.Estimator))


def test_methods_of_experiments(tmp_path, waits):
  listener_calls = []

  class Listener(tf.train.CheckpointSaverListener):
    def after_save(self, session, global_step_value):
      listener_calls.append(global_step_value)

  experiment = learn.Experiment(
    core(tmp_path),
    input_fn,
    input_fn,
    train_steps=4,
    eval_steps=1,
    eval_delay_secs=33,
    continuous_eval_throttle_secs=44,
    train_steps_per_iteration=3,
    local_eval_frequency=2,
    delay_workers_by_global_step=True,
    saving_listeners=[Listener()],
    check_interval_secs=0,
  )
  more = Begins()
  experiment.extend_train_hooks([more])
  experiment.train(delay_secs=7)
  assert waits == [7] and listener_calls == [0, 2, 4] and more.count == 1
  assert experiment.evaluate(delay_secs=3)["global_step"] == 4 and experiment.evaluate(name="x")["global_step"] == 4
  assert waits == [7, 3, 33] and os.path.isdir(str(tmp_path / "eval_one_pass")) and os.path.isdir(str(tmp_path / "eval_x"))
  experiment.continuous_eval(delay_secs=1, throttle_delay_secs=2)
  assert waits[3:] == [1] and os.path.isdir(str(tmp_path / "eval_continuous"))
  asked = []

  def ask(result):
    asked.append(result and result["global_step"])
    return len(asked) < 3

  other = learn.Experiment(core(tmp_path), input_fn, input_fn, train_steps=100, eval_steps=1)
  other.continuous_eval(
    delay_secs=0, throttle_delay_secs=5, evaluate_checkpoint_only_once=False, continuous_eval_predicate_fn=ask, name="asked"
  )
  assert asked == [None, 4, 4] and waits[4:] == [5, 5]
  asked.clear()
  other.continuous_eval_on_train_data(delay_secs=6, throttle_delay_secs=1, continuous_eval_predicate_fn=ask, name="own")
  assert asked == [None, 4, 4] and waits[6:] == [6, 1, 1] and os.path.isdir(str(tmp_path / "eval_own"))
  metrics, _ = learn.Experiment(
    core(tmp_path), input_fn, input_fn, train_steps=9, eval_steps=1, train_steps_per_iteration=3
  ).continuous_train_and_eval()
  assert metrics["global_step"] == 9
  asked.clear()
  metrics, _ = learn.Experiment(core(tmp_path), input_fn, input_fn, train_steps_per_iteration=2).continuous_train_and_eval(ask)
  assert asked == [None, 11, 13] and metrics["global_step"] == 13
  assert experiment.local_run()[0]["global_step"] == 13
  one = learn.Experiment(core(tmp_path / "one"), input_fn, input_fn, train_steps=100)
  assert one.test()[0]["global_step"] == 1
  with pytest.raises(ValueError, match="must be a callable"):
    one.continuous_train_and_eval(3)


def test_workers_wait_by_time(tmp_path, waits, monkeypatch):
  monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": ["a:1", "b:1", "c:1"]}, "task": {"type": "worker", "index": 2}}')
  config = learn.RunConfig(master="", model_dir=str(tmp_path), session_config=tf.ConfigProto())
  config._is_chief, config._num_ps_replicas = True, 0
  learn.Experiment(tf.estimator.Estimator(model_fn, config=config), input_fn, input_fn, train_steps=1).train()
  assert waits == [10]


def test_checkpoint_and_export(tmp_path, waits):
  for make in (core, old):
    steps = []
    strategy = learn.ExportStrategy(
      "s", lambda estimator, path, eval_result, steps=steps: steps.append(int(eval_result["global_step"]))
    )
    experiment = learn.Experiment(
      make(tmp_path / make.__name__),
      input_fn,
      input_fn,
      train_steps=5,
      eval_steps=1,
      checkpoint_and_export=True,
      export_strategies=[strategy],
    )
    experiment.train_and_evaluate()
    assert steps[-1] == 5 and 2 in steps, steps
    assert experiment.reset_export_strategies([]) == (strategy,)


def test_strategies(tmp_path, waits):
  estimator = core(tmp_path / "model")
  estimator.train(input_fn, steps=1)
  extra = tmp_path / "extra"
  extra.write_text("more")
  strategy = learn.make_export_strategy(
    serving_fn, assets_extra={"e": str(extra)}, as_text=True, exports_to_keep=1, strip_default_attrs=True
  )
  assert strategy.name == "Servo" and strategy.strip_default_attrs
  base = str(tmp_path / "out")
  made = [strategy.export(estimator, base, estimator.latest_checkpoint()) for _ in range(2)]
  export = learn.utils.saved_model_export_utils
  assert os.listdir(base) == [os.path.basename(made[1]).decode()]
  assert export.get_most_recent_export(base) == made[1].decode()
  assert sorted(os.listdir(made[1])) == [b"assets.extra", b"saved_model.pbtxt", b"variables"]
  export.garbage_collect_exports(base, None)
  wrong = learn.make_export_strategy(serving_fn, default_output_alternative_key="a")
  with pytest.raises(ValueError, match="default_output_alternative_key is not supported"):
    wrong.export(estimator, base)
  path = export.get_timestamped_export_dir(base)
  assert path.startswith(base.encode()) and export.get_temp_export_dir(path).endswith(b"temp-" + os.path.basename(path))
  best = export.make_best_model_export_strategy(
    serving_fn, exports_to_keep=2, model_dir=None, event_file_pattern=None, compare_fn=None
  )
  results = [
    best.export(estimator, str(tmp_path / "best"), estimator.latest_checkpoint(), {"loss": loss}) for loss in (3.0, 4.0, 2.0)
  ]
  assert [bool(result) for result in results] == [True, False, True]
  selector = export.BestModelSelector(
    None, lambda curr_best_eval_result, cand_eval_result: cand_eval_result["a"] > curr_best_eval_result["a"]
  )
  found = [selector.update(str(i), {"a": value})[0] for i, value in enumerate([1, 0, 5])]
  assert found == ["0", None, "2"]

  def post(source, target):
    os.makedirs(target)
    with open(os.path.join(target, "copied"), "w") as file:
      file.write(str(sorted(os.listdir(source))))

  extended = export.extend_export_strategy(strategy, post, "after")
  result = extended.export(estimator, str(tmp_path / "export" / "after"))
  assert extended.name == "after" and os.listdir(result) == [b"copied"]
  column = tf.feature_column.numeric_column("x")
  parsing = export.make_parsing_export_strategy([column], target_core=True, as_text=False, exports_to_keep=None)
  assert os.path.exists(os.path.join(parsing.export(estimator, str(tmp_path / "parsing")), b"saved_model.pb"))
  with pytest.raises(ValueError, match="An export_fn accepting strip_default_attrs"):
    learn.ExportStrategy("a", lambda estimator, path: 0, True).export(estimator, base)


def test_wrong_experiments(tmp_path):
  make = learn.Experiment
  for arguments, words in [
    ({"estimator": 3}, "must implement `tf.contrib.learn.Evaluable`"),
    ({"eval_metrics": {}}, "`eval_metrics` must be `None` with"),
    ({"train_steps_per_iteration": -1}, "must be a positive number"),
    ({"train_steps_per_iteration": 1.5}, "must be an integer"),
    ({"export_strategies": 3}, "object is not iterable"),
    ({"export_strategies": [3]}, "must be an ExportStrategy"),
    ({"estimator": old(tmp_path), "saving_listeners": []}, "`saving_listeners` must be `None`"),
  ]:
    with pytest.raises((ValueError, TypeError), match=words):
      make(**{"estimator": core(tmp_path), "train_input_fn": input_fn, "eval_input_fn": input_fn, **arguments})


def test_runner(tmp_path, monkeypatch):
  run = learn.learn_runner.run

  def experiment_fn(output_dir):
    return learn.Experiment(core(output_dir), input_fn, input_fn, train_steps=3, eval_steps=1)

  metrics, _ = run(experiment_fn, str(tmp_path / "a"))
  assert metrics["global_step"] == 3

  def of_config(run_config, hparams):
    assert hparams == {"h": 1}
    return learn.Experiment(tf.estimator.Estimator(model_fn, config=run_config), input_fn, input_fn, train_steps=2, eval_steps=1)

  config = learn.RunConfig(model_dir=str(tmp_path / "b"))
  assert run(of_config, run_config=config, hparams={"h": 1}, schedule="local_run")[0]["global_step"] == 2
  for arguments, error, words in [
    ({}, ValueError, "Must set value for"),
    ({"output_dir": "a", "run_config": config}, ValueError, "Cannot provide both"),
    ({"run_config": learn.RunConfig()}, ValueError, "Must have non-empty value in `run_config`"),
    ({"output_dir": ""}, ValueError, "Must have non-empty value in `output_dir`"),
    ({"output_dir": "a", "hparams": 3}, ValueError, "Must set `run_config`"),
    ({"output_dir": str(tmp_path), "schedule": "other"}, ValueError, "Schedule references non-existent task other"),
    ({"output_dir": str(tmp_path), "schedule": "train_steps"}, TypeError, "Schedule references non-callable member train_steps"),
  ]:
    with pytest.raises(error, match=words):
      run(experiment_fn, **arguments)
  with pytest.raises(TypeError, match="is not callable"):
    run(3, "a")
  with pytest.raises(TypeError, match="did not return an Experiment"):
    run(lambda output_dir: 3, "a")
  called = []
  for kind in ("master", "worker", "ps", "evaluator"):
    monkeypatch.setenv(
      "TF_CONFIG", '{"cluster": {"master": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}, "task": {"type": "%s", "index": 0}}' % kind
    )
    for name in ("train_and_evaluate", "train", "run_std_server", "continuous_eval"):
      monkeypatch.setattr(learn.Experiment, name, lambda self, name=name: called.append(name))
    run(
      lambda run_config, hparams: learn.Experiment(tf.estimator.Estimator(model_fn, config=run_config), input_fn, input_fn),
      run_config=learn.RunConfig(model_dir="/x"),
    )
  assert called == ["train_and_evaluate", "train", "run_std_server", "continuous_eval"]


def test_tuner():
  class Tuner:
    def __init__(self):
      self.trials, self.runs = 3, []

    def next_trial(self):
      self.trials -= 1
      return self.trials >= 0

    def run_experiment(self, experiment_fn):
      self.runs.append(experiment_fn())

  tuner = Tuner()
  learn.learn_runner.tune(lambda: len(tuner.runs), tuner)
  assert tuner.runs == [0, 1, 2]


def test_runs_of_graphs(tmp_path):
  with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", initializer=2.0)
    y = x * w
    assert learn.run_n({"y": y}, {x: 3.0}, n=2) == [{"y": 6.0}, {"y": 6.0}]
    assert learn.run_feeds({"y": y}, [{x: 1.0}, {x: 2.0}]) == [{"y": 2.0}, {"y": 4.0}]
    assert next(graph_actions.run_feeds_iter({"y": y}, iter([{x: 5.0}]))) == {"y": 10.0}
    with tf.Session() as session:
      session.run(tf.global_variables_initializer())
      w.load(4.0, session)
      path = tf.train.Saver().save(session, str(tmp_path / "c"))
    assert learn.infer(path, {"y": y}, {x: 3.0}) == {"y": 12.0}
    assert graph_actions.run_n({"y": y}, {x: 1.0}, restore_checkpoint_path=path, n=1) == [{"y": 4.0}]
    with pytest.raises(ValueError, match="output_dict is invalid"):
      learn.run_n({})


def test_training_and_evaluation_of_graphs(tmp_path):
  def build():
    graph = tf.Graph()
    with graph.as_default():
      step = tf.train.create_global_step()
      x = tf.placeholder(tf.float32, [])
      w = tf.get_variable("w", initializer=1.0)
      loss = tf.square(w * x - 6.0)
      train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return graph, x, w, loss, train_op

  graph, x, w, loss, train_op = build()
  inits = []
  last = learn.train(
    graph,
    str(tmp_path),
    train_op,
    loss,
    init_fn=lambda session: inits.append(session is not None),
    log_every_steps=2,
    supervisor_save_model_secs=600,
    keep_checkpoint_max=3,
    supervisor_save_summaries_steps=5,
    feed_fn=lambda: {x: 2.0},
    steps=20,
    fail_on_nan_loss=True,
    monitors=[learn.monitors.StopAtStep(last_step=30)],
  )
  assert last < 1e-6 and inits == [True]
  graph, x, w, loss, train_op = build()
  with graph.as_default():
    total = tf.get_variable("total", initializer=0.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    update = tf.assign_add(total, w * x)
  results, step = graph_actions.evaluate(
    graph,
    str(tmp_path / "eval"),
    tf.train.latest_checkpoint(str(tmp_path)),
    {"total": total},
    update_op=update,
    log_every_steps=0,
    feed_fn=lambda: {x: 1.0},
    max_steps=3,
  )
  assert step == 20 and results["total"] == pytest.approx(9.0, rel=1e-3)
  assert graph_actions.get_summary_writer(str(tmp_path)) is tf.summary.FileWriterCache.get(str(tmp_path))
  for arguments, words in [
    ({"output_dir": ""}, "Output directory should be non-empty"),
    ({"train_op": None}, "Missing train_op"),
    ({"loss_op": None}, "Missing loss_op"),
    ({"steps": 1, "max_steps": 2}, "Can not provide both"),
  ]:
    with pytest.raises(ValueError, match=words):
      learn.train(**{"graph": graph, "output_dir": "a", "train_op": train_op, "loss_op": loss, **arguments})
  np.testing.assert_equal(os.path.exists(str(tmp_path / "graph.pbtxt")), True)
