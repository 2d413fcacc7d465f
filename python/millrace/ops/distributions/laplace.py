"""Laplace's distribution."""

import math

import numpy as np

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions import special_functions
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.parameters import checks_before
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution


class Laplace(ScalarDistribution):
  """The distributions with densities exp(-|x - loc| / scale) / (2 scale); `scale` has to be positive."""

  _names_of_parameters = ("loc", "scale")

  def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Laplace"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[loc, scale]) as name:
      with checks_before([lambda: tf.assert_positive(scale)], validate_args):
        self._loc = tf.identity(loc, name="loc")
        self._scale = tf.identity(scale, name="scale")
      tf.assert_same_float_dtype([self._loc, self._scale])
    super().__init__(
      dtype=self._loc.dtype,
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
    """The scales."""
    return self._scale

  def _sample_n(self, n, seed=None):
    dtype = self.dtype.as_numpy_dtype
    # From above -1, since log1p(-1) is infinite.
    lowest = np.nextafter(dtype(-1.0), dtype(0.0))
    drawn = tf.random_uniform(shape=self._shape_of_samples(n), minval=lowest, maxval=1.0, dtype=self.dtype, seed=seed)
    return self.loc - self.scale * tf.sign(drawn) * tf.log1p(-tf.abs(drawn))

  def _z(self, x):
    return (x - self.loc) / self.scale

  def _log_prob(self, x):
    return -tf.abs(self._z(x)) - math.log(2.0) - tf.log(self.scale)

  def _prob(self, x):
    return 0.5 * tf.exp(-tf.abs(self._z(x))) / self.scale

  def _log_cdf(self, x):
    return special_functions.log_cdf_laplace(self._z(x))

  def _log_survival_function(self, x):
    return special_functions.log_cdf_laplace(-self._z(x))

  def _cdf(self, x):
    z = self._z(x)
    return 0.5 + 0.5 * tf.sign(z) * (1.0 - tf.exp(-tf.abs(z)))

  def _entropy(self):
    return 1.0 + math.log(2.0) + tf.log(self._whole(self.scale))

  def _mean(self):
    return self._whole(self.loc)

  def _stddev(self):
    return math.sqrt(2.0) * self._whole(self.scale)

  def _mode(self):
    return self._mean()
