"""The shape argument of functions that draw tensors."""

from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.tensor_shape import TensorShape, dimension_value
from millrace.framework.tensor_values import constant_value_as_shape


def shape_tensor(shape):
  """A shape as a tensor named "shape"; an empty list is one of int32."""
  dtype = None
  if isinstance(shape, (list, tuple)):
    if not shape:
      dtype = dtypes.int32
    else:
      shape = tuple(dimension_value(size) for size in shape)
  return convert_to_tensor(shape, dtype=dtype, name="shape")


def set_static_shape(tensor, shape):
  """Tells `tensor` what is known of `shape`, a tensor or Python's value."""
  if tensor.get_shape().is_fully_defined():
    return
  if isinstance(shape, (list, tuple, TensorShape)):
    shape = convert_to_tensor(shape, dtype=dtypes.int32)
  tensor.set_shape(constant_value_as_shape(shape))
