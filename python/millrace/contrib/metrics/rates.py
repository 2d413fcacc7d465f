"""Shares of wrong predictions, and counts at thresholds."""

import millrace as tf
from millrace.framework import dtypes
from millrace.ops.metrics import counts
from millrace.ops.metrics.shapes import fitted
from millrace.ops.metrics.thresholds import counts_at_thresholds
from millrace.ops.metrics.variables import collected

_EPSILON = 1e-7


def _rate(default_name, wrong_metric, right_metric, predictions, labels, weights, metrics_collections, updates_collections, name):
  with tf.variable_scope(name, default_name, (predictions, labels, weights)):
    predictions, labels, weights = fitted(tf.cast(predictions, dtypes.bool), tf.cast(labels, dtypes.bool), weights)
    wrong, wrong_update = wrong_metric(labels, predictions, weights)
    right, right_update = right_metric(labels, predictions, weights)
    value = tf.div_no_nan(wrong, tf.add(wrong, right), name="value")
    update_op = tf.div_no_nan(wrong_update, tf.add(wrong_update, right_update), name="update_op")
    return collected(value, update_op, metrics_collections, updates_collections)


def streaming_false_positive_rate(
  predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The share of the labels no for which yes was predicted, 0 while there are none."""
  return _rate(
    "false_positive_rate",
    counts.false_positives,
    counts.true_negatives,
    predictions,
    labels,
    weights,
    metrics_collections,
    updates_collections,
    name,
  )


def streaming_false_negative_rate(
  predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The share of the labels yes for which no was predicted, 0 while there are none."""
  return _rate(
    "false_negative_rate",
    counts.false_negatives,
    counts.true_positives,
    predictions,
    labels,
    weights,
    metrics_collections,
    updates_collections,
    name,
  )


def _rate_at_thresholds(
  default_name, short, wrong, right, predictions, labels, thresholds, weights, metrics_collections, updates_collections, name
):
  with tf.variable_scope(name, default_name, (predictions, labels, weights)):
    values, updates = counts_at_thresholds(labels, tf.convert_to_tensor(predictions), thresholds, weights, (wrong, right))

    def share(found, name):
      return tf.truediv(found[wrong], _EPSILON + found[wrong] + found[right], name=f"{short}_{name}")

    return collected(share(values, "value"), share(updates, "update_op"), metrics_collections, updates_collections)


def streaming_false_positive_rate_at_thresholds(
  predictions, labels, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """streaming_false_positive_rate() for each of the thresholds above which a prediction is yes."""
  return _rate_at_thresholds(
    "false_positive_rate_at_thresholds",
    "fpr",
    "false_positives",
    "true_negatives",
    predictions,
    labels,
    thresholds,
    weights,
    metrics_collections,
    updates_collections,
    name,
  )


def streaming_false_negative_rate_at_thresholds(
  predictions, labels, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """streaming_false_negative_rate() for each of the thresholds above which a prediction is yes."""
  return _rate_at_thresholds(
    "false_negative_rate_at_thresholds",
    "fnr",
    "false_negatives",
    "true_positives",
    predictions,
    labels,
    thresholds,
    weights,
    metrics_collections,
    updates_collections,
    name,
  )


def _counts(kind):
  def function(predictions, labels, thresholds, weights=None):
    values, updates = counts_at_thresholds(labels, tf.convert_to_tensor(predictions), thresholds, weights, (kind,))
    return values[kind], updates[kind]

  function.__name__ = function.__qualname__ = f"streaming_{kind}_at_thresholds"
  function.__doc__ = f"The {kind.replace('_', ' ')} for each of the thresholds, a variable `{kind}`, and the op that adds to it."
  return function


streaming_true_positives_at_thresholds = _counts("true_positives")
streaming_true_negatives_at_thresholds = _counts("true_negatives")
streaming_false_positives_at_thresholds = _counts("false_positives")
streaming_false_negatives_at_thresholds = _counts("false_negatives")
