"""Losses of predicted classes."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.graph_keys import GraphKeys
from millrace.ops.losses.arguments import check_given
from millrace.ops.losses.reduction import Reduction
from millrace.ops.losses.weighting import compute_weighted_loss
from millrace.ops.math.counts import remove_squeezable_dimensions


def hinge_loss(
  labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS
):
  """max(0, 1 - y * logits) with y = 1 for the label 1 and y = -1 for the label 0, as compute_weighted_loss() reduces it."""
  check_given(labels=labels, logits=logits)
  with name_scope(scope, "hinge_loss", (logits, labels, weights)) as scope:
    logits = tf.cast(logits, dtype=dtypes.float32)
    labels = tf.cast(labels, dtype=dtypes.float32)
    logits.get_shape().assert_is_compatible_with(labels.get_shape())
    ones = tf.ones_like(labels)
    signs = tf.subtract(2 * labels, ones)
    losses = tf.nn.relu(tf.subtract(ones, tf.multiply(signs, logits)))
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def log_loss(
  labels,
  predictions,
  weights=1.0,
  epsilon=1e-7,
  scope=None,
  loss_collection=GraphKeys.LOSSES,
  reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
  """The cross entropy of the probabilities `labels` and `predictions`; `epsilon` keeps the logarithms finite."""
  check_given(labels=labels, predictions=predictions)
  with name_scope(scope, "log_loss", (predictions, labels, weights)) as scope:
    predictions = tf.cast(predictions, dtype=dtypes.float32)
    labels = tf.cast(labels, dtype=dtypes.float32)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    yes = tf.multiply(labels, tf.log(predictions + epsilon))
    losses = -yes - tf.multiply(1 - labels, tf.log(1 - predictions + epsilon))
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def sigmoid_cross_entropy(
  multi_class_labels,
  logits,
  weights=1.0,
  label_smoothing=0,
  scope=None,
  loss_collection=GraphKeys.LOSSES,
  reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
  """The cross entropy of the labels 0 and 1 and sigmoid(logits), as compute_weighted_loss() reduces it.

  `label_smoothing` moves the labels towards 0.5, by half of it.
  """
  check_given(multi_class_labels=multi_class_labels, logits=logits)
  with name_scope(scope, "sigmoid_cross_entropy_loss", (logits, multi_class_labels, weights)) as scope:
    logits = tf.convert_to_tensor(logits)
    labels = tf.cast(multi_class_labels, logits.dtype)
    logits.get_shape().assert_is_compatible_with(labels.get_shape())
    if label_smoothing > 0:
      labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def softmax_cross_entropy(
  onehot_labels,
  logits,
  weights=1.0,
  label_smoothing=0,
  scope=None,
  loss_collection=GraphKeys.LOSSES,
  reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
  """The cross entropy of the distributions `onehot_labels` and softmax(logits), as compute_weighted_loss() reduces it.

  `label_smoothing` is how much of each label is spread over all classes. No gradient goes to the labels.
  """
  check_given(onehot_labels=onehot_labels, logits=logits)
  with name_scope(scope, "softmax_cross_entropy_loss", (logits, onehot_labels, weights)) as scope:
    logits = tf.convert_to_tensor(logits)
    labels = tf.cast(onehot_labels, logits.dtype)
    logits.get_shape().assert_is_compatible_with(labels.get_shape())
    if label_smoothing > 0:
      classes = tf.cast(tf.shape(labels)[-1], logits.dtype)
      spread = label_smoothing / classes
      labels = labels * (1.0 - label_smoothing) + spread
    labels = tf.stop_gradient(labels, name="labels_stop_gradient")
    losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def sparse_softmax_cross_entropy(
  labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS
):
  """The cross entropy of the class numbers `labels` and softmax(logits), as compute_weighted_loss() reduces it.

  Labels and weights may have a last dimension of size 1 too many.
  """
  check_given(labels=labels, logits=logits)
  with name_scope(scope, "sparse_softmax_cross_entropy_loss", (logits, labels, weights)) as scope:
    labels, logits, weights = _without_last_ones(labels, logits, weights)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def _without_last_ones(labels, logits, weights):
  """The labels with one dimension less than the logits, and the weights with as many as the labels, where one was too many."""
  labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
  if weights is None:
    return labels, logits, weights
  weights = tf.convert_to_tensor(weights)
  labels_rank, weights_rank = labels.get_shape().ndims, weights.get_shape().ndims
  if labels_rank is not None and weights_rank is not None:
    if weights_rank - labels_rank == 1:
      weights = tf.squeeze(weights, [-1])
    return labels, logits, weights
  difference = tf.rank(weights) - tf.rank(labels)
  if weights_rank is None or (weights_rank > 0 and weights.get_shape().dims[-1].is_compatible_with(1)):
    longer = tf.equal(1, difference)
    weights = tf.cond(longer, lambda: tf.squeeze(weights, [-1]), lambda: weights)
  return labels, logits, weights
