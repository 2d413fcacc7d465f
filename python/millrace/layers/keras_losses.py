"""tf.keras.losses without models: differences of labels and predictions, as functions and as objects that are called."""

import millrace as tf
from millrace.ops.math import counts


def mean_squared_error(y_true, y_pred):
  """The mean of the squares of the differences along the last axis."""
  y_pred, y_true = _alike(y_true, y_pred)
  return tf.reduce_mean(tf.math.squared_difference(y_pred, y_true), axis=-1)


def mean_absolute_error(y_true, y_pred):
  """The mean of the differences, without their sign, along the last axis."""
  y_pred, y_true = _alike(y_true, y_pred)
  return tf.reduce_mean(tf.abs(y_pred - y_true), axis=-1)


def mean_absolute_percentage_error(y_true, y_pred):
  """The mean of the differences in percent of the labels along the last axis."""
  y_pred, y_true = _alike(y_true, y_pred)
  part = tf.abs((y_true - y_pred) / tf.maximum(tf.abs(y_true), 1e-7))
  return 100.0 * tf.reduce_mean(part, axis=-1)


def _alike(y_true, y_pred):
  y_pred = tf.convert_to_tensor(y_pred)
  return y_pred, tf.cast(y_true, y_pred.dtype)


class Reduction:
  """How the losses of all samples become one: "auto" is their mean."""

  AUTO = "auto"
  NONE = "none"
  SUM = "sum"
  SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

  @classmethod
  def all(cls):
    """The names of all ways."""
    return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

  @classmethod
  def validate(cls, key):
    """Raises ValueError if there is no such way."""
    if key not in cls.all():
      raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


class Loss:
  """The base of losses: called with labels, predictions and weights, it is the mean over all samples.

  Weights are those of samples, or of the losses that `call` returns. A class of a program has call(y_true, y_pred). Raises
  ValueError for an unknown `reduction`.
  """

  def __init__(self, reduction=Reduction.AUTO, name=None):
    Reduction.validate(reduction)
    self.reduction = reduction
    self.name = name

  def __call__(self, y_true, y_pred, sample_weight=None):
    with tf.name_scope(self.name or type(self).__name__):
      losses = self.call(y_true, y_pred)
      if sample_weight is not None:
        losses = losses * _of_losses(tf.cast(sample_weight, losses.dtype), losses)
      if self.reduction == Reduction.NONE:
        return losses
      return tf.reduce_sum(losses) if self.reduction == Reduction.SUM else tf.reduce_mean(losses)

  def call(self, y_true, y_pred):
    raise NotImplementedError("Must be implemented in subclasses.")


def _of_losses(weights, losses):
  """Weights of one dimension more or less than the losses, which is of size 1, in the rank of the losses."""
  if weights.shape.ndims == 0:
    return weights
  _, weights = counts.remove_squeezable_dimensions(losses, weights)
  ranks = losses.shape.ndims, weights.shape.ndims
  return weights[..., tf.newaxis] if None not in ranks and ranks[0] - ranks[1] == 1 else weights


class _LossOfFunction(Loss):
  """The loss by a function, of labels and predictions one of which may have a last dimension of size 1 more."""

  _function = None

  def call(self, y_true, y_pred):
    return type(self)._function(*counts.remove_squeezable_dimensions(y_true, y_pred))


class MeanSquaredError(_LossOfFunction):
  _function = staticmethod(mean_squared_error)

  def __init__(self, reduction=Reduction.AUTO, name="mean_squared_error"):
    super().__init__(reduction, name)


class MeanAbsoluteError(_LossOfFunction):
  _function = staticmethod(mean_absolute_error)

  def __init__(self, reduction=Reduction.AUTO, name="mean_absolute_error"):
    super().__init__(reduction, name)


class MeanAbsolutePercentageError(_LossOfFunction):
  _function = staticmethod(mean_absolute_percentage_error)

  def __init__(self, reduction=Reduction.AUTO, name="mean_absolute_percentage_error"):
    super().__init__(reduction, name)
