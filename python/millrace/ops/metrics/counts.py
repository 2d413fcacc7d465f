"""How many predictions of yes and no are right and wrong, and the two quotients of these: precision and recall."""

import millrace as tf
from millrace.framework import dtypes
from millrace.ops.losses.broadcasting import broadcast_weights
from millrace.ops.metrics.shapes import fitted
from millrace.ops.metrics.variables import collected, metric_variable


def _counted(condition, weights, metrics_collections, updates_collections):
  """The metric that counts where a condition is true, each by its weight, in the variable `count`."""
  count = metric_variable([], dtypes.float32, name="count")
  values = tf.cast(condition, dtypes.float32)
  if weights is not None:
    values, _, weights = fitted(values, None, weights)
    weights = broadcast_weights(tf.cast(weights, dtypes.float32), values)
    values = tf.multiply(values, weights)
  value = tf.identity(count)
  update_op = tf.assign_add(count, tf.reduce_sum(values))
  return collected(value, update_op, metrics_collections, updates_collections)


def _metric(default_name, said, label, doc):
  """A function that counts where the prediction is `said` and the label is `label`."""

  def function(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    with tf.variable_scope(name, default_name, (predictions, labels, weights)):
      predictions, labels, weights = fitted(tf.cast(predictions, dtypes.bool), tf.cast(labels, dtypes.bool), weights)
      condition = tf.logical_and(tf.equal(labels, label), tf.equal(predictions, said))
      return _counted(condition, weights, metrics_collections, updates_collections)

  function.__name__ = function.__qualname__ = default_name
  function.__doc__ = doc + ", or the sum of the weights there. What is not 0 is taken as yes."
  return function


true_positives = _metric("true_positives", True, True, "How often yes was predicted where the label is yes")
true_negatives = _metric("true_negatives", False, False, "How often no was predicted where the label is no")
false_positives = _metric("false_positives", True, False, "How often yes was predicted where the label is no")
false_negatives = _metric("false_negatives", False, True, "How often no was predicted where the label is yes")


def _share(one, other, name):
  total = one + other
  return tf.where(tf.greater(total, 0), tf.truediv(one, total), tf.zeros_like(total), name=name)


def precision(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The share of the predictions of yes that are right: true positives over all positives, 0 while there are none."""
  return _quotient("precision", false_positives, labels, predictions, weights, metrics_collections, updates_collections, name)


def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The share of the labels yes that were predicted: true positives over these and false negatives, 0 while there are none."""
  return _quotient("recall", false_negatives, labels, predictions, weights, metrics_collections, updates_collections, name)


def _quotient(default_name, other, labels, predictions, weights, metrics_collections, updates_collections, name):
  with tf.variable_scope(name, default_name, (predictions, labels, weights)):
    predictions, labels, weights = fitted(tf.cast(predictions, dtypes.bool), tf.cast(labels, dtypes.bool), weights)
    right, right_update = true_positives(labels, predictions, weights)
    wrong, wrong_update = other(labels, predictions, weights)
    value = _share(right, wrong, "value")
    update_op = _share(right_update, wrong_update, "update_op")
    return collected(value, update_op, metrics_collections, updates_collections)
