"""ModelFnOps: what a model function returns."""

import collections

import millrace as tf
from millrace.contrib.learn.keys import PredictionKey, ProblemType
from millrace.contrib.learn.mode_keys import ModeKeys
from millrace.estimator.export import outputs
from millrace.estimator.spec import EstimatorSpec
from millrace.saved_model import keys as saved_model_keys

_FIELDS = [
  "predictions",
  "loss",
  "train_op",
  "eval_metric_ops",
  "output_alternatives",
  "training_chief_hooks",
  "training_hooks",
  "scaffold",
  "mode",
]


def _tensor_of(value):
  return tf.convert_to_tensor(value) if not isinstance(value, (tf.Tensor, tf.SparseTensor)) else value


class ModelFnOps(collections.namedtuple("ModelFnOps", _FIELDS)):
  """The tensors and ops of a model in one mode.

  `eval_metric_ops` maps names to pairs of a value and an update, or to single tensors. `output_alternatives` maps names to pairs
  of a ProblemType and a map of tensors, for exports. Raises ValueError for what a mode needs and isn't there.
  """

  __slots__ = ()

  def __new__(
    cls,
    mode,
    predictions=None,
    loss=None,
    train_op=None,
    eval_metric_ops=None,
    output_alternatives=None,
    training_chief_hooks=None,
    training_hooks=None,
    scaffold=None,
  ):
    ModeKeys.validate(mode)
    if train_op is None and mode == ModeKeys.TRAIN:
      raise ValueError("Missing train_op.")
    if train_op is not None and not isinstance(train_op, tf.Operation):
      train_op = train_op.op if isinstance(train_op, tf.Variable) else tf.convert_to_tensor(train_op).op
    if loss is None:
      if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
        raise ValueError("Missing loss.")
    else:
      loss = tf.convert_to_tensor(loss)
      if loss.get_shape().num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {loss}.")
      if not loss.get_shape().is_compatible_with(tf.TensorShape([])):
        loss = tf.reshape(loss, [])
    if predictions is None:
      if mode == ModeKeys.INFER:
        raise ValueError("Missing predictions.")
    elif isinstance(predictions, dict):
      predictions = {key: _tensor_of(value) for key, value in predictions.items()}
    else:
      predictions = _tensor_of(predictions)
    if eval_metric_ops is None:
      eval_metric_ops = {}
    elif not isinstance(eval_metric_ops, dict):
      raise ValueError(f"eval_metric_ops must be a dict, given: {eval_metric_ops}")  # noqa: TRY004
    if scaffold is not None and not isinstance(scaffold, tf.train.Scaffold):
      raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
    return super().__new__(
      cls,
      predictions=predictions,
      loss=loss,
      train_op=train_op,
      eval_metric_ops=eval_metric_ops,
      output_alternatives=output_alternatives,
      training_chief_hooks=list(training_chief_hooks or []),
      training_hooks=list(training_hooks or []),
      scaffold=scaffold,
      mode=mode,
    )

  def estimator_spec(self, default_serving_output_alternative_key=None):
    """The same as an EstimatorSpec of tf.estimator.

    Of several alternatives of outputs the key names the one that is served by default. Raises ValueError if it is none of them.
    """
    export_outputs = None
    if self.output_alternatives:
      export_outputs = _export_outputs(self.output_alternatives, default_serving_output_alternative_key)
    metrics = {}
    for key, value in self.eval_metric_ops.items():
      metrics[key] = value if isinstance(value, tuple) else (value, tf.no_op())
    return EstimatorSpec(
      mode=self.mode,
      predictions=self.predictions,
      loss=self.loss,
      train_op=self.train_op,
      eval_metric_ops=metrics,
      export_outputs=export_outputs,
      training_chief_hooks=self.training_chief_hooks,
      training_hooks=self.training_hooks,
      scaffold=self.scaffold,
    )


def _export_outputs(alternatives, default_key):
  if len(alternatives) > 1 and (default_key is None or default_key not in alternatives):
    raise ValueError(f"The default serving alternative has to be one of {sorted(alternatives, key=str)}, given: {default_key}")
  result = {key: _export_output(*alternative) for key, alternative in alternatives.items()}
  if default_key is None:
    (default_key,) = alternatives
  result[saved_model_keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = result.pop(default_key)
  return result


def _export_output(problem_type, predictions):
  """The output of an export for a kind of problem."""
  if problem_type == ProblemType.LINEAR_REGRESSION:
    return outputs.RegressionOutput(value=predictions.get(PredictionKey.SCORES, next(iter(predictions.values()))))
  if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
    scores = predictions.get(PredictionKey.SCORES, predictions.get(PredictionKey.PROBABILITIES))
    classes = predictions.get(PredictionKey.CLASSES)
    if classes is not None and classes.dtype != tf.string:
      classes = tf.as_string(classes)
    return outputs.ClassificationOutput(scores=scores, classes=classes)
  return outputs.PredictOutput(outputs=predictions)
