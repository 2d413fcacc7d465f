"""Losses of predicted numbers."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.framework.graph import control_dependencies, name_scope
from millrace.framework.graph_keys import GraphKeys
from millrace.ops.losses.arguments import check_given
from millrace.ops.losses.broadcasting import assert_broadcastable
from millrace.ops.losses.collection import add_loss
from millrace.ops.losses.reduction import Reduction
from millrace.ops.losses.weighting import compute_weighted_loss, count_of_nonzero


def _floats(labels, predictions):
  """(labels, predictions) as float32. Raises ValueError if their shapes are known to differ."""
  predictions = tf.cast(predictions, dtype=dtypes.float32)
  labels = tf.cast(labels, dtype=dtypes.float32)
  predictions.get_shape().assert_is_compatible_with(labels.get_shape())
  return labels, predictions


def absolute_difference(
  labels,
  predictions,
  weights=1.0,
  scope=None,
  loss_collection=GraphKeys.LOSSES,
  reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
  """The absolute values of predictions - labels, as compute_weighted_loss() reduces them."""
  check_given(labels=labels, predictions=predictions)
  with name_scope(scope, "absolute_difference", (predictions, labels, weights)) as scope:
    labels, predictions = _floats(labels, predictions)
    losses = tf.abs(tf.subtract(predictions, labels))
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def mean_squared_error(
  labels,
  predictions,
  weights=1.0,
  scope=None,
  loss_collection=GraphKeys.LOSSES,
  reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
  """The squares of predictions - labels, as compute_weighted_loss() reduces them."""
  check_given(labels=labels, predictions=predictions)
  with name_scope(scope, "mean_squared_error", (predictions, labels, weights)) as scope:
    labels, predictions = _floats(labels, predictions)
    losses = tf.squared_difference(predictions, labels)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def huber_loss(
  labels,
  predictions,
  weights=1.0,
  delta=1.0,
  scope=None,
  loss_collection=GraphKeys.LOSSES,
  reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
  """Half of the squares of the differences up to `delta`, and beyond it lines of the slope `delta`."""
  check_given(labels=labels, predictions=predictions)
  with name_scope(scope, "huber_loss", (predictions, labels, weights)) as scope:
    labels, predictions = _floats(labels, predictions)
    error = tf.abs(tf.subtract(predictions, labels))
    quadratic = tf.minimum(error, delta)
    # What is beyond; that the quadratic part has its own slope there is what makes the loss smooth.
    linear = tf.subtract(error, quadratic)
    half = convert_to_tensor(0.5, dtype=quadratic.dtype)
    losses = tf.add(tf.multiply(half, tf.multiply(quadratic, quadratic)), tf.multiply(delta, linear))
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def cosine_distance(
  labels,
  predictions,
  axis=None,
  weights=1.0,
  scope=None,
  loss_collection=GraphKeys.LOSSES,
  reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
  dim=None,
):
  """1 minus the cosine between labels and predictions, which have to be of length 1 along `axis` (or `dim`)."""
  axis = deprecated_argument_lookup("axis", axis, "dim", dim)
  if axis is None:
    raise ValueError("You must specify argument `axis`.")
  check_given(labels=labels, predictions=predictions)
  with name_scope(scope, "cosine_distance_loss", (predictions, labels, weights)) as scope:
    labels, predictions = _floats(labels, predictions)
    losses = 1 - tf.reduce_sum(tf.multiply(predictions, labels), axis=(axis,), keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES):
  """The mean over the pairs of elements of each example of ((p - q) - (m - n))^2, p and q predicted for labels m and n.

  `weights` is a scalar or has a number for each example; the result is the sum over the examples.

  Raises:
    ValueError: if shapes are known not to fit.
  """
  check_given(labels=labels, predictions=predictions)
  with name_scope(scope, "mean_pairwise_squared_error", (predictions, labels, weights)) as scope:
    weights = tf.cast(weights, dtype=dtypes.float32)
    labels = tf.cast(labels, dtype=dtypes.float32)
    with control_dependencies((assert_broadcastable(weights, labels),)):
      predictions = tf.cast(predictions, dtype=dtypes.float32)
      predictions.get_shape().assert_is_compatible_with(labels.get_shape())
      differences = tf.subtract(predictions, labels)
      axis = tf.range(1, tf.rank(differences))
      # Of n numbers d the mean of (d - e)^2 over the pairs is 2 sum(d^2) / (n - 1) - 2 sum(d)^2 / (n (n - 1)).
      squares = tf.reduce_sum(tf.square(differences), axis=axis, keepdims=True)
      count = count_of_nonzero(differences, weights, per_batch=True)
      first = 2.0 * tf.div_no_nan(squares, tf.maximum(count - 1, 0), name="value")
      squared_sum = tf.square(tf.reduce_sum(differences, axis=axis, keepdims=True))
      second = 2.0 * tf.div_no_nan(squared_sum, tf.maximum(tf.multiply(count, count - 1), 0), name="value")
      loss = tf.reduce_sum(tf.multiply(first - second, weights))
      loss = tf.where(tf.reduce_sum(count) > 0, loss, tf.zeros_like(loss), name="value")
      add_loss(loss, loss_collection)
      return loss
