"""tf.estimator.EstimatorSpec and tf.estimator.export: what may stand in them, and the signatures that outputs make."""


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _names(spec):
  return [
    spec.mode,
    str(spec.predictions),
    str(spec.loss),
    getattr(spec.train_op, "name", None),
    sorted(spec.eval_metric_ops),
    sorted(spec.export_outputs) if spec.export_outputs else spec.export_outputs,
    [len(hooks) for hooks in (spec.training_hooks, spec.training_chief_hooks, spec.evaluation_hooks, spec.prediction_hooks)],
    type(spec.scaffold).__name__,
  ]


def _makers(tf):
  spec, constant = tf.estimator.EstimatorSpec, tf.constant
  output = tf.estimator.export.PredictOutput
  metric = (constant(1.0), constant(1.0))
  return {
    "train": lambda: spec("train", loss=constant(1.0), train_op=tf.no_op()),
    "ones": lambda: spec("train", loss=constant([1.0]), train_op=constant(1.0)),
    "unknown": lambda: spec("train", loss=tf.placeholder(tf.float32, [None]), train_op=constant(1.0)),
    "ranks": lambda: spec("train", loss=tf.placeholder(tf.float32), train_op=constant(1.0)),
    "variable": lambda: spec("train", loss=constant(1.0), train_op=tf.get_variable("v", [])),
    "all": lambda: spec(
      "eval",
      predictions={"a": constant(1.0)},
      loss=constant(1.0),
      train_op=tf.no_op(),
      eval_metric_ops={"m": metric, "n": ((constant(1.0), constant(2.0)), constant(3.0))},
      export_outputs={"a": output(constant(1.0))},
      training_chief_hooks=[tf.train.SessionRunHook()],
      training_hooks=(tf.train.SessionRunHook(), tf.train.SessionRunHook()),
      scaffold=tf.train.Scaffold(),
      evaluation_hooks=[tf.train.SessionRunHook()] * 3,
      prediction_hooks=[tf.train.SessionRunHook()] * 4,
    ),
    "infer": lambda: spec("infer", predictions=constant(1.0)),
    "one_output": lambda: spec("infer", predictions=constant(1.0), export_outputs={"a": output(constant(1.0))}),
    "empty": lambda: spec("infer", predictions={}),
    "other_mode": lambda: spec("other"),
    "no_train_op": lambda: spec("train", loss=constant(1.0)),
    "no_loss": lambda: spec("eval"),
    "wrong_loss": lambda: spec("eval", loss=3.0),
    "wrong_train_op": lambda: spec("eval", loss=constant(1.0), train_op=3),
    "vector": lambda: spec("eval", loss=constant([1.0, 2.0])),
    "no_predictions": lambda: spec("infer"),
    "wrong_predictions": lambda: spec("infer", predictions=3),
    "wrong_prediction": lambda: spec("infer", predictions={"a": 3}),
    "sparse": lambda: spec("infer", predictions={"a": tf.SparseTensor([[0]], [1.0], [1])}),
    "wrong_outputs": lambda: spec("infer", predictions=constant(1.0), export_outputs=3),
    "wrong_output": lambda: spec("infer", predictions=constant(1.0), export_outputs={"a": 3}),
    "outputs": lambda: spec(
      "infer", predictions=constant(1.0), export_outputs={"a": output(constant(1.0)), "b": output(constant(1.0))}
    ),
    "wrong_metrics": lambda: spec("eval", loss=constant(1.0), eval_metric_ops=3),
    "wrong_metric": lambda: spec("eval", loss=constant(1.0), eval_metric_ops={"a": 3}),
    "short_metric": lambda: spec("eval", loss=constant(1.0), eval_metric_ops={"a": (constant(1.0),)}),
    "list_metric": lambda: spec("eval", loss=constant(1.0), eval_metric_ops={"a": list(metric)}),
    "wrong_hook": lambda: spec("eval", loss=constant(1.0), training_hooks=[3]),
    "wrong_hook_of_evaluation": lambda: spec("eval", loss=constant(1.0), evaluation_hooks=[3]),
    "wrong_scaffold": lambda: spec("eval", loss=constant(1.0), scaffold=3),
  }


def program_specs(tf):
  found = {}
  for name, make in _makers(tf).items():
    with tf.Graph().as_default():
      made = _error(lambda name=name: _makers(tf)[name]())
      found[name] = made if isinstance(made, Exception) else _names(made)
  return found


def program_tensors_of_another_graph(tf):
  spec = tf.estimator.EstimatorSpec
  other = tf.constant(1.0)
  with tf.Graph().as_default():
    own = tf.constant(1.0)
    return [
      _error(call)
      for call in [
        lambda: spec("eval", loss=other),
        lambda: spec("train", loss=own, train_op=other),
        lambda: spec("train", loss=own, train_op=other.op),
        lambda: spec("eval", loss=own, predictions={"a": other}),
        lambda: spec("eval", loss=own, predictions=other),
        lambda: spec("eval", loss=own, eval_metric_ops={"a": (other, own)}),
        lambda: spec("eval", loss=own, eval_metric_ops={"a": (own, other)}),
      ]
    ]


def program_replaced_spec(tf):
  spec = tf.estimator.EstimatorSpec("train", loss=tf.constant(1.0), train_op=tf.no_op())
  return [
    _names(spec._replace(loss=tf.constant([2.0]))),
    _names(spec._replace(mode="train", predictions=tf.constant(3.0))),
    _error(lambda: spec._replace(mode="eval")),
    _error(lambda: spec._replace(loss=None)),
    spec._fields,
    [tf.estimator.ModeKeys.TRAIN, tf.estimator.ModeKeys.EVAL, tf.estimator.ModeKeys.PREDICT],
  ]


def _signature(output, receivers):
  return _error(lambda: output.as_signature_def(receivers))


def program_signatures_of_outputs(tf):
  export = tf.estimator.export
  scores, classes, examples = tf.constant([0.5]), tf.constant(["a"]), tf.constant(["x"])
  classification = export.ClassificationOutput(scores, classes)
  regression = export.RegressionOutput(scores)
  prediction = export.PredictOutput({"a": scores, ("b", "c"): classes})
  evaluation = export.EvalOutput(
    scores, {"p": scores, "predictions_q": scores}, {"m": (scores, tf.no_op()), ("k", "l"): (scores, scores)}
  )
  single = export.EvalOutput({"own": scores}, scores, (scores, scores))
  return [
    _signature(classification, {"x": examples}),
    _signature(export.ClassificationOutput(scores=scores), {"x": examples}),
    _signature(export.ClassificationOutput(classes=classes), {"x": examples}),
    _signature(regression, {"x": examples}),
    _signature(prediction, {"x": scores, "y": examples}),
    _signature(export.PredictOutput(scores), {"x": scores}),
    _signature(evaluation, {"x": scores}),
    _signature(single, {"x": scores}),
    _signature(classification, {"x": examples, "y": examples}),
    _signature(classification, {"x": scores}),
    _signature(regression, {"x": scores}),
    _signature(regression, {"x": examples, "y": examples}),
    _signature(prediction, {}),
    [str(value) for value in (classification.scores, classification.classes, regression.value, prediction.outputs)],
    [sorted(value) for value in (evaluation.loss, evaluation.predictions, evaluation.metrics)],
    isinstance(prediction, export.ExportOutput),
  ]


def program_wrong_outputs(tf):
  export = tf.estimator.export
  number, real = tf.constant(1), tf.constant(1.0)
  return [
    _error(call)
    for call in [
      lambda: export.ClassificationOutput(),
      lambda: export.ClassificationOutput(scores=number),
      lambda: export.ClassificationOutput(classes=number),
      lambda: export.RegressionOutput(number),
      lambda: export.RegressionOutput(3),
      lambda: export.PredictOutput(3),
      lambda: export.PredictOutput({1: number}),
      lambda: export.PredictOutput({"a": 1}),
      lambda: export.EvalOutput(3),
      lambda: export.EvalOutput(predictions=3),
      lambda: export.EvalOutput(metrics={"m": (real, 3)}),
      lambda: export.EvalOutput(metrics={"m": (3, real)}),
      lambda: export.EvalOutput(metrics={3: (real, real)}),
      lambda: export.RegressionOutput(tf.constant(1.0, tf.float64)).as_signature_def({"a": tf.constant("x")}),
    ]
  ]


def _receiver(made):
  return [type(made).__name__, {key: str(value) for key, value in made._asdict().items()}]


def program_receivers(tf):
  serving = tf.estimator.export.ServingInputReceiver
  single = tf.estimator.export.TensorServingInputReceiver
  one = tf.constant(1)
  calls = [
    lambda: serving(one, one),
    lambda: serving({"a": one}, {"b": one}, {"c": one, "d": {"e": one}}),
    lambda: serving({1: one}, one),
    lambda: single(one, one),
    lambda: single(one, {"b": one}, {"c": one}),
    lambda: serving(None, one),
    lambda: serving({}, None),
    lambda: serving({"a": 1}, one),
    lambda: serving(3, one),
    lambda: serving({"a": one}, {1: one}),
    lambda: serving({"a": one}, {"a": 1}),
    lambda: serving({"a": one}, one, 3),
    lambda: serving({"a": one}, one, {"q": {1: one}}),
    lambda: serving({"a": one}, one, {"q": {"x": 1}}),
    lambda: single({"a": one}, one),
    lambda: single(None, one),
    lambda: single(3, one),
  ]
  found = []
  for call in calls:
    made = _error(call)
    found.append(made if isinstance(made, Exception) else _receiver(made))
  return found


def program_functions_of_receivers(tf):
  export = tf.estimator.export
  experimental = tf.estimator.experimental
  spec = {"a": tf.FixedLenFeature([2], tf.float32), "b": tf.VarLenFeature(tf.string)}
  parsing = export.build_parsing_serving_input_receiver_fn(spec, default_batch_size=5)
  anywhere = export.build_parsing_serving_input_receiver_fn(spec)
  with tf.Graph().as_default():
    features = {
      "x": tf.constant([[1.0, 2.0]], name="first"),
      "y": tf.placeholder(tf.int32, name="second"),
      "z": tf.constant(1.0, name="third"),
    }
    label = tf.constant([1], name="label")
  calls = [
    lambda: parsing(),
    lambda: anywhere(),
    lambda: export.build_raw_serving_input_receiver_fn(features)(),
    lambda: export.build_raw_serving_input_receiver_fn(features, default_batch_size=3)(),
    lambda: experimental.build_raw_supervised_input_receiver_fn(features, label, default_batch_size=4)(),
    lambda: experimental.build_raw_supervised_input_receiver_fn(label, {"l": label})(),
    lambda: experimental.build_raw_supervised_input_receiver_fn(features["x"], label)(),
    lambda: experimental.build_raw_supervised_input_receiver_fn({"a": label}, {"a": label}),
  ]
  found = []
  for call in calls:
    with tf.Graph().as_default() as graph:
      made = _error(call)
      found.append(made if isinstance(made, Exception) else [_receiver(made), [op.name for op in graph.get_operations()]])
  return found


def program_logit_functions(tf):
  call = tf.estimator.experimental.call_logit_fn
  params, config = {"scale": 2.0}, tf.estimator.RunConfig()

  def with_all(features, mode, params, config):
    return tf.constant([features["a"] * params["scale"], float(len(mode)), float(config.save_summary_steps)])

  with tf.Session() as session:
    return [
      session.run(call(with_all, {"a": 3.0}, "train", params, config)),
      session.run(call(lambda features: {"a": tf.constant(features)}, 4.0, "train", params, config)),
      _error(lambda: call(lambda features: 3, {}, "train", params, config)),
      _error(lambda: call(lambda features: {"a": 3}, {}, "train", params, config)),
    ]
