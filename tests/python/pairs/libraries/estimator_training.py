"""tf.estimator.Estimator: training, evaluations and predictions, with what they leave in the folder of the model."""

import glob
import os
import tempfile

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


GRAPHS_OF_MODES = {}


def _model_fn(tf):
  def model_fn(features, labels, mode, params, config):
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(params.get("begin", 0.0)))
    y = features["x"] * w
    GRAPHS_OF_MODES[mode] = tf.get_default_graph()
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"y": y, "twice": y * 2})
    loss = tf.reduce_mean(tf.square(y - labels))
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    metrics = {"mean": tf.metrics.mean(y), "absolute": tf.metrics.mean_absolute_error(labels, y)}
    return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, predictions={"y": y}, eval_metric_ops=metrics, **params.get("spec", lambda: {})()
    )

  return model_fn


def _input_fn(tf, repeats=20):
  def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": [1.0, 2.0, 3.0]}, [2.0, 4.0, 6.0])).repeat(repeats).batch(3)

  return input_fn


def _make(tf, folder=None, **kwargs):
  config = {
    "save_checkpoints_steps": 3,
    "save_summary_steps": 2,
    "log_step_count_steps": 4,
    "tf_random_seed": 7,
    **kwargs.pop("config", {}),
  }
  return tf.estimator.Estimator(
    _model_fn(tf),
    model_dir=folder or tempfile.mkdtemp(),
    params=kwargs.pop("params", {}),
    config=tf.estimator.RunConfig(**config),
    **kwargs,
  )


def _sorted(results):
  return sorted(results.items())


def _events(tf, folder):
  """What the files of events of a folder have, without times and paths."""
  found = []
  for path in sorted(glob.glob(os.path.join(folder, "events*"))):
    for event in tf.train.summary_iterator(path):
      what = event.WhichOneof("what")
      values = []
      if what == "summary":
        for value in event.summary.value:
          kind = value.WhichOneof("value")
          timed = value.tag.endswith("/sec") or kind == "tensor"
          values.append((value.tag, kind, None if timed else value.simple_value))
      elif what == "session_log":
        values.append((event.session_log.status, os.path.basename(event.session_log.checkpoint_path)))
      found.append((event.step, what, values))
  return found


def program_train_evaluate_predict(tf):
  estimator = _make(tf)
  returned = estimator.train(_input_fn(tf), max_steps=7)
  names = [op.name for op in GRAPHS_OF_MODES["train"].get_operations() if not op.name.startswith("gradients/")]
  collections = {
    key: [getattr(item, "name", None) for item in GRAPHS_OF_MODES["train"].get_collection(key)]
    for key in ("losses", "summaries", "savers", "init_op", "local_init_op", "ready_op", "global_step")
  }
  estimator.train(_input_fn(tf), max_steps=7)
  first = estimator.evaluate(_input_fn(tf), steps=2)
  eval_names = [op.name for op in GRAPHS_OF_MODES["eval"].get_operations() if not op.name.startswith("gradients/")]
  named = estimator.evaluate(_input_fn(tf), name="other")
  folder = estimator.model_dir
  return [
    returned is estimator,
    names,
    collections,
    eval_names,
    _sorted(first),
    _sorted(named),
    list(estimator.predict(_input_fn(tf, 1))),
    sorted(name for name in os.listdir(folder) if not name.startswith("events")),
    _events(tf, folder),
    _events(tf, estimator.eval_dir()),
    _events(tf, estimator.eval_dir("other")),
    open(os.path.join(folder, "checkpoint")).read(),
    estimator.get_variable_names(),
    estimator.get_variable_value("w"),
    os.path.basename(estimator.latest_checkpoint()),
  ]


def program_steps(tf):
  estimator = _make(tf)
  steps = []
  for kwargs in ({"steps": 2}, {"steps": 2}, {"max_steps": 3}, {"max_steps": 9}, {}):
    estimator.train(_input_fn(tf, 5), **kwargs)
    steps.append(estimator.get_variable_value("global_step"))
  inputs = _input_fn(tf)
  errors = [
    lambda: estimator.train(inputs, steps=0),
    lambda: estimator.train(inputs, steps=1, max_steps=1),
    lambda: estimator.train(inputs, max_steps=-1),
    lambda: estimator.train(inputs, hooks=[3]),
    lambda: estimator.train(inputs, steps=1, saving_listeners=[3]),
    lambda: estimator.evaluate(inputs, steps=0),
    lambda: estimator.evaluate(inputs, hooks=[3]),
    lambda: estimator.train(lambda: (1, 2, 3), steps=1),
  ]
  return [steps, [_error(call) for call in errors]]


def program_without_checkpoint(tf):
  estimator = _make(tf, params={"begin": 2.0})
  return [
    _error(lambda: type(estimator.get_variable_names())),
    type(_error(lambda: estimator.get_variable_value("w"))).__name__,
    estimator.latest_checkpoint(),
    _sorted(estimator.evaluate(_input_fn(tf, 1))),
    list(estimator.predict(_input_fn(tf, 1))),
    type(_error(lambda: estimator.export_saved_model(estimator.model_dir, lambda: 0))).__name__,
    os.listdir(estimator.model_dir),
  ]


def program_checkpoint_path(tf):
  estimator = _make(tf, config={"keep_checkpoint_max": 2})
  estimator.train(_input_fn(tf), max_steps=7)
  kept = sorted(os.path.basename(path) for path in glob.glob(os.path.join(estimator.model_dir, "*.index")))
  other = os.path.join(estimator.model_dir, "model.ckpt-6")
  return [
    kept,
    _sorted(estimator.evaluate(_input_fn(tf, 1), checkpoint_path=other)),
    list(estimator.predict(_input_fn(tf, 1), checkpoint_path=other))[:1],
  ]


def program_predict(tf):
  estimator = _make(tf, params={"begin": 2.0})
  estimator.train(_input_fn(tf), steps=1)
  inputs = _input_fn(tf, 2)

  class Counting(tf.train.SessionRunHook):
    def __init__(self):
      self.runs = 0

    def after_run(self, run_context, run_values):
      self.runs += 1

  hook = Counting()
  found = [
    list(estimator.predict(inputs, predict_keys="twice")),
    list(estimator.predict(inputs, predict_keys=["y"], hooks=[hook], yield_single_examples=False)),
    hook.runs,
    _error(lambda: list(estimator.predict(inputs, predict_keys=["absent"]))),
  ]

  def array_model(features, mode):
    return tf.estimator.EstimatorSpec(mode, predictions=features["x"])

  def ragged_model(features, mode):
    return tf.estimator.EstimatorSpec(mode, predictions={"a": features["x"], "b": features["x"][:1]})

  arrays = tf.estimator.Estimator(array_model, tempfile.mkdtemp())
  ragged = tf.estimator.Estimator(ragged_model, tempfile.mkdtemp())
  only_features = lambda: tf.data.Dataset.from_tensor_slices({"x": [1.0, 2.0, 3.0]}).batch(2)  # noqa: E731
  found.append(list(arrays.predict(only_features)))
  found.append(list(arrays.predict(only_features, yield_single_examples=False)))
  found.append(_error(lambda: list(arrays.predict(only_features, predict_keys=["y"]))))
  found.append(_error(lambda: list(ragged.predict(only_features))))
  found.append(list(ragged.predict(only_features, yield_single_examples=False)))
  return found


def program_arguments_of_functions(tf):
  seen = []

  def input_fn(mode, params, config):
    seen.append((mode, params, config.save_summary_steps, tf.constant(1).device))
    params["batch"] = 17
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [1.0]))

  estimator = _make(tf, params={"batch": 3})
  estimator.train(input_fn)
  estimator.evaluate(input_fn)
  list(estimator.predict(input_fn))
  import functools

  def partial_input(factor, mode):
    seen.append((factor, mode))
    return tf.data.Dataset.from_tensors(({"x": [1.0 * factor]}, [1.0]))

  estimator.train(functools.partial(partial_input, 3))

  class Model:
    def __call__(self, features, labels, mode, config):
      seen.append((mode, config.tf_random_seed))
      return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(features["x"]), train_op=tf.no_op())

    def method(self, features, labels, mode, params):
      seen.append((mode, params))
      return self(features, labels, mode, tf.estimator.RunConfig())

  tf.estimator.Estimator(Model(), tempfile.mkdtemp()).evaluate(_input_fn(tf, 1))
  tf.estimator.Estimator(Model().method, tempfile.mkdtemp(), params={"a": 1}).evaluate(_input_fn(tf, 1))
  called = estimator.model_fn({"x": tf.constant([1.0])}, tf.constant([1.0]), "eval", estimator.config)
  return [seen, sorted(called.eval_metric_ops)]


def program_wrong_models(tf):
  inputs = _input_fn(tf, 1)
  spec = tf.estimator.EstimatorSpec

  def same_name(features, labels, mode):
    return spec(mode, loss=tf.constant(1.0), eval_metric_ops={"loss": tf.metrics.mean(labels)})

  def step_name(features, labels, mode):
    return spec(mode, loss=tf.constant(1.0), eval_metric_ops={"global_step": tf.metrics.mean(labels)})

  def make(model_fn):
    return tf.estimator.Estimator(model_fn, tempfile.mkdtemp())

  return [
    _error(lambda: make(lambda features, labels, mode: 3).train(inputs, steps=1)),
    _error(lambda: make(lambda features, mode: 3).train(inputs, steps=1)),
    _error(lambda: make(same_name).evaluate(inputs)),
    _error(lambda: make(step_name).evaluate(inputs)),
    _error(lambda: make(lambda features, labels, mode: spec(mode, predictions=labels)).train(inputs, steps=1)),
  ]


def program_hooks_of_specs(tf):
  calls = []

  class Hook(tf.train.SessionRunHook):
    def __init__(self, name):
      self.name = name

    def begin(self):
      calls.append((self.name, "begin"))

    def after_create_session(self, session, coord):
      calls.append((self.name, "session"))

    def end(self, session):
      calls.append((self.name, "end"))

  class Listener(tf.train.CheckpointSaverListener):
    def begin(self):
      calls.append("listener begins")

    def before_save(self, session, global_step_value):
      calls.append(("before", global_step_value))

    def after_save(self, session, global_step_value):
      calls.append(("after", global_step_value))
      return global_step_value >= 3

    def end(self, session, global_step_value):
      calls.append(("end", global_step_value))

  def more():
    return {
      "training_hooks": [Hook("training")],
      "training_chief_hooks": [Hook("chief")],
      "evaluation_hooks": [Hook("evaluation")],
    }

  estimator = _make(tf, params={"spec": more})
  estimator.train(_input_fn(tf), hooks=[Hook("caller")], saving_listeners=[Listener()], max_steps=10)
  step = estimator.get_variable_value("global_step")
  estimator.evaluate(_input_fn(tf, 1), hooks=[Hook("caller")])
  return [calls, step]


def program_scaffold_of_spec(tf):
  calls = []

  def model_fn(features, labels, mode):
    step = tf.train.get_global_step()
    loss = tf.reduce_mean(features["x"])
    spec = tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(step, 1), **more())
    return spec if mode == "train" else spec._replace(eval_metric_ops={"mean": tf.metrics.mean(labels)})

  def more():
    extra = tf.get_variable("extra", [], initializer=tf.zeros_initializer(), trainable=False)
    local = tf.get_variable("local", [], initializer=tf.constant_initializer(3.0), collections=[tf.GraphKeys.LOCAL_VARIABLES])

    def init_fn(scaffold, session):
      calls.append(scaffold.init_fn is not None)
      extra.load(5.0, session)

    saver = tf.train.Saver(max_to_keep=1, save_relative_paths=True)
    return {"scaffold": tf.train.Scaffold(init_fn=init_fn, local_init_op=tf.group(local.initializer), saver=saver)}

  config = tf.estimator.RunConfig(save_checkpoints_steps=3)
  estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(), config)
  estimator.train(_input_fn(tf), max_steps=7)
  kept = sorted(os.path.basename(path) for path in glob.glob(os.path.join(estimator.model_dir, "*.index")))
  return [calls, kept, estimator.get_variable_value("extra"), _sorted(estimator.evaluate(_input_fn(tf, 1)))]


def program_saving_switched_off(tf):
  estimator = tf.estimator.Estimator(
    _model_fn(tf),
    tempfile.mkdtemp(),
    params={},
    config=tf.estimator.RunConfig(
      save_checkpoints_steps=None, save_checkpoints_secs=None, save_summary_steps=0, log_step_count_steps=None
    ),
  )
  estimator.train(_input_fn(tf), max_steps=3)
  return [
    sorted(os.listdir(estimator.model_dir)),
    _error(lambda: estimator.train(_input_fn(tf), steps=1, saving_listeners=[tf.train.CheckpointSaverListener()])),
  ]


def program_own_saver_hook(tf):
  estimator = _make(tf)
  hook = tf.train.CheckpointSaverHook(estimator.model_dir, save_steps=5, checkpoint_basename="mine", saver=None, scaffold=None)
  saved = []

  class Listener(tf.train.CheckpointSaverListener):
    def after_save(self, session, global_step_value):
      saved.append(global_step_value)

  estimator.train(_input_fn(tf), max_steps=7, hooks=[hook], saving_listeners=[Listener()])
  return [saved, sorted(name for name in os.listdir(estimator.model_dir) if name.endswith(".index"))]


def program_nan_loss(tf):
  def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.constant(np.float32("nan")), train_op=tf.no_op())

  return _error(lambda: tf.estimator.Estimator(model_fn, tempfile.mkdtemp()).train(_input_fn(tf), steps=2))


def program_empty_input(tf):
  estimator = _make(tf)
  estimator.train(lambda: tf.data.Dataset.from_tensor_slices(({"x": [1.0]}, [1.0])).take(0).batch(1))
  return [estimator.get_variable_value("global_step"), sorted(n for n in os.listdir(estimator.model_dir) if n.endswith(".index"))]


def program_metrics_of_other_kinds(tf):
  def model_fn(features, labels, mode):
    text = tf.summary.scalar("inner", tf.constant(4.0))
    metrics = {
      "vector": (tf.constant([1.0, 2.0]), tf.no_op()),
      "integer": (tf.constant(3), tf.no_op()),
      "summary": (text, tf.no_op()),
      "truth": (tf.constant(True), tf.no_op()),
      "double": (tf.constant(2.5, tf.float64), tf.no_op()),
    }
    return tf.estimator.EstimatorSpec(mode, loss=tf.constant([[2.0]]), eval_metric_ops=metrics)

  estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp())
  results = estimator.evaluate(_input_fn(tf, 1), steps=2)
  return [_sorted(results), _events(tf, estimator.eval_dir())]


def program_warm_starts(tf):
  first = _make(tf, params={"begin": 1.0})
  first.train(_input_fn(tf), steps=4)
  value = first.get_variable_value("w")
  found = []
  for source in (
    first.model_dir,
    first.latest_checkpoint(),
    tf.estimator.WarmStartSettings(first.model_dir, "w"),
    tf.estimator.WarmStartSettings(first.model_dir, ".*x"),
  ):
    other = _make(tf, warm_start_from=source, params={"begin": 9.0})
    found.append(next(iter(other.predict(_input_fn(tf, 1))))["y"] == value)
    found.append(_sorted(other.evaluate(_input_fn(tf, 1))))
    other.train(_input_fn(tf), steps=1)
    found.append(other.get_variable_value("w"))
    found.append(other.get_variable_value("global_step"))
  return found


def program_warm_start_with_vocabularies(tf):
  folder = tempfile.mkdtemp()
  for name, words in (("old", "a\nb\nc\n"), ("new", "c\nd\na\n")):
    with open(os.path.join(folder, name), "w") as file:
      file.write(words)

  def model(name, value):
    def model_fn(features, labels, mode):
      w = tf.get_variable(name, initializer=tf.constant(value))
      loss = tf.reduce_sum(w) * 0.0
      return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(tf.train.get_global_step(), 1))

    return model_fn

  old = tf.estimator.Estimator(model("first", [[1.0], [2.0], [3.0]]), tempfile.mkdtemp())
  old.train(_input_fn(tf), steps=1)
  vocabulary = tf.estimator.VocabInfo(
    new_vocab=os.path.join(folder, "new"),
    new_vocab_size=3,
    num_oov_buckets=0,
    old_vocab=os.path.join(folder, "old"),
    old_vocab_size=3,
    backup_initializer=tf.ones_initializer(),
    axis=0,
  )
  settings = tf.estimator.WarmStartSettings(
    ckpt_to_initialize_from=old.model_dir,
    vars_to_warm_start="second",
    var_name_to_vocab_info={"second": vocabulary},
    var_name_to_prev_var_name={"second": "first"},
  )
  new = tf.estimator.Estimator(model("second", [[0.0], [0.0], [0.0]]), tempfile.mkdtemp(), warm_start_from=settings)
  new.train(_input_fn(tf), steps=1)
  return new.get_variable_value("second")


def program_queues_as_input(tf):
  def input_fn():
    x, y = tf.train.slice_input_producer(
      [tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant([2.0, 4.0, 6.0, 8.0])], num_epochs=2, shuffle=False
    )
    x, y = tf.train.batch([x, y], batch_size=2)
    return {"x": x}, y

  estimator = _make(tf)
  estimator.train(input_fn)
  return [estimator.get_variable_value("global_step"), estimator.get_variable_value("w"), list(estimator.predict(input_fn))]


def program_added_metrics(tf):
  def more(features, labels, predictions, config):
    return {
      "prediction": tf.metrics.mean(predictions["y"]),
      "label": tf.metrics.mean(labels),
      "feature": tf.metrics.mean(features["x"]),
      "mean": (tf.constant(float(config.save_summary_steps)), tf.no_op()),
    }

  estimator = _make(tf)
  estimator.train(_input_fn(tf), steps=2)
  other = tf.estimator.add_metrics(estimator, more)
  only = tf.estimator.add_metrics(estimator, lambda predictions: {"p": tf.metrics.mean(predictions["y"])})
  other.train(_input_fn(tf), steps=1)
  results = other.evaluate(_input_fn(tf, 2))
  return [
    _sorted(results),
    _sorted(only.evaluate(_input_fn(tf, 2))),
    type(_error(lambda: tf.estimator.add_metrics(estimator, lambda other: 0))).__name__,
    other.model_dir == estimator.model_dir,
  ]
