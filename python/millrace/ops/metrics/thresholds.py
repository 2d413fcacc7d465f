"""Counts, precision and recall of predictions from 0 to 1, taken as yes above each of several thresholds."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import control_dependencies
from millrace.ops.losses.broadcasting import broadcast_weights
from millrace.ops.metrics.shapes import fitted
from millrace.ops.metrics.variables import collected, metric_variable

KINDS = ("true_positives", "false_negatives", "true_negatives", "false_positives")
_EPSILON = 1e-7


def default_thresholds(count):
  """`count` numbers from just below 0 to just above 1, at equal distances."""
  return spread([(i + 1) * 1.0 / (count - 1) for i in range(count - 2)])


def spread(thresholds):
  """The thresholds, with one below all predictions before them and one above all after them."""
  return [0.0 - _EPSILON] + list(thresholds) + [1.0 + _EPSILON]


def counts_at_thresholds(labels, predictions, thresholds, weights=None, kinds=KINDS):
  """Two dictionaries: the variables of the counts, named as their kinds, with an element for each threshold; their updates.

  A prediction is yes if it is greater than the threshold.

  Raises:
    ValueError: for a kind that there is not, and if shapes are known not to fit.
    InvalidArgumentError: when it runs, for predictions outside of [0, 1].
  """
  for kind in kinds:
    if kind not in KINDS:
      raise ValueError(f"Invalid key: {kind}")
  checks = [
    tf.assert_greater_equal(predictions, tf.cast(0.0, dtype=predictions.dtype), message="predictions must be in [0, 1]"),
    tf.assert_less_equal(predictions, tf.cast(1.0, dtype=predictions.dtype), message="predictions must be in [0, 1]"),
  ]
  with control_dependencies(checks):
    predictions, labels, weights = fitted(tf.cast(predictions, dtypes.float32), tf.cast(labels, dtypes.bool), weights)
  predictions.get_shape().assert_is_compatible_with(labels.get_shape())
  # One row a threshold, one column a prediction.
  says = {"positives": tf.greater(tf.reshape(predictions, [1, -1]), tf.expand_dims(tf.constant(thresholds), [1]))}
  says["negatives"] = tf.logical_not(says["positives"])
  is_yes = tf.reshape(labels, [1, -1])
  truths = {True: is_yes, False: tf.logical_not(is_yes)}
  if weights is not None:
    weights = tf.reshape(broadcast_weights(tf.cast(weights, dtypes.float32), predictions), [1, -1])
  values, updates = {}, {}
  for kind in [kind for kind in KINDS if kind in kinds]:
    right, said = kind.split("_")
    variable = metric_variable([len(thresholds)], dtypes.float32, name=kind)
    here = tf.cast(tf.logical_and(says[said], truths[(right == "true") == (said == "positives")]), dtypes.float32)
    if weights is not None:
      here *= weights
    values[kind] = variable
    updates[kind] = tf.assign_add(variable, tf.reduce_sum(here, 1))
  return values, updates


def _metric(kind, doc):
  def function(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None):
    with tf.variable_scope(name, kind, (predictions, labels, weights)):
      predictions = tf.convert_to_tensor(predictions)
      values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, (kind,))
      return collected(tf.identity(values[kind]), updates[kind], metrics_collections, updates_collections)

  function.__name__ = function.__qualname__ = kind + "_at_thresholds"
  function.__doc__ = f"Counts {doc}, for each of the thresholds above which a prediction is yes, or sums of the weights there."
  return function


true_positives_at_thresholds = _metric("true_positives", "predictions of yes where the label is yes")
true_negatives_at_thresholds = _metric("true_negatives", "predictions of no where the label is no")
false_positives_at_thresholds = _metric("false_positives", "predictions of yes where the label is no")
false_negatives_at_thresholds = _metric("false_negatives", "predictions of no where the label is yes")


def precision_at_thresholds(
  labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The share of the predictions of yes that are right, for each of the thresholds above which a prediction is yes."""
  return _quotients(
    "precision", "false_positives", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
  )


def recall_at_thresholds(
  labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The share of the labels yes that were predicted, for each of the thresholds above which a prediction is yes."""
  return _quotients(
    "recall", "false_negatives", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
  )


def _quotients(what, other, labels, predictions, thresholds, weights, metrics_collections, updates_collections, name):
  with tf.variable_scope(name, what + "_at_thresholds", (predictions, labels, weights)):
    predictions = tf.convert_to_tensor(predictions)
    values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, ("true_positives", other))

    def share(counts, name):
      right = counts["true_positives"]
      return tf.truediv(right, _EPSILON + right + counts[other], name=f"{what}_{name}")

    return collected(share(values, "value"), share(updates, "update_op"), metrics_collections, updates_collections)
