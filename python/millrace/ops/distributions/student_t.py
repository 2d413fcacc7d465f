"""Student's t-distribution."""

import math

import numpy as np

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.parameters import checks_before
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution
from millrace.ops.distributions.seeds import derived_seed
from millrace.ops.distributions.undefined import defined_or_nan


class StudentT(ScalarDistribution):
  """Student's t-distributions with `df` degrees of freedom, moved by `loc` and scaled by `scale`; df is positive, scale not 0."""

  _names_of_parameters = ("df", "loc", "scale")

  def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentT"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[df, loc, scale]) as name:
      with checks_before([lambda: tf.assert_positive(df)], validate_args):
        self._df = tf.identity(df, name="df")
        self._loc = tf.identity(loc, name="loc")
        self._scale = tf.identity(scale, name="scale")
      tf.assert_same_float_dtype((self._df, self._loc, self._scale))
    super().__init__(
      dtype=self._scale.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._df, self._loc, self._scale],
      name=name,
    )

  @property
  def df(self):
    """The degrees of freedom."""
    return self._df

  @property
  def loc(self):
    """Where the distributions are centered."""
    return self._loc

  @property
  def scale(self):
    """The factors of samples."""
    return self._scale

  def _sample_n(self, n, seed=None):
    # A standard normal number over the root of one of the chi-squared distribution over df.
    normal = tf.random_normal(self._shape_of_samples(n), dtype=self.dtype, seed=seed)
    df = self._whole(self.df)
    squares = tf.random_gamma([n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=derived_seed(seed, "student_t"))
    return normal * tf.rsqrt(squares / df) * self.scale + self.loc

  def _log_normalization(self):
    return (
      tf.log(tf.abs(self.scale))
      + 0.5 * tf.log(self.df)
      + 0.5 * math.log(math.pi)
      + tf.lgamma(0.5 * self.df)
      - tf.lgamma(0.5 * (self.df + 1.0))
    )

  def _log_prob(self, x):
    z = (x - self.loc) / self.scale
    return -0.5 * (self.df + 1.0) * tf.log1p(z**2.0 / self.df) - self._log_normalization()

  def _cdf(self, x):
    z = (x - self.loc) / tf.abs(self.scale)
    part = self.df / (z**2.0 + self.df)
    ones = tf.ones_like(part)
    below = 0.5 * tf.betainc(0.5 * self.df * ones, 0.5 * ones, part)
    return tf.where(tf.less(z, 0.0) if z.get_shape() == part.get_shape() else tf.less(z * ones, 0.0), below, 1.0 - below)

  def _entropy(self):
    df = self._whole(self.df)
    half, more = 0.5 * df, 0.5 * (df + 1.0)
    log_beta = tf.lgamma(0.5 * tf.ones_like(df)) + tf.lgamma(half) - tf.lgamma(more)
    return tf.log(tf.abs(self.scale)) + 0.5 * tf.log(df) + log_beta + more * (tf.digamma(more) - tf.digamma(half))

  def _mean(self):
    mean = self._whole(self.loc)
    return defined_or_nan(
      self,
      mean,
      self.df > 1.0,
      lambda: tf.assert_less(
        np.ones([], self.dtype.as_numpy_dtype), self.df, message="mean not defined for components of df <= 1"
      ),
    )

  def _variance(self):
    """Infinite for 1 < df <= 2, not defined for df <= 1."""
    df = self._whole(self.df)
    is_finite = df > 2.0
    excess = tf.where(is_finite, df - 2.0, tf.ones_like(df))
    variance = self._whole(tf.square(self.scale)) * df / excess
    infinite = tf.fill(tf.shape(df), np.array(np.inf, dtype=self.dtype.as_numpy_dtype), name="inf")
    variance = tf.where(is_finite, variance, infinite)
    return defined_or_nan(
      self,
      variance,
      df > 1.0,
      lambda: tf.assert_less(
        np.ones([], self.dtype.as_numpy_dtype), self.df, message="variance not defined for components of df <= 1"
      ),
    )

  def _mode(self):
    return tf.identity(self.loc)
