"""Functions of one tensor, element by element."""

import functools

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import composite, dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import get_default_graph, name_scope
from millrace.ops.math.dispatch import unary

acos = unary(gen.acos)
acosh = unary(gen.acosh)
ceil = unary(gen.ceil)
cos = unary(gen.cos)
cosh = unary(gen.cosh)
digamma = unary(gen.digamma)
erfc = unary(gen.erfc)
exp = unary(gen.exp)
expm1 = unary(gen.expm1)
floor = unary(gen.floor)
invert = unary(gen.invert)
invert_permutation = gen.invert_permutation
is_finite = unary(gen.is_finite)
is_inf = unary(gen.is_inf)
is_nan = unary(gen.is_nan)
lgamma = unary(gen.lgamma)
log = unary(gen.log)
log1p = unary(gen.log1p)
logical_not = unary(gen.logical_not)
reciprocal = unary(gen.reciprocal)
rint = unary(gen.rint)
rsqrt = unary(gen.rsqrt)
sigmoid = unary(gen.sigmoid)
sinh = unary(gen.sinh)


def _keeps_zero(make, default_name):
  """A function that maps zero to zero, and so takes a sparse tensor by its values."""

  @functools.wraps(make)
  def function(x, name=None):
    if isinstance(x, composite.SparseTensor):
      # The name is taken before the tensor is known to be sparse: the op of the values has the next one.
      get_default_graph().unique_name(name or default_name)
      values = make(x.values, name=name or default_name)
      return composite.SparseTensor(x.indices, values, x.dense_shape)
    return make(x, name=name)

  return unary(function)


asin = _keeps_zero(gen.asin, "Asin")
asinh = _keeps_zero(gen.asinh, "Asinh")
atan = _keeps_zero(gen.atan, "Atan")
atanh = _keeps_zero(gen.atanh, "Atanh")
erf = _keeps_zero(gen.erf, "Erf")
negative = _keeps_zero(gen.neg, "Neg")
sin = _keeps_zero(gen.sin, "Sin")
sqrt = _keeps_zero(gen.sqrt, "Sqrt")
square = _keeps_zero(gen.square, "Square")
tan = _keeps_zero(gen.tan, "Tan")
tanh = _keeps_zero(gen.tanh, "Tanh")


def _abs(x, name=None):
  with name_scope(name, "Abs", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    if x.dtype.is_complex:
      return gen.complex_abs(x, Tout=x.dtype.real_dtype, name=scope)
    return gen.abs(x, name=scope)


_sparse_abs = _keeps_zero(_abs, "Abs")


@unary
def abs(x, name=None):
  """The absolute value of each element; of complex numbers the modulus, of the real type."""
  return _sparse_abs(x, name=name)


@unary
def sign(x, name=None):
  """-1, 0 or 1 by the sign of each element; of complex numbers y / |y|, or 0. Takes a sparse tensor by its values."""
  if isinstance(x, composite.SparseTensor):
    return composite.SparseTensor(x.indices, gen.sign(x.values, name=name), x.dense_shape)
  x = convert_to_tensor(x)
  if x.dtype.is_complex:
    size = gen.cast(gen.complex_abs(x, Tout=x.dtype.real_dtype), x.dtype)
    return gen.div_no_nan(x, size, name=name)
  return gen.sign(x, name=name)


@unary
def round(x, name=None):
  """Each element rounded to the nearest integer, halves to even. Integers come back as they are, without an op."""
  x = convert_to_tensor(x, name="x")
  return x if x.dtype.is_integer else gen.round(x, name=name)


@unary
def log_sigmoid(x, name=None):
  """log(1 / (1 + exp(-x))), computed as -softplus(-x)."""
  with name_scope(name, "LogSigmoid", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    return gen.neg(gen.softplus(gen.neg(x)), name=scope)


@unary
def conj(x, name=None):
  """The complex conjugate of each element. Real tensors come back as they are, without an op.

  Raises:
    TypeError: if `x` has no numbers.
  """
  from millrace.framework.tensor import Tensor

  if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
    return x
  with name_scope(name, "Conj", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    if x.dtype.is_complex or x.dtype == dtypes.variant:
      return gen.conj(x, name=scope)
    if x.dtype.is_floating or x.dtype.is_integer:
      return x
    raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")


@unary
def real(input, name=None):
  """The real part of each element. A real tensor comes back as it is, without an op."""
  with name_scope(name, "Real", [input]) as scope:
    input = convert_to_tensor(input, name="input")
    if input.dtype.is_complex:
      return gen.real(input, Tout=input.dtype.real_dtype, name=scope)
    return input


@unary
def imag(input, name=None):
  """The imaginary part of each element; zeros for a real tensor."""
  with name_scope(name, "Imag", [input]) as scope:
    input = convert_to_tensor(input, name="input")
    if input.dtype.is_complex:
      return gen.imag(input, Tout=input.dtype.real_dtype, name=scope)
    return tf.zeros_like(input)


@unary
def angle(input, name=None):
  """The argument of each complex element in radians; of real elements pi where they are negative, else 0."""
  with name_scope(name, "Angle", [input]) as scope:
    input = convert_to_tensor(input, name="input")
    if input.dtype.is_complex:
      return gen.angle(input, Tout=input.dtype.real_dtype, name=scope)
    return tf.where(input < 0, np.pi * tf.ones_like(input), tf.zeros_like(input))


@unary
def bessel_i0e(x, name=None):
  """The modified Bessel function of order 0, times exp(-|x|)."""
  with name_scope(name, "bessel_i0e", [x]):
    return gen.bessel_i0e(x)


@unary
def bessel_i1e(x, name=None):
  """The modified Bessel function of order 1, times exp(-|x|)."""
  with name_scope(name, "bessel_i1e", [x]):
    return gen.bessel_i1e(x)


@unary
def bessel_i0(x, name=None):
  """The modified Bessel function of order 0, as 1.15 computes it: from `bessel_i0e`."""
  with name_scope(name, "bessel_i0", [x]):
    x = convert_to_tensor(x)
    return gen.exp(gen.abs(x)) * gen.bessel_i0e(x)


@unary
def bessel_i1(x, name=None):
  """The modified Bessel function of order 1, as 1.15 computes it: from `bessel_i1e`."""
  with name_scope(name, "bessel_i1", [x]):
    x = convert_to_tensor(x)
    return gen.exp(gen.abs(x)) * gen.bessel_i1e(x)


@unary
def reciprocal_no_nan(x, name=None):
  """1 / x for each element, and 0 where x is 0."""
  with name_scope(name, "reciprocal_no_nan", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    one = tf.constant(1, dtype=x.dtype.base_dtype, name="one")
    return gen.div_no_nan(one, x, name=scope)


@unary
def lbeta(x, name=None):
  """The logarithm of the absolute value of the Beta function along the last dimension, which goes."""
  with name_scope(name, "lbeta", [x]):
    x = convert_to_tensor(x, name="x")
    log_product = tf.reduce_sum(gen.lgamma(x), axis=[-1])
    log_total = gen.lgamma(tf.reduce_sum(x, axis=[-1]))
    return log_product - log_total
