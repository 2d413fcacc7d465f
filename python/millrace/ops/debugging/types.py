"""Checks of the types of tensors, made while the graph is built."""

from millrace import gen
from millrace.framework import composite, dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor

_NUMERIC = frozenset(
  [
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
    dtypes.qint8,
    dtypes.qint16,
    dtypes.qint32,
    dtypes.quint8,
    dtypes.quint16,
    dtypes.complex64,
    dtypes.complex128,
    dtypes.bfloat16,
  ]
)


def prefix(message):
  """The message as it stands before another sentence."""
  return f"{message}.  " if message else ""


def is_numeric_tensor(tensor):
  """Whether the value is a tensor of numbers."""
  return isinstance(tensor, (Tensor, composite.SparseTensor)) and tensor.dtype in _NUMERIC


def assert_type(tensor, tf_type, message=None, name=None):
  """Raises TypeError unless a tensor or sparse tensor has the type; returns an op that does nothing."""
  tf_type = dtypes.as_dtype(tf_type)
  with name_scope(name, "assert_type", [tensor]):
    if not isinstance(tensor, composite.SparseTensor):
      tensor = convert_to_tensor(tensor, name="tensor")
    if tensor.dtype != tf_type:
      of = tensor.name if hasattr(tensor, "name") else "tensor"
      raise TypeError(f"{prefix(message)}{of} must be of type {tf_type!r}; got {tensor.dtype!r}")
    return gen.no_op(name="statically_determined_correct_type")


def assert_integer(x, message=None, name=None):
  """Raises TypeError unless `x` has integers; returns an op that does nothing."""
  with name_scope(name, "assert_integer", [x]):
    x = convert_to_tensor(x, name="x")
    if not x.dtype.is_integer:
      raise TypeError(f'{prefix(message)}Expected "x" to be integer type.  Found: {x.name} of dtype {x.dtype}')
    return gen.no_op(name="statically_determined_was_integer")


def assert_same_float_dtype(tensors=None, dtype=None):
  """The floating type that all tensors and `dtype` have, those that are None apart; float32 where nothing says another.

  Raises:
    ValueError: if they have several types, or one that is not a floating type.
  """
  if tensors:
    dtype = _same_type(tensors, dtype)
  if not dtype:
    dtype = dtypes.float32
  elif not dtypes.as_dtype(dtype).is_floating:
    raise ValueError(f"Expected floating point type, got {dtypes.as_dtype(dtype)}.")
  return dtype


def _same_type(tensors, expected):
  first = None
  for value in tensors:
    if value is None:
      continue
    found = value.dtype.base_dtype
    if not expected:
      first, expected = value, found
    elif found != expected:
      as_first = f" as {first.name}" if first is not None else ""
      raise ValueError(f"{value.name}, type={found}, must be of the same type ({dtypes.as_dtype(expected)}){as_first}.")
  return expected


def assert_proper_iterable(values):
  """Raises TypeError unless `values` can be iterated over and is no tensor, sparse tensor, array or text."""
  import numpy as np

  if isinstance(values, (Tensor, composite.SparseTensor, np.ndarray, bytes, str)):
    raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
  if not hasattr(values, "__iter__"):
    raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')
