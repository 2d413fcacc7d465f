"""tf.metrics: means, counts and errors over three batches, with weights, collections and names."""

import numpy as np

LABELS = np.float32([[0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1]])
PREDICTIONS = np.float32([[0, 1, 0, 0.5], [1, 0, 1, 0], [1, 1, 0, 0]])
WEIGHTS = np.float32([[1, 2, 0.5, 0], [0, 0, 0, 0], [1, 1, 3, 1]])


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _steps(tf, metrics, feeds):
  """Values before, updates and values over the batches; names of variables, of results and of what is in collections."""
  found = []
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    found.append(session.run([value for value, _ in metrics]))
    for feed in feeds:
      found.append(session.run([update for _, update in metrics], feed))
      found.append(session.run([value for value, _ in metrics]))
    found.append(session.run(tf.local_variables()))
  names = [variable.name for variable in tf.local_variables()]
  return [found, names, names == [variable.name for variable in tf.get_collection("metric_variables")]]


def _names(tf, metrics, *keys):
  """The names of results, and of what is in collections."""
  return [[[tensor.name for tensor in pair] for pair in metrics]] + [[t.name for t in tf.get_collection(key)] for key in keys]


def _batches(tf):
  labels, predictions = tf.placeholder(tf.float32, [4], name="l"), tf.placeholder(tf.float32, [4], name="p")
  weights = tf.placeholder(tf.float32, [4], name="w")
  feeds = [{labels: LABELS[i], predictions: PREDICTIONS[i], weights: WEIGHTS[i]} for i in range(3)]
  return labels, predictions, weights, feeds


def program_mean(tf):
  labels, predictions, weights, feeds = _batches(tf)
  metrics = [
    tf.metrics.mean(predictions),
    tf.metrics.mean(predictions, weights, "values", "updates", "mine"),
    tf.metrics.mean(values=predictions, weights=0.5, metrics_collections=["values", "more"], updates_collections=["updates"]),
    tf.metrics.mean(tf.expand_dims(predictions, 1), weights=weights),
    tf.metrics.mean(predictions, weights=tf.expand_dims(weights, 1)),
    tf.metrics.mean(tf.reshape(labels, [2, 2]), weights=[[1.0, 0.0]]),
    tf.metrics.mean(tf.cast(labels, tf.int32), tf.cast(weights, tf.int32)),
    tf.metrics.mean_tensor(predictions),
    tf.metrics.mean_tensor(predictions, weights, "values", "updates", "tensor"),
    tf.metrics.mean_tensor(values=predictions, weights=0.5, name="tensor"),
  ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates", "more")


program_mean.rtol = 1e-6


def program_unknown_shapes(tf):
  values = tf.placeholder(tf.float32, None)
  weights = tf.placeholder(tf.float32, None)
  metric = tf.metrics.mean(values, weights)
  same = tf.metrics.accuracy(values, tf.expand_dims(values, -1), weights=weights)
  feeds = [
    {values: [1.0, 2.0], weights: 2.0},
    {values: [1.0, 3.0], weights: [[1.0], [0.5]]},
    {values: [[1.0, 3.0]], weights: [1.0]},
    {values: [[1.0, 3.0]], weights: [[1.0, 2.0]]},
  ]
  column = tf.metrics.mean(values, tf.placeholder_with_default(np.float32([2.0]), [1]))
  return _steps(tf, [metric, same], feeds)[:2], _steps(tf, [column], feeds[2:])[:2]


program_unknown_shapes.rtol = 1e-6


def program_accuracy(tf):
  labels, predictions, weights, feeds = _batches(tf)
  metrics = [
    tf.metrics.accuracy(labels, predictions),
    tf.metrics.accuracy(labels, predictions, weights, "values", "updates", "mine"),
    tf.metrics.accuracy(labels=tf.cast(labels, tf.int64), predictions=predictions),
    tf.metrics.accuracy(tf.expand_dims(labels, 1), predictions, weights=tf.expand_dims(weights, 1)),
    tf.metrics.accuracy(tf.as_string(labels), tf.as_string(predictions), name="texts"),
    tf.metrics.percentage_below(predictions, 0.7),
    tf.metrics.percentage_below(predictions, 0.3, weights, "values", "updates", "below"),
  ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_accuracy.rtol = 1e-6


def program_errors_of_numbers(tf):
  labels, predictions, weights, feeds = _batches(tf)
  metrics = [
    tf.metrics.mean_absolute_error(labels, predictions),
    tf.metrics.mean_absolute_error(labels, predictions, weights, "values", "updates", "mine"),
    tf.metrics.mean_squared_error(labels, predictions),
    tf.metrics.mean_squared_error(labels, predictions, weights, "values", "updates", "mine"),
    tf.metrics.root_mean_squared_error(labels, predictions),
    tf.metrics.root_mean_squared_error(labels, predictions, weights, "values", "updates", "mine"),
    tf.metrics.mean_relative_error(labels, predictions, [1.0, 2.0, 0.0, 4.0]),
    tf.metrics.mean_relative_error(labels, predictions, labels, weights, "values", "updates", "mine"),
  ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_errors_of_numbers.rtol = 1e-6


def program_mean_cosine_distance(tf):
  labels, predictions, weights, feeds = _batches(tf)
  one = tf.nn.l2_normalize(tf.reshape(labels, [2, 2]) + 0.1, 1)
  two = tf.nn.l2_normalize(tf.reshape(predictions, [2, 2]) + 0.2, 1)
  metrics = [
    tf.metrics.mean_cosine_distance(one, two, 1),
    tf.metrics.mean_cosine_distance(one, two, 1, tf.reshape(weights, [2, 2])[:, :1], "values", "updates", "mine"),
    tf.metrics.mean_cosine_distance(labels=one, predictions=two, dim=0, weights=2.0),
  ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_mean_cosine_distance.rtol = 1e-5
program_mean_cosine_distance.atol = 1e-6


def program_counts(tf):
  labels, predictions, weights, feeds = _batches(tf)
  metrics = []
  for function in [
    tf.metrics.true_positives,
    tf.metrics.true_negatives,
    tf.metrics.false_positives,
    tf.metrics.false_negatives,
    tf.metrics.precision,
    tf.metrics.recall,
  ]:
    metrics += [
      function(labels, predictions),
      function(labels, predictions, weights, "values", "updates", "mine"),
      function(labels=tf.cast(labels, tf.bool), predictions=tf.cast(predictions, tf.int32), weights=0.5),
      function(tf.expand_dims(labels, 1), predictions, tf.expand_dims(weights, 1)),
    ]
  return _steps(tf, metrics, feeds) + _names(tf, metrics, "values", "updates")


program_counts.rtol = 1e-6


def program_resource_variables(tf):
  labels, predictions, weights, feeds = _batches(tf)
  with tf.variable_scope("r", use_resource=True):
    metrics = [
      tf.metrics.mean(predictions, weights),
      tf.metrics.accuracy(labels, predictions),
      tf.metrics.precision(labels, predictions),
      tf.metrics.mean_iou(tf.cast(labels, tf.int64), tf.cast(predictions, tf.int64), 2),
      tf.metrics.mean_per_class_accuracy(tf.cast(labels, tf.int64), tf.cast(predictions, tf.int64), 2),
      tf.metrics.auc(labels, predictions, num_thresholds=5),
    ]
  return _steps(tf, metrics, feeds)


program_resource_variables.rtol = 1e-5


def program_errors(tf):
  return [
    _error(lambda: tf.metrics.accuracy([1.0], [1.0, 2.0])),
    _error(lambda: tf.metrics.accuracy([1.0, 2.0], [1.0, 2.0], weights=[1.0, 2.0, 3.0])),
    _error(lambda: tf.metrics.mean([1.0, 2.0], weights=[1.0, 2.0, 3.0])),
    _error(lambda: tf.metrics.mean_squared_error([[1.0, 2.0]], [1.0, 2.0])),
    _error(lambda: tf.metrics.precision([True], [True, False])),
    _error(lambda: tf.metrics.mean_relative_error([1.0], [1.0], [1.0, 2.0])),
  ]
