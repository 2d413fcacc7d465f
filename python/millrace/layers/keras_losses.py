"""tf.keras.losses without models: differences of labels and predictions, as functions and as objects that are called."""

import millrace as tf


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


class Loss:
  """The base of losses: called with labels, predictions and weights, it is the mean over all samples.

  `reduction` "sum" is their sum, "none" the loss of each. A class of a program has call(y_true, y_pred).
  """

  def __init__(self, reduction="auto", name=None):
    self.reduction = reduction
    self.name = name

  def __call__(self, y_true, y_pred, sample_weight=None):
    with tf.name_scope(self.name or type(self).__name__):
      losses = self.call(y_true, y_pred)
      if sample_weight is not None:
        losses = losses * tf.cast(sample_weight, losses.dtype)
      if self.reduction == "none":
        return losses
      return tf.reduce_sum(losses) if self.reduction == "sum" else tf.reduce_mean(losses)

  def call(self, y_true, y_pred):
    raise NotImplementedError("Must be implemented in subclasses.")


class MeanSquaredError(Loss):
  def call(self, y_true, y_pred):
    return mean_squared_error(y_true, y_pred)


class MeanAbsoluteError(Loss):
  def call(self, y_true, y_pred):
    return mean_absolute_error(y_true, y_pred)


class MeanAbsolutePercentageError(Loss):
  def call(self, y_true, y_pred):
    return mean_absolute_percentage_error(y_true, y_pred)
