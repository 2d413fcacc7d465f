"""Losses of elements times their weights, as one number."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import control_dependencies, name_scope
from millrace.framework.graph_keys import GraphKeys
from millrace.ops.losses.broadcasting import assert_broadcastable, broadcast_weights
from millrace.ops.losses.collection import add_loss
from millrace.ops.losses.reduction import Reduction


def compute_weighted_loss(
  losses, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS
):
  """The losses times `weights`, reduced as `reduction` says, of the type of the losses; added to `loss_collection`.

  `weights` is a scalar or has the rank of the losses, its sizes 1 or theirs. A mean over nothing is 0.

  Raises:
    ValueError: for a reduction that there is not, and if the shapes are known not to fit.
    InvalidArgumentError: when it runs, if the shapes do not fit.
  """
  Reduction.validate(reduction)
  with name_scope(scope, "weighted_loss", (losses, weights)):
    with control_dependencies((assert_broadcastable(weights, losses),)):
      losses = convert_to_tensor(losses)
      dtype = losses.dtype
      losses = tf.cast(losses, dtype=dtypes.float32)
      weights = tf.cast(weights, dtype=dtypes.float32)
      loss = tf.multiply(losses, weights)
      if reduction != Reduction.NONE:
        loss = tf.reduce_sum(loss)
        if reduction == Reduction.MEAN:
          loss = _mean(loss, tf.reduce_sum(tf.ones_like(losses) * weights))
        elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
          loss = _mean(loss, count_of_nonzero(losses, weights))
        elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
          loss = _mean(loss, _count(losses))
      loss = tf.cast(loss, dtype)
      add_loss(loss, loss_collection)
      return loss


def _mean(losses, count):
  return tf.div_no_nan(tf.reduce_sum(losses), count, name="value")


def _count(losses):
  with name_scope(None, "num_elements", [losses]) as scope:
    return tf.cast(tf.size(losses, name=scope), dtype=losses.dtype)


def count_of_nonzero(losses, weights, per_batch=False):
  """How many of the losses have a weight that is not zero: a number, or one for each element of the first dimension.

  Those have the rank of the losses, with 1 for the other dimensions.
  """
  with name_scope(None, "num_present", (losses, weights)) as scope:
    weights = tf.cast(weights, dtype=dtypes.float32)
    present = tf.where(tf.equal(weights, 0.0), tf.zeros_like(weights), tf.ones_like(weights))
    present = broadcast_weights(present, losses)
    if per_batch:
      return tf.reduce_sum(present, axis=tf.range(1, tf.rank(present)), keepdims=True, name=scope)
    return tf.reduce_sum(present, name=scope)
