"""Numbers and dimensions as layers take them: pairs, known sizes, conditions that may be known."""

import millrace as tf
from millrace.framework import tensor_shape, tensor_values
from millrace.ops.control_flow import conditional


def two_element_tuple(int_or_tuple):
  """Returns (height, width) of a number, a pair or a TensorShape of rank 2. ValueError for others."""
  if isinstance(int_or_tuple, (list, tuple)):
    if len(int_or_tuple) != 2:
      raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
    return int(int_or_tuple[0]), int(int_or_tuple[1])
  if isinstance(int_or_tuple, int):
    return int_or_tuple, int_or_tuple
  if isinstance(int_or_tuple, tensor_shape.TensorShape) and len(int_or_tuple) == 2:
    return int_or_tuple[0], int_or_tuple[1]
  raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


def n_positive_integers(n, value):
  """Returns n numbers as a tuple: `value` is one or n of them, or a TensorShape. ValueError for fewer than one, TypeError for
  values that are no numbers."""
  if isinstance(n, bool) or not isinstance(n, int):
    raise TypeError("n must be an integer")
  if n < 1:
    raise ValueError("n must be a positive integer")
  if isinstance(value, int) and not isinstance(value, bool):
    if value < 0:
      raise ValueError(f"expected positive integer, but received {value}")
    return (value,) * n
  if isinstance(value, tensor_shape.TensorShape):
    value = value.as_list()
  if not isinstance(value, (list, tuple)) or len(value) != n:
    raise TypeError(f"Expected an int or a sequence of {n} positive integers, got {value}.")
  if any(isinstance(v, bool) or not isinstance(v, int) or v < 0 for v in value):
    raise ValueError(f"Expected an int or a sequence of {n} positive integers, got {value}.")
  return tuple(value)


def _size(shape, index, min_rank):
  shape = tensor_shape.TensorShape(shape)
  if shape.ndims is None:
    raise ValueError("dims of shape must be known but is None")
  if shape.ndims < min_rank:
    raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.ndims}")
  size = shape.as_list()[index]
  if size is None:
    raise ValueError(f"dimension {index} of shape must be known: {shape}")
  return size


def first_dimension(shape, min_rank=1):
  """Returns the first size of a shape of at least `min_rank` dimensions. ValueError where it is not known."""
  return _size(shape, 0, min_rank)


def last_dimension(shape, min_rank=1):
  """Returns the last size of a shape of at least `min_rank` dimensions. ValueError where it is not known."""
  return _size(shape, -1, min_rank)


def channel_dimension(shape, data_format, min_rank=1):
  """Returns the number of channels of a shape: the second size for "channels_first", else the last."""
  return _size(shape, 1 if data_format == "channels_first" else -1, min_rank)


def constant_value(value_or_tensor_or_var, dtype=None):
  """Returns the value of a number or of a tensor where it is known, else None. ValueError where it is not of `dtype`."""
  if value_or_tensor_or_var is None:
    raise ValueError("value_or_tensor_or_var cannot be None")
  value = value_or_tensor_or_var
  if tensor_values.is_tensor(value):
    if dtype and value.dtype != dtype:
      raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    if isinstance(value, tf.Variable):
      return None
    return tensor_values.constant_value(value)
  if dtype and not isinstance(value, tf.as_dtype(dtype).as_numpy_dtype if dtype != tf.bool else bool):
    raise ValueError(f"It has the wrong type {type(value)} instead of {dtype}")
  return value


def static_cond(pred, fn1, fn2):
  """Returns fn1() or fn2(), as the bool `pred` says. TypeError where they are no functions."""
  if not callable(fn1):
    raise TypeError("fn1 must be callable.")
  if not callable(fn2):
    raise TypeError("fn2 must be callable.")
  return fn1() if pred else fn2()


def smart_cond(pred, fn1, fn2, name=None):
  """Returns tf.cond(), or what one of the functions returns where the value of `pred` is known."""
  value = constant_value(pred)
  if value is not None:
    return static_cond(value, fn1, fn2)
  return conditional.cond(pred, fn1, fn2, name=name)
