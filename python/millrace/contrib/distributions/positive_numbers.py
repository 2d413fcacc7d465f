"""Distributions of positive numbers: half normal, inverse Gamma, chi-squared."""

import math

import numpy as np

import millrace as tf
from millrace import gen
from millrace.contrib.distributions.made import OfParameters, parameter
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.gamma import Gamma
from millrace.ops.distributions.parameters import checked
from millrace.ops.distributions.undefined import defined_or_nan


class HalfNormal(OfParameters):
  """The distributions of the absolute values of normal numbers with the mean 0 and the standard deviations `scale`."""

  _names_of_parameters = ("scale",)
  _positive = ("scale",)
  scale = parameter("scale", "The standard deviations of the normal numbers.")

  def __init__(self, scale, validate_args=False, allow_nan_stats=True, name="HalfNormal"):
    self._begin(kept_parameters(locals()), validate_args, allow_nan_stats, name)

  def _sample_n(self, n, seed=None):
    return tf.abs(tf.random_normal(self._shape_of_samples(n), dtype=self.dtype, seed=seed) * self.scale)

  def _prob(self, x):
    density = math.sqrt(2.0 / math.pi) / self.scale * tf.exp(-0.5 * tf.square(x / self.scale))
    return density * tf.cast(x >= 0, self.dtype)

  def _cdf(self, x):
    return tf.erf(tf.maximum(x, 0.0) / self.scale / math.sqrt(2.0))

  def _quantile(self, p):
    return math.sqrt(2.0) * self.scale * gen.erfinv(p)

  def _entropy(self):
    return 0.5 * math.log(math.pi / 2.0) + tf.log(self.scale) + 0.5

  def _mean(self):
    return self.scale * math.sqrt(2.0 / math.pi)

  def _variance(self):
    return tf.square(self.scale) * (1.0 - 2.0 / math.pi)

  def _mode(self):
    return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)


@RegisterKL(HalfNormal, HalfNormal)
def _of_half_normals(a, b, name=None):
  with name_scope(name, "kl_half_normal_half_normal", [a.scale, b.scale]):
    return tf.log(b.scale) - tf.log(a.scale) + (tf.square(a.scale / b.scale) - 1.0) / 2.0


class InverseGamma(OfParameters):
  """The distributions of 1 / x for x of Gamma(concentration, rate)."""

  _names_of_parameters = ("concentration", "rate")
  _positive = ("concentration", "rate")
  concentration = parameter("concentration", "The shape parameters.")
  rate = parameter("rate", "The scales.")

  def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="InverseGamma"):
    self._begin(kept_parameters(locals()), validate_args, allow_nan_stats, name)

  def _sample_n(self, n, seed=None):
    return 1.0 / tf.random_gamma([n], alpha=self.concentration, beta=self.rate, dtype=self.dtype, seed=seed)

  def _positive_value(self, x):
    return checked([lambda: tf.assert_positive(x)], x, self.validate_args)

  def _log_prob(self, x):
    x = self._positive_value(x)
    normalization = tf.lgamma(self.concentration) - self.concentration * tf.log(self.rate)
    return -(1.0 + self.concentration) * tf.log(x) - self.rate / x - normalization

  def _cdf(self, x):
    x = self._positive_value(x)
    ones = tf.ones(self.batch_shape_tensor(), dtype=self.dtype) * tf.ones_like(x)
    return tf.igammac(self.concentration * ones, self.rate / x * ones)

  def _entropy(self):
    a = self.concentration
    return a + tf.log(self.rate) + tf.lgamma(a) - (1.0 + a) * tf.digamma(a)

  def _mean(self):
    a = self._whole(self.concentration)
    return self._beyond(self.rate / (a - 1.0), a, 1.0, "mean")

  def _variance(self):
    a = self._whole(self.concentration)
    return self._beyond(tf.square(self.rate) / tf.square(a - 1.0) / (a - 2.0), a, 2.0, "variance")

  def _beyond(self, values, concentration, limit, what):
    text = f"{what} undefined when any concentration <= {limit:.0f}"
    bound = np.array(limit, self.dtype.as_numpy_dtype)
    return defined_or_nan(self, values, concentration > limit, lambda: tf.assert_less(bound, concentration, message=text))

  def _mode(self):
    return self.rate / (1.0 + self.concentration)


class Chi2(Gamma):
  """The chi-squared distributions with `df` degrees of freedom: Gamma(df / 2, 1 / 2)."""

  _names_of_parameters = ("df",)

  def __init__(self, df, validate_args=False, allow_nan_stats=True, name="Chi2"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[df]) as name:
      self._df = tf.convert_to_tensor(df, name="df")
      half = tf.constant(0.5, dtype=self._df.dtype)
      super().__init__(half * self._df, half, validate_args, allow_nan_stats, name)
    self._parameters = parameters

  @property
  def df(self):
    """The degrees of freedom."""
    return self._df


class Chi2WithAbsDf(Chi2):
  """Chi2 with floor(|df|) degrees of freedom."""

  def __init__(self, df, validate_args=False, allow_nan_stats=True, name="Chi2WithAbsDf"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[df]) as name:
      super().__init__(tf.floor(tf.abs(df, name="abs_df"), name="floor_abs_df"), validate_args, allow_nan_stats, name)
    self._parameters = parameters
