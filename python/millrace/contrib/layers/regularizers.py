"""Regularizers: functions from a variable to the loss that it makes, and their use on many."""

import numbers

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.platform import logging


def _checked(scale, limit=None):
  """Returns whether the scale makes a loss. ValueError for whole numbers and for those that are out of bounds."""
  if isinstance(scale, numbers.Integral):
    raise ValueError(f"scale cannot be an integer: {scale}")
  if isinstance(scale, numbers.Real):
    if scale < 0.0:
      raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")
    if limit is not None and scale >= limit:
      raise ValueError(f"Setting a scale greater than 1 on a regularizer: {scale:g}")
    if scale == 0.0:
      logging.info("Scale of 0 disables regularizer.")
      return False
  return True


def l1_regularizer(scale, scope=None):
  """Returns the function of weights to scale * sum(abs(weights)); to None where the scale is 0.

  ValueError for a scale that is a whole number or less than 0.
  """
  if not _checked(scale):
    return lambda _: None

  def l1(weights, name=None):
    with ops.name_scope(scope, "l1_regularizer", [weights]) as name:
      own = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
      return tf.multiply(own, tf.reduce_sum(tf.abs(weights)), name=name)

  return l1


def l2_regularizer(scale, scope=None):
  """Returns the function of weights to scale * sum(weights^2) / 2; to None where the scale is 0.

  ValueError for a scale that is a whole number or less than 0.
  """
  if not _checked(scale):
    return lambda _: None

  def l2(weights):
    with ops.name_scope(scope, "l2_regularizer", [weights]) as name:
      own = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
      return tf.multiply(own, tf.nn.l2_loss(weights), name=name)

  return l2


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
  """Returns the function of weights to the sum of the losses of l1_regularizer and l2_regularizer."""
  if isinstance(scale_l1, numbers.Integral):
    raise ValueError(f"scale_l1 cannot be an integer: {scale_l1}")
  if isinstance(scale_l2, numbers.Integral):
    raise ValueError(f"scale_l2 cannot be an integer: {scale_l2}")
  scope = scope or "l1_l2_regularizer"
  if scale_l1 == 0.0:
    return l2_regularizer(scale_l2, scope)
  if scale_l2 == 0.0:
    return l1_regularizer(scale_l1, scope)
  return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(regularizer_list, scope=None):
  """Returns the function of weights to the sum of the losses of these regularizers, or None where there are none."""
  regularizers = [regularizer for regularizer in regularizer_list if regularizer is not None]
  if not regularizers:
    return None

  def sum_of(weights):
    with ops.name_scope(scope, "sum_regularizer", [weights]) as name:
      losses = [loss for loss in (regularizer(weights) for regularizer in regularizers) if loss is not None]
      return tf.add_n(losses, name=name) if losses else None

  return sum_of


def apply_regularization(regularizer, weights_list=None):
  """Returns the sum of the losses of all weights, those of GraphKeys.WEIGHTS by default, and adds it to
  REGULARIZATION_LOSSES. ValueError without weights."""
  if not weights_list:
    weights_list = ops.get_collection(GraphKeys.WEIGHTS)
  if not weights_list:
    raise ValueError("No weights to regularize.")
  with ops.name_scope("get_regularization_penalty", values=weights_list) as scope:
    penalties = [regularizer(weights) for weights in weights_list]
    penalties = [loss if loss is not None else tf.constant(0.0) for loss in penalties]
    for loss in penalties:
      if loss.get_shape().ndims != 0:
        raise ValueError(f"regularizer must return a scalar Tensor instead of a Tensor with rank {loss.get_shape().ndims}.")
    total = tf.add_n(penalties, name=scope)
    ops.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total
