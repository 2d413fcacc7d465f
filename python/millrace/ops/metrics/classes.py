"""Metrics over classes: the mean of how often each is recognized, and of how much its labels and predictions overlap."""

import millrace as tf
from millrace.framework import dtypes
from millrace.ops.metrics.shapes import fitted
from millrace.ops.metrics.variables import collected, metric_variable


def _flat(tensor):
  return tf.reshape(tensor, [-1]) if tensor.get_shape().ndims != 1 else tensor


def _flat_arguments(labels, predictions, weights):
  """The three as vectors, numbers of classes as int64."""
  predictions, labels = _flat(tf.cast(predictions, dtypes.int64)), _flat(tf.cast(labels, dtypes.int64))
  if weights is not None:
    weights = _flat(tf.convert_to_tensor(weights))
  return predictions, labels, weights


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The mean over the classes that occur of intersection / union of the places where they are label and where prediction.

  The update op is the confusion matrix so far, in the variable `total_confusion_matrix`: labels are rows.

  Raises:
    InvalidArgumentError: when it runs, for numbers that are no classes.
  """
  with tf.variable_scope(name, "mean_iou", (predictions, labels, weights)):
    tf.convert_to_tensor(predictions).get_shape().assert_is_compatible_with(tf.convert_to_tensor(labels).get_shape())
    total, update_op = confusion(labels, predictions, num_classes, weights)
    predicted, labelled = tf.cast(tf.reduce_sum(total, 0), dtypes.float32), tf.cast(tf.reduce_sum(total, 1), dtypes.float32)
    intersection = tf.cast(tf.diag_part(total), dtypes.float32)
    union = predicted + labelled - intersection
    occurring = tf.reduce_sum(tf.cast(tf.not_equal(union, 0), dtypes.float32))
    shares = tf.truediv(intersection, tf.where(tf.greater(union, 0), union, tf.ones_like(union)))
    summed = tf.reduce_sum(shares, name="mean_iou")
    value = tf.where(tf.greater(occurring, 0), tf.truediv(summed, occurring), tf.zeros_like(occurring))
    return collected(value, update_op, metrics_collections, updates_collections)


def confusion(labels, predictions, num_classes, weights=None):
  """The variable `total_confusion_matrix` of how often a label (row) and a prediction (column) met, and its update."""
  total = metric_variable([num_classes, num_classes], dtypes.float64, name="total_confusion_matrix")
  predictions, labels, weights = _flat_arguments(labels, predictions, weights)
  here = tf.confusion_matrix(labels, predictions, num_classes, weights=weights, dtype=dtypes.float64)
  return total, tf.assign_add(total, here)


def mean_per_class_accuracy(
  labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The mean over all classes of how often a label of the class was predicted, 0 for one that does not occur.

  The update op has an element for each class. The local variables `total` and `count` are how often a class is label, and how
  often right.

  Raises:
    InvalidArgumentError: when it runs, for a label that is no class.
  """
  with tf.variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
    labels = tf.cast(labels, dtypes.int64)
    tf.convert_to_tensor(predictions).get_shape().assert_is_compatible_with(labels.get_shape())
    total = metric_variable([num_classes], dtypes.float32, name="total")
    count = metric_variable([num_classes], dtypes.float32, name="count")
    predictions, labels, weights = _flat_arguments(labels, predictions, weights)
    is_correct = tf.cast(tf.equal(predictions, labels), dtypes.float32)
    number = tf.ones_like(is_correct)
    if weights is not None:
      weights = tf.cast(fitted(predictions, None, weights)[2], dtypes.float32)
      is_correct *= weights
      number *= weights
    total_update = tf.scatter_add(total, labels, number)
    count_update = tf.scatter_add(count, labels, is_correct)
    shares = tf.div_no_nan(count, tf.maximum(total, 0))
    value = tf.reduce_mean(shares, name="mean_accuracy")
    update_op = tf.div_no_nan(count_update, tf.maximum(total_update, 0), name="update_op")
    return collected(value, update_op, metrics_collections, updates_collections)
