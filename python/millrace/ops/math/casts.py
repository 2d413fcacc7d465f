"""Conversions of tensors from one element type to another."""

import numpy as np

from millrace import gen
from millrace.framework import composite, dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor
from millrace.ops.math.dispatch import unary


@unary
def cast(x, dtype, name=None):
  """The elements of a tensor, `SparseTensor` or `IndexedSlices` as `dtype`. One that has it comes back, without an op."""
  base_type = dtypes.as_dtype(dtype).base_dtype
  if isinstance(x, Tensor) and base_type == x.dtype:
    return x
  with name_scope(name, "Cast", [x]) as scope:
    if isinstance(x, composite.SparseTensor):
      return composite.SparseTensor(x.indices, cast(x.values, base_type, name=scope), x.dense_shape)
    if isinstance(x, composite.IndexedSlices):
      return composite.IndexedSlices(cast(x.values, base_type, name=scope), x.indices, x.dense_shape)
    x = convert_to_tensor(x, name="x")
    if x.dtype.base_dtype != base_type:
      x = gen.cast(x, base_type, name=scope)
    return x


@unary
def saturate_cast(value, dtype, name=None):
  """The elements as `dtype`, those beyond its range as its smallest or largest value."""
  with name_scope(name, "saturate_cast", [value]) as scope:
    value = convert_to_tensor(value, name="value")
    dtype = dtypes.as_dtype(dtype).base_dtype
    if value.dtype.is_complex and not dtype.is_complex:
      value = gen.real(value, Tout=value.dtype.real_dtype)
    low, high = _common_range(value.dtype.base_dtype.real_dtype, dtype.real_dtype)
    if value.dtype.is_complex:
      low, high = complex(low, low), complex(high, high)
    low = convert_to_tensor(low, dtype=value.dtype)
    high = convert_to_tensor(high, dtype=value.dtype)
    value = gen.clip_by_value(value, low, high, name="clamp")
    return cast(value, dtype, name=scope)


def _common_range(source, target):
  """The limits that values of type `source` must keep to be of type `target`, as numbers of type `source`."""
  source_type = source.as_numpy_dtype
  # Limits are compared in a type that holds both, or nearly so.
  both = np.promote_types(source_type, target.as_numpy_dtype).type
  low = source_type(source.min if both(source.min) >= both(target.min) else both(target.min))
  high = source_type(source.max if both(source.max) <= both(target.max) else both(target.max))
  # One that the floating type cannot hold may have been rounded beyond it.
  if both(low) < both(target.min):
    low = np.nextafter(low, source_type(0), dtype=source_type)
  if both(high) > both(target.max):
    high = np.nextafter(high, source_type(0), dtype=source_type)
  return low, high


def to_float(x, name="ToFloat"):
  """The elements as float32."""
  return cast(x, dtypes.float32, name=name)


def to_double(x, name="ToDouble"):
  """The elements as float64."""
  return cast(x, dtypes.float64, name=name)


def to_int32(x, name="ToInt32"):
  """The elements as int32."""
  return cast(x, dtypes.int32, name=name)


def to_int64(x, name="ToInt64"):
  """The elements as int64."""
  return cast(x, dtypes.int64, name=name)


def to_bfloat16(x, name="ToBFloat16"):
  """The elements as bfloat16."""
  return cast(x, dtypes.bfloat16, name=name)


def to_complex64(x, name="ToComplex64"):
  """The elements as complex64."""
  return cast(x, dtypes.complex64, name=name)


def to_complex128(x, name="ToComplex128"):
  """The elements as complex128."""
  return cast(x, dtypes.complex128, name=name)
