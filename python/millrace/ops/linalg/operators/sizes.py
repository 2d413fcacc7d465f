"""Sizes and batch shapes that operators are given as numbers: checks, and what is known of them."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.tensor_values import constant_value


def _checked(tensor, name, rank, article):
  if not tensor.dtype.is_integer:
    raise TypeError(f"Argument {name} must be integer type.  Found: {tensor}")
  known = constant_value(tensor)
  if known is None:
    return None
  if known.ndim != rank:
    raise ValueError(f"Argument {name} must be a {rank}-D Tensor.  Found: {known}")
  if (known < 0).any():
    raise ValueError(f"Argument {name} must be non-negative.  Found:{article}{known}")
  return known


def checked_size(value, name):
  """(the size as an int32 tensor, the number or None). TypeError and ValueError for what is no size."""
  tensor = tf.convert_to_tensor(value, name=name)
  known = _checked(tensor, name, 0, " ")
  return tf.cast(tensor, dtypes.int32), None if known is None else int(known)


def checked_batch_shape(value):
  """(the batch shape as an int32 vector, a list of its numbers or None); (None, None) for none."""
  if value is None:
    return None, None
  tensor = tf.convert_to_tensor(value, name="batch_shape", dtype=dtypes.int32 if value == [] else None)
  known = _checked(tensor, "batch_shape", 1, "")
  return tf.cast(tensor, dtypes.int32), None if known is None else [int(size) for size in known]


def runtime_checks(sizes, batch_shape):
  """The sizes, by name, and the batch shape, each available once it is checked not to be negative when it runs."""
  found = []
  for name, size in sizes.items():
    check = tf.assert_non_negative(size, message=f"Argument {name} must be non-negative.")
    with tf.control_dependencies([check]):
      found.append(tf.identity(size))
  if batch_shape is not None:
    check = tf.assert_non_negative(batch_shape, message="Argument batch_shape must be non-negative.")
    with tf.control_dependencies([check]):
      batch_shape = tf.identity(batch_shape)
  return (*found, batch_shape)
