"""Shapes of batches, and states of zeros for the sizes that cells say."""

import millrace as tf
from millrace.framework import nest, tensor_values
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_shape import TensorShape


def _part_of_shape(value, part):
  """Returns (tensor of the dimensions of one part of a shape, None where one is not known; what is known as a TensorShape)."""
  if isinstance(value, Tensor):
    known = tensor_values.constant_value(value)
    if value.shape.ndims == 0:
      return tf.expand_dims(value, 0), TensorShape([None if known is None else int(known)])
    if value.shape.ndims == 1:
      return value, TensorShape(None if known is None else known.tolist())
    raise ValueError(f"{part} tensor must be either a scalar or vector, but saw tensor: {value}")
  shape = TensorShape(value)
  vector = tf.constant(shape.as_list(), dtype=tf.int32) if shape.is_fully_defined() else None
  return vector, shape


def joined_shape(prefix, suffix, static=False):
  """Returns the dimensions of `prefix` and then those of `suffix`, both numbers, shapes, or tensors of a dimension or of all.

  They come as a tensor, or with `static` as a list of what is known of them, None where nothing is. Without `static` there is
  a ValueError where a dimension is not known.
  """
  first, first_known = _part_of_shape(prefix, "prefix")
  last, last_known = _part_of_shape(suffix, "suffix")
  if static:
    shape = first_known.concatenate(last_known)
    return shape.as_list() if shape.ndims is not None else None
  if first is None or last is None:
    raise ValueError(f"Prefix or suffix can't be None. Received prefix = {prefix} and suffix = {suffix}")
  return tf.concat((first, last), 0)


def zero_states(state_size, batch_size, dtype):
  """Returns zeros for each size of the structure `state_size`, numbers or shapes, with the batch in front."""

  def zeros(size):
    state = tf.zeros(joined_shape(batch_size, size), dtype=dtype)
    state.set_shape(joined_shape(batch_size, size, static=True))
    return state

  return nest.map_structure(zeros, state_size)
