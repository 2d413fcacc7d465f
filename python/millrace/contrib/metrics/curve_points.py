"""Points of curves over thresholds, and the values of one quantity where another one is reached."""

import collections

import millrace as tf
from millrace.framework import dtypes
from millrace.ops.losses.broadcasting import broadcast_weights
from millrace.ops.metrics.thresholds import counts_at_thresholds, default_thresholds
from millrace.ops.metrics.variables import collected, metric_variable

_EPSILON = 1.0e-6
_SMALLER = 1e-7


def streaming_curve_points(
  labels=None,
  predictions=None,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  curve="ROC",
  name=None,
):
  """The points (x, y) of a curve, a row for each of `num_thresholds`: "ROC" or "PR", as of tf.metrics.auc.

  Raises:
    ValueError: for another curve.
  """
  with tf.variable_scope(name, "curve_points", (labels, predictions, weights)):
    if curve not in ("ROC", "PR"):
      raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    predictions = tf.convert_to_tensor(predictions)
    values, updates = counts_at_thresholds(labels, predictions, default_thresholds(num_thresholds), weights)
    right, missed = values["true_positives"], values["false_negatives"]
    wrong, rejected = values["false_positives"], values["true_negatives"]
    recall = tf.truediv(right + _EPSILON, right + missed + _EPSILON)
    if curve == "ROC":
      points = (tf.truediv(wrong, wrong + rejected + _EPSILON), recall)
    else:
      points = (recall, tf.truediv(right + _EPSILON, right + wrong + _EPSILON))
    update_op = tf.group(*updates.values())
    return collected(tf.stack(points, axis=1), update_op, metrics_collections, updates_collections)


def precision_at_recall(
  labels,
  predictions,
  target_recall,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  name=None,
):
  """The precision at the highest threshold at which the recall is at least `target_recall`.

  If there is none, as without any positive label, it is that of the last threshold, which no prediction reaches: 1.

  Raises:
    ValueError: for a recall outside of [0, 1].
  """
  if target_recall < 0 or target_recall > 1:
    raise ValueError("`target_recall` must be in the range [0, 1].")
  with tf.variable_scope(name, "precision_at_recall", (predictions, labels, weights)):
    predictions = tf.convert_to_tensor(predictions)
    values, updates = counts_at_thresholds(labels, predictions, default_thresholds(num_thresholds), weights)

    def at(counts, name):
      right, missed = counts["true_positives"], counts["false_negatives"]
      is_reached = tf.cast(tf.truediv(right, right + missed + _SMALLER) >= target_recall, dtypes.int32)
      # The highest of these thresholds, since recall falls with it; -1 is the last one.
      place = tf.floormod(tf.reduce_sum(is_reached) - 1, tf.size(is_reached))
      found, wrong = right[place], counts["false_positives"][place]
      return tf.truediv(found + _SMALLER, found + wrong + _SMALLER, name=name)

    return collected(at(values, "value"), at(updates, "update_op"), metrics_collections, updates_collections)


def recall_at_precision(
  labels,
  predictions,
  precision,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  name=None,
  strict_mode=False,
):
  """The recall at the threshold at which the precision is nearest `precision`.

  With `strict_mode` only those count at which it is at least that: 0 if there is none.

  Raises:
    ValueError: for a precision outside of [0, 1].
  """
  if not 0 <= precision <= 1:
    raise ValueError("`precision` must be in the range [0, 1].")
  with tf.variable_scope(name, "recall_at_precision", (predictions, labels, weights)):
    predictions = tf.convert_to_tensor(predictions)
    values, updates = counts_at_thresholds(labels, predictions, default_thresholds(num_thresholds), weights)

    def at(counts, name):
      right, wrong = counts["true_positives"], counts["false_positives"]
      precisions = tf.truediv(right, right + wrong + _SMALLER)
      recalls = tf.truediv(right, right + counts["false_negatives"] + _SMALLER)
      distances = tf.abs(precisions - precision)
      if not strict_mode:
        return tf.identity(recalls[tf.argmin(distances, 0, output_type=dtypes.int32)], name=name)
      is_reached = precisions >= precision
      distances = tf.where(is_reached, distances, 2.0 * tf.ones_like(distances))
      recall = recalls[tf.argmin(distances, 0, output_type=dtypes.int32)]
      return tf.where(tf.reduce_any(is_reached), recall, 0.0, name=name)

    return collected(at(values, "value"), at(updates, "update_op"), metrics_collections, updates_collections)


PrecisionRecallData = collections.namedtuple("PrecisionRecallData", ["tp", "fp", "tn", "fn", "precision", "recall", "thresholds"])


def precision_recall_at_equal_thresholds(labels, predictions, weights=None, num_thresholds=None, use_locking=None, name=None):
  """Counts, precision and recall at `num_thresholds` thresholds from 0 to 1 at equal distances, 201 if not said.

  Returns (a PrecisionRecallData of vectors, an op that adds a batch). A prediction is yes if it is at least the threshold. The time
  that a batch takes does not depend on the number of thresholds. `use_locking` says how the variables are added to.

  Raises:
    TypeError: for labels that are no bool.
    InvalidArgumentError: when it runs, for predictions outside of [0, 1].
  """
  with tf.variable_scope(name, "precision_recall_at_equal_thresholds", (labels, predictions, weights)):
    predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
    if labels.dtype != dtypes.bool:
      raise TypeError(f"labels must be bool, they are {labels.dtype.name}")
    if weights is None:
      weights = tf.ones_like(predictions)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    dtype = predictions.dtype
    count = 201 if num_thresholds is None else num_thresholds
    checks = [
      tf.assert_greater_equal(predictions, tf.cast(0.0, dtype), message="predictions must be in [0, 1]"),
      tf.assert_less_equal(predictions, tf.cast(1.0, dtype), message="predictions must be in [0, 1]"),
    ]
    with tf.control_dependencies(checks):
      predictions = tf.identity(predictions)
    with tf.name_scope("variables"):
      right = metric_variable([count], dtypes.float64, name="tp_buckets")
      wrong = metric_variable([count], dtypes.float64, name="fp_buckets")
    weights = tf.cast(broadcast_weights(tf.cast(weights, dtype), predictions), dtypes.float64)
    # The last threshold that a prediction reaches.
    places = tf.cast(tf.floor(predictions * (count - 1)), dtypes.int32)
    is_yes = tf.cast(labels, dtypes.float64)
    flat = tf.reshape(places, [-1])
    updates = [
      tf.assign_add(bucket, tf.unsorted_segment_sum(tf.reshape(part * weights, [-1]), flat, count), use_locking=use_locking)
      for bucket, part in ((right, is_yes), (wrong, 1.0 - is_yes))
    ]
    found, mistaken = tf.cumsum(right, reverse=True), tf.cumsum(wrong, reverse=True)
    missed, rejected = found[0] - found, mistaken[0] - mistaken
    smallest = tf.constant(1e-7, dtypes.float64)
    precision = found / tf.maximum(smallest, found + mistaken)
    recall = found / tf.maximum(smallest, found + missed)
    values = [tf.cast(value, dtype) for value in (found, mistaken, rejected, missed, precision, recall)]
    thresholds = tf.lin_space(tf.cast(0.0, dtype), tf.cast(1.0, dtype), count)
    return PrecisionRecallData(*values, thresholds), tf.group(*updates)
