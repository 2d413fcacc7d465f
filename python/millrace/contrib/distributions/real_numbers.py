"""Distributions of real numbers: logistic, Gumbel's and Cauchy's."""

import math

import numpy as np

import millrace as tf
from millrace.contrib.distributions.made import OfParameters, parameter
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.divergences import RegisterKL

_EULER = 0.57721566490153286


class _LocationScale(OfParameters):
  """Numbers loc + scale * z with a standard number z."""

  _names_of_parameters = ("loc", "scale")
  _positive = ("scale",)
  loc = parameter("loc", "Where the distributions are.")
  scale = parameter("scale", "How wide they are.")

  def _uniform(self, n, seed):
    """Uniform numbers between 0 and 1, which are never 0."""
    smallest = np.finfo(self.dtype.as_numpy_dtype).tiny
    return tf.random_uniform(self._shape_of_samples(n), minval=smallest, maxval=1.0, dtype=self.dtype, seed=seed)

  def _z(self, x):
    return (x - self.loc) / self.scale


class Logistic(_LocationScale):
  """The logistic distributions, whose distribution function is sigmoid((x - loc) / scale)."""

  def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Logistic"):
    self._begin(kept_parameters(locals()), validate_args, allow_nan_stats, name)

  def _sample_n(self, n, seed=None):
    uniform = self._uniform(n, seed)
    return (tf.log(uniform) - tf.log1p(-uniform)) * self.scale + self.loc

  def _log_prob(self, x):
    z = self._z(x)
    return -z - 2.0 * tf.nn.softplus(-z) - tf.log(self.scale)

  def _log_cdf(self, x):
    return -tf.nn.softplus(-self._z(x))

  def _cdf(self, x):
    return tf.sigmoid(self._z(x))

  def _log_survival_function(self, x):
    return -tf.nn.softplus(self._z(x))

  def _survival_function(self, x):
    return tf.sigmoid(-self._z(x))

  def _quantile(self, p):
    return (tf.log(p) - tf.log1p(-p)) * self.scale + self.loc

  def _entropy(self):
    return 2.0 + tf.log(self._whole(self.scale))

  def _mean(self):
    return self._whole(self.loc)

  def _stddev(self):
    return self._whole(self.scale) * math.pi / math.sqrt(3)

  def _mode(self):
    return self._mean()


class Gumbel(_LocationScale):
  """Gumbel's distributions of largest numbers, whose distribution function is exp(-exp(-(x - loc) / scale))."""

  def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Gumbel"):
    self._begin(kept_parameters(locals()), validate_args, allow_nan_stats, name)

  def _sample_n(self, n, seed=None):
    return self.loc - self.scale * tf.log(-tf.log(self._uniform(n, seed)))

  def _log_prob(self, x):
    z = self._z(x)
    return -z - tf.exp(-z) - tf.log(self.scale)

  def _log_cdf(self, x):
    return -tf.exp(-self._z(x))

  def _cdf(self, x):
    return tf.exp(-tf.exp(-self._z(x)))

  def _quantile(self, p):
    return self.loc - self.scale * tf.log(-tf.log(p))

  def _entropy(self):
    return 1.0 + tf.log(self._whole(self.scale)) + _EULER

  def _mean(self):
    return self.loc + self.scale * _EULER

  def _stddev(self):
    return self._whole(self.scale) * math.pi / math.sqrt(6)

  def _mode(self):
    return self._whole(self.loc)


class Cauchy(_LocationScale):
  """Cauchy's distributions, with densities 1 / (pi scale (1 + z^2)); they have no mean."""

  def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Cauchy"):
    self._begin(kept_parameters(locals()), validate_args, allow_nan_stats, name)

  def _sample_n(self, n, seed=None):
    uniform = tf.random_uniform(self._shape_of_samples(n), minval=0.0, maxval=1.0, dtype=self.dtype, seed=seed)
    return self._quantile(uniform)

  def _log_prob(self, x):
    return -tf.log1p(tf.square(self._z(x))) - math.log(math.pi) - tf.log(self.scale)

  def _cdf(self, x):
    return tf.atan(self._z(x)) / math.pi + 0.5

  def _log_cdf(self, x):
    return tf.log1p(2.0 / math.pi * tf.atan(self._z(x))) - math.log(2.0)

  def _quantile(self, p):
    return self.loc + self.scale * tf.tan(math.pi * (p - 0.5))

  def _entropy(self):
    return math.log(4.0 * math.pi) + tf.log(self._whole(self.scale))

  def _mode(self):
    return self._whole(self.loc)

  def _undefined(self, what):
    if self.allow_nan_stats:
      return tf.fill(self.batch_shape_tensor(), np.array(np.nan, self.dtype.as_numpy_dtype))
    raise ValueError(f"`{what}` is undefined for Cauchy distribution.")

  def _mean(self):
    return self._undefined("mean")

  def _stddev(self):
    return self._undefined("stddev")


@RegisterKL(Gumbel, Gumbel)
def _of_gumbels(a, b, name=None):
  """log(b.scale / a.scale) + Euler's number (r - 1) + exp((b.loc - a.loc) / b.scale + lgamma(r + 1)) - 1 + (a.loc - b.loc) / b.scale
  for r = a.scale / b.scale."""
  with tf.name_scope(name, "kl_gumbel_gumbel", [a.loc, b.loc]):
    ratio, gap = a.scale / b.scale, (a.loc - b.loc) / b.scale
    return tf.log(b.scale) - tf.log(a.scale) + _EULER * (ratio - 1.0) + tf.exp(-gap + tf.lgamma(ratio + 1.0)) - 1.0 + gap
