"""Exports of estimators: SavedModels of all modes, and exporters."""

import glob
import os
import re
import tempfile


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _model_fn(tf):
  def model_fn(features, labels, mode):
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
    y = features["x"] * w
    export_outputs = {
      "serving_default": tf.estimator.export.PredictOutput({"y": y}),
      "regress": tf.estimator.export.RegressionOutput(y),
      "classify": tf.estimator.export.ClassificationOutput(scores=tf.expand_dims(y, 1)),
    }
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"y": y}, export_outputs=export_outputs)
    loss = tf.reduce_mean(tf.square(y - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step())
    metrics = {"mean": tf.metrics.mean(y), "op": (tf.constant(1.0), tf.no_op())}
    return tf.estimator.EstimatorSpec(mode, predictions={"y": y}, loss=loss, train_op=train_op, eval_metric_ops=metrics)

  return model_fn


def _input_fn(tf, repeats=20):
  def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": [1.0, 2.0, 3.0]}, [2.0, 4.0, 6.0])).repeat(repeats).batch(3)

  return input_fn


def _trained(tf, steps=1, **kwargs):
  config = tf.estimator.RunConfig(tf_random_seed=1, **kwargs)
  estimator = tf.estimator.Estimator(_model_fn(tf), tempfile.mkdtemp(), config)
  estimator.train(_input_fn(tf), steps=steps)
  return estimator


def _raw(tf):
  def receiver():
    x = tf.placeholder(tf.float32, [None], name="given")
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"in": x}, {"other": {"again": x}})

  return receiver


def _files(folder):
  folder = os.fsdecode(folder)
  return sorted(os.path.relpath(os.path.join(parent, name), folder) for parent, _, names in os.walk(folder) for name in names)


def _signatures(tf, folder, tag):
  with tf.Graph().as_default() as graph, tf.Session() as session:
    meta = tf.saved_model.loader.load(session, [tag], os.fsdecode(folder))
    found = {}
    for name, signature in sorted(meta.signature_def.items()):
      found[name] = [
        signature.method_name,
        sorted((key, info.name, info.dtype) for key, info in signature.inputs.items()),
        sorted((key, info.name, info.dtype) for key, info in signature.outputs.items()),
      ]
    collections = {
      key: [getattr(item, "name", None) for item in graph.get_collection(key)] for key in ("variables", "saved_model_train_op")
    }
    return [found, collections, [op.name for op in graph.get_operations() if not op.name.startswith(("gradients/", "save"))]]


def program_export_for_serving(tf):
  estimator = _trained(tf)
  extra = os.path.join(tempfile.mkdtemp(), "extra")
  with open(extra, "w") as file:
    file.write("more")
  spec = {"x": tf.FixedLenFeature([], tf.float32)}
  base = os.path.join(estimator.model_dir, "out")
  parsing = estimator.export_saved_model(
    base, tf.estimator.export.build_parsing_serving_input_receiver_fn(spec), assets_extra={"a/b": extra}, as_text=True
  )
  raw = estimator.export_savedmodel(base, _raw(tf), checkpoint_path=estimator.latest_checkpoint(), strip_default_attrs=True)
  with tf.Graph().as_default(), tf.Session() as session:
    tf.saved_model.loader.load(session, ["serve"], os.fsdecode(raw))
    served = session.run("mul:0", {"given:0": [1.0, 2.0]})
  return [
    type(parsing).__name__,
    bool(re.fullmatch(rb"\d+", os.path.basename(parsing))),
    _files(parsing),
    _files(raw),
    _signatures(tf, parsing, "serve"),
    _signatures(tf, raw, "serve"),
    served,
    sorted(len(name) for name in os.listdir(base)),
  ]


def program_export_of_all_modes(tf):
  estimator = _trained(tf)
  supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
    {"x": tf.constant([1.0], name="x")}, tf.constant([1.0], name="y")
  )
  base = os.path.join(estimator.model_dir, "out")
  everything = estimator.experimental_export_all_saved_models(
    base, {"train": supervised, "eval": supervised, "infer": _raw(tf)}, as_text=False
  )
  evaluation = estimator.export_saved_model(base, supervised, experimental_mode="eval")
  return [
    _files(everything),
    [_signatures(tf, everything, tag) for tag in ("train", "eval", "serve")],
    _signatures(tf, evaluation, "eval"),
  ]


def program_export_with_a_table(tf):
  path = os.path.join(tempfile.mkdtemp(), "words.txt")
  with open(path, "w") as file:
    file.write("a\nb\n")

  def model_fn(features, labels, mode):
    initializer = tf.lookup.TextFileInitializer(
      path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
    )
    found = tf.lookup.StaticHashTable(initializer, -1).lookup(features["x"])
    step = tf.train.get_global_step()
    return tf.estimator.EstimatorSpec(mode, predictions={"id": found}, loss=tf.constant(1.0), train_op=tf.assign_add(step, 1))

  estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp())
  estimator.train(lambda: ({"x": tf.constant(["b"])}, None), steps=1)

  def receiver():
    x = tf.placeholder(tf.string, [None], name="given")
    return tf.estimator.export.ServingInputReceiver({"x": x}, x)

  exported = estimator.export_saved_model(os.path.join(estimator.model_dir, "out"), receiver)
  os.remove(path)
  with tf.Graph().as_default(), tf.Session() as session:
    meta = tf.saved_model.loader.load(session, ["serve"], os.fsdecode(exported))
    output = meta.signature_def["serving_default"].outputs["id"].name
    return [_files(exported), session.run(output, {"given:0": ["b", "x", "a"]})]


def program_wrong_exports(tf):
  estimator = _trained(tf)
  base = os.path.join(estimator.model_dir, "out")
  empty = tf.estimator.Estimator(_model_fn(tf), tempfile.mkdtemp())

  def more_variables(features, labels, mode):
    tf.get_variable("absent", [])
    return _model_fn(tf)(features, labels, mode)

  other = tf.estimator.Estimator(more_variables, estimator.model_dir)
  return [
    _error(lambda: estimator.export_saved_model(base, None)),
    _error(lambda: estimator.export_savedmodel(base, None)),
    _error(lambda: estimator.experimental_export_all_saved_models(base, {})),
    str(_error(lambda: other.export_saved_model(base, _raw(tf)))).splitlines()[0],
    type(_error(lambda: empty.export_saved_model(base, _raw(tf)))).__name__,
  ]


def program_exporters(tf):
  estimator = _trained(tf)
  extra = os.path.join(tempfile.mkdtemp(), "extra")
  with open(extra, "w") as file:
    file.write("more")
  base = os.path.join(estimator.model_dir, "export")
  final = tf.estimator.FinalExporter("final", _raw(tf), assets_extra={"e": extra}, as_text=True)
  latest = tf.estimator.LatestExporter("latest", _raw(tf), assets_extra={"e": extra}, as_text=True, exports_to_keep=1)
  checkpoint = estimator.latest_checkpoint()
  found = [final.name, latest.name, final.export(estimator, os.path.join(base, "final"), checkpoint, {}, False)]
  found.append(_files(final.export(estimator, os.path.join(base, "final"), checkpoint, {}, True)))
  for _ in range(2):
    made = latest.export(estimator, os.path.join(base, "latest"), checkpoint, {}, False)
  found.append(_files(made))
  found.append(len(os.listdir(os.path.join(base, "latest"))))
  return [*found, isinstance(latest, tf.estimator.Exporter)]


def program_best_exporter(tf):
  estimator = _trained(tf)
  base = os.path.join(estimator.model_dir, "export")
  os.makedirs(estimator.eval_dir())
  writer = tf.summary.FileWriter(estimator.eval_dir())
  writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)]), 1)
  writer.close()

  def smaller(best_eval_result, current_eval_result):
    return current_eval_result["loss"] < best_eval_result["loss"]

  exporter = tf.estimator.BestExporter(
    name="best",
    serving_input_receiver_fn=_raw(tf),
    event_file_pattern="eval/*.tfevents.*",
    compare_fn=smaller,
    assets_extra=None,
    as_text=True,
    exports_to_keep=1,
  )
  plain = tf.estimator.BestExporter(serving_input_receiver_fn=_raw(tf), exports_to_keep=None)
  checkpoint = estimator.latest_checkpoint()
  found = [exporter.name, plain.name]
  for loss in (0.6, 0.7, 0.4):
    made = exporter.export(estimator, os.path.join(base, "best"), checkpoint, {"loss": loss}, False)
    found.append(None if made is None else _files(made))
  found.append(len(os.listdir(os.path.join(base, "best"))))
  for loss in (3.0, 2.0, 4.0):
    found.append(plain.export(estimator, os.path.join(base, "plain"), checkpoint, {"loss": loss}, False) is None)
  found.append(_error(lambda: plain.export(estimator, os.path.join(base, "plain"), checkpoint, {}, False)))
  wrong = [
    {"compare_fn": None},
    {"exports_to_keep": 0},
  ]
  found += [_error(lambda kwargs=kwargs: tf.estimator.BestExporter(**kwargs)) for kwargs in wrong]
  found.append(type(_error(lambda: tf.estimator.BestExporter(compare_fn=lambda a, b: 0))).__name__)
  found.append(_error(lambda: tf.estimator.LatestExporter("a", None, exports_to_keep=-1)))
  return found


def program_local_runs(tf):
  config = tf.estimator.RunConfig(save_checkpoints_steps=2, tf_random_seed=1)
  estimator = tf.estimator.Estimator(_model_fn(tf), tempfile.mkdtemp(), config)
  calls = []

  class Hook(tf.train.SessionRunHook):
    def __init__(self, name):
      self.name = name

    def begin(self):
      calls.append(self.name)

  train = tf.estimator.TrainSpec(_input_fn(tf), max_steps=5, hooks=[Hook("train")])
  evaluation = tf.estimator.EvalSpec(
    _input_fn(tf, 2),
    steps=1,
    name="held_out",
    hooks=[Hook("evaluation")],
    exporters=[tf.estimator.LatestExporter("latest", _raw(tf)), tf.estimator.FinalExporter("final", _raw(tf))],
    start_delay_secs=1,
    throttle_secs=0,
  )
  metrics, exports = tf.estimator.train_and_evaluate(estimator, train, evaluation)
  throttled = tf.estimator.Estimator(_model_fn(tf), tempfile.mkdtemp(), config)
  rare = tf.estimator.EvalSpec(_input_fn(tf, 2), steps=None, hooks=[Hook("rare")], throttle_secs=1000)
  rare_metrics, rare_exports = tf.estimator.train_and_evaluate(throttled, tf.estimator.TrainSpec(_input_fn(tf, 5)), rare)
  return [
    sorted(metrics.items()),
    [made is None for made in exports],
    calls,
    sorted(os.listdir(os.path.join(estimator.model_dir, "export"))),
    [len(glob.glob(os.path.join(estimator.model_dir, "export", name, "*"))) for name in ("latest", "final")],
    sorted(name for name in os.listdir(estimator.model_dir) if name.startswith("eval")),
    sorted(rare_metrics.items()),
    rare_exports,
    _error(lambda: tf.estimator.train_and_evaluate(3, train, evaluation)),
    _error(lambda: tf.estimator.train_and_evaluate(estimator, 3, evaluation)),
    _error(lambda: tf.estimator.train_and_evaluate(estimator, train, 3)),
  ]


def program_wrong_specs_of_runs(tf):
  train, evaluation, final = tf.estimator.TrainSpec, tf.estimator.EvalSpec, tf.estimator.FinalExporter
  input_fn = _input_fn(tf)
  one, two = final("a", input_fn), final("b", input_fn)
  calls = [
    lambda: train(3),
    lambda: train(input_fn, max_steps=0),
    lambda: train(input_fn, hooks=[3]),
    lambda: evaluation(3),
    lambda: evaluation(input_fn, steps=0),
    lambda: evaluation(input_fn, name=3),
    lambda: evaluation(input_fn, hooks=[3]),
    lambda: evaluation(input_fn, exporters=3),
    lambda: evaluation(input_fn, exporters=[3]),
    lambda: evaluation(input_fn, exporters=[one, one]),
    lambda: evaluation(input_fn, exporters=[final("", input_fn)]),
    lambda: evaluation(input_fn, exporters=[final(3, input_fn)]),
    lambda: evaluation(input_fn, start_delay_secs=-1),
    lambda: evaluation(input_fn, throttle_secs=-1),
    lambda: [exporter.name for exporter in evaluation(input_fn, exporters=[two, one]).exporters],
    lambda: evaluation(input_fn, exporters=one)[1:4],
    lambda: evaluation(input_fn)[1:],
    lambda: train(input_fn, 5)[1:3],
  ]
  return [_error(call) for call in calls]
