"""Losses of elements times their weights, as one number: the rules of before tf.losses."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import add_to_collection, name_scope
from millrace.framework.graph_keys import GraphKeys


def _divided(total, count):
  return tf.div_no_nan(total, tf.maximum(count, 0.0), name="value")


def compute_weighted_loss(losses, weights=1.0, scope=None):
  """The losses times `weights` over the number of those whose weight is not 0; added to the collection of losses.

  `weights` is a scalar, or has the first dimensions of the losses: a weight stands for all losses that follow it.

  Raises:
    ValueError: for no weights, and for shapes whose number of dimensions is not known.
  """
  with name_scope(scope, "weighted_loss", [losses, weights]):
    losses = tf.convert_to_tensor(losses)
    dtype = losses.dtype
    losses = tf.cast(losses, dtypes.float32)
    weights = tf.cast(tf.convert_to_tensor(weights), dtypes.float32)
    weights = without_last_one(weights)
    if losses.get_shape().ndims is None:
      raise ValueError("losses.get_shape().ndims cannot be None")
    if weights.get_shape().ndims is None:
      raise ValueError("weights.get_shape().ndims cannot be None")
    total = tf.reduce_sum(tf.multiply(_summed_to(losses, weights.get_shape().ndims), weights))
    loss = tf.cast(_divided(total, count_of_weighted(losses, weights)), dtype)
    add_to_collection(GraphKeys.LOSSES, loss)
    return loss


def without_last_one(weights):
  """The weights without a last dimension of size 1, if they are no vector."""
  shape = weights.get_shape()
  if shape.ndims is not None and shape.ndims > 1 and shape[-1].value == 1:
    return tf.squeeze(weights, [-1])
  return weights


def _summed_to(losses, rank):
  """The losses summed over all dimensions but the first `rank`."""
  if losses.get_shape().ndims <= rank:
    return losses
  return tf.reduce_sum(losses, axis=list(range(rank, losses.get_shape().ndims)))


def count_of_weighted(losses, weights, per_batch=False):
  """How many losses have a weight that is not 0, of all or for each element of the first dimension."""
  rank = weights.get_shape().ndims
  followers = tf.cast(tf.reduce_prod(tf.shape(losses)[rank:]), dtypes.float32)
  if not per_batch:
    return tf.reduce_sum(tf.cast(tf.not_equal(weights, 0.0), dtypes.float32)) * followers
  if rank == 0:
    size = tf.cast(tf.size(losses), dtypes.float32) / tf.cast(tf.shape(losses)[0], dtypes.float32)
    present = tf.cast(tf.not_equal(weights, 0.0), dtypes.float32)
    return size * present * tf.ones(tf.shape(losses)[:1], dtypes.float32)
  present = tf.cast(tf.not_equal(weights, 0.0), dtypes.float32)
  return tf.reduce_sum(tf.reshape(present, tf.concat([tf.shape(present)[:1], [-1]], 0)), axis=1) * followers
