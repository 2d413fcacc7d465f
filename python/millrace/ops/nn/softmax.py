"""Softmax along any dimension. The ops take the last one: others are swapped with it before and after."""

import millrace as tf
from millrace import gen
from millrace.framework import convert, errors, tensor_values
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.framework.tensor import Tensor


def softmax(logits, axis=None, name=None, dim=None):
  """Returns exp(logits) / sum(exp(logits)) along `axis`, by default the last; `dim` is its older name."""
  axis = deprecated_argument_lookup("axis", axis, "dim", dim)
  return _along(gen.softmax, logits, -1 if axis is None else axis, name)


def log_softmax(logits, axis=None, name=None, dim=None):
  """Returns the logarithm of softmax(logits) along `axis`, by default the last; `dim` is its older name."""
  axis = deprecated_argument_lookup("axis", axis, "dim", dim)
  return _along(gen.log_softmax, logits, -1 if axis is None else axis, name)


def _along(op, logits, axis, name):
  """Applies an op of the last dimension along `axis`. InvalidArgumentError where the input has no such dimension."""
  logits = convert.convert_to_tensor(logits)
  shape = logits.get_shape()
  if not isinstance(axis, Tensor) and (axis == -1 or axis == shape.ndims - 1):
    return op(logits, name=name)
  known = tensor_values.constant_value(axis) if isinstance(axis, Tensor) else axis
  if known is not None and not -shape.ndims <= known < shape.ndims:
    raise errors.InvalidArgumentError(
      None,
      None,
      f"`dim` must be in the range [{-shape.ndims}, {shape.ndims}) where {shape.ndims} is the number of dimensions in the input. "
      f"Received: dim={known}",
    )
  ndims = tf.rank(logits)
  if isinstance(axis, Tensor):
    axis = tf.where(gen.less(axis, 0), axis + ndims, axis)
  elif axis < 0:
    axis = axis + ndims
  rank = tf.rank(logits)
  axis = axis % shape.ndims
  swapped = _swapped(logits, axis, tf.subtract(rank, 1))
  result = _swapped(op(swapped), axis, tf.subtract(rank, 1), name=name)
  result.set_shape(shape)
  return result


def _swapped(tensor, axis, last, name=None):
  order = tf.concat([tf.range(axis), [last], tf.range(axis + 1, last), [axis]], 0)
  return tf.transpose(tensor, order, name=name)
