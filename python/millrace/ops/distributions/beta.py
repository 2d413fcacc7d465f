"""The Beta distribution."""

import numpy as np

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import checked
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution
from millrace.ops.distributions.seeds import derived_seed
from millrace.ops.distributions.undefined import defined_or_nan


class Beta(ScalarDistribution):
  """The Beta distributions, with densities proportional to x^(concentration1 - 1) (1 - x)^(concentration0 - 1) on (0, 1)."""

  _names_of_parameters = ("concentration1", "concentration0")

  def __init__(self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Beta"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[concentration1, concentration0]) as name:
      self._concentration1 = self._positive_parameter(concentration1, "concentration1", validate_args)
      self._concentration0 = self._positive_parameter(concentration0, "concentration0", validate_args)
      tf.assert_same_float_dtype([self._concentration1, self._concentration0])
      self._total_concentration = self._concentration1 + self._concentration0
    super().__init__(
      dtype=self._total_concentration.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._concentration1, self._concentration0, self._total_concentration],
      name=name,
    )

  @staticmethod
  def _positive_parameter(value, name, validate_args):
    value = tf.convert_to_tensor(value, name=name)
    return checked([lambda: tf.assert_positive(value, message="Concentration parameter must be positive.")], value, validate_args)

  def _shaping(self):
    return [self._total_concentration]

  @property
  def concentration1(self):
    """The parameters at 1."""
    return self._concentration1

  @property
  def concentration0(self):
    """The parameters at 0."""
    return self._concentration0

  @property
  def total_concentration(self):
    """The sums of both parameters."""
    return self._total_concentration

  def _sample_n(self, n, seed=None):
    one, other = self._whole(self.concentration1), self._whole(self.concentration0)
    first = tf.random_gamma(shape=[n], alpha=one, dtype=self.dtype, seed=seed)
    second = tf.random_gamma(shape=[n], alpha=other, dtype=self.dtype, seed=derived_seed(seed, "beta"))
    return first / (first + second)

  def _inside(self, x):
    return checked(
      [
        lambda: tf.assert_positive(x, message="sample must be positive"),
        lambda: tf.assert_less(x, tf.ones([], self.dtype), message="sample must be less than `1`."),
      ],
      x,
      self.validate_args,
    )

  def _log_normalization(self):
    return tf.lgamma(self.concentration1) + tf.lgamma(self.concentration0) - tf.lgamma(self.total_concentration)

  def _log_prob(self, x):
    x = self._inside(x)
    powers = tf.math.xlogy(self.concentration1 - 1.0, x) + (self.concentration0 - 1.0) * tf.log1p(-x)
    return powers - self._log_normalization()

  def _prob(self, x):
    return tf.exp(self._log_prob(x))

  def _cdf(self, x):
    x = self._inside(x)
    ones = tf.ones(self.batch_shape_tensor(), dtype=self.dtype) * tf.ones_like(x)
    return tf.betainc(self.concentration1 * ones, self.concentration0 * ones, x * ones)

  def _log_cdf(self, x):
    return tf.log(self._cdf(x))

  def _entropy(self):
    return (
      self._log_normalization()
      - (self.concentration1 - 1.0) * tf.digamma(self.concentration1)
      - (self.concentration0 - 1.0) * tf.digamma(self.concentration0)
      + (self.total_concentration - 2.0) * tf.digamma(self.total_concentration)
    )

  def _mean(self):
    return self.concentration1 / self.total_concentration

  def _variance(self):
    return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

  def _mode(self):
    mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
    is_defined = tf.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
    one = np.ones([], self.dtype.as_numpy_dtype)

    def check():
      return tf.group(
        tf.assert_less(one, self.concentration1, message="Mode undefined for concentration1 <= 1."),
        tf.assert_less(one, self.concentration0, message="Mode undefined for concentration0 <= 1."),
      )

    return defined_or_nan(self, mode, is_defined, check)


@RegisterKL(Beta, Beta)
def _of_two(a, b, name=None):
  """The difference of the logarithms of what densities are divided by, and of the means of the logarithms of x and 1 - x."""
  with name_scope(name, "kl_beta_beta", [a.concentration1, a.concentration0, b.concentration1, b.concentration0]):

    def difference(function):
      return function(b) - function(a)

    return (
      difference(Beta._log_normalization)
      - tf.digamma(a.concentration1) * difference(lambda d: d.concentration1)
      - tf.digamma(a.concentration0) * difference(lambda d: d.concentration0)
      + tf.digamma(a.total_concentration) * difference(lambda d: d.total_concentration)
    )
