"""Weighted means over all batches, and what is a mean: accuracy, errors, shares."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import control_dependencies
from millrace.ops.losses.broadcasting import broadcast_weights
from millrace.ops.metrics.shapes import fitted
from millrace.ops.metrics.variables import collected, metric_variable


def _quotients(total, count, total_update, count_update, metrics_collections, updates_collections):
  """What value and update of a metric are that divides one variable by another: 0 where the count is."""
  value = tf.div_no_nan(total, tf.maximum(count, 0), name="value")
  update_op = tf.div_no_nan(total_update, tf.maximum(count_update, 0), name="update_op")
  return collected(value, update_op, metrics_collections, updates_collections)


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The sum of the values times `weights`, over the sum of these; without weights each value counts once.

  The local variables are `total` and `count`.

  Raises:
    ValueError: if the weights are known not to fit.
  """
  with tf.variable_scope(name, "mean", (values, weights)):
    values = tf.cast(values, dtypes.float32)
    total = metric_variable([], dtypes.float32, name="total")
    count = metric_variable([], dtypes.float32, name="count")
    if weights is None:
      number = tf.cast(tf.size(values), dtypes.float32)
    else:
      values, _, weights = fitted(values, None, weights)
      weights = broadcast_weights(tf.cast(weights, dtypes.float32), values)
      values = tf.multiply(values, weights)
      number = tf.reduce_sum(weights)
    total_update = tf.assign_add(total, tf.reduce_sum(values))
    with control_dependencies([values]):
      count_update = tf.assign_add(count, number)
    return _quotients(total, count, total_update, count_update, metrics_collections, updates_collections)


def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The mean of each element over the batches: the local variables `total_tensor` and `count_tensor` have the shape of values.

  Raises:
    ValueError: if the weights are known not to fit.
  """
  with tf.variable_scope(name, "mean", (values, weights)):
    values = tf.cast(values, dtypes.float32)
    total = metric_variable(values.get_shape(), dtypes.float32, name="total_tensor")
    count = metric_variable(values.get_shape(), dtypes.float32, name="count_tensor")
    number = tf.ones_like(values)
    if weights is not None:
      values, _, weights = fitted(values, None, weights)
      weights = broadcast_weights(tf.cast(weights, dtypes.float32), values)
      values = tf.multiply(values, weights)
      number = tf.multiply(number, weights)
    total_update = tf.assign_add(total, values)
    with control_dependencies([values]):
      count_update = tf.assign_add(count, number)
    return _quotients(total, count, total_update, count_update, metrics_collections, updates_collections)


def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """How often predictions are equal to labels: the mean of 0 and 1.

  Raises:
    ValueError: if shapes are known not to fit.
  """
  predictions, labels, weights = fitted(predictions, labels, weights)
  if labels.dtype.base_dtype != predictions.dtype.base_dtype:
    predictions = tf.cast(predictions, labels.dtype)
  is_correct = tf.cast(tf.equal(predictions, labels), dtypes.float32)
  return mean(is_correct, weights, metrics_collections, updates_collections, name or "accuracy")


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The share of the values that are below `threshold`, from 0 to 1."""
  is_below = tf.cast(tf.less(values, threshold), dtypes.float32)
  return mean(is_below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")


def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The mean of the absolute values of predictions - labels."""
  predictions, labels, weights = fitted(predictions, labels, weights)
  errors = tf.abs(predictions - labels)
  return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


def mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The mean of the squares of predictions - labels."""
  predictions, labels, weights = fitted(predictions, labels, weights)
  errors = tf.squared_difference(labels, predictions)
  return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The square root of mean_squared_error()."""
  predictions, labels, weights = fitted(predictions, labels, weights)
  value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
  return collected(tf.sqrt(value), tf.sqrt(update), metrics_collections, updates_collections)


def mean_relative_error(
  labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The mean of |labels - predictions| / normalizer, 0 where the normalizer is 0."""
  predictions, labels, weights = fitted(predictions, labels, weights)
  predictions, normalizer = _same_rank(predictions, normalizer)
  quotients = tf.truediv(tf.abs(labels - predictions), normalizer)
  errors = tf.where(tf.equal(0.0, normalizer), tf.zeros_like(labels), quotients)
  return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


def _same_rank(predictions, normalizer):
  from millrace.ops.math.counts import remove_squeezable_dimensions

  predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
  predictions.get_shape().assert_is_compatible_with(normalizer.get_shape())
  return predictions, normalizer


def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """1 minus the mean cosine of labels and predictions, which have to be of length 1 along `dim`."""
  predictions, labels, weights = fitted(predictions, labels, weights)
  cosines = tf.reduce_sum(tf.multiply(predictions, labels), axis=[dim], keepdims=True)
  value, update = mean(cosines, weights, None, None, name or "mean_cosine_distance")
  return collected(tf.subtract(1.0, value), tf.subtract(1.0, update), metrics_collections, updates_collections)
