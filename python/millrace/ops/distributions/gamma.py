"""The Gamma distribution."""

import numpy as np

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import checked, checks_before
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution
from millrace.ops.distributions.undefined import defined_or_nan


class Gamma(ScalarDistribution):
  """The Gamma distributions, with densities proportional to x^(concentration - 1) exp(-rate x); both are positive."""

  _names_of_parameters = ("concentration", "rate")

  def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="Gamma"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[concentration, rate]) as name:
      checks = [lambda: tf.assert_positive(concentration), lambda: tf.assert_positive(rate)]
      with checks_before(checks, validate_args):
        self._concentration = tf.identity(concentration, name="concentration")
        self._rate = tf.identity(rate, name="rate")
      tf.assert_same_float_dtype([self._concentration, self._rate])
    super().__init__(
      dtype=self._concentration.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._concentration, self._rate],
      name=name,
    )

  @property
  def concentration(self):
    """The shape parameters."""
    return self._concentration

  @property
  def rate(self):
    """The inverse scales."""
    return self._rate

  def _sample_n(self, n, seed=None):
    return tf.random_gamma(shape=[n], alpha=self.concentration, beta=self.rate, dtype=self.dtype, seed=seed)

  def _positive(self, x):
    return checked([lambda: tf.assert_positive(x)], x, self.validate_args)

  def _log_prob(self, x):
    x = self._positive(x)
    normalization = tf.lgamma(self.concentration) - self.concentration * tf.log(self.rate)
    return tf.math.xlogy(self.concentration - 1.0, x) - self.rate * x - normalization

  def _cdf(self, x):
    x = self._positive(x)
    # Which does not broadcast by itself.
    ones = tf.ones(self.batch_shape_tensor(), dtype=self.dtype) * tf.ones_like(x)
    return tf.igamma(self.concentration * ones, self.rate * x * ones)

  def _entropy(self):
    a = self.concentration
    return a - tf.log(self.rate) + tf.lgamma(a) + (1.0 - a) * tf.digamma(a)

  def _mean(self):
    return self.concentration / self.rate

  def _variance(self):
    return self.concentration / tf.square(self.rate)

  def _stddev(self):
    return tf.sqrt(self.concentration) / self.rate

  def _mode(self):
    concentration = self._whole(self.concentration)
    mode = (concentration - 1.0) / self.rate
    return defined_or_nan(
      self,
      mode,
      concentration > 1.0,
      lambda: tf.assert_less(
        np.ones([], self.dtype.as_numpy_dtype), self.concentration, message="mode not defined when any concentration <= 1"
      ),
    )


@RegisterKL(Gamma, Gamma)
def _of_two(a, b, name=None):
  """The formula of Penny (2001), with rates in place of scales."""
  with name_scope(name, "kl_gamma_gamma", [a.concentration, a.rate, b.concentration, b.rate]):
    return (
      (a.concentration - b.concentration) * tf.digamma(a.concentration)
      + tf.lgamma(b.concentration)
      - tf.lgamma(a.concentration)
      + b.concentration * tf.log(a.rate)
      - b.concentration * tf.log(b.rate)
      + a.concentration * (b.rate / a.rate - 1.0)
    )
