"""tf.metrics of thresholds, curves, classes and rankings over three batches, with weights, collections and names."""

import numpy as np
from metrics_means import _error, _names, _steps

LABELS = np.float32([[0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1]])
PREDICTIONS = np.float32([[0.1, 0.8, 0.3, 0.5], [1, 0, 0.6, 0], [0.9, 0.7, 0.2, 0.4]])
WEIGHTS = np.float32([[1, 2, 0.5, 0], [0, 0, 0, 0], [1, 1, 3, 1]])


def _batches(tf):
  labels, predictions = tf.placeholder(tf.float32, [4], name="l"), tf.placeholder(tf.float32, [4], name="p")
  weights = tf.placeholder(tf.float32, [4], name="w")
  feeds = [{labels: LABELS[i], predictions: PREDICTIONS[i], weights: WEIGHTS[i]} for i in range(3)]
  return labels, predictions, weights, feeds


def program_thresholds(tf):
  labels, predictions, weights, feeds = _batches(tf)
  metrics = []
  for function in [
    tf.metrics.true_positives_at_thresholds,
    tf.metrics.true_negatives_at_thresholds,
    tf.metrics.false_positives_at_thresholds,
    tf.metrics.false_negatives_at_thresholds,
    tf.metrics.precision_at_thresholds,
    tf.metrics.recall_at_thresholds,
  ]:
    metrics += [
      function(labels, predictions, [0.25, 0.5, 0.75]),
      function(labels, predictions, [0.4], weights, "values", "updates", "mine"),
      function(labels=tf.cast(labels, tf.bool), predictions=predictions, thresholds=[0.9, 0.1], weights=0.5),
      function(tf.reshape(labels, [4, 1]), tf.reshape(predictions, [4, 1]), [0.5], weights=weights),
    ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_thresholds.rtol = 1e-6


def program_auc(tf):
  labels, predictions, weights, feeds = _batches(tf)
  metrics = [
    tf.metrics.auc(labels, predictions),
    tf.metrics.auc(labels, predictions, weights, 10, "values", "updates", "PR", "mine", "careful_interpolation"),
    tf.metrics.auc(labels, predictions, thresholds=[0.7, 0.2]),
    tf.metrics.auc(tf.cast(labels, tf.bool), predictions, num_thresholds=2),
  ]
  for curve in ["ROC", "PR"]:
    for method in ["trapezoidal", "careful_interpolation", "minoring", "majoring"]:
      metrics.append(
        tf.metrics.auc(
          labels=labels,
          predictions=predictions,
          weights=weights,
          num_thresholds=7,
          metrics_collections=["values"],
          updates_collections=["updates"],
          curve=curve,
          name="areas",
          summation_method=method,
        )
      )
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_auc.rtol = 1e-5


def program_sensitivity_and_specificity(tf):
  labels, predictions, weights, feeds = _batches(tf)
  metrics = []
  for wanted in [0.0, 0.4, 1.0]:
    metrics += [
      tf.metrics.sensitivity_at_specificity(labels, predictions, wanted),
      tf.metrics.sensitivity_at_specificity(labels, predictions, wanted, weights, 12, "values", "updates", "mine"),
      tf.metrics.specificity_at_sensitivity(labels, predictions, wanted),
      tf.metrics.specificity_at_sensitivity(labels, predictions, wanted, weights, 12, "values", "updates", "mine"),
    ]
  metrics.append(tf.metrics.sensitivity_at_specificity(labels=labels, predictions=predictions, specificity=0.5))
  metrics.append(tf.metrics.specificity_at_sensitivity(labels=labels, predictions=predictions, sensitivity=0.5))
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_sensitivity_and_specificity.rtol = 1e-5


def _classes(tf, weights_shape=(4,)):
  labels, predictions = tf.placeholder(tf.int64, [4], name="l"), tf.placeholder(tf.int64, [4], name="p")
  weights = tf.placeholder(tf.float32, list(weights_shape), name="w")
  data = [([0, 1, 2, 1], [0, 1, 1, 1]), ([1, 1, 0, 0], [1, 0, 2, 0]), ([2, 2, 2, 0], [2, 2, 1, 1])]
  feeds = [{labels: l, predictions: p, weights: w} for (l, p), w in zip(data, WEIGHTS)]
  return labels, predictions, weights, feeds


def program_classes(tf):
  labels, predictions, weights, feeds = _classes(tf)
  metrics = [
    tf.metrics.mean_iou(labels, predictions, 3),
    tf.metrics.mean_iou(labels, predictions, 4, weights, "values", "updates", "mine"),
    tf.metrics.mean_iou(tf.reshape(labels, [2, 2]), tf.reshape(predictions, [2, 2]), num_classes=3),
    tf.metrics.mean_iou(labels=tf.cast(labels, tf.int32), predictions=tf.cast(predictions, tf.int32), num_classes=3),
    tf.metrics.mean_per_class_accuracy(labels, predictions, 3),
    tf.metrics.mean_per_class_accuracy(labels, predictions, 4, weights, "values", "updates", "mine"),
    tf.metrics.mean_per_class_accuracy(tf.reshape(labels, [2, 2]), tf.reshape(predictions, [2, 2]), num_classes=3),
  ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_classes.rtol = 1e-6


SCORES = np.float32(
  [
    [[0.5, 0.4, 0.3, 0.2], [0.1, 0.2, 0.3, 0.4]],
    [[0.9, 0.1, 0.2, 0.8], [0.6, 0.5, 0.1, 0.0]],
    [[0.0, 0.1, 0.2, 0.3], [0.4, 0.1, 0.2, 0.3]],
  ]
)
TRUTH = np.int64([[[0, 2], [2, 1]], [[0, 3], [3, 3]], [[1, -1], [0, 9]]])


def _rankings(tf):
  labels = tf.placeholder(tf.int64, [2, 2], name="l")
  scores = tf.placeholder(tf.float32, [2, 4], name="p")
  weights = tf.placeholder(tf.float32, [2], name="w")
  feeds = [{labels: TRUTH[i], scores: SCORES[i], weights: WEIGHTS[i][:2]} for i in range(3)]
  return labels, scores, weights, feeds


def program_rankings(tf):
  labels, scores, weights, feeds = _rankings(tf)
  metrics = []
  for function in [tf.metrics.precision_at_k, tf.metrics.sparse_precision_at_k, tf.metrics.recall_at_k]:
    metrics += [
      function(labels, scores, 1),
      function(labels, scores, 3),
      function(labels, scores, 2, 3),
      function(labels, scores, 2, 1, weights, "values", "updates", "mine"),
      function(labels=labels, predictions=scores, k=2, weights=weights),
      function(labels[:, 0], scores, 2),
      function(labels[:, :1], scores, 2, weights=0.5),
    ]
  chosen = tf.nn.top_k(scores, 2)[1]
  for function in [tf.metrics.precision_at_top_k, tf.metrics.recall_at_top_k]:
    metrics += [
      function(labels, tf.cast(chosen, tf.int64)),
      function(labels, chosen, 2),
      function(labels, chosen, 2, 0, weights, "values", "updates", "mine"),
      function(labels=labels, predictions_idx=chosen, class_id=3, weights=2.0),
    ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_rankings.rtol = 1e-6


def program_rankings_of_sparse_labels(tf):
  indices = tf.placeholder(tf.int64, [None, 2])
  values = tf.placeholder(tf.int64, [None])
  labels = tf.SparseTensor(indices, values, [2, 3])
  scores = tf.placeholder(tf.float32, [2, 4])
  feeds = [
    {indices: [[0, 0], [1, 0], [1, 1]], values: [0, 2, 1], scores: SCORES[0]},
    {indices: [[0, 0], [0, 2], [1, 1]], values: [3, 2, 1], scores: SCORES[1]},
    {indices: [[0, 1], [1, 1], [1, 2]], values: [3, 0, 1], scores: SCORES[2]},
  ]
  one = tf.SparseTensor(indices[:2, :1], values[:2], [2])
  metrics = [
    tf.metrics.precision_at_k(labels, scores, 2),
    tf.metrics.precision_at_k(labels, scores, 2, class_id=1),
    tf.metrics.recall_at_k(labels, scores, 2),
    tf.metrics.recall_at_k(labels, scores, 2, class_id=1, weights=[1.0, 0.5]),
    tf.metrics.average_precision_at_k(labels, scores, 3),
    tf.metrics.average_precision_at_k(labels, scores, 1, weights=[[1.0], [0.5]][0]),
    tf.metrics.precision_at_k(one, scores, 2),
  ]
  return _steps(tf, metrics, feeds)


program_rankings_of_sparse_labels.rtol = 1e-6


def program_average_precision(tf):
  labels, scores, weights, feeds = _rankings(tf)
  metrics = [
    tf.metrics.average_precision_at_k(labels, scores, 1),
    tf.metrics.average_precision_at_k(labels, scores, 3),
    tf.metrics.average_precision_at_k(labels, scores, 2, weights, "values", "updates", "mine"),
    tf.metrics.average_precision_at_k(labels=labels[:, 0], predictions=scores, k=4, weights=2.0),
    tf.metrics.sparse_average_precision_at_k(labels, scores, 3),
    tf.metrics.sparse_average_precision_at_k(labels, scores, 2, weights, "values", "updates", "mine"),
  ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_average_precision.rtol = 1e-6


def program_three_dimensions(tf):
  labels = tf.constant(np.int64([[[0], [1]], [[2], [3]]]))
  scores = tf.constant(np.stack([SCORES[0], SCORES[1]]))
  metrics = [
    tf.metrics.precision_at_k(labels, scores, 2, weights=[[1.0], [0.5]]),
    tf.metrics.recall_at_k(labels, scores, 2, class_id=2, weights=[[1.0, 2.0]]),
    tf.metrics.average_precision_at_k(labels, scores, 2, weights=[[1.0], [0.5]]),
  ]
  return _steps(tf, metrics, [{}, {}])


program_three_dimensions.rtol = 1e-6


def program_errors(tf):
  labels, predictions = tf.constant([0.0, 1.0]), tf.constant([0.5, 1.5])
  value, update = tf.metrics.auc(labels, predictions, num_thresholds=3)
  iou, iou_update = tf.metrics.mean_iou([0, 5], [0, 1], 3)
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    ran = [_error(lambda: session.run(update)), _error(lambda: session.run(iou_update))]
  return ran + [
    _error(lambda: tf.metrics.auc(labels, predictions, curve="x")),
    _error(lambda: tf.metrics.auc(labels, predictions, summation_method="x")),
    _error(lambda: tf.metrics.auc(labels, [0.1, 0.2, 0.3])),
    _error(lambda: tf.metrics.auc(labels, predictions, weights=[1.0, 2.0, 3.0])),
    _error(lambda: tf.metrics.sensitivity_at_specificity(labels, predictions, 1.5)),
    _error(lambda: tf.metrics.specificity_at_sensitivity(labels, predictions, -0.5)),
    _error(lambda: tf.metrics.mean_iou([0, 5], [0, 1, 2], 3)),
    _error(lambda: tf.metrics.mean_per_class_accuracy([0, 5], [0, 1, 2], 3)),
    _error(lambda: tf.metrics.average_precision_at_k(tf.constant([1], tf.int64), [[1.0, 2.0]], 0)),
    _error(lambda: tf.metrics.recall_at_k(tf.constant([[[1]]], tf.int64), [[1.0, 2.0]], 1)),
  ]
