"""Metrics of tf.metrics, with predictions before labels."""

import millrace as tf
from millrace.framework import dtypes
from millrace.ops.metrics import (
  average_precision,
  classes,
  counts,
  curves,
  means,
  ranking,
  thresholds as at_thresholds,
)

streaming_mean = means.mean
streaming_mean_tensor = means.mean_tensor


def _swapped(function, name):
  """A metric of labels and predictions as one of predictions and labels, under another name."""

  def swapped(predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return function(
      labels=labels,
      predictions=predictions,
      weights=weights,
      metrics_collections=metrics_collections,
      updates_collections=updates_collections,
      name=name,
    )

  swapped.__name__ = swapped.__qualname__ = name
  swapped.__doc__ = function.__doc__
  return swapped


streaming_true_positives = _swapped(counts.true_positives, "streaming_true_positives")
streaming_true_negatives = _swapped(counts.true_negatives, "streaming_true_negatives")
streaming_false_positives = _swapped(counts.false_positives, "streaming_false_positives")
streaming_false_negatives = _swapped(counts.false_negatives, "streaming_false_negatives")
streaming_accuracy = _swapped(means.accuracy, "streaming_accuracy")
streaming_precision = _swapped(counts.precision, "streaming_precision")
streaming_recall = _swapped(counts.recall, "streaming_recall")
streaming_mean_absolute_error = _swapped(means.mean_absolute_error, "streaming_mean_absolute_error")
streaming_mean_squared_error = _swapped(means.mean_squared_error, "streaming_mean_squared_error")
streaming_root_mean_squared_error = _swapped(means.root_mean_squared_error, "streaming_root_mean_squared_error")


def streaming_percentage_less(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The share of the values that are below `threshold`, from 0 to 1."""
  return means.percentage_below(values, threshold, weights, metrics_collections, updates_collections, name)


def streaming_mean_relative_error(
  predictions, labels, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The mean of |labels - predictions| / normalizer, 0 where the normalizer is 0."""
  return means.mean_relative_error(labels, predictions, normalizer, weights, metrics_collections, updates_collections, name)


def streaming_mean_cosine_distance(
  predictions, labels, dim, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """1 minus the mean cosine of predictions and labels, which have to be of length 1 along `dim`."""
  return means.mean_cosine_distance(labels, predictions, dim, weights, metrics_collections, updates_collections, name)


def streaming_mean_iou(
  predictions, labels, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The mean over the classes that occur of intersection / union; see tf.metrics.mean_iou."""
  return classes.mean_iou(labels, predictions, num_classes, weights, metrics_collections, updates_collections, name)


def streaming_auc(
  predictions,
  labels,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  curve="ROC",
  name=None,
):
  """The area under the curve "ROC" or "PR", by trapezoids; see tf.metrics.auc."""
  return curves.auc(
    labels, predictions, weights, num_thresholds, metrics_collections, updates_collections, curve=curve, name=name
  )


def streaming_sensitivity_at_specificity(
  predictions,
  labels,
  specificity,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  name=None,
):
  """See tf.metrics.sensitivity_at_specificity."""
  return curves.sensitivity_at_specificity(
    labels, predictions, specificity, weights, num_thresholds, metrics_collections, updates_collections, name
  )


def streaming_specificity_at_sensitivity(
  predictions,
  labels,
  sensitivity,
  weights=None,
  num_thresholds=200,
  metrics_collections=None,
  updates_collections=None,
  name=None,
):
  """See tf.metrics.specificity_at_sensitivity."""
  return curves.specificity_at_sensitivity(
    labels, predictions, sensitivity, weights, num_thresholds, metrics_collections, updates_collections, name
  )


def streaming_precision_at_thresholds(
  predictions, labels, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """See tf.metrics.precision_at_thresholds."""
  return at_thresholds.precision_at_thresholds(
    labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
  )


def streaming_recall_at_thresholds(
  predictions, labels, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """See tf.metrics.recall_at_thresholds."""
  return at_thresholds.recall_at_thresholds(
    labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
  )


def streaming_recall_at_k(predictions, labels, k, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """How often the label, one for each example, is among the `k` highest predictions."""
  found = tf.cast(tf.nn.in_top_k(predictions, labels, k), dtypes.float32)
  return means.mean(found, weights, metrics_collections, updates_collections, name or f"recall_at_{k}")


def streaming_sparse_precision_at_k(
  predictions, labels, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """See tf.metrics.precision_at_k."""
  return ranking.precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)


def streaming_sparse_precision_at_top_k(
  top_k_predictions, labels, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """See tf.metrics.precision_at_top_k."""
  return ranking.precision_at_top_k(
    labels=labels,
    predictions_idx=top_k_predictions,
    class_id=class_id,
    weights=weights,
    metrics_collections=metrics_collections,
    updates_collections=updates_collections,
    name=name,
  )


def streaming_sparse_recall_at_k(
  predictions, labels, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """See tf.metrics.recall_at_k."""
  return ranking.recall_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)


def sparse_recall_at_top_k(
  labels, top_k_predictions, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """See tf.metrics.recall_at_top_k."""
  return ranking.recall_at_top_k(
    labels=labels,
    predictions_idx=top_k_predictions,
    class_id=class_id,
    weights=weights,
    metrics_collections=metrics_collections,
    updates_collections=updates_collections,
    name=name,
  )


def streaming_sparse_average_precision_at_k(
  predictions, labels, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """See tf.metrics.average_precision_at_k."""
  return average_precision.average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)


def streaming_sparse_average_precision_at_top_k(
  top_k_predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The mean over the examples of the average precision of the ranking `top_k_predictions`, numbers of classes, best first."""
  return average_precision.average_precision_at_top_k(
    labels, top_k_predictions, weights, metrics_collections, updates_collections, name or "average_precision_at_top_k"
  )
