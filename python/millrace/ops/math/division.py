"""The many kinds of division."""

from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.ops.math.casts import cast
from millrace.ops.math.dispatch import binary, is_registered

# The type that true division computes in; None is the type of the arguments.
_COMPUTED_IN = {
  dtypes.uint8: dtypes.float32,
  dtypes.int8: dtypes.float32,
  dtypes.uint16: dtypes.float32,
  dtypes.int16: dtypes.float32,
  dtypes.uint32: dtypes.float64,
  dtypes.int32: dtypes.float64,
  dtypes.uint64: dtypes.float64,
  dtypes.int64: dtypes.float64,
  dtypes.bfloat16: None,
  dtypes.float16: None,
  dtypes.float32: None,
  dtypes.float64: None,
  dtypes.complex64: None,
  dtypes.complex128: None,
}


def computed_in(dtype, function="__truediv__"):
  """The type that integers of `dtype` are divided in, None for those that are divided as they are.

  Raises:
    TypeError: if `dtype` cannot be divided.
  """
  try:
    return _COMPUTED_IN[dtype]
  except KeyError:
    expected = ", ".join(repr(known) for known in _COMPUTED_IN)
    raise TypeError(f"Invalid dtype {dtype!r} in {function}. Expected one of {{{expected}}}.") from None


def _converted(x, y, function="__truediv__"):
  x = convert_to_tensor(x, name="x")
  y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
  if x.dtype.base_dtype != y.dtype.base_dtype:
    raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype.base_dtype!r} != {y.dtype.base_dtype!r}.")
  dtype = computed_in(x.dtype.base_dtype, function)
  if dtype is not None:
    x = cast(x, dtype)
    y = cast(y, dtype)
  return x, y


@binary
def truediv(x, y, name=None):
  """x / y as Python divides: of integers in float32 (8 and 16 bits) or float64.

  Raises:
    TypeError: if the types differ or cannot be divided.
  """
  with name_scope(name, "truediv", [x, y]) as scope:
    x, y = _converted(x, y)
    return gen.real_div(x, y, name=scope)


@binary
def div(x, y, name=None):
  """x / y as Python 2 divides: of integers the floor of the quotient."""
  with name_scope(name, "div", [x, y]) as scope:
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
    if x.dtype.base_dtype != y.dtype.base_dtype:
      raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if x.dtype.is_floating or x.dtype.is_complex:
      return gen.real_div(x, y, name=scope)
    return gen.floor_div(x, y, name=scope)


@binary
def divide(x, y, name=None):
  """x / y by the operator of `x`, which is made a tensor where both are Python's."""
  from millrace.framework.tensor import Tensor

  if name is not None:
    return truediv(x, y, name=name)
  if not isinstance(x, Tensor) and not is_registered(x):
    dtype = y.dtype.base_dtype if isinstance(y, Tensor) else None
    x = convert_to_tensor(x, dtype=dtype)
  return x / y


@binary
def floordiv(x, y, name=None):
  """The floor of x / y, of the arguments' type."""
  with name_scope(name, "floordiv", [x, y]) as scope:
    return gen.floor_div(x, y, name=scope)


@binary
def div_no_nan(x, y, name=None):
  """x / y, and 0 where y is 0."""
  with name_scope(name, "div_no_nan", [x, y]) as scope:
    x, y = _converted(x, y, "tf.math.divide_no_nan")
    return gen.div_no_nan(x, y, name=scope)
