"""The uniform distribution on an interval."""

import math

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.parameters import checks_before
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution


class Uniform(ScalarDistribution):
  """The uniform distributions from `low` to below `high`."""

  _names_of_parameters = ("low", "high")

  def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[low, high]) as name:
      check = lambda: tf.assert_less(low, high, message="uniform not defined when low >= high.")
      with checks_before([check], validate_args):
        self._low = tf.identity(low, name="low")
        self._high = tf.identity(high, name="high")
      tf.assert_same_float_dtype([self._low, self._high])
    super().__init__(
      dtype=self._low.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._low, self._high],
      name=name,
    )

  @property
  def low(self):
    """The lower ends."""
    return self._low

  @property
  def high(self):
    """The upper ends."""
    return self._high

  def range(self, name="range"):
    """`high - low`."""
    with self._name_scope(name):
      return self.high - self.low

  def _sample_n(self, n, seed=None):
    drawn = tf.random_uniform(shape=self._shape_of_samples(n), dtype=self.dtype, seed=seed)
    return self.low + self.range() * drawn

  def _prob(self, x):
    whole = x * tf.ones(self.batch_shape_tensor(), dtype=x.dtype)
    is_outside = tf.logical_or(whole < self.low, whole >= self.high)
    density = tf.ones_like(whole) / self.range()
    return tf.where(tf.is_nan(whole), whole, tf.where(is_outside, tf.zeros_like(whole), density))

  def _cdf(self, x):
    # 0 below the interval, 1 above it.
    return tf.clip_by_value((x - self.low) / self.range(), 0.0, 1.0)

  def _entropy(self):
    return tf.log(self.range())

  def _mean(self):
    return (self.low + self.high) / 2.0

  def _variance(self):
    return tf.square(self.range()) / 12.0

  def _stddev(self):
    return self.range() / math.sqrt(12.0)
