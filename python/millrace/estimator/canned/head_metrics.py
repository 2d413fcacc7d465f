"""Metrics of heads: means, accuracies, areas."""

import millrace as tf


class HeadMetric:
  """A metric that a head fills: afterwards `result()` is its value and `update_op` what takes in a batch."""

  def __init__(self, name):
    self.name = name
    self.update_op = None
    self._value = None

  def fill(self, pair):
    """Takes the value and the update of a batch. Raises ValueError if it has them already."""
    if self.update_op is not None:
      raise ValueError(f"The metric {self.name} has been updated already; ask the head for new ones by metrics().")
    self._value, self.update_op = pair

  def result(self):
    """Returns the value, a tensor. Raises ValueError if nothing has been taken in."""
    if self._value is None:
      raise ValueError(f"The metric {self.name} has no value yet; update_metrics() gives it one.")
    return self._value


def accuracy_baseline(labels_mean):
  """Returns the accuracy of always predicting the class that comes more often, of the mean of labels that are 0 or 1."""
  with tf.name_scope(None, "accuracy_baseline", labels_mean):
    value, update = labels_mean
    return tf.maximum(value, 1.0 - value, name="value"), tf.maximum(update, 1.0 - update, name="update_op")


def area(labels, predictions, weights=None, curve="ROC", summation="careful_interpolation", name=None):
  """Returns the area under the curve of ROC or PR; `summation` is a method of tf.metrics.auc."""
  with tf.name_scope(name, "auc", [predictions, labels, weights]) as scope:
    predictions = tf.cast(predictions, dtype=tf.float32)
    if weights is not None:
      weights = _broadcast(weights, predictions)
    return tf.metrics.auc(
      labels=labels,
      predictions=predictions,
      weights=weights,
      curve=curve,
      name=scope,
      summation_method=summation,
    )


def mean_of_predictions(predictions, weights=None, name=None):
  """Returns the mean of what is predicted."""
  with tf.name_scope(name, "predictions_mean", [predictions, weights]) as scope:
    predictions = tf.cast(predictions, tf.float32, name="predictions")
    if weights is not None:
      weights = _broadcast(weights, predictions)
    return tf.metrics.mean(predictions, weights=weights, name=scope)


def mean_of_labels(labels, weights=None, name=None):
  """Returns the mean of labels."""
  with tf.name_scope(name, "labels_mean", [labels, weights]) as scope:
    labels = tf.cast(labels, tf.float32, name="labels")
    if weights is not None:
      weights = _broadcast(weights, labels)
    return tf.metrics.mean(labels, weights=weights, name=scope)


def accuracy_at(labels, predictions, weights, threshold, name=None):
  """Returns the accuracy where what is above a threshold is predicted to be 1."""
  with tf.name_scope(name, "accuracy_at_%s" % threshold, [predictions, labels, weights, threshold]) as scope:
    decided = tf.cast(tf.greater_equal(predictions, threshold), tf.float32)
    return tf.metrics.accuracy(labels=labels, predictions=decided, weights=weights, name=scope)


def precision_at(labels, predictions, weights, threshold, name=None):
  """Returns the precision where what is above a threshold is predicted to be 1."""
  with tf.name_scope(name, "precision_at_%s" % threshold, [predictions, labels, weights, threshold]) as scope:
    value, update = tf.metrics.precision_at_thresholds(
      labels=labels, predictions=predictions, thresholds=(threshold,), weights=weights, name=scope
    )
    return tf.squeeze(value), tf.squeeze(update)


def recall_at(labels, predictions, weights, threshold, name=None):
  """Returns the recall where what is above a threshold is predicted to be 1."""
  with tf.name_scope(name, "recall_at_%s" % threshold, [predictions, labels, weights, threshold]) as scope:
    value, update = tf.metrics.recall_at_thresholds(
      labels=labels, predictions=predictions, thresholds=(threshold,), weights=weights, name=scope
    )
    return tf.squeeze(value), tf.squeeze(update)


def _broadcast(weights, values):
  from millrace.ops.losses.broadcasting import broadcast_weights

  return broadcast_weights(weights, values)
