"""The normal distribution."""

import math

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions import special_functions
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import checks_before
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution


class Normal(ScalarDistribution):
  """The normal distributions with means `loc` and standard deviations `scale`, which have to be positive."""

  _names_of_parameters = ("loc", "scale")

  def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[loc, scale]) as name:
      with checks_before([lambda: tf.assert_positive(scale)], validate_args):
        self._loc = tf.identity(loc, name="loc")
        self._scale = tf.identity(scale, name="scale")
      tf.assert_same_float_dtype([self._loc, self._scale])
    super().__init__(
      dtype=self._scale.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._loc, self._scale],
      name=name,
    )

  @property
  def loc(self):
    """The means."""
    return self._loc

  @property
  def scale(self):
    """The standard deviations."""
    return self._scale

  def _sample_n(self, n, seed=None):
    drawn = tf.random_normal(self._shape_of_samples(n), mean=0.0, stddev=1.0, dtype=self.loc.dtype, seed=seed)
    return drawn * self.scale + self.loc

  def _z(self, x):
    with name_scope("standardize", values=[x]):
      return (x - self.loc) / self.scale

  def _log_prob(self, x):
    return -0.5 * tf.square(self._z(x)) - (0.5 * math.log(2.0 * math.pi) + tf.log(self.scale))

  def _log_cdf(self, x):
    return special_functions.log_ndtr(self._z(x))

  def _cdf(self, x):
    return special_functions.ndtr(self._z(x))

  def _log_survival_function(self, x):
    return special_functions.log_ndtr(-self._z(x))

  def _survival_function(self, x):
    return special_functions.ndtr(-self._z(x))

  def _quantile(self, p):
    with name_scope("reconstruct", values=[p]):
      return special_functions.ndtri(p) * self.scale + self.loc

  def _entropy(self):
    return 0.5 + 0.5 * math.log(2.0 * math.pi) + tf.log(self.scale * tf.ones_like(self.loc))

  def _mean(self):
    return self.loc * tf.ones_like(self.scale)

  def _stddev(self):
    return self.scale * tf.ones_like(self.loc)

  def _mode(self):
    return self._mean()


@RegisterKL(Normal, Normal)
def _of_two(a, b, name=None):
  """((a.loc - b.loc)^2 / b.scale^2 + r - 1 - log r) / 2 for r = a.scale^2 / b.scale^2."""
  with name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
    ratio = tf.square(a.scale / b.scale)
    return 0.5 * (tf.square((a.loc - b.loc) / b.scale) + ratio - 1.0 - tf.log(ratio))
