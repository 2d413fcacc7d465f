"""tf.estimator: what pairs do not show. tf.contrib.predictor and what tf.contrib.estimator adds."""

import json
import os

import numpy as np
import package
import pytest
from millrace.estimator import clock, end_of_training, evaluator, task_roles

import millrace as tf

X = [1.0, 2.0, 3.0]


def model_fn(features, labels, mode):
  w = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
  y = features["x"] * w
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
      mode,
      predictions={"y": y},
      export_outputs={
        "serving_default": tf.estimator.export.PredictOutput({"y": y}),
        "half": tf.estimator.export.PredictOutput({"h": y / 2}),
      },
    )
  loss = tf.reduce_mean(tf.square(y - labels))
  train_op = tf.train.GradientDescentOptimizer(0.0).minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={"y": tf.metrics.mean(y)})


def input_fn(repeats=None):
  return tf.data.Dataset.from_tensors(({"x": X}, X)).repeat(repeats)


def receiver():
  x = tf.placeholder(tf.float32, [None], name="given")
  return tf.estimator.export.ServingInputReceiver({"x": x}, {"in": x})


@pytest.fixture
def trained(tmp_path):
  estimator = tf.estimator.Estimator(model_fn, str(tmp_path / "model"))
  estimator.train(input_fn, steps=1)
  return estimator


class Waits(clock.Clock):
  """Time that goes on when somebody waits, which may do something."""

  def __init__(self):
    self.now = 1e6
    self.waits = []
    self.actions = []

  def time(self):
    return self.now

  def sleep(self, seconds):
    self.waits.append(round(seconds, 3))
    self.now += seconds
    if self.actions:
      self.actions.pop(0)()


@pytest.fixture
def waits():
  made = Waits()
  before = clock.use(made)
  yield made
  clock.use(before)


def configured(monkeypatch, kind, index=0, **kwargs):
  cluster = {"chief": ["localhost:1"], "worker": ["localhost:2"] * 20, "ps": ["localhost:3"]}
  monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}}))
  return tf.estimator.RunConfig(**kwargs)


def test_delays_of_workers(monkeypatch):
  delays = [
    task_roles._start_delay_secs(configured(monkeypatch, *task))
    for task in [("chief",), ("worker", 0), ("worker", 1), ("worker", 15)]
  ]
  assert delays == [0, 5, 10, 60]
  assert task_roles._start_delay_secs(configured(monkeypatch, "worker", 15, experimental_max_worker_delay_secs=7)) == 7
  assert task_roles._start_delay_secs(configured(monkeypatch, "worker", 0, experimental_max_worker_delay_secs=0)) == 0


def evaluating(monkeypatch, tmp_path, waits, max_steps, **kwargs):
  """An evaluator's run, and the steps that it evaluated."""
  config = configured(monkeypatch, "evaluator", model_dir=str(tmp_path / "model"))
  estimator = tf.estimator.Estimator(model_fn, config=config)
  monkeypatch.delenv("TF_CONFIG")
  trainer = tf.estimator.Estimator(model_fn, str(tmp_path / "model"))
  seen = []

  class Steps(tf.train.SessionRunHook):
    def end(self, session):
      seen.append(int(session.run(tf.train.get_global_step())))

  spec = tf.estimator.EvalSpec(
    lambda: input_fn(1), hooks=[Steps()], exporters=tf.estimator.FinalExporter("f", receiver), **kwargs
  )
  return tf.estimator.train_and_evaluate, (estimator, tf.estimator.TrainSpec(input_fn, max_steps), spec), trainer, seen


def test_evaluator_ends_at_the_last_step(monkeypatch, tmp_path, waits):
  run, arguments, trainer, seen = evaluating(monkeypatch, tmp_path, waits, 6, start_delay_secs=100, throttle_secs=50)
  train = lambda steps: lambda: trainer.train(input_fn, max_steps=steps)  # noqa: E731
  waits.actions = [lambda: None, train(2), lambda: None, train(6)]
  run(*arguments)
  assert seen == [2, 6] and waits.waits[0] == 100 and set(waits.waits[1:]) == {50.0} and len(waits.waits) == 4
  assert len(os.listdir(str(tmp_path / "model" / "export" / "f"))) == 1


def test_evaluator_ends_with_the_training(monkeypatch, tmp_path, waits):
  run, arguments, trainer, seen = evaluating(monkeypatch, tmp_path, waits, None, start_delay_secs=0, throttle_secs=0)

  def end():
    end_of_training.Marker(str(tmp_path / "model")).write("x")

  waits.actions = [lambda: trainer.train(input_fn, steps=3), lambda: None, end]
  run(*arguments)
  assert seen == [3] and len(os.listdir(str(tmp_path / "model" / "export" / "f"))) == 1


def test_marks_of_former_trainings_count_after_a_while(tmp_path, waits):
  marker = end_of_training.Marker(str(tmp_path))
  marker.write("x")
  waits.now += 1
  later = end_of_training.Marker(str(tmp_path))
  assert marker.is_there() and not later.is_there()
  waits.now += 120
  assert later.is_there()
  later.remove()
  assert not later.is_there() and not marker.is_there()


class Board:
  """The board of a parameter server whose answers are given; some are errors."""

  def __init__(self, answers):
    self.answers = list(answers)
    self.sessions = self.open = 0

  def session(self):
    self.sessions += 1
    self.open += 1
    return self

  def close(self):
    self.open -= 1

  def said(self, session):
    answer = self.answers.pop(0)
    if isinstance(answer, Exception):
      raise answer
    return answer


def test_parameter_server_looks_again_after_errors(monkeypatch, waits):
  config = configured(monkeypatch, "ps")
  all_tasks = set(end_of_training.trainers_of(config.cluster_spec))
  late, lost, full = [
    kind(None, None, "no answer")
    for kind in (tf.errors.DeadlineExceededError, tf.errors.UnavailableError, tf.errors.ResourceExhaustedError)
  ]
  board = Board([set(), late, lost, {("worker", 3)}, full, all_tasks])
  monkeypatch.setattr(end_of_training, "_Board", lambda *arguments: board)
  end_of_training.wait_on_parameter_server(config)
  assert waits.waits == [1.0] * 5 and not board.answers
  assert board.sessions == 4 and board.open == 0


def test_parameter_server_knows_after_an_error_what_was_said(waits):
  board = Board([{("chief", 0)}, tf.errors.UnavailableError(None, None, "no answer")])
  watched = end_of_training._WatchedBoard(board)
  assert [watched.said(), watched.said()] == [{("chief", 0)}] * 2


def test_parameter_server_ends_after_two_minutes_without_an_answer(monkeypatch, waits):
  board = Board([set()] + [tf.errors.UnavailableError(None, None, "no answer")] * 200)
  monkeypatch.setattr(end_of_training, "_Board", lambda *arguments: board)
  with pytest.raises(tf.errors.UnavailableError, match="no answer"):
    end_of_training.wait_on_parameter_server(configured(monkeypatch, "ps"))
  assert sum(waits.waits) == 120 and board.open == 0


def test_listeners_of_evaluations(tmp_path, trained):
  class Once(evaluator.ContinuousEvalListener):
    def __init__(self, before, after):
      self.before, self.after = before, after

    def before_eval(self):
      return self.before

    def after_eval(self, eval_result):
      return self.after

  config = tf.estimator.RunConfig(save_checkpoints_steps=2)
  steps = []
  for before, after in ((True, False), (False, True), (True, True)):
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path / f"{before}{after}"), config)
    executor = task_roles.TrainingExecutor(
      estimator,
      tf.estimator.TrainSpec(input_fn, 10),
      tf.estimator.EvalSpec(lambda: input_fn(1), throttle_secs=0),
      train_hooks=[tf.train.SessionRunHook()],
      continuous_eval_listener=Once(before, after),
    )
    executor.run()
    steps.append(int(estimator.get_variable_value("global_step")))
  assert steps == [2, 2, 10] and executor.estimator is estimator
  with pytest.raises(TypeError, match="All hooks must be SessionRunHook"):
    task_roles.TrainingExecutor(trained, tf.estimator.TrainSpec(input_fn), tf.estimator.EvalSpec(input_fn), train_hooks=[3])
  with pytest.raises(TypeError, match="`continuous_eval_listener` must have type"):
    task_roles.TrainingExecutor(
      trained, tf.estimator.TrainSpec(input_fn), tf.estimator.EvalSpec(input_fn), continuous_eval_listener=3
    )


def test_wrong_tasks(monkeypatch, trained):
  specs = tf.estimator.TrainSpec(input_fn), tf.estimator.EvalSpec(input_fn)
  for kind, index, words in [("evaluator", 1, "there can only be one `evaluator` task"), ("worker", 0, None)]:
    estimator = tf.estimator.Estimator(model_fn, config=configured(monkeypatch, kind, index))
    if words:
      with pytest.raises(ValueError, match=words):
        tf.estimator.train_and_evaluate(estimator, *specs)
  for kind in ("ps", "evaluator"):
    with pytest.raises(ValueError, match="Train has been called wrong configuration"):
      tf.estimator.Estimator(model_fn, config=configured(monkeypatch, kind)).train(input_fn)


def test_workers_look_for_the_chief_s_stop(monkeypatch, tmp_path, waits):
  config = configured(monkeypatch, "worker", model_dir=str(tmp_path))
  worker = tf.estimator.Estimator(model_fn, config=config)
  hook = tf.estimator.experimental.make_early_stopping_hook(worker, lambda: False)
  with tf.Graph().as_default():
    step = tf.train.create_global_step()
    more = tf.assign_add(step, 1)
    with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
      session.run(more)
      (stop,) = [v for v in tf.global_variables() if v.op.name == "signal_early_stopping/STOP"]
      stop.load(True, session.raw_session())
      session.run(more)
      assert session.should_stop()
  # A worker ends when the last step is saved, not when it is reached.
  waiting = tf.estimator.experimental.make_stop_at_checkpoint_step_hook(worker, last_step=2, wait_after_file_check_secs=30)
  with tf.Graph().as_default():
    step = tf.train.create_global_step()
    more = tf.assign_add(step, 1)
    saver = tf.train.Saver([step])
    with tf.train.SingularMonitoredSession(hooks=[waiting]) as session:
      waits.actions = [lambda: None, lambda: saver.save(session.raw_session(), str(tmp_path / "model.ckpt"), global_step=2)]
      session.run(more)
      assert not session.should_stop() and waits.waits == []
      session.run(more)
      assert session.should_stop() and waits.waits == [30, 30]
  with pytest.raises(ValueError, match="InMemoryEvaluator supports only single machine"):
    tf.estimator.experimental.InMemoryEvaluatorHook(worker, input_fn)


def test_exit_codes():
  """A task that has lost others asks for another start; one with a fault of its own doesn't."""
  program = """
import millrace as tf
from millrace.estimator import exit_codes
try:
  with exit_codes.worth_a_retry():
    raise tf.errors.UnavailableError(None, None, "handled")
except tf.errors.UnavailableError:
  print("handled")
with exit_codes.worth_a_retry():
  raise %s
"""
  codes = []
  for error in (
    "tf.errors.UnavailableError(None, None, 'lost')",
    "tf.errors.InvalidArgumentError(None, None, 'wrong')",
    "ValueError('lost')",
  ):
    ran = package.python("-c", program % error)
    assert ran.stdout == "handled\n" and "lost" in ran.stderr or "wrong" in ran.stderr
    codes.append(ran.returncode)
  assert codes == [138, 1, 1]


def test_not_offered():
  for name, words in [
    ("tf.estimator.tpu.experimental", "There are no TPUs"),
    ("tf.contrib.estimator.RNNClassifier", "no premade recurrent"),
  ]:
    with pytest.raises(AttributeError, match=words):
      eval(name, {"tf": tf})
  for call in (
    lambda: tf.estimator.RunConfig(train_distribute=object()),
    lambda: tf.estimator.RunConfig(eval_distribute=object()),
    lambda: tf.estimator.RunConfig(experimental_distribute=object()),
  ):
    with pytest.raises(ValueError, match="tf.distribute is not part of Millrace"):
      call()


@pytest.mark.parametrize("kind", ["dataset", "one_shot", "queue", "constant"])
def test_only_inputs_without_an_end_are_warned_of(trained, caplog, kind):
  def given():
    if kind == "dataset":
      return input_fn(1)
    if kind == "one_shot":
      return tf.data.make_one_shot_iterator(input_fn(1)).get_next()
    if kind == "queue":
      return {"x": tf.train.batch([tf.constant(X[0])], 3)}
    return {"x": tf.constant(X)}

  next(trained.predict(given, yield_single_examples=False))
  told = [record for record in caplog.records if "predict yields forever" in record.getMessage()]
  assert len(told) == (1 if kind == "constant" else 0)


def test_predictors(tmp_path, trained):
  predictor = tf.contrib.predictor
  graph, config = tf.Graph(), tf.ConfigProto(allow_soft_placement=True)
  of_estimator = predictor.from_estimator(trained, receiver, output_key="half", graph=graph, config=config)
  np.testing.assert_allclose(of_estimator({"in": [1.0, 4.0]})["h"], [1.0, 4.0])
  assert of_estimator.graph is graph and list(of_estimator.feed_tensors) == ["in"] and list(of_estimator.fetch_tensors) == ["h"]
  assert "in" in repr(of_estimator) and of_estimator.session is not None
  exported = trained.export_saved_model(str(tmp_path / "out"), receiver).decode()
  calls = [
    {},
    {"signature_def_key": "half"},
    {"input_names": {"a": "given:0"}, "output_names": {"b": "mul:0"}, "tags": "serve", "graph": tf.Graph(), "config": config},
  ]
  found = [predictor.from_saved_model(exported, **kwargs) for kwargs in calls]
  assert [list(f({name: [3.0] for name in f.feed_tensors}).values())[0][0] for f in found] == [6.0, 3.0, 6.0]
  with tf.Graph().as_default(), tf.Session() as session:
    meta = tf.saved_model.loader.load(session, ["serve"], exported)
  given = predictor.from_saved_model(exported, signature_def=meta.signature_def["half"])
  assert list(given({"in": [5.0]})["h"]) == [5.0]
  with pytest.raises(ValueError, match="Got unexpected keys in input_dict"):
    found[0]({"other": 1})
  for kwargs, words in [
    ({"signature_def_key": "other"}, "Available signatures are"),
    ({"signature_def_key": "half", "signature_def": meta.signature_def["half"]}, "at most one of"),
    ({"input_names": {"a": "given:0"}}, "must both be specified"),
  ]:
    with pytest.raises(ValueError, match=words):
      predictor.from_saved_model(exported, **kwargs)
  with pytest.raises(ValueError, match="Available outputs are"):
    predictor.from_estimator(trained, receiver, output_key="other")


def test_predictor_of_learn(tmp_path):
  learn = tf.contrib.learn

  def old_model_fn(features, labels, mode):
    w = tf.get_variable("w", initializer=3.0)
    y = features["x"] * w
    step = tf.train.get_global_step()
    return learn.ModelFnOps(mode, {"y": y}, tf.reduce_sum(y), tf.assign_add(step, 1), output_alternatives={"o": (0, {"z": y})})

  def serving():
    x = tf.placeholder(tf.float32, [None])
    return learn.InputFnOps({"x": x}, None, {"in": x})

  estimator = learn.Estimator(old_model_fn, str(tmp_path))
  estimator.fit(input_fn=lambda: ({"x": tf.constant(X)}, tf.constant(X)), steps=1)
  predictor = tf.contrib.predictor.from_contrib_estimator(
    estimator,
    serving,
    input_alternative_key="default_input_alternative",
    output_alternative_key="o",
    graph=tf.Graph(),
    config=tf.ConfigProto(),
  )
  assert list(predictor({"in": [2.0]})["z"]) == [6.0]
  with pytest.raises(TypeError, match="You likely want to call from_contrib_estimator"):
    tf.contrib.predictor.from_estimator(estimator, receiver)
  with pytest.raises(TypeError, match="You likely want to call from_estimator"):
    tf.contrib.predictor.from_contrib_estimator(tf.estimator.Estimator(model_fn, str(tmp_path / "a")), serving)
  with pytest.raises(ValueError, match="Available inputs are"):
    tf.contrib.predictor.from_contrib_estimator(estimator, serving, input_alternative_key="other")


def test_forwarded_features(tmp_path, trained):
  forward = tf.contrib.estimator.forward_features

  def with_key():
    sparse = tf.SparseTensor([[0, 0], [2, 1]], ["a", "b"], [3, 2])
    return tf.data.Dataset.from_tensors(({"x": X, "key": [7, 8, 9], "s": sparse}, X))

  for keys, expected in (("key", {"y", "key"}), (["key", "s"], {"y", "key", "s"}), (None, {"y", "key", "s", "x"})):
    found = list(forward(trained, keys=keys, sparse_default_values={"s": "-"}).predict(with_key))
    assert set(found[0]) == expected and [one["key"] for one in found] == [7, 8, 9]
  assert [one["s"].tolist() for one in found] == [[b"a", b"-"], [b"-", b"-"], [b"-", b"b"]]

  def key_receiver():
    x, key = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int64, [None])
    return tf.estimator.export.ServingInputReceiver({"x": x, "key": key}, {"x": x, "key": key})

  exported = forward(trained, "key").export_saved_model(str(tmp_path / "out"), key_receiver)
  served = tf.contrib.predictor.from_saved_model(exported.decode())({"x": [1.0], "key": [5]})
  assert served["key"].tolist() == [5] and served["y"].tolist() == [2.0]
  with pytest.raises(ValueError, match="keys should be exist in features"):
    list(forward(trained, "absent").predict(with_key))
  with pytest.raises(TypeError, match="keys should be either a string"):
    forward(trained, 3)
  with pytest.raises(TypeError, match="All items in the given keys list"):
    forward(trained, [3])


def test_clipped_gradients():
  with tf.Graph().as_default(), tf.Session() as session:
    v = tf.get_variable("v", initializer=[3.0, 4.0])
    rows = tf.get_variable("rows", initializer=[[6.0, 8.0], [0.0, 0.0]])
    loss = tf.reduce_sum(tf.square(v)) / 2 + tf.reduce_sum(tf.square(tf.gather(rows, [0]))) / 2
    optimizer = tf.contrib.estimator.clip_gradients_by_norm(tf.train.MomentumOptimizer(1.0, 0.0), clip_norm=1.0)
    train = optimizer.minimize(loss)
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_allclose(session.run(v), [3.0 - 0.6, 4.0 - 0.8], rtol=1e-6)
    np.testing.assert_allclose(session.run(rows), [[6.0 - 0.6, 8.0 - 0.8], [0.0, 0.0]], rtol=1e-6)
    assert optimizer.get_slot_names() == ["momentum"] and optimizer.get_slot(v, "momentum") is not None


def test_exports_as_functions(tmp_path, trained):
  contrib = tf.contrib.estimator
  supervised = contrib.build_supervised_input_receiver_fn_from_input_fn(lambda: input_fn(1))
  extra = tmp_path / "extra"
  extra.write_text("more")
  options = {"assets_extra": {"e": str(extra)}, "as_text": True, "checkpoint_path": trained.latest_checkpoint()}
  one = contrib.export_saved_model_for_mode(trained, str(tmp_path / "one"), supervised, mode="train", **options)
  several = contrib.export_all_saved_models(trained, str(tmp_path / "all"), {"eval": supervised, "infer": receiver}, **options)
  for path, tags in ((one, ["train"]), (several, ["eval", "serve"])):
    assert os.path.exists(os.path.join(path.decode(), "assets.extra", "e"))
    for tag in tags:
      with tf.Graph().as_default(), tf.Session() as session:
        assert tf.saved_model.loader.load(session, [tag], path.decode()).signature_def


def test_metrics_of_files(tmp_path):
  with tf.summary.FileWriter(str(tmp_path)) as writer:
    for step, name, value in [(5, "a", 1.0), (2, "a", 3.0), (2, "b", 4.0)]:
      writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag=name, simple_value=value)]), step)
  assert dict(tf.contrib.estimator.read_eval_metrics(str(tmp_path))) == {2: {"a": 3.0, "b": 4.0}, 5: {"a": 1.0}}
  assert list(tf.contrib.estimator.read_eval_metrics(str(tmp_path))) == [2, 5]
  assert not tf.contrib.estimator.read_eval_metrics(str(tmp_path / "absent"))


def test_a_folder_may_be_a_path(tmp_path):
  config = tf.estimator.RunConfig(model_dir=tmp_path / "m")
  assert config.model_dir == str(tmp_path / "m")
  estimator = tf.estimator.Estimator(model_fn, model_dir=str(tmp_path / "m"), config=config)
  estimator.train(input_fn, steps=1)
  assert estimator.latest_checkpoint().startswith(str(tmp_path / "m"))


def test_variables_of_the_evaluation_alone(tmp_path):
  """They begin anew; the others have the values of the training."""

  def counting(features, labels, mode):
    spec = model_fn(features, labels, mode)
    if mode != tf.estimator.ModeKeys.EVAL:
      return spec
    seen = tf.get_variable("seen", [], initializer=tf.constant_initializer(5.0), trainable=False)
    return spec._replace(eval_metric_ops={"seen": tf.metrics.mean(seen), "y": tf.metrics.mean(features["x"] * 2.0)})

  estimator = tf.estimator.Estimator(counting, str(tmp_path))
  hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, input_fn, steps=1, every_n_iter=1)
  estimator.train(input_fn, hooks=[hook], steps=2)
  found = []
  for path in sorted((tmp_path / "eval").iterdir()):
    for event in tf.train.summary_iterator(str(path)):
      found += [value.simple_value for value in event.summary.value if value.tag == "seen"]
  assert found and set(found) == {5.0}


def test_a_listener_is_called_once_however_often_it_is_given(tmp_path):
  class Listener(tf.train.CheckpointSaverListener):
    saved = 0

    def after_save(self, session, global_step_value):
      Listener.saved += 1

  estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
  saver, listener = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1000), Listener()
  counts = []
  for _ in range(3):
    before = Listener.saved
    estimator.train(input_fn, hooks=[saver], steps=1, saving_listeners=[listener])
    counts.append(Listener.saved - before)
  assert len(set(counts)) == 1, counts
