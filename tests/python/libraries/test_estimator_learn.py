"""tf.contrib.learn: estimators with model functions of both forms, premade ones, metrics, monitors and exports."""

import os

import numpy as np
import pytest

import millrace as tf

learn = tf.contrib.learn
X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], np.float32)
Y = np.array([3.0, 2.0, 4.5, 0.5], np.float32)


def model_fn(features, labels, mode, params):
  """A linear model, in the first form that there was."""
  w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
  b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
  predictions = tf.reshape(tf.matmul(features, w) + b, [-1])
  if mode == learn.ModeKeys.INFER:
    return predictions, None, None
  loss = tf.losses.mean_squared_error(labels, predictions)
  train_op = tf.contrib.layers.optimize_loss(
    loss, tf.contrib.framework.get_global_step(), learning_rate=params["rate"], optimizer="SGD"
  )
  return predictions, loss, train_op


def model_fn_with_ops(features, labels, mode, params, config, model_dir):
  predictions, loss, train_op = model_fn(features, labels, mode, params)
  assert config.model_dir == model_dir
  metrics = {"own": tf.metrics.mean(predictions)} if mode != learn.ModeKeys.INFER else None
  alternatives = {"score": (learn.ProblemType.LINEAR_REGRESSION, {"scores": predictions})}
  return learn.ModelFnOps(
    mode=mode,
    predictions={"scores": predictions, "twice": predictions * 2},
    loss=loss,
    train_op=train_op,
    eval_metric_ops=metrics,
    output_alternatives=alternatives,
  )


def descent(steps, rate):
  """Weights of gradient descent on all rows at once."""
  w, b = np.zeros(2), 0.0
  for _ in range(steps):
    error = X @ w + b - Y
    w, b = w - rate * 2 * X.T @ error / len(Y), b - rate * 2 * error.mean()
  return w, b


def input_fn():
  return tf.constant(X), tf.constant(Y)


def make(folder, function=model_fn, **kwargs):
  return learn.Estimator(
    model_fn=function, model_dir=str(folder), params={"rate": 0.1}, config=learn.RunConfig(save_checkpoints_steps=5), **kwargs
  )


def test_fit_evaluate_predict_on_arrays(tmp_path):
  estimator = make(tmp_path)
  with pytest.raises(learn.NotFittedError):
    estimator.evaluate(x=X, y=Y)
  with pytest.raises(learn.NotFittedError):
    estimator.predict(x=X)
  assert estimator.fit(x=X, y=Y, steps=20) is estimator
  w, b = descent(20, 0.1)
  np.testing.assert_allclose(estimator.get_variable_value("w")[:, 0], w, rtol=1e-5)
  np.testing.assert_allclose(estimator.get_variable_value("b"), [b], rtol=1e-5)
  expected = X @ w + b
  results = estimator.evaluate(x=X, y=Y, batch_size=3, name="held_out", metrics={"mae": tf.metrics.mean_absolute_error})
  # Two batches, of three rows and of one.
  losses = [np.square(expected[:3] - Y[:3]).mean(), np.square(expected[3:] - Y[3:]).mean()]
  np.testing.assert_allclose(results["loss"], np.mean(losses), rtol=1e-4)
  np.testing.assert_allclose(results["mae"], np.abs(expected - Y).mean(), rtol=1e-4)
  assert results["global_step"] == 20 and os.path.isdir(str(tmp_path / "eval_held_out"))
  np.testing.assert_allclose(list(estimator.predict(x=X, batch_size=3)), expected, rtol=1e-4)
  np.testing.assert_allclose(estimator.predict(x=X, batch_size=3, as_iterable=False), expected, rtol=1e-4)
  batches = list(estimator.predict(x=X, batch_size=3, iterate_batches=True))
  assert [len(batch) for batch in batches] == [3, 1]
  estimator.partial_fit(x=X, y=Y, batch_size=4, steps=2)
  assert estimator.get_variable_value("global_step") == 22
  estimator.fit(input_fn=input_fn, max_steps=22)
  assert estimator.get_variable_value("global_step") == 22
  assert set(estimator.get_variable_names()) >= {"w", "b", "global_step"}


def test_devices_that_are_not_there(tmp_path):
  """Ops run elsewhere, unless the program has a configuration of sessions of its own."""

  def on_device(features, labels, mode, params):
    with tf.device("/device:GPU:77"):
      return model_fn(features, labels, mode, params)

  make(tmp_path / "soft", on_device).fit(x=X, y=Y, steps=1)
  strict = learn.Estimator(on_device, str(tmp_path / "strict"), learn.RunConfig(session_config=tf.ConfigProto()), {"rate": 0.1})
  with pytest.raises(tf.errors.InvalidArgumentError, match="GPU:77"):
    strict.fit(x=X, y=Y, steps=1)


def test_ops_of_models(tmp_path):
  seen = []

  def engineering(features, labels):
    seen.append(labels is None)
    return features * 1.0, labels

  estimator = make(tmp_path, model_fn_with_ops, feature_engineering_fn=engineering)
  estimator.fit(input_fn=input_fn, steps=10)
  w, b = descent(10, 0.1)
  spec = learn.MetricSpec(tf.metrics.mean_absolute_error, prediction_key="scores")
  results = estimator.evaluate(
    input_fn=input_fn, steps=1, metrics={"a": spec, ("c", "twice"): tf.metrics.mean_squared_error}, hooks=[], log_progress=False
  )
  expected = X @ w + b
  np.testing.assert_allclose(results["a"], np.abs(expected - Y).mean(), rtol=1e-4)
  np.testing.assert_allclose(results["c"], np.square(2 * expected - Y).mean(), rtol=1e-4)
  np.testing.assert_allclose(results["own"], expected.mean(), rtol=1e-4)
  assert estimator.evaluate(input_fn=input_fn, steps=0) is None
  found = estimator.evaluate(
    input_fn=input_fn, steps=1, checkpoint_path=os.path.join(str(tmp_path), "model.ckpt-5"), feed_fn=lambda: {}
  )
  assert found["global_step"] == 5
  prediction = next(estimator.predict(x=X, outputs=["twice"]))
  np.testing.assert_allclose(prediction["twice"], 2 * expected[0], rtol=1e-4)
  assert list(prediction) == ["twice"] and True in seen and False in seen
  with pytest.raises(ValueError, match="Expected to run at least one output"):
    list(estimator.predict(x=X, outputs=["absent"]))


def test_export_of_alternatives(tmp_path):
  estimator = make(tmp_path / "model", model_fn_with_ops)
  estimator.fit(input_fn=input_fn, steps=1)
  spec = {"x": tf.FixedLenFeature([2], tf.float32)}

  def serving():
    parsed = learn.build_parsing_serving_input_fn(spec, default_batch_size=None)()
    return learn.InputFnOps(parsed.features["x"], None, parsed.default_inputs)

  extra = tmp_path / "extra"
  extra.write_text("more")
  path = estimator.export_savedmodel(
    str(tmp_path / "out"),
    serving,
    default_output_alternative_key="score",
    assets_extra={"e": str(extra)},
    as_text=True,
    checkpoint_path=os.path.join(str(tmp_path / "model"), "model.ckpt-1"),
    strip_default_attrs=True,
  )
  assert (tmp_path / "out" / os.path.basename(path).decode() / "assets.extra" / "e").read_text() == "more"
  assert os.path.exists(os.path.join(path, b"saved_model.pbtxt"))
  with tf.Graph().as_default(), tf.Session() as session:
    meta = tf.saved_model.loader.load(session, ["serve"], path.decode())
    names = set(meta.signature_def)
    assert names == {"serving_default", "default_input_alternative:score"}
    signature = meta.signature_def["serving_default"]
    assert signature.method_name == "tensorflow/serving/regress"
    example = tf.train.Example(
      features=tf.train.Features(feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 0.0]))})
    )
    served = session.run(signature.outputs["outputs"].name, {signature.inputs["inputs"].name: [example.SerializeToString()]})
  w, b = descent(1, 0.1)
  np.testing.assert_allclose(served, [w[0] + b], rtol=1e-5)
  with pytest.raises(ValueError, match="Requested default_output_alternative"):
    estimator.export_savedmodel(str(tmp_path / "out"), serving, default_output_alternative_key="other")
  with pytest.raises(ValueError, match="graph_rewrite_specs"):
    estimator.export_savedmodel(str(tmp_path / "out"), serving, graph_rewrite_specs=(1,))
  with pytest.raises(NotImplementedError, match="export_savedmodel"):
    estimator.export(str(tmp_path))


def test_signatures_by_kind_of_problem():
  export = learn.utils.saved_model_export_utils
  with tf.Graph().as_default():
    examples = {"examples": tf.placeholder(tf.string, [None])}
    scores, classes = tf.constant([[0.5, 0.5]]), tf.constant(["a"])
    build = export.build_standardized_signature_def
    found = [
      build(examples, {"scores": scores, "classes": classes}, learn.ProblemType.CLASSIFICATION).method_name,
      build(examples, {"probabilities": scores}, learn.ProblemType.LOGISTIC_REGRESSION).method_name,
      build(examples, {"classes": tf.constant([1])}, learn.ProblemType.CLASSIFICATION).method_name,
      build(examples, scores, learn.ProblemType.LINEAR_REGRESSION).method_name,
      build({"x": scores}, scores, learn.ProblemType.LINEAR_REGRESSION).method_name,
      build(examples, scores, learn.ProblemType.UNSPECIFIED).method_name,
    ]
    assert [name.rpartition("/")[2] for name in found] == ["classify", "classify", "predict", "regress", "predict", "predict"]
    ops = learn.ModelFnOps("infer", predictions=scores)
    alternatives, default = export.get_output_alternatives(ops)
    assert default == export.DEFAULT_OUTPUT_ALTERNATIVE_KEY and list(alternatives[default][1]) == ["output"]
    inputs, features = export.get_input_alternatives(learn.InputFnOps({"x": scores}, None, examples))
    assert inputs == {export.DEFAULT_INPUT_ALTERNATIVE_KEY: examples} and features == {"x": scores}
    assert export.FEATURES_INPUT_ALTERNATIVE_KEY == "features_input_alternative"
    with pytest.raises(ValueError, match="Features must be defined"):
      export.get_input_alternatives(learn.InputFnOps(None, None, examples))
    both = learn.ModelFnOps("infer", predictions=scores, output_alternatives={"a": (0, {"q": scores}), "b": (0, {"q": scores})})
    with pytest.raises(ValueError, match="specify a default_output_alternative_key"):
      export.get_output_alternatives(both)
    made = export.build_all_signature_defs(inputs, export.get_output_alternatives(both, "b")[0], "b")
    assert sorted(made) == ["default_input_alternative:a", "default_input_alternative:b", "serving_default"]


def test_specs_of_ops():
  with tf.Graph().as_default():
    one = tf.constant([1.0])
    ops = learn.ModelFnOps(
      "train",
      predictions=one,
      loss=tf.constant([2.0]),
      train_op=tf.no_op(),
      eval_metric_ops={"m": tf.metrics.mean(one), "tensor": one},
      output_alternatives={"a": (learn.ProblemType.CLASSIFICATION, {"scores": tf.constant([[1.0]])}), "b": (0, {"x": one})},
      training_chief_hooks=[tf.train.SessionRunHook()],
      training_hooks=[tf.train.SessionRunHook()],
      scaffold=tf.train.Scaffold(),
    )
    spec = ops.estimator_spec("a")
    assert (
      isinstance(spec, tf.estimator.EstimatorSpec) and spec.loss.shape.ndims == 0 and set(spec.eval_metric_ops) == {"m", "tensor"}
    )
    assert isinstance(spec.export_outputs["serving_default"], tf.estimator.export.ClassificationOutput)
    assert isinstance(spec.export_outputs["b"], tf.estimator.export.PredictOutput)
    with pytest.raises(ValueError, match="default serving alternative"):
      ops.estimator_spec()
    for arguments, words in [
      ({"mode": "train", "loss": one}, "Missing train_op"),
      ({"mode": "eval"}, "Missing loss"),
      ({"mode": "infer"}, "Missing predictions"),
      ({"mode": "eval", "loss": tf.constant([1.0, 2.0])}, "Loss must be scalar"),
      ({"mode": "other"}, "Invalid mode"),
    ]:
      with pytest.raises(ValueError, match=words):
        learn.ModelFnOps(**arguments)


def test_wrong_models(tmp_path):
  with pytest.raises(ValueError, match="at least two arguments"):
    learn.Estimator(model_fn=lambda features: 0, model_dir=str(tmp_path))
  with pytest.raises(ValueError, match="does not have a params argument"):
    learn.Estimator(model_fn=lambda features, labels: 0, model_dir=str(tmp_path), params={"a": 1})
  with pytest.raises(ValueError, match="model_dir are set both"):
    learn.Estimator(model_fn=lambda x, y: 0, model_dir=str(tmp_path), config=learn.RunConfig(model_dir="/other"))
  estimator = learn.Estimator(model_fn=lambda x, y: (1, 2), model_dir=str(tmp_path))
  with pytest.raises(ValueError, match="Unrecognized value returned by model_fn"):
    estimator.fit(x=X, y=Y, steps=1)
  for kwargs, words in [
    ({"x": X, "input_fn": input_fn}, "Can not provide both input_fn and x or y"),
    ({}, "Either x or input_fn"),
    ({"input_fn": input_fn, "batch_size": 3}, "both input_fn and batch_size"),
    ({"x": X, "y": Y, "steps": 1, "max_steps": 2}, "both steps and max_steps"),
  ]:
    with pytest.raises(ValueError, match=words):
      estimator.fit(**kwargs)


def test_form_of_scikit_learn(tmp_path):
  compatible = learn.SKCompat(make(tmp_path))
  assert compatible.fit(X, Y, batch_size=4, steps=30) is compatible
  compatible.fit(X, Y, max_steps=31, monitors=[])
  w, b = descent(31, 0.1)
  np.testing.assert_allclose(compatible.predict(X, batch_size=2, outputs=None), X @ w + b, rtol=1e-4)
  scores = compatible.score(X, Y, batch_size=4, steps=1, metrics={"m": tf.metrics.mean_absolute_error}, name="s")
  np.testing.assert_allclose(scores["m"], np.abs(X @ w + b - Y).mean(), rtol=1e-4)
  estimator = make(tmp_path)
  assert estimator.get_params()["params"] == {"rate": 0.1}
  assert estimator.set_params(params={"rate": 0.2}).get_params(deep=False)["params"] == {"rate": 0.2}
  with pytest.raises(ValueError, match="Invalid parameter other"):
    estimator.set_params(other=1)


def test_metric_specs():
  with tf.Graph().as_default(), tf.Session() as session:
    predictions = {"a": tf.constant([1.0, 2.0]), "b": tf.constant([5.0, 6.0])}
    labels = {"l": tf.constant([1.0, 4.0]), "m": tf.constant([5.0, 5.0])}
    features = {"w": tf.constant([1.0, 3.0])}

    def value(spec, *given):
      _, update = spec.create_metric_ops(*given)
      session.run(tf.local_variables_initializer())
      return session.run(update)

    spec = learn.MetricSpec(tf.metrics.mean_absolute_error, prediction_key="a", label_key="l", weight_key="w")
    assert value(spec, features, labels, predictions) == pytest.approx(6.0 / 4)
    assert value(learn.MetricSpec(tf.metrics.mean_absolute_error), None, labels["l"], predictions["a"]) == 1.0
    assert (
      value(learn.MetricSpec(lambda targets, logits: tf.metrics.mean(targets + logits)), None, labels["l"], predictions["a"])
      == 4.0
    )
    plain = learn.MetricSpec(lambda one: tf.reduce_sum(one), prediction_key="b")
    assert session.run(plain.create_metric_ops(None, None, predictions)) == 11.0
    assert (spec.prediction_key, spec.label_key, spec.weight_key) == ("a", "l", "w") and "prediction_key=a" in str(spec)
    with pytest.raises(ValueError, match="without specified prediction_key requires"):
      learn.MetricSpec(tf.metrics.mean_absolute_error).create_metric_ops(None, labels["l"], predictions)
    with pytest.raises(KeyError, match="is not in predictions"):
      learn.MetricSpec(tf.metrics.mean_absolute_error, prediction_key="c").create_metric_ops(None, labels["l"], predictions)
    with pytest.raises(ValueError, match="requires labels dict"):
      learn.MetricSpec(tf.metrics.mean_absolute_error, "a", label_key="l").create_metric_ops(None, labels["l"], predictions)


class Recording(learn.monitors.EveryN):
  def __init__(self, **kwargs):
    super().__init__(**kwargs)
    self.calls = []

  def every_n_step_begin(self, step):
    self.calls.append(("begin", step))
    return ["b"]

  def every_n_step_end(self, step, outputs):
    self.calls.append(("end", step, outputs["b"].shape))
    return False

  def every_n_post_step(self, step, session):
    self.calls.append(("post", step))


def test_monitors(tmp_path):
  monitors = learn.monitors
  estimator = make(tmp_path)
  recording = Recording(every_n_steps=3, first_n_steps=1)
  capture = monitors.CaptureVariable(var_name="b", every_n=2, first_n=1)
  dump = monitors.GraphDump(ignore_ops=["Assign", "Const"])
  stopping = monitors.StopAtStep(last_step=6)
  writer = tf.summary.FileWriter(str(tmp_path / "steps"))
  counter = monitors.StepCounter(every_n_steps=2, output_dir=None, summary_writer=writer)
  printing = monitors.PrintTensor({"b": "b"}, every_n=2, first_n=2)
  logging = monitors.LoggingTrainable(scope="w", every_n=2, first_n=1)
  estimator.fit(x=X, y=Y, steps=20, monitors=[recording, capture, dump, stopping, counter, printing, logging])
  assert recording.calls == [
    ("begin", 1), ("end", 1, (1,)), ("post", 1), ("begin", 4), ("end", 4, (1,)), ("post", 4), ("post", 6),
  ]  # fmt: skip
  assert estimator.get_variable_value("global_step") == 6
  assert sorted(capture.values) == [1, 3, 5]
  assert sorted(dump.data) == list(range(1, 7)) and len(dump.data[1]) > 10
  same, other = dump.compare(dump, 2, atol=1e-9)
  assert same and not other
  writer.close()
  tags = [
    value.tag
    for name in os.listdir(str(tmp_path / "steps"))
    for event in tf.train.summary_iterator(str(tmp_path / "steps" / name))
    for value in event.summary.value
  ]
  assert set(tags) == {"global_step/sec"}


def test_monitors_that_end(tmp_path):
  monitors = learn.monitors
  estimator = make(tmp_path / "a")
  estimator.fit(x=X, y=Y, steps=10, monitors=[monitors.StopAtStep(num_steps=4)])
  assert estimator.get_variable_value("global_step") == 4
  for fails in (True, False):
    with tf.Graph().as_default():
      monitor = monitors.NanLoss(tf.constant(float("nan"), name="l"), every_n_steps=1, fail_on_nan_loss=fails)
      monitor.begin()
      wanted = monitor.step_begin(1)
      if fails:
        with pytest.raises(tf.train.NanLossDuringTrainingError):
          monitor.step_end(1, {wanted[0]: np.nan})
      else:
        assert monitor.step_end(1, {wanted[0]: np.nan})
  validation = monitors.ValidationMonitor(
    input_fn=input_fn,
    eval_steps=1,
    every_n_steps=1,
    metrics={"m": tf.metrics.mean_absolute_error},
    hooks=[],
    early_stopping_rounds=5,
    early_stopping_metric="m",
    early_stopping_metric_minimize=False,
    name="v",
    check_interval_secs=0,
  )
  estimator = make(tmp_path / "b")
  estimator.fit(x=X, y=Y, steps=50, monitors=[validation])
  # The error gets smaller, which is not wanted here: the first one stays the best.
  assert validation.early_stopped and validation.best_step == 1
  assert validation.best_value == pytest.approx(np.abs(Y).mean()) and validation.best_metrics["global_step"] == 0
  assert estimator.get_variable_value("global_step") < 20 and os.path.isdir(str(tmp_path / "b" / "eval_v"))
  on_arrays = monitors.ValidationMonitor(x=X, y=Y, batch_size=2, every_n_steps=1, check_interval_secs=0)
  estimator.fit(x=X, y=Y, steps=2, monitors=[on_arrays])
  with pytest.raises(ValueError, match="Either x or input_fn"):
    monitors.ValidationMonitor()
  with pytest.raises(ValueError, match="One of num_steps"):
    monitors.StopAtStep()


def test_monitors_that_save(tmp_path):
  monitors = learn.monitors
  with tf.Graph().as_default():
    step = tf.train.create_global_step()
    train = tf.assign_add(step, 1)
    summary = tf.summary.scalar("s", tf.cast(step, tf.float32))
    saver = tf.train.Saver()
    made = [
      monitors.SummarySaver(summary, save_steps=2, output_dir=str(tmp_path / "s"), summary_writer=None, scaffold=None),
      monitors.CheckpointSaver(str(tmp_path), save_steps=3, saver=saver, checkpoint_basename="c", scaffold=None),
    ]
    for monitor in made:
      monitor.set_estimator(object())
    with tf.train.SingularMonitoredSession(hooks=[monitors.RunHookAdapterForMonitors(made)]) as session:
      for _ in range(5):
        session.run(train)
  saved = sorted(name for name in os.listdir(str(tmp_path)) if name.endswith(".index"))
  assert saved == ["c-1.index", "c-4.index", "c-5.index"]
  events = [event for name in os.listdir(str(tmp_path / "s")) for event in tf.train.summary_iterator(str(tmp_path / "s" / name))]
  assert [event.step for event in events if event.summary.value] == [1, 3, 5]
  with pytest.raises(ValueError, match="exactly one of"):
    monitors.CheckpointSaver(str(tmp_path), save_secs=3, save_steps=3)
  with tf.Graph().as_default():
    loss = tf.constant(1.0, name="loss")
    found = monitors.get_default_monitors(
      loss_op=loss, summary_op=tf.summary.scalar("a", loss), save_summary_steps=5, output_dir=str(tmp_path), summary_writer=None
    )
    assert [type(monitor).__name__ for monitor in found] == ["PrintTensor", "SummarySaver"]
  assert learn.monitors.SummaryWriterCache is tf.summary.FileWriterCache


def test_base_monitor_keeps_order():
  monitor = learn.monitors.BaseMonitor()
  monitor.begin(max_steps=3)
  with pytest.raises(ValueError, match="begin called twice"):
    monitor.begin()
  monitor.epoch_begin(0)
  with pytest.raises(ValueError, match="epoch_begin called twice"):
    monitor.epoch_begin(1)
  with pytest.raises(ValueError, match="epoch_end expected 0 but got 1"):
    monitor.epoch_end(1)
  monitor.epoch_end(0)
  assert monitor.step_begin(2) == [] and not monitor.run_on_all_workers
  with pytest.raises(ValueError, match="step_end expected 2 but got 3"):
    monitor.step_end(3, {})
  assert monitor.step_end(2, {}) is False
  monitor.post_step(2, None)
  monitor.end()
  with pytest.raises(ValueError, match="end called without begin"):
    monitor.end()
  with pytest.raises(ValueError, match="Missing estimator"):
    monitor.set_estimator(None)


def test_run_config(monkeypatch):
  config = learn.RunConfig(
    master="grpc://m:1",
    num_cores=3,
    log_device_placement=True,
    gpu_memory_fraction=0.5,
    tf_random_seed=4,
    save_summary_steps=7,
    save_checkpoints_secs=None,
    save_checkpoints_steps=8,
    keep_checkpoint_max=2,
    keep_checkpoint_every_n_hours=3,
    log_step_count_steps=9,
    protocol="grpc",
    evaluation_master="e",
    model_dir="/m",
    session_config=None,
    session_creation_timeout_secs=11,
  )
  assert isinstance(config, tf.estimator.RunConfig) and config.master == "grpc://m:1" and config.is_chief
  assert config.tf_config.intra_op_parallelism_threads == 3 and config.tf_config.log_device_placement
  assert config.tf_config.gpu_options.per_process_gpu_memory_fraction == 0.5
  assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == (8, None)
  assert config.environment == learn.Environment.LOCAL and config.evaluation_master == "e"
  other = config.replace(model_dir="/n", tf_random_seed=5)
  assert other.model_dir == "/n" and config.model_dir == "/m" and config.uid() != other.uid()
  assert config.uid(whitelist=["model_dir", "tf_random_seed"]) == other.uid(whitelist=["model_dir", "tf_random_seed"])
  with pytest.raises(ValueError, match="Replacing master is not supported"):
    config.replace(master="x")
  assert learn.RunConfig().save_checkpoints_secs == 600
  cluster = '{"ps": ["a:1"], "worker": ["b:1", "c:1"]}'
  for task, chief, master in (("worker", True, "grpc://b:1"), ("ps", False, "grpc://a:1")):
    monkeypatch.setenv(
      "TF_CONFIG", '{"environment": "cloud", "cluster": %s, "task": {"type": "%s", "index": 0}}' % (cluster, task)
    )
    found = learn.RunConfig()
    assert (found.is_chief, found.master, found.task_type, found.task_id) == (chief, master, task, 0)
    assert (found.num_ps_replicas, found.num_worker_replicas, found.environment) == (1, 2, "cloud")
  monkeypatch.setenv("TF_CONFIG", '{"cluster": {"master": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker", "index": 0}}')
  found = learn.ClusterConfig(evaluation_master="e")
  assert not found.is_chief and found.cluster_spec.as_dict() == {"master": ["a:1"], "worker": ["b:1"]}
  assert learn.ClusterConfig.get_task_id() == 0 and learn.TaskType.MASTER == "master"
  estimator = learn.Estimator(lambda x, y: 0, model_dir="/x")
  assert list(estimator.config.session_config.device_filters) == ["/job:ps", "/job:worker/task:0"]
