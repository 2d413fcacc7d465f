"""Covariance and correlation over all batches."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import control_dependencies
from millrace.ops.losses.broadcasting import broadcast_weights
from millrace.ops.metrics.shapes import fitted
from millrace.ops.metrics.variables import collected, metric_variable


def streaming_covariance(predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The unbiased covariance of predictions and labels, NaN while their weights are not above 1.

  Means and the sum of the products of the deviations are kept, and those of each batch merged into them (Chan, Golub and LeVeque,
  1983), so that nothing is lost where means are large.
  """
  with tf.variable_scope(name, "covariance", (predictions, labels, weights)):
    predictions, labels, weights = fitted(predictions, labels, weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    count, mean_prediction, mean_label, comoment = (
      metric_variable([], dtypes.float32, name=variable) for variable in ("count", "mean_prediction", "mean_label", "comoment")
    )
    if weights is None:
      here = tf.cast(tf.size(labels), dtypes.float32)
      weighted_predictions, weighted_labels = predictions, labels
    else:
      weights = broadcast_weights(tf.cast(weights, dtypes.float32), labels)
      here = tf.reduce_sum(weights)
      weighted_predictions, weighted_labels = tf.multiply(predictions, weights), tf.multiply(labels, weights)
    new_count = count + here
    known = [tf.div_no_nan(tf.reduce_sum(values), tf.maximum(here, 0)) for values in (weighted_predictions, weighted_labels)]
    gaps = [known[0] - mean_prediction, known[1] - mean_label]
    share = tf.div_no_nan(here, tf.maximum(new_count, 0))
    steps = [tf.multiply(gap, share, name="delta_mean") for gap in gaps]
    deviations = (predictions - known[0]) * (labels - known[1])
    if weights is not None:
      deviations = deviations * weights
    growth = tf.reduce_sum(deviations) + gaps[0] * gaps[1] * count * share
    # All variables are read before any is changed.
    with control_dependencies([new_count, growth, *steps]):
      count_update = tf.assign_add(count, here)
      mean_updates = [tf.assign_add(mean_prediction, steps[0]), tf.assign_add(mean_label, steps[1])]
      comoment_update = tf.assign_add(comoment, growth)
    value = _unbiased(comoment, count, "covariance")
    with control_dependencies(mean_updates):
      update_op = _unbiased(comoment_update, count_update, "update_op")
    return collected(value, update_op, metrics_collections, updates_collections)


def _unbiased(comoment, count, name):
  return tf.where(tf.less_equal(count, 1.0), float("nan"), tf.truediv(comoment, count - 1), name=name)


def streaming_pearson_correlation(
  predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """Pearson's coefficient of correlation: the covariance over the root of the product of both variances."""
  with tf.variable_scope(name, "pearson_r", (predictions, labels, weights)):
    predictions, labels, weights = fitted(predictions, labels, weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    covariance, covariance_update = streaming_covariance(predictions, labels, weights=weights, name="covariance")
    variances = [
      streaming_covariance(values, values, weights=weights, name=variable)
      for values, variable in ((predictions, "variance_predictions"), (labels, "variance_labels"))
    ]
    value = tf.truediv(covariance, tf.multiply(tf.sqrt(variances[0][0]), tf.sqrt(variances[1][0])), name="pearson_r")
    update_op = tf.truediv(covariance_update, tf.multiply(tf.sqrt(variances[0][1]), tf.sqrt(variances[1][1])), name="update_op")
    return collected(value, update_op, metrics_collections, updates_collections)
