"""Areas under curves that have a point for each prediction, without thresholds."""

import collections

import millrace as tf
from millrace.contrib.metrics.concatenation import streaming_concat
from millrace.framework import dtypes
from millrace.ops.distributions.special_functions import ndtri
from millrace.ops.metrics.variables import collected


def _checked(labels, predictions):
  """Labels as int64, checked to be 0 or 1, and predictions, of one dimension."""
  labels = tf.cast(labels, dtypes.int64)
  checks = [
    tf.assert_greater_equal(labels, tf.zeros_like(labels), message="labels must be 0 or 1, at least one is <0"),
    tf.assert_less_equal(labels, tf.ones_like(labels), message="labels must be 0 or 1, at least one is >1"),
  ]
  with tf.control_dependencies(checks):
    return tf.identity(labels), predictions


def _gathered(labels, predictions, weights):
  """All labels, predictions and weights so far, as float64 vectors, and the op that adds a batch."""
  parts = {"concat_labels": labels, "concat_preds": predictions}
  if weights is not None:
    parts["concat_weights"] = weights
  values, updates = [], []
  for name, part in parts.items():
    value, update = streaming_concat(tf.reshape(part, [-1]), name=name)
    values.append(tf.cast(value, dtypes.float64) if name != "concat_preds" else value)
    updates.append(update)
  if weights is None:
    values.append(tf.ones_like(values[0]))
  return values, tf.group(*updates)


def _groups(labels, predictions, weights):
  """The sums of the weights of the yes and of the no at each prediction, lowest first; and at which of them each element is."""
  order = tf.argsort(predictions, stable=True)
  ordered = tf.gather(predictions, order)
  is_new = tf.cast(tf.not_equal(ordered[1:], ordered[:-1]), dtypes.int32)
  group = tf.concat([tf.zeros(tf.minimum(tf.shape(order), 1), dtypes.int32), tf.cumsum(is_new)], 0)
  weights, labels = tf.gather(weights, order), tf.gather(labels, order)
  yes = tf.segment_sum(weights * labels, group)
  no = tf.segment_sum(weights * (1.0 - labels), group)
  return yes, no


def _area(labels, predictions, weights, curve):
  yes, no = _groups(labels, predictions, weights)
  all_yes, all_no = tf.reduce_sum(yes), tf.reduce_sum(no)
  if curve == "ROC":
    # How often a yes is above a no, half where they are equal.
    below = tf.cumsum(no, exclusive=True)
    area = tf.div_no_nan(tf.reduce_sum(yes * (below + 0.5 * no)), all_yes * all_no)
  else:
    right, wrong = tf.cumsum(yes, reverse=True), tf.cumsum(no, reverse=True)
    one = tf.ones([1], dtypes.float64)
    precision = tf.concat([tf.div_no_nan(right, right + wrong), one], 0)
    recall = tf.concat([tf.div_no_nan(right, all_yes), 0.0 * one], 0)
    area = tf.reduce_sum((recall[:-1] - recall[1:]) * (precision[:-1] + precision[1:]) / 2.0)
  return tf.where(tf.logical_and(all_yes > 0, all_no > 0), area, tf.zeros_like(area))


def streaming_dynamic_auc(
  labels, predictions, curve="ROC", metrics_collections=(), updates_collections=(), name=None, weights=None
):
  """The area under the curve "ROC" or "PR" with a point for each prediction that occurred; 0 while all labels are the same.

  All labels and predictions are kept.

  Raises:
    ValueError: for another curve.
    InvalidArgumentError: when it runs, for labels that are not 0 or 1.
  """
  if curve not in ("PR", "ROC"):
    raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
  with tf.variable_scope(name, default_name="dynamic_auc"):
    labels, predictions = _checked(labels, predictions)
    (all_labels, all_predictions, all_weights), update_op = _gathered(labels, predictions, weights)
    value = _area(all_labels, all_predictions, all_weights, curve)
    return collected(value, update_op, metrics_collections, updates_collections)


AucData = collections.namedtuple("AucData", ["auc", "lower", "upper"])


def auc_with_confidence_intervals(
  labels,
  predictions,
  weights=None,
  alpha=0.95,
  logit_transformation=True,
  metrics_collections=(),
  updates_collections=(),
  name=None,
):
  """The area under the curve "ROC", and between what it is with the probability `alpha`: an AucData, and the op that adds a batch.

  The variance is that of DeLong, DeLong and Clarke-Pearson (1988), `weights` being how often an example occurred; with
  `logit_transformation` the interval is that of the logit of the area, which keeps it within [0, 1]. All is 0 while all labels are
  the same.

  Raises:
    ValueError: for an alpha outside of (0, 1).
    InvalidArgumentError: when it runs, for labels that are not 0 or 1.
  """
  if not 0 < alpha < 1:
    raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.2f}")
  with tf.variable_scope(name, default_name="auc_with_confidence_intervals", values=[labels, predictions, weights]):
    labels, predictions = _checked(labels, tf.convert_to_tensor(predictions))
    (all_labels, all_predictions, all_weights), update_op = _gathered(labels, predictions, weights)
    yes, no = _groups(all_labels, all_predictions, all_weights)
    all_yes, all_no = tf.reduce_sum(yes), tf.reduce_sum(no)
    # For each yes the share of the no below it, for each no the share of the yes above it.
    of_yes = tf.div_no_nan(tf.cumsum(no, exclusive=True) + 0.5 * no, all_no)
    of_no = tf.div_no_nan(tf.cumsum(yes, exclusive=True, reverse=True) + 0.5 * yes, all_yes)
    area = tf.div_no_nan(tf.reduce_sum(yes * of_yes), all_yes)
    variance = _variance_of_mean(yes, of_yes, area, all_yes) + _variance_of_mean(no, of_no, area, all_no)
    lower, upper = _interval(area, tf.sqrt(variance), alpha, logit_transformation)
    is_defined = tf.logical_and(all_yes > 0, all_no > 0)
    values = AucData(
      *[tf.cast(tf.where(is_defined, value, tf.zeros_like(value)), dtypes.float32) for value in (area, lower, upper)]
    )
    return collected(values, update_op, metrics_collections, updates_collections)


def _variance_of_mean(weights, values, mean, total):
  """The variance of a weighted mean, if the weights are numbers of examples."""
  squares = tf.reduce_sum(weights * tf.square(values - mean))
  return tf.div_no_nan(squares, tf.maximum(total - 1.0, 0.0) * total)


def _interval(area, deviation, alpha, logit_transformation):
  """The ends of the interval: both the area where that is 0 or 1."""
  width = ndtri(tf.constant((1.0 + alpha) / 2.0, dtypes.float64))
  if not logit_transformation:
    return area - width * deviation, area + width * deviation
  is_inside = tf.logical_and(area > 0.0, area < 1.0)
  inner = tf.where(is_inside, area, 0.5 * tf.ones_like(area))
  logit = tf.log(inner) - tf.log1p(-inner)
  step = width * deviation / (inner * (1.0 - inner))
  return tuple(tf.where(is_inside, tf.sigmoid(end), area) for end in (logit - step, logit + step))


def auc_using_histogram(boolean_labels, scores, score_range, nbins=100, collections=None, check_shape=True, name=None):
  """The area under the curve "ROC" from histograms of the scores with `nbins` bins over `score_range`, and the op that adds a batch.

  `collections` are those that the histograms are in, by default local variables. `check_shape` adds a check that labels and scores
  are vectors of one length.
  """
  if collections is None:
    collections = ["local_variables"]
  with tf.variable_scope(name, "auc_using_histogram", [boolean_labels, scores, score_range]):
    boolean_labels, scores = tf.convert_to_tensor(boolean_labels), tf.convert_to_tensor(scores)
    if check_shape:
      checks = [
        tf.assert_rank(boolean_labels, 1, message="boolean_labels has to be a vector"),
        tf.assert_rank(scores, 1, message="scores has to be a vector"),
        tf.assert_equal(tf.shape(boolean_labels), tf.shape(scores), message="labels and scores have to have the same length"),
      ]
      with tf.control_dependencies(checks):
        boolean_labels, scores = tf.identity(boolean_labels), tf.identity(scores)
    labels = tf.cast(boolean_labels, dtypes.bool)
    with tf.variable_scope("hist_accumulate"):
      sums, updates = [], []
      for which, is_in in (("hist_true_acc", labels), ("hist_false_acc", tf.logical_not(labels))):
        total = tf.get_variable(
          which, initializer=tf.zeros([nbins], dtypes.int64), trainable=False, collections=list(collections)
        )
        here = tf.histogram_fixed_width(tf.boolean_mask(scores, is_in), score_range, nbins, dtype=dtypes.int64)
        sums.append(total)
        updates.append(tf.assign_add(total, here))
      update_op = tf.group(*updates, name="update_op")
    yes, no = (tf.cast(total, dtypes.float32) for total in sums)
    above = tf.reduce_sum(yes * (tf.cumsum(no, exclusive=True) + 0.5 * no))
    return tf.truediv(above, tf.reduce_sum(yes) * tf.reduce_sum(no), name="auc"), update_op
