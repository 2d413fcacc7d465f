"""Functions of two or three tensors, element by element, with broadcasting."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.ops.math.dispatch import binary

atan2 = binary(gen.atan2)
floor_div = binary(gen.floor_div)
floormod = binary(gen.floor_mod)
greater = binary(gen.greater)
greater_equal = binary(gen.greater_equal)
less = binary(gen.less)
less_equal = binary(gen.less_equal)
logical_and = binary(gen.logical_and)
logical_or = binary(gen.logical_or)
maximum = binary(gen.maximum)
minimum = binary(gen.minimum)
realdiv = binary(gen.real_div)
squared_difference = binary(gen.squared_difference)
truncatediv = binary(gen.truncate_div)
truncatemod = binary(gen.truncate_mod)
betainc = gen.betainc
igamma = gen.igamma
igammac = gen.igammac
nextafter = gen.next_after
polygamma = gen.polygamma
zeta = gen.zeta

bitwise_and = binary(gen.bitwise_and)
bitwise_or = binary(gen.bitwise_or)
bitwise_xor = binary(gen.bitwise_xor)
left_shift = binary(gen.left_shift)
right_shift = binary(gen.right_shift)


@binary
def equal(x, y, name=None):
  """Whether the elements are equal."""
  return gen.equal(x, y, name=name)


@binary
def not_equal(x, y, name=None):
  """Whether the elements differ."""
  return gen.not_equal(x, y, name=name)


@binary
def add(x, y, name=None):
  """x + y for numbers, x followed by y for texts."""
  with name_scope(name, "Add", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
    if x.dtype == dtypes.string:
      return gen.add(x, y, name=scope)
    return gen.add_v2(x, y, name=scope)


@binary
def subtract(x, y, name=None):
  """x - y."""
  return gen.sub(x, y, name=name)


@binary
def multiply(x, y, name=None):
  """x * y."""
  return gen.mul(x, y, name=name)


@binary
def pow(x, y, name=None):
  """x to the power of y."""
  return gen.pow(x, y, name=name)


@binary
def complex(real, imag, name=None):
  """Complex numbers of a real and an imaginary part, both float32 or both float64.

  Raises:
    TypeError: if the parts have other types.
  """
  real = convert_to_tensor(real, name="real")
  imag = convert_to_tensor(imag, name="imag")
  with name_scope(name, "Complex", [real, imag]) as scope:
    types = (real.dtype, imag.dtype)
    if types == (dtypes.float64, dtypes.float64):
      result_type = dtypes.complex128
    elif types == (dtypes.float32, dtypes.float32):
      result_type = dtypes.complex64
    else:
      raise TypeError(
        f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. They must be "
        f"consistent, and one of {[dtypes.float32, dtypes.float64]}"
      )
    return gen.complex(real, imag, Tout=result_type, name=scope)


@binary
def multiply_no_nan(x, y, name=None):
  """x * y, and 0 where y is 0, even if x is infinite or not a number."""
  with name_scope(name, "multiply_no_nan", [x, y]) as scope:
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
    return gen.mul_no_nan(x, y, name=scope)


@binary
def xlogy(x, y, name=None):
  """x * log(y), and 0 where x is 0."""
  return gen.xlogy(x, y, name=name)


@binary
def xdivy(x, y, name=None):
  """x / y, and 0 where x is 0."""
  with name_scope(name, "xdivy", [x]):
    return gen.xdivy(x, y)


@binary
def logical_xor(x, y, name="LogicalXor"):
  """Whether exactly one of x and y is true."""
  return gen.logical_and(gen.logical_or(x, y), gen.logical_not(gen.logical_and(x, y)), name=name)


def scalar_mul(scalar, x, name=None):
  """A scalar times a tensor or `IndexedSlices`.

  Raises:
    ValueError: if `scalar` is not known to be one.
  """
  scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
  shape = scalar.get_shape()
  if shape.ndims != 0:
    raise ValueError(f"The input scalar must be a 0-D value. Received shape {shape}.")
  if isinstance(x, composite.IndexedSlices):
    return composite.IndexedSlices(gen.mul(scalar, x.values, name=name), x.indices, x.dense_shape)
  return gen.mul(scalar, x, name=name)


def polyval(coeffs, x, name=None):
  """The polynomial with the coefficients of a list, highest power first, at each element of `x`, by Horner's rule.

  Raises:
    ValueError: if `coeffs` is no list.
  """
  if not isinstance(coeffs, list):
    raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")  # noqa: TRY004
  with name_scope(name, "polyval", list(coeffs) + [x]) as scope:
    x = convert_to_tensor(x, name="x")
    if not coeffs:
      return tf.zeros_like(x, name=scope)
    coeffs = [convert_to_tensor(coefficient, name=f"coeff_{index}") for index, coefficient in enumerate(coeffs)]
    result = coeffs[0]
    for coefficient in coeffs[1:]:
      result = coefficient + result * x
    return result


def sparse_dense(make, sparse, dense, name):
  """A cwise op of a sparse and a dense tensor, as a sparse tensor with the indices of the first."""
  values = make(sparse.indices, sparse.values, sparse.dense_shape, dense, name=name)
  return composite.SparseTensor(sparse.indices, values, sparse.dense_shape)
