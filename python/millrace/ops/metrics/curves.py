"""Metrics of the curves along which the counts of right and wrong predictions go as the threshold does."""

import millrace as tf
from millrace.framework import dtypes
from millrace.ops.metrics.shapes import fitted
from millrace.ops.metrics.thresholds import counts_at_thresholds, default_thresholds, spread
from millrace.ops.metrics.variables import collected

_METHODS = ("trapezoidal", "careful_interpolation", "minoring", "majoring")
_EPSILON = 1.0e-6
_SMALLER = 1e-7


def auc(
  labels,
  predictions,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  curve="ROC",
  name=None,
  summation_method="trapezoidal",
  thresholds=None,
):
  """The area under a curve that has a point for each of `num_thresholds`, or of the given `thresholds`.

  `curve` is "ROC", the share of the yes that are found over the share of the no that are taken for yes; or "PR", precision over
  recall. `summation_method` is "trapezoidal", "minoring" and "majoring" (the lower and the higher end of each piece), or
  "careful_interpolation", with which pieces of "PR" are as if counts changed evenly (Davis and Goadrich, 2006).

  Raises:
    ValueError: for a curve or method that there is not, and if shapes are known not to fit.
    InvalidArgumentError: when it runs, for predictions outside of [0, 1].
  """
  with tf.variable_scope(name, "auc", (labels, predictions, weights)):
    if curve not in ("ROC", "PR"):
      raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    thresholds = default_thresholds(num_thresholds) if thresholds is None else spread(sorted(thresholds))
    predictions = tf.convert_to_tensor(predictions)
    values, updates = counts_at_thresholds(labels, predictions, thresholds, weights)
    value = _area(values, curve, summation_method, "value")
    update_op = _area(updates, curve, summation_method, "update_op")
    return collected(value, update_op, metrics_collections, updates_collections)


def _area(counts, curve, method, name):
  if method not in _METHODS:
    raise ValueError(
      f"Invalid summation_method: {method} summation_method should be 'trapezoidal', 'careful_interpolation', 'minoring', or "
      "'majoring'."
    )
  if method == "careful_interpolation":
    if curve == "PR":
      return _interpolated_area(counts)
    method = "trapezoidal"
  right, missed = counts["true_positives"], counts["false_negatives"]
  wrong, rejected = counts["false_positives"], counts["true_negatives"]
  recall = tf.truediv(right + _EPSILON, right + missed + _EPSILON)
  if curve == "ROC":
    x, y = tf.truediv(wrong, wrong + rejected + _EPSILON), recall
  else:
    x, y = recall, tf.truediv(right + _EPSILON, right + wrong + _EPSILON)
  ends = (y[:-1], y[1:])
  if method == "trapezoidal":
    heights = (ends[0] + ends[1]) / 2.0
  elif method == "minoring":
    heights = tf.minimum(*ends)
  else:
    heights = tf.maximum(*ends)
  return tf.reduce_sum(tf.multiply(x[:-1] - x[1:], heights), name=name)


def _interpolated_area(counts):
  """The area below precision over recall if between two points true and false positives grow evenly.

  On a piece true positives are slope * positives + intercept, precision is that over the positives, and its integral over the
  true positives is slope * (growth + intercept * log(ratio of the positives)).
  """
  right, missed = counts["true_positives"], counts["false_negatives"]
  growth = right[:-1] - right[1:]
  positives = right + counts["false_positives"]
  slope = tf.div_no_nan(growth, tf.maximum(positives[:-1] - positives[1:], 0), name="prec_slope")
  intercept = right[1:] - tf.multiply(slope, positives[1:])
  is_positive = tf.logical_and(positives[:-1] > 0, positives[1:] > 0)
  ratio = tf.div_no_nan(positives[:-1], tf.maximum(positives[1:], 0), name="recall_relative_ratio")
  ratio = tf.where(is_positive, ratio, tf.ones_like(positives[1:]))
  integral = slope * (growth + intercept * tf.log(ratio))
  piece = tf.div_no_nan(integral, tf.maximum(right[1:] + missed[1:], 0), name="pr_auc_increment")
  return tf.reduce_sum(piece, name="interpolate_pr_auc")


def sensitivity_at_specificity(
  labels,
  predictions,
  specificity,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  name=None,
):
  """The share of the yes that are found, at the threshold at which the share of the no that are rejected is nearest `specificity`.

  Raises:
    ValueError: for a specificity outside of [0, 1].
  """
  if specificity < 0 or specificity > 1:
    raise ValueError(f"`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}.")

  def at(counts, name):
    rejected, wrong = counts["true_negatives"], counts["false_positives"]
    shares = tf.truediv(rejected, rejected + wrong + _SMALLER)
    place = tf.cast(tf.argmin(tf.abs(shares - specificity), 0), dtypes.int32)
    right, missed = counts["true_positives"][place], counts["false_negatives"][place]
    return tf.truediv(right, right + missed + _SMALLER, name=name)

  arguments = (labels, predictions, weights, num_thresholds, metrics_collections, updates_collections, name)
  return _at_nearest("sensitivity_at_specificity", at, *arguments)


def specificity_at_sensitivity(
  labels,
  predictions,
  sensitivity,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  name=None,
):
  """The share of the no that are rejected, at the highest threshold at which the share of the yes found is nearest `sensitivity`.

  Raises:
    ValueError: for a sensitivity outside of [0, 1].
  """
  if sensitivity < 0 or sensitivity > 1:
    raise ValueError(f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}.")

  def at(counts, name):
    right, missed = counts["true_positives"], counts["false_negatives"]
    distances = tf.abs(tf.truediv(right, right + missed + _SMALLER) - sensitivity)
    # The last of the smallest distances.
    is_smallest = tf.cast(tf.equal(distances, tf.reduce_min(distances)), dtypes.int64)
    place = tf.cast(tf.argmax(tf.cumsum(is_smallest), 0), dtypes.int32)
    rejected, wrong = counts["true_negatives"][place], counts["false_positives"][place]
    return tf.truediv(rejected, rejected + wrong + _SMALLER, name=name)

  arguments = (labels, predictions, weights, num_thresholds, metrics_collections, updates_collections, name)
  return _at_nearest("specificity_at_sensitivity", at, *arguments)


def _at_nearest(default_name, at, labels, predictions, weights, num_thresholds, metrics_collections, updates_collections, name):
  with tf.variable_scope(name, default_name, (predictions, labels, weights)):
    predictions, labels, weights = fitted(predictions, labels, weights)
    thresholds = default_thresholds(num_thresholds)
    if default_name == "specificity_at_sensitivity":  # for which a prediction of 1 is yes at all thresholds
      thresholds[-1] = 1.0 - _SMALLER
    values, updates = counts_at_thresholds(labels, predictions, thresholds, weights)
    return collected(at(values, "value"), at(updates, "update_op"), metrics_collections, updates_collections)
