"""Functions within TensorFlow's metrics that other libraries of metrics took, by their order of arguments there."""

import millrace as tf
from millrace.ops.metrics import average_precision, thresholds
from millrace.ops.metrics.variables import metric_variable  # noqa: F401 (a name of that module)

_KINDS = {"tp": "true_positives", "fn": "false_negatives", "tn": "true_negatives", "fp": "false_positives"}


def confusion_matrix_at_thresholds(labels, predictions, thresholds_, weights=None, includes=None):
  """Two dictionaries, by "tp", "fn", "tn" and "fp": the variables of the counts at thresholds, and their updates.

  Raises ValueError for another key in `includes`.
  """
  kinds = list(_KINDS) if includes is None else list(includes)
  for kind in kinds:
    if kind not in _KINDS:
      raise ValueError(f"Invalid key: {kind}.")
  values, updates = thresholds.counts_at_thresholds(
    labels, predictions, thresholds_, weights, tuple(_KINDS[kind] for kind in kinds)
  )
  return {kind: values[_KINDS[kind]] for kind in kinds}, {kind: updates[_KINDS[kind]] for kind in kinds}


def sparse_average_precision_at_top_k(
  labels, predictions_idx, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  return average_precision.average_precision_at_top_k(
    labels, predictions_idx, weights, metrics_collections, updates_collections, name
  )


def safe_scalar_div(numerator, denominator, name):
  """The quotient, 0 where the denominator is 0."""
  numerator.get_shape().with_rank_at_most(1)
  denominator.get_shape().with_rank_at_most(1)
  return tf.div_no_nan(numerator, denominator, name=name)


def aggregate_variable(v, collections):
  """The value of a metric's variable, in the collections."""
  value = tf.convert_to_tensor(v)
  if collections:
    from millrace.framework.graph import add_to_collections

    add_to_collections(collections, value)
  return value
