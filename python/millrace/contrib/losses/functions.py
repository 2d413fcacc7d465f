"""Losses of predictions and labels, in this order."""

import millrace as tf
from millrace.contrib.losses.weighting import compute_weighted_loss, count_of_weighted, without_last_one
from millrace.framework import dtypes
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.framework.graph import add_to_collection, name_scope
from millrace.framework.graph_keys import GraphKeys


def _floats(predictions, labels):
  """Both as float32. Raises ValueError if their shapes are known to differ."""
  predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
  predictions.get_shape().assert_is_compatible_with(labels.get_shape())
  return tf.cast(predictions, dtypes.float32), tf.cast(labels, dtypes.float32)


def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
  """The absolute values of predictions - labels, as compute_weighted_loss() reduces them."""
  with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
    predictions, labels = _floats(predictions, labels)
    return compute_weighted_loss(tf.abs(tf.subtract(predictions, labels)), weights, scope=scope)


def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
  """The squares of predictions - labels, as compute_weighted_loss() reduces them."""
  with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
    predictions, labels = _floats(predictions, labels)
    return compute_weighted_loss(tf.squared_difference(predictions, labels), weights, scope=scope)


def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
  """1 minus the cosine between predictions and labels, which have to be of length 1 along `axis` (or `dim`)."""
  axis = deprecated_argument_lookup("axis", axis, "dim", dim)
  if axis is None:
    raise ValueError("You must specify 'axis'.")
  with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
    predictions, labels = _floats(predictions, labels)
    losses = 1 - tf.reduce_sum(tf.multiply(predictions, labels), axis=[axis])
    return compute_weighted_loss(losses, weights, scope=scope)


def hinge_loss(logits, labels=None, scope=None):
  """max(0, 1 - y * logits) with y = 1 for the label 1 and y = -1 for the label 0: a tensor, which is in no collection."""
  with name_scope(scope, "hinge_loss", [logits, labels]):
    logits = tf.convert_to_tensor(logits)
    logits.get_shape().assert_is_compatible_with(tf.convert_to_tensor(labels).get_shape())
    labels = tf.cast(labels, dtypes.float32)
    ones = tf.ones_like(labels)
    return tf.nn.relu(tf.subtract(ones, tf.multiply(tf.subtract(2 * labels, ones), logits)))


def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
  """The cross entropy of the probabilities `labels` and `predictions`; `epsilon` keeps the logarithms finite."""
  with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
    predictions, labels = _floats(predictions, labels)
    losses = -tf.multiply(labels, tf.log(predictions + epsilon)) - tf.multiply(1 - labels, tf.log(1 - predictions + epsilon))
    return compute_weighted_loss(losses, weights, scope=scope)


def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
  """The cross entropy of the labels 0 and 1 and sigmoid(logits); `label_smoothing` moves the labels towards 0.5 by half of it."""
  with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
    logits = tf.convert_to_tensor(logits)
    labels = tf.cast(multi_class_labels, logits.dtype)
    logits.get_shape().assert_is_compatible_with(labels.get_shape())
    if label_smoothing > 0:
      labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope=scope)


def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
  """The cross entropy of the distributions `onehot_labels` and softmax(logits); `label_smoothing` of each is spread over all."""
  with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
    logits = tf.convert_to_tensor(logits)
    labels = tf.cast(onehot_labels, logits.dtype)
    logits.get_shape().assert_is_compatible_with(labels.get_shape())
    if label_smoothing > 0:
      classes = tf.cast(tf.shape(labels)[1], logits.dtype)
      labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope=scope)


def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
  """The cross entropy of the class numbers `labels`, in any shape, and softmax(logits)."""
  with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
    labels = tf.reshape(labels, shape=[tf.shape(labels)[0]])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope=scope)


def mean_pairwise_squared_error(predictions, labels=None, weights=1.0, scope=None):
  """The mean over pairs of elements of each example, with themselves too, of the squares of the differences between the errors.

  `weights` is a scalar or has a number for each example; the result is the sum over the examples.
  """
  with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]) as scope:
    predictions, labels = _floats(predictions, labels)
    weights = without_last_one(tf.cast(tf.convert_to_tensor(weights), dtypes.float32))
    differences = tf.subtract(predictions, labels)
    axis = list(range(1, differences.get_shape().ndims))
    squares = tf.reduce_sum(tf.square(differences), axis=axis)
    count = count_of_weighted(differences, weights, per_batch=True)
    first = 2.0 * tf.div_no_nan(squares, count, name="value")
    total = tf.reduce_sum(differences, axis=axis)
    second = 2.0 * tf.div_no_nan(tf.square(total), tf.square(count), name="value")
    loss = tf.reduce_sum((first - second) * weights)
    mean = tf.where(tf.reduce_sum(count) > 0, loss, tf.zeros_like(loss), name="value")
    add_to_collection(GraphKeys.LOSSES, mean)
    return mean
