"""The distribution function of the normal distribution, its logarithm and inverse, and that of Laplace's."""

import math

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope

# Below the first number log_ndtr() is its series; above the second ndtr() is so near 1 that its logarithm is -ndtr(-x).
_LIMITS = {dtypes.float64: (-20.0, 8.0), dtypes.float32: (-10.0, 5.0)}
_TERMS = 3


def _floating(x, name):
  x = convert_to_tensor(x, name="x")
  if x.dtype not in _LIMITS:
    raise TypeError(f"x.dtype={x.dtype} is not handled, see docstring for supported types.")
  return x


def ndtr(x, name="ndtr"):
  """The probability that a standard normal number is at most x, float32 or float64."""
  with name_scope(name, values=[x]):
    x = _floating(x, name)
    # The complement keeps its precision where it is small.
    return 0.5 * tf.erfc(-x * math.sqrt(0.5))


def log_ndtr(x, name="log_ndtr"):
  """The logarithm of ndtr(x), precise for all x."""
  with name_scope(name, values=[x]):
    x = _floating(x, name)
    lower, upper = _LIMITS[x.dtype.base_dtype]
    # Branches that are not taken are given numbers for which they and their gradients are finite.
    middle = tf.log(ndtr(tf.clip_by_value(x, lower, upper)))
    return tf.where(x > upper, -ndtr(-tf.maximum(x, upper)), tf.where(x > lower, middle, _asymptotic(tf.minimum(x, lower))))


def _asymptotic(x):
  """log_ndtr far below 0: the density over -x, times 1 - 1/x^2 + 3/x^4 - 15/x^6 ..."""
  square = tf.square(x)
  factor, series, power = 1.0, tf.ones_like(x), tf.ones_like(x)
  for term in range(1, _TERMS + 1):
    factor *= -(2 * term - 1)
    power = power * square
    series = series + factor / power
  return -0.5 * square - tf.log(-x) - 0.5 * math.log(2.0 * math.pi) + tf.log(series)


def ndtri(p, name="ndtri"):
  """The number up to which a standard normal one is with probability p: the inverse of ndtr()."""
  with name_scope(name, values=[p]):
    return gen.ndtri(_floating(p, name))


def log_cdf_laplace(x, name="log_cdf_laplace"):
  """The logarithm of the probability that a number of Laplace's standard distribution is at most x."""
  with name_scope(name, values=[x]):
    x = convert_to_tensor(x, name="x")
    below = -math.log(2.0) + x
    # exp(-|x|) never overflows.
    above = tf.log1p(-0.5 * tf.exp(-tf.abs(x)))
    return tf.where(x < 0.0, below, above)
