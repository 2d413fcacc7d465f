"""Outputs of exported models: what a signature gives, by its method."""

import abc

import millrace as tf
from millrace.framework import protos
from millrace.saved_model import signatures


class ExportOutput(metaclass=abc.ABCMeta):
  """Base class of the outputs of a signature."""

  __metaclass__ = abc.ABCMeta

  @abc.abstractmethod
  def as_signature_def(self, receiver_tensors):
    """The SignatureDef from a map of names to the tensors that receive requests."""


def _examples_of(receiver_tensors, label):
  """The one string tensor that receives requests. Raises ValueError if there is another number or type."""
  if len(receiver_tensors) != 1:
    raise ValueError(f"{label} signatures can only accept a single tensor input of type tf.string. Got: {receiver_tensors}")
  (examples,) = receiver_tensors.values()
  if tf.as_dtype(examples.dtype) != tf.string:
    raise ValueError(f"{label} signatures can only accept a single tensor input of type tf.string. Got: {receiver_tensors}")
  return examples


class ClassificationOutput(ExportOutput):
  """The output of a classification: `scores` of classes (floats), names of classes (strings), or both."""

  def __init__(self, scores=None, classes=None):
    if scores is not None and not (isinstance(scores, tf.Tensor) and scores.dtype.is_floating):
      raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
    if classes is not None and not (isinstance(classes, tf.Tensor) and tf.as_dtype(classes.dtype) == tf.string):
      raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
    if scores is None and classes is None:
      raise ValueError(
        "Cannot create a ClassificationOutput with empty arguments. At least one of `scores` and `classes` must be set."
      )
    self._scores = scores
    self._classes = classes

  @property
  def scores(self):
    return self._scores

  @property
  def classes(self):
    return self._classes

  def as_signature_def(self, receiver_tensors):
    examples = _examples_of(receiver_tensors, "Classification")
    return signatures.classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
  """The output of a regression: a tensor of floats."""

  def __init__(self, value):
    if not (isinstance(value, tf.Tensor) and value.dtype.is_floating):
      raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
    self._value = value

  @property
  def value(self):
    return self._value

  def as_signature_def(self, receiver_tensors):
    return signatures.regression_signature_def(_examples_of(receiver_tensors, "Regression"), self.value)


def _named_outputs(outputs, single_name, label):
  """A map of names to tensors; a tensor alone gets a name. Raises ValueError for other keys and values."""
  if not isinstance(outputs, dict):
    outputs = {single_name: outputs}
  result = {}
  for key, value in outputs.items():
    name = "/".join(key) if isinstance(key, tuple) else key
    if not isinstance(name, str):
      raise ValueError(f"{label} output key must be a string; got {key}.")  # noqa: TRY004 (TensorFlow's class, as below)
    if not isinstance(value, (tf.Tensor, tf.SparseTensor)):
      raise ValueError(f"{label} output value must be a Tensor; got {value}.")  # noqa: TRY004
    result[name] = value
  return result


class PredictOutput(ExportOutput):
  """The output of a prediction: a map of names to tensors, or one tensor, which is called "output"."""

  def __init__(self, outputs):
    self._outputs = _named_outputs(outputs, "output", "Prediction")

  @property
  def outputs(self):
    return self._outputs

  def as_signature_def(self, receiver_tensors):
    return signatures.predict_signature_def(receiver_tensors, self.outputs)


class _SupervisedOutput(ExportOutput):
  """The outputs of training or evaluation: loss, predictions and metrics, by names that say which they are."""

  LOSS_NAME = "loss"
  PREDICTIONS_NAME = "predictions"
  METRICS_NAME = "metrics"
  METRIC_VALUE_SUFFIX = "value"
  METRIC_UPDATE_SUFFIX = "update_op"
  _SEPARATOR_CHAR = "/"
  _METHOD_NAME = None

  def __init__(self, loss=None, predictions=None, metrics=None):
    self._loss = None
    self._predictions = None
    self._metrics = None
    if loss is not None:
      self._loss = self._prefixed(_named_outputs(loss, self.LOSS_NAME, self.LOSS_NAME), self.LOSS_NAME)
    if predictions is not None:
      named = _named_outputs(predictions, self.PREDICTIONS_NAME, self.PREDICTIONS_NAME)
      self._predictions = self._prefixed(named, self.PREDICTIONS_NAME)
    if metrics is not None:
      self._metrics = self._metric_tensors(metrics)

  def _prefixed(self, named, prefix):
    return {name if name.startswith(prefix) else prefix + self._SEPARATOR_CHAR + name: tensor for name, tensor in named.items()}

  def _metric_tensors(self, metrics):
    """The value and the update of each metric; ops become empty tensors that depend on them."""
    if not isinstance(metrics, dict):
      metrics = {self.METRICS_NAME: metrics}
    result = {}
    for key, (value, update_op) in metrics.items():
      name = "/".join(key) if isinstance(key, tuple) else key
      if not isinstance(name, str):
        raise ValueError(f"{self.METRICS_NAME} output key must be a string; got {key}.")  # noqa: TRY004
      if not name.startswith(self.METRICS_NAME):
        name = self.METRICS_NAME + self._SEPARATOR_CHAR + name
      if not isinstance(value, tf.Tensor):
        raise ValueError(f"{name} output value must be a Tensor; got {value}.")  # noqa: TRY004
      if isinstance(update_op, tf.Operation):
        with tf.control_dependencies([update_op]):
          update_op = tf.constant([], name="metric_op_wrapper")
      elif not isinstance(update_op, tf.Tensor):
        raise ValueError(f"{name} update_op must be a Tensor or Operation; got {update_op}.")  # noqa: TRY004
      result[name + self._SEPARATOR_CHAR + self.METRIC_VALUE_SUFFIX] = value
      result[name + self._SEPARATOR_CHAR + self.METRIC_UPDATE_SUFFIX] = update_op
    return result

  @property
  def loss(self):
    return self._loss

  @property
  def predictions(self):
    return self._predictions

  @property
  def metrics(self):
    return self._metrics

  def as_signature_def(self, receiver_tensors):
    inputs = {name: signatures.build_tensor_info(tensor) for name, tensor in receiver_tensors.items()}
    infos = {}
    for part in (self.loss, self.predictions, self.metrics):
      for name, tensor in (part or {}).items():
        infos[name] = signatures.build_tensor_info(tensor)
    signature = signatures.build_signature_def(inputs, infos, self._METHOD_NAME)
    return protos.coerce(protos.SignatureDef, signature)


class TrainOutput(_SupervisedOutput):
  """The outputs of a training graph."""

  _METHOD_NAME = "tensorflow/supervised/training"


class EvalOutput(_SupervisedOutput):
  """The outputs of an evaluation graph."""

  _METHOD_NAME = "tensorflow/supervised/eval"
