"""The exponential of matrices, by Pade approximations and repeated squaring (N. Higham, 2005)."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope

_COEFFICIENTS = {
  3: (120.0, 60.0, 12.0),
  5: (30240.0, 15120.0, 3360.0, 420.0, 30.0),
  7: (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0),
  9: (17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0, 90.0),
  13: (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
  ),
}

# The norms up to which each degree is exact enough, in single and in double precision; the last one is for all others,
# once the matrix is scaled to the norm of the last number.
_SINGLE = ((3, 4.258730016922831e-01), (5, 1.880152677804762e00), (7, 3.925724783138660))
_DOUBLE = (
  (3, 1.495585217958292e-02),
  (5, 2.539398330063230e-01),
  (7, 9.504178996162932e-01),
  (9, 2.097847961257068e00),
  (13, 5.371920351148152),
)


def matrix_exponential(input, name=None):
  """The exponential of each square matrix: the sum of its powers, each divided by the factorial of its exponent.

  Raises:
    ValueError: if the type has no approximation.
  """
  with name_scope(name, "matrix_exponential", [input]):
    matrix = convert_to_tensor(input, name="input")
    static = matrix.get_shape()
    if static.ndims is not None and static[-2:].is_fully_defined() and static[-2:].as_list() == [0, 0]:
      return matrix
    batch_shape = static[:-2]
    if not batch_shape.is_fully_defined():
      batch_shape = tf.shape(matrix)[:-2]
    matrix = tf.reshape(matrix, tf.concat(([-1], tf.shape(matrix)[-2:]), axis=0))
    norm = tf.reduce_max(tf.reduce_sum(tf.abs(matrix), axis=tf.size(tf.shape(matrix)) - 2), axis=-1)[..., tf.newaxis, tf.newaxis]
    result, squarings, is_finite = _approximation(matrix, norm)
    result = _squared(result, squarings, is_finite, norm.dtype)
    if not static[:-2].is_fully_defined():
      return tf.reshape(result, tf.concat((batch_shape, tf.shape(result)[-2:]), axis=0))
    return tf.reshape(result, batch_shape.concatenate(result.get_shape()[-2:]))


def _approximation(matrix, norm):
  """The exponential of the matrix divided by a power of 2, the exponents of these, and whether all is finite."""

  def number(value):
    return tf.constant(value, norm.dtype)

  if matrix.dtype in (dtypes.float16, dtypes.float32, dtypes.complex64):
    degrees = _SINGLE
  elif matrix.dtype in (dtypes.float64, dtypes.complex128):
    degrees = _DOUBLE
  else:
    raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype}")
  largest = number(degrees[-1][1])
  squarings = gen.maximum(gen.floor(gen.log(norm / largest) / gen.log(number(2.0))), 0)
  pades = [_pade(matrix, degree) for degree, _ in degrees[:-1]]
  scaled = matrix / tf.cast(tf.pow(number(2.0), squarings), matrix.dtype)
  pades.append(_pade(scaled, degrees[-1][0]))
  limits = [limit for _, limit in degrees[:-1]]

  def chosen(limits, cases):
    if not limits:
      return cases[0]
    return gen.select_v2(gen.less(norm, number(limits[0])), cases[0], chosen(limits[1:], cases[1:]))

  u = chosen(limits, [pade[0] for pade in pades])
  v = chosen(limits, [pade[1] for pade in pades])
  is_finite = gen.is_finite(tf.reduce_max(norm))
  nan = tf.constant(np.nan, matrix.dtype)
  result = tf.cond(is_finite, lambda: gen.matrix_solve(-u + v, u + v), lambda: tf.fill(tf.shape(matrix), nan))
  return result, squarings, is_finite


def _pade(matrix, degree):
  """Numerator and denominator of the approximation are v + u and v - u."""
  factors = [tf.constant(value, matrix.dtype) for value in _COEFFICIENTS[degree]]
  identity = tf.eye(tf.shape(matrix)[-2], batch_shape=tf.shape(matrix)[:-2], dtype=matrix.dtype)
  powers = {0: identity}
  powers[2] = tf.matmul(matrix, matrix)
  if degree >= 5:
    powers[4] = tf.matmul(powers[2], powers[2])
  if degree >= 7:
    powers[6] = tf.matmul(powers[4], powers[2])
  if degree == 9:
    powers[8] = tf.matmul(powers[6], powers[2])
  if degree == 13:
    return _pade13(matrix, powers, factors)
  highest = degree - 1
  odd = powers[highest]
  for power in range(highest - 2, -1, -2):
    odd = odd + factors[power + 1] * powers[power]
  u = tf.matmul(matrix, odd)
  v = factors[highest] * powers[highest]
  for power in range(highest - 2, -1, -2):
    v = v + factors[power] * powers[power]
  return u, v


def _pade13(matrix, powers, factors):
  """The same for degree 13, with powers beyond 6 as products of those below."""
  m0, m2, m4, m6 = (powers[power] for power in (0, 2, 4, 6))
  odd = (
    tf.matmul(m6, m6 + factors[11] * m4 + factors[9] * m2) + factors[7] * m6 + factors[5] * m4 + factors[3] * m2 + factors[1] * m0
  )
  u = tf.matmul(matrix, odd)
  even = factors[12] * m6 + factors[10] * m4 + factors[8] * m2
  v = tf.matmul(m6, even) + factors[6] * m6 + factors[4] * m4 + factors[2] * m2 + factors[0] * m0
  return u, v


def _squared(result, squarings, is_finite, dtype):
  """Each matrix squared as often as it says."""
  most = tf.reduce_max(squarings)

  def has_more(i, _):
    return tf.cond(is_finite, lambda: gen.less(i, most), lambda: tf.constant(False))

  def square(i, r):
    return i + 1, gen.select_v2(gen.less(i, squarings), tf.matmul(r, r), r)

  _, result = tf.while_loop(has_more, square, [tf.constant(0.0, dtype), result])
  return result
