"""Tensors of one value, like others or of a given shape, and masks that numbers say."""

import numbers

import numpy as np

from millrace import gen
from millrace.framework import constants, convert, dtypes, graph, tensor, tensor_shape
from millrace.ops.array import shapes
from millrace.ops.math.dispatch import other

# Constants of fewer elements stand in the graph; larger ones are filled when a step runs.
_LARGEST_CONSTANT = 1000


def fill(dims, value, name=None):
  """Returns a tensor of shape `dims` whose elements are all `value`, a scalar."""
  return gen.fill(dims, value, name=name)


def _filled(value, shape, dtype, name):
  """Returns a tensor of one Python value: a constant if the shape is known and small, else a Fill."""
  if not isinstance(shape, tensor.Tensor):
    try:
      if not isinstance(shape, numbers.Integral) and np.prod(shape) < _LARGEST_CONSTANT:
        return constants.constant(value, shape=shape, dtype=dtype, name=name)
    except (NotImplementedError, TypeError, ValueError):
      pass
    try:
      # A list with tensors has no static shape.
      shape = convert.convert_to_tensor(tensor_shape.as_shape(shape))
    except (TypeError, ValueError):
      shape = convert.convert_to_tensor(shape, dtype=dtypes.int32)
  if not shape.get_shape().ndims:  # also if the rank is not known
    shape = shapes.reshape(shape, [-1])
  return fill(shape, constants.constant(value, dtype=dtype), name=name)


def zeros(shape, dtype=dtypes.float32, name=None):
  """Returns zeros: false for bool, empty strings. `shape` is a list of ints, a TensorShape, or a vector of integers."""
  dtype = dtypes.as_dtype(dtype).base_dtype
  with graph.name_scope(name, "zeros", [shape]) as scope:
    if dtype == dtypes.bool:
      zero = False
    elif dtype == dtypes.string:
      zero = ""
    elif _is_quantized(dtype):
      zero = np.zeros([]).astype(dtype.as_numpy_dtype)
    else:
      zero = 0
    return _filled(zero, shape, dtype, scope)


def ones(shape, dtype=dtypes.float32, name=None):
  """Returns ones: true for bool. `shape` is as that of `zeros`."""
  dtype = dtypes.as_dtype(dtype).base_dtype
  with graph.name_scope(name, "ones", [shape]) as scope:
    if dtype == dtypes.bool:
      one = True
    elif _is_quantized(dtype):
      one = np.ones([]).astype(dtype.as_numpy_dtype)
    else:
      one = 1
    return _filled(one, shape, dtype, scope)


def _is_quantized(dtype):
  return dtype in (dtypes.qint8, dtypes.quint8, dtypes.qint16, dtypes.quint16, dtypes.qint32)


def zeros_like(tensor, dtype=None, name=None, optimize=True):
  """Returns zeros of a tensor's shape and type, or of `dtype`; a constant where the shape is known and `optimize`."""
  with graph.name_scope(name, "zeros_like", [tensor]) as scope:
    tensor = convert.convert_to_tensor(tensor, name="tensor")
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if optimize and tensor.get_shape().is_fully_defined() and tensor.dtype != dtypes.variant:
      return zeros(tensor.get_shape(), dtype=dtype or tensor.dtype, name=scope)
    if dtype is not None and dtype != tensor.dtype and dtype != dtypes.variant:
      return zeros(shapes.shape_internal(tensor, optimize=optimize), dtype=dtype, name=scope)
    return gen.zeros_like(tensor, name=scope)


def ones_like(tensor, dtype=None, name=None, optimize=True):
  """Returns ones of a tensor's shape and type, or of `dtype`."""
  with graph.name_scope(name, "ones_like", [tensor]) as scope:
    tensor = convert.convert_to_tensor(tensor, name="tensor")
    shape = shapes.shape_internal(tensor, optimize=optimize)
    result = ones(shape, dtype=dtype or tensor.dtype, name=scope)
    result.set_shape(tensor.get_shape())
    return result


@other
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
  """Returns a tensor with a new dimension of size `depth` that has `on_value` where the indices say and `off_value` else.

  Args:
    indices: Integers; those outside of [0, depth) make rows of `off_value`.
    depth: Size of the new dimension, a scalar.
    on_value: One, if None.
    off_value: Zero, if None.
    axis: Place of the new dimension; the last one if None.
    dtype: Type of the result; if None that of the values, or float32.
    name: Name of the op.

  Raises:
    TypeError: The values have two types, or another one than `dtype`.
  """
  with graph.name_scope(name, "one_hot", [indices, depth, on_value, off_value, axis, dtype]) as scope:
    on_dtype = off_dtype = None
    if dtype is not None:
      dtype = dtypes.as_dtype(dtype)
    if on_value is not None:
      on_value = convert.convert_to_tensor(on_value, dtype_hint=dtype)
      on_dtype = on_value.dtype.base_dtype
    if off_value is not None:
      off_value = convert.convert_to_tensor(off_value, dtype_hint=dtype)
      off_dtype = off_value.dtype.base_dtype
    if on_dtype or off_dtype:
      if dtype is not None:
        if on_dtype and on_dtype != dtype:
          raise TypeError(f"dtype {on_dtype} of on_value does not match dtype parameter {dtype}")
        if off_dtype and off_dtype != dtype:
          raise TypeError(f"dtype {off_dtype} of off_value does not match dtype parameter {dtype}")
      else:
        dtype = on_dtype or off_dtype
    elif dtype is None:
      dtype = dtypes.float32
    if on_value is None:
      on_value = convert.convert_to_tensor(1, dtype, name="on_value")
      on_dtype = dtype
    if off_value is None:
      off_value = convert.convert_to_tensor(0, dtype, name="off_value")
      off_dtype = dtype
    if on_dtype != off_dtype:
      raise TypeError(f"dtype {on_dtype} of on_value does not match dtype {off_dtype} of off_value")
    return gen.one_hot(indices, depth, on_value, off_value, axis=-1 if axis is None else axis, name=scope)


def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None):
  """Returns for each length a row of `maxlen` elements, the first `length` of which are true (one in other types).

  `maxlen` is a scalar; the largest length if None.
  """
  with graph.name_scope(name, "SequenceMask", [lengths, maxlen]):
    lengths = convert.convert_to_tensor(lengths)
    if maxlen is None:
      maxlen = gen.max(lengths, shapes.all_dimensions(lengths))
      maxlen = gen.maximum(constants.constant(0, maxlen.dtype), maxlen)
    else:
      maxlen = convert.convert_to_tensor(maxlen)
    if maxlen.get_shape().ndims is not None and maxlen.get_shape().ndims != 0:
      raise ValueError(
        f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} with shape "
        f"'{maxlen.get_shape()}' instead"
      )
    row = gen.range(constants.constant(0, maxlen.dtype), maxlen, constants.constant(1, maxlen.dtype))
    matrix = gen.cast(shapes.expand_dims(lengths, -1), maxlen.dtype)
    result = gen.less(row, matrix)
    if dtype is None or result.dtype.is_compatible_with(dtype):
      return result
    return gen.cast(result, dtype)
