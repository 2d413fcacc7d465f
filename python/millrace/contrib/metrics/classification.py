"""Metrics of predicted classes: accuracy of one batch, the best F1 score, agreement of two raters, counts."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.ops.losses.broadcasting import broadcast_weights
from millrace.ops.metrics.shapes import fitted
from millrace.ops.metrics.thresholds import counts_at_thresholds, default_thresholds
from millrace.ops.metrics.variables import collected, metric_variable

_EPSILON = 1e-7


def accuracy(predictions, labels, weights=None, name=None):
  """How often predictions are equal to labels in this batch: with `weights` the sum of the weights there over their number.

  Raises:
    ValueError: for labels that are no bool, integer or string, and for predictions of another type or shape.
  """
  if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
    raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
  if not labels.dtype.is_compatible_with(predictions.dtype):
    raise ValueError(
      f"Dtypes of predictions and labels should match. Given: predictions ({predictions.dtype!r}) and labels ({labels.dtype!r})"
    )
  with name_scope(name, "accuracy", values=[predictions, labels]):
    is_correct = tf.cast(tf.equal(predictions, labels), dtypes.float32)
    if weights is None:
      return tf.reduce_mean(is_correct)
    is_correct = tf.multiply(is_correct, weights)
    number = tf.multiply(weights, tf.ones_like(is_correct))
    return tf.div(tf.reduce_sum(is_correct), tf.reduce_sum(number))


def f1_score(
  labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None, name=None
):
  """The largest F1 score over `num_thresholds` thresholds: the harmonic mean of precision and recall."""
  with tf.variable_scope(name, "f1", (labels, predictions, weights)):
    predictions, labels, weights = fitted(predictions, labels, weights)
    kinds = ("true_positives", "false_negatives", "false_positives")
    values, updates = counts_at_thresholds(labels, predictions, default_thresholds(num_thresholds), weights, kinds)

    def best(counts):
      right = counts["true_positives"]
      precision = tf.truediv(right, _EPSILON + right + counts["false_positives"])
      recall = tf.truediv(right, _EPSILON + right + counts["false_negatives"])
      return tf.reduce_max(2.0 * precision * recall / (precision + recall + _EPSILON))

    return collected(best(values), best(updates), metrics_collections, updates_collections)


def cohen_kappa(
  labels, predictions_idx, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """Cohen's kappa of two raters: (agreement - agreement by chance) / (1 - agreement by chance), 0 while nothing was rated.

  The local variables count for each class how often both agree (`po`), and how often it is prediction and label.

  Raises:
    ValueError: for less than two classes.
  """
  if num_classes < 2:
    raise ValueError(f"`num_classes` must be >= 2.Found: {num_classes}")
  with tf.variable_scope(name, "cohen_kappa", (labels, predictions_idx, weights)):
    predictions = tf.convert_to_tensor(predictions_idx)
    if predictions.get_shape().ndims == 2:
      predictions = tf.squeeze(predictions, axis=[1])
    labels = tf.convert_to_tensor(labels)
    if labels.get_shape().ndims == 2:
      labels = tf.squeeze(labels, axis=[1])
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if weights is None:
      weights = tf.ones_like(labels, dtype=dtypes.int64)
    else:
      weights = tf.convert_to_tensor(weights)
      weights = weights if weights.get_shape().ndims != 2 else tf.squeeze(weights, axis=[1])
      weights = broadcast_weights(weights, tf.cast(labels, weights.dtype))
    labels, predictions = tf.cast(labels, dtypes.int64), tf.cast(predictions, dtypes.int64)
    agreed = tf.where(tf.equal(labels, predictions), weights, tf.zeros_like(weights))
    sums = []
    for variable_name, places, amounts in (
      ("po", labels, agreed),
      ("pe_row", predictions, weights),
      ("pe_col", labels, weights),
    ):
      here = tf.unsorted_segment_sum(amounts, places, num_classes)
      variable = metric_variable([num_classes], weights.dtype, name=variable_name)
      sums.append((variable, tf.assign_add(variable, here)))

    def kappa(agreed, rows, columns, name):
      agreed, rows, columns = (tf.cast(counts, dtypes.float64) for counts in (agreed, rows, columns))
      total = tf.reduce_sum(rows)
      by_chance = tf.div_no_nan(tf.reduce_sum(rows * columns), total)
      return tf.div_no_nan(tf.reduce_sum(agreed) - by_chance, total - by_chance, name=name)

    value = kappa(*[value for value, _ in sums], "value")
    update_op = kappa(*[update for _, update in sums], "update_op")
    return collected(value, update_op, metrics_collections, updates_collections)


def count(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """How many values there were, or the sum of their weights."""
  with tf.variable_scope(name, "count", (values, weights)):
    variable = metric_variable([], dtypes.float32, name="count")
    if weights is None:
      here = tf.cast(tf.size(values), dtypes.float32)
    else:
      values, _, weights = fitted(values, None, weights)
      here = tf.reduce_sum(broadcast_weights(tf.cast(weights, dtypes.float32), tf.cast(values, dtypes.float32)))
    return collected(tf.identity(variable), tf.assign_add(variable, here), metrics_collections, updates_collections)
