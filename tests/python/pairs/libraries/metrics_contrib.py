"""tf.contrib.metrics beside tf_slim's, over three batches."""

import numpy as np
from metrics_means import _error, _names, _steps


def _metrics(tf):
  """The functions of each side; tf_slim asks modules of 2.15 for names that these have no more."""
  if tf.__name__ == "millrace":
    return tf.contrib.metrics
  import tf_slim
  from tensorflow.python.ops import array_ops, control_flow_ops

  array_ops.stack = tf.stack
  control_flow_ops.cond, control_flow_ops.Assert = tf.cond, tf.Assert
  return tf_slim.metrics


LABELS = np.float32([[0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1]])
PREDICTIONS = np.float32([[0.1, 0.8, 0.3, 0.5], [1, 0, 0.6, 0], [0.9, 0.7, 0.2, 0.4]])
WEIGHTS = np.float32([[1, 2, 0.5, 0], [0, 0, 0, 0], [1, 1, 3, 1]])


def _batches(tf):
  labels, predictions = tf.placeholder(tf.float32, [4], name="l"), tf.placeholder(tf.float32, [4], name="p")
  weights = tf.placeholder(tf.float32, [4], name="w")
  feeds = [{labels: LABELS[i], predictions: PREDICTIONS[i], weights: WEIGHTS[i]} for i in range(3)]
  return labels, predictions, weights, feeds


def program_counts_and_means(tf):
  m = _metrics(tf)
  labels, predictions, weights, feeds = _batches(tf)
  said = predictions > 0.5
  metrics = []
  for function in [
    m.streaming_true_positives,
    m.streaming_true_negatives,
    m.streaming_false_positives,
    m.streaming_false_negatives,
    m.streaming_precision,
    m.streaming_recall,
    m.streaming_false_positive_rate,
    m.streaming_false_negative_rate,
  ]:
    metrics += [function(said, labels), function(said, labels, weights, "values", "updates", "mine")]
    metrics.append(function(predictions=said, labels=labels, weights=0.5))
  for function in [
    m.streaming_accuracy,
    m.streaming_mean_absolute_error,
    m.streaming_mean_squared_error,
    m.streaming_root_mean_squared_error,
    m.streaming_covariance,
    m.streaming_pearson_correlation,
  ]:
    metrics += [function(predictions, labels), function(predictions, labels, weights, "values", "updates", "mine")]
  metrics += [
    m.streaming_mean(predictions),
    m.streaming_mean(predictions, weights, "values", "updates", "mine"),
    m.streaming_mean_tensor(predictions),
    m.streaming_mean_tensor(predictions, weights, "values", "updates", "mine"),
    m.streaming_percentage_less(predictions, 0.5),
    m.streaming_percentage_less(predictions, 0.5, weights, "values", "updates", "mine"),
    m.streaming_mean_relative_error(predictions, labels, labels),
    m.streaming_mean_relative_error(predictions, labels, labels + 1, weights, "values", "updates", "mine"),
    m.streaming_mean_cosine_distance(tf.reshape(predictions, [2, 2]), tf.reshape(labels, [2, 2]), 1),
    m.streaming_mean_cosine_distance(
      tf.reshape(predictions, [2, 2]), tf.reshape(labels, [2, 2]), 1, [[1.0], [0.5]], "values", "updates", "mine"
    ),
    m.count(predictions),
    m.count(predictions, weights, "values", "updates", "mine"),
    m.count(values=predictions, weights=2.0),
  ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_counts_and_means.rtol = 1e-4
program_counts_and_means.atol = 1e-6


def program_thresholds(tf):
  m = _metrics(tf)
  labels, predictions, weights, feeds = _batches(tf)
  metrics = []
  for function in [
    m.streaming_precision_at_thresholds,
    m.streaming_recall_at_thresholds,
    m.streaming_false_positive_rate_at_thresholds,
    m.streaming_false_negative_rate_at_thresholds,
  ]:
    metrics += [
      function(predictions, labels, [0.25, 0.75]),
      function(predictions, labels, [0.4], weights, "values", "updates", "mine"),
    ]
  for function in [
    m.streaming_true_positives_at_thresholds,
    m.streaming_true_negatives_at_thresholds,
    m.streaming_false_positives_at_thresholds,
    m.streaming_false_negatives_at_thresholds,
  ]:
    metrics += [function(predictions, labels, [0.25, 0.75]), function(predictions, labels, [0.4], weights)]
  metrics += [
    m.streaming_auc(predictions, labels),
    m.streaming_auc(predictions, labels, weights, 10, "values", "updates", "PR", "mine"),
    m.streaming_sensitivity_at_specificity(predictions, labels, 0.5),
    m.streaming_sensitivity_at_specificity(predictions, labels, 0.7, weights, 12, "values", "updates", "mine"),
    m.streaming_specificity_at_sensitivity(predictions, labels, 0.5),
    m.streaming_specificity_at_sensitivity(predictions, labels, 0.7, weights, 12, "values", "updates", "mine"),
    m.f1_score(labels, predictions),
    m.f1_score(labels, predictions, weights, 10, "values", "updates", "mine"),
  ]
  for wanted in [0.0, 0.3, 0.66]:
    metrics += [
      m.precision_at_recall(labels, predictions, wanted),
      m.precision_at_recall(labels, predictions, wanted, weights, 12, "values", "updates", "mine"),
      m.recall_at_precision(labels, predictions, wanted),
      m.recall_at_precision(labels, predictions, wanted, weights, 12, "values", "updates", "mine", False),
    ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_thresholds.rtol = 1e-4


def program_strict_precision(tf):
  m = _metrics(tf)
  labels, predictions, weights, feeds = _batches(tf)
  metrics = []
  for wanted in [0.0, 0.3, 0.9]:
    metrics.append(m.recall_at_precision(labels, predictions, wanted, strict_mode=True))
    metrics.append(m.recall_at_precision(labels, predictions, wanted, weights, 12, strict_mode=True))
  return _steps(tf, metrics, feeds)


program_strict_precision.rtol = 1e-4


def program_curve_points(tf):
  m = _metrics(tf)
  labels, predictions, weights, feeds = _batches(tf)
  metrics = [
    m.streaming_curve_points(labels, predictions),
    m.streaming_curve_points(labels, predictions, weights, 5, "values", "updates", "PR", "mine"),
    m.streaming_curve_points(labels=labels, predictions=predictions, num_thresholds=3, curve="ROC"),
  ]
  tables = [
    m.precision_recall_at_equal_thresholds(tf.cast(labels, tf.bool), predictions),
    m.precision_recall_at_equal_thresholds(tf.cast(labels, tf.bool), predictions, weights, 4, True, "mine"),
  ]
  return _steps(tf, metrics + [(list(data), update) for data, update in tables], feeds) + [
    [list(data._fields), [tensor.dtype.name for tensor in data]] for data, _ in tables
  ]


program_curve_points.rtol = 1e-5


def program_classes(tf):
  m = _metrics(tf)
  labels, predictions = tf.placeholder(tf.int64, [4]), tf.placeholder(tf.int64, [4])
  weights = tf.placeholder(tf.float32, [4])
  data = [([0, 1, 2, 1], [0, 1, 1, 1]), ([1, 1, 0, 0], [1, 0, 2, 0]), ([2, 2, 2, 0], [2, 2, 1, 1])]
  feeds = [{labels: l, predictions: p, weights: w} for (l, p), w in zip(data, WEIGHTS)]
  metrics = [
    m.streaming_mean_iou(predictions, labels, 3),
    m.streaming_mean_iou(predictions, labels, 4, weights, "values", "updates", "mine"),
    m.cohen_kappa(labels, predictions, 3),
    m.cohen_kappa(labels, predictions, 4, weights, "values", "updates", "mine"),
    m.cohen_kappa(labels[:, None], predictions[:, None], num_classes=3, weights=weights[:, None]),
  ]
  found = _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")
  now = [
    m.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 0, 3])),
    m.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 0, 3]), [1.0, 2.0, 0.5], "mine"),
    m.accuracy(predictions=tf.constant(["a", "b"]), labels=tf.constant(["a", "c"])),
  ]
  with tf.Session() as session:
    return found, session.run(now)


program_classes.rtol = 1e-5


def program_rankings(tf):
  m = _metrics(tf)
  labels, scores = tf.placeholder(tf.int64, [2, 2]), tf.placeholder(tf.float32, [2, 4])
  weights = tf.placeholder(tf.float32, [2])
  data = np.random.RandomState(0).rand(3, 2, 4).astype(np.float32)
  truth = np.int64([[[0, 2], [2, 1]], [[0, 3], [3, 3]], [[1, 2], [0, 1]]])
  feeds = [{labels: truth[i], scores: data[i], weights: [1.0, 0.5]} for i in range(3)]
  chosen = tf.cast(tf.nn.top_k(scores, 2)[1], tf.int64)
  metrics = [
    m.streaming_recall_at_k(scores, labels[:, 0], 2),
    m.streaming_recall_at_k(scores, labels[:, 0], 2, weights, "values", "updates", "mine"),
    m.streaming_sparse_precision_at_k(scores, labels, 2),
    m.streaming_sparse_precision_at_k(scores, labels, 2, 1, weights, "values", "updates", "mine"),
    m.streaming_sparse_precision_at_top_k(chosen, labels),
    m.streaming_sparse_precision_at_top_k(chosen, labels, 1, weights, "values", "updates", "mine"),
    m.streaming_sparse_recall_at_k(scores, labels, 2),
    m.streaming_sparse_recall_at_k(scores, labels, 2, 1, weights, "values", "updates", "mine"),
    m.sparse_recall_at_top_k(labels, chosen),
    m.sparse_recall_at_top_k(labels, chosen, 1, weights, "values", "updates", "mine"),
    m.streaming_sparse_average_precision_at_k(scores, labels, 3),
    m.streaming_sparse_average_precision_at_k(scores, labels, 3, weights, "values", "updates", "mine"),
    m.streaming_sparse_average_precision_at_top_k(chosen, labels),
    m.streaming_sparse_average_precision_at_top_k(chosen, labels, weights, "values", "updates", "mine"),
  ]
  found = _steps(tf, metrics, feeds)
  return found[0], [name for name in found[1] if "max" not in name], _names(tf, metrics, "values", "updates")


program_rankings.rtol = 1e-5


def program_histograms(tf):
  m = _metrics(tf)
  labels, predictions, _, feeds = _batches(tf)
  labels = tf.cast(labels, tf.bool)
  metrics = [
    m.auc_using_histogram(labels, predictions, [0.0, 1.0]),
    m.auc_using_histogram(labels, predictions, [0.0, 0.9], 4, None, False, "mine"),
    m.auc_using_histogram(labels, predictions, score_range=[0.0, 1.0], collections=["local_variables", "more"]),
  ]
  found = _steps(tf, metrics, feeds)
  return [step for step in found[0][1::2] if not isinstance(step, list) or step[0] is not None], found[0][2::2], found[1]


program_histograms.rtol = 1e-5


def program_aggregates(tf):
  m = _metrics(tf)
  labels, predictions, _, _ = _batches(tf)
  pairs = [m.streaming_mean(predictions, name="a"), m.streaming_accuracy(predictions, labels, name="b")]
  values, updates = m.aggregate_metrics(*pairs)
  by_name, updates_by_name = m.aggregate_metric_map({"first": pairs[0], "second": pairs[1]})
  return [
    [tensor.name for tensor in values + updates],
    {name: tensor.name for name, tensor in by_name.items()},
    {name: tensor.name for name, tensor in updates_by_name.items()},
    _error(lambda: m.aggregate_metrics()),
  ]


def program_errors(tf):
  m = _metrics(tf)
  labels, predictions = tf.constant([0.0, 1.0]), tf.constant([0.5, 0.5])
  integers = tf.constant([0, 1])
  return [
    _error(lambda: m.accuracy(labels, labels)),
    _error(lambda: m.accuracy(labels, integers)),
    _error(lambda: m.cohen_kappa(integers, integers, 1)),
    _error(lambda: m.streaming_curve_points(labels, predictions, curve="x")),
    _error(lambda: m.precision_at_recall(labels, predictions, 1.5)),
    _error(lambda: m.recall_at_precision(labels, predictions, -0.5)),
    _error(lambda: m.streaming_concat(tf.constant(1.0))),
    _error(lambda: m.streaming_concat(predictions, axis=1)),
    _error(lambda: m.streaming_concat(tf.placeholder(tf.float32, [None, None]))),
    _error(lambda: m.streaming_dynamic_auc(integers, predictions, curve="x")),
    _error(lambda: m.auc_with_confidence_intervals(integers, predictions, alpha=1.5)),
  ]
