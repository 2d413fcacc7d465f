"""Distributions of numbers of events: Poisson's, geometric, binomial, negative binomial."""

import numpy as np

import millrace as tf
from millrace.contrib.distributions.made import parameter
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import (
  checked,
  checked_total_count,
  drawn_counts,
  is_close_to_integer,
  logits_and_probs,
)
from millrace.ops.distributions.reparameterization import NOT_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution
from millrace.ops.distributions.seeds import derived_seed


def _checked_count(x, is_wanted):
  return checked(
    [
      lambda: tf.assert_non_negative(x, message="count must be non-negative."),
      lambda: is_close_to_integer(x, "count cannot contain fractional components."),
    ],
    x,
    is_wanted,
  )


class Poisson(ScalarDistribution):
  """Poisson's distributions of how many events happen if `rate`, or exp(`log_rate`), is their mean.

  Without `interpolate_nondiscrete` the density of numbers that are not whole is 0. ValueError unless one of both rates is given.
  """

  _names_of_parameters = ("rate",)

  def __init__(
    self,
    rate=None,
    log_rate=None,
    interpolate_nondiscrete=True,
    validate_args=False,
    allow_nan_stats=True,
    name="Poisson",
  ):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[rate]) as name:
      if (rate is None) == (log_rate is None):
        raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
      if log_rate is None:
        rate = tf.convert_to_tensor(rate, name="rate")
        self._rate = checked([lambda: tf.assert_positive(rate)], rate, validate_args)
        self._log_rate = tf.log(self._rate, name="log_rate")
      else:
        self._log_rate = tf.convert_to_tensor(log_rate, name="log_rate")
        self._rate = tf.exp(self._log_rate, name="rate")
      if not self._rate.dtype.is_floating:
        raise TypeError(f"rate.dtype ({self._rate.dtype.name}) is a not a float-type.")
    self._interpolate_nondiscrete = interpolate_nondiscrete
    super().__init__(
      dtype=self._rate.dtype,
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._rate],
      name=name,
    )

  rate = parameter("rate", "The means.")
  log_rate = parameter("log_rate", "Their logarithms.")
  interpolate_nondiscrete = parameter("interpolate_nondiscrete", "Whether numbers that are not whole have a density.")

  def _sample_n(self, n, seed=None):
    return tf.random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

  def _log_prob(self, x):
    x = _checked_count(x, self.validate_args and not self.interpolate_nondiscrete)
    whole = tf.floor(x)
    result = tf.maximum(x, 0.0) * self.log_rate - tf.lgamma(1.0 + tf.maximum(x, 0.0)) - self.rate
    is_possible = x >= 0.0 if self.interpolate_nondiscrete else tf.logical_and(x >= 0.0, tf.equal(x, whole))
    is_possible = tf.logical_and(is_possible, tf.fill(tf.shape(result), True))
    return tf.where(is_possible, result, tf.fill(tf.shape(result), np.array(-np.inf, self.dtype.as_numpy_dtype)))

  def _cdf(self, x):
    x = x if self.interpolate_nondiscrete else tf.floor(x)
    ones = tf.ones(self.batch_shape_tensor(), dtype=self.dtype) * tf.ones_like(x)
    x = x * ones
    return tf.where(x < 0.0, tf.zeros_like(x), tf.igammac(1.0 + tf.maximum(x, 0.0), self.rate * ones))

  def _mean(self):
    return tf.identity(self.rate)

  def _variance(self):
    return tf.identity(self.rate)

  def _mode(self):
    return tf.floor(self.rate)


@RegisterKL(Poisson, Poisson)
def _of_poissons(a, b, name=None):
  with name_scope(name, "kl_poisson_poisson", [a.rate, b.rate]):
    return a.rate * (a.log_rate - b.log_rate) - a.rate + b.rate


class Geometric(ScalarDistribution):
  """The geometric distributions of how many failures there are before a success, with the probability `probs` or
  sigmoid(`logits`) of success. ValueError unless one of both is given."""

  _names_of_parameters = ("logits",)

  def __init__(self, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Geometric"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[logits, probs]) as name:
      self._logits, self._probs = logits_and_probs(logits, probs, validate_args=validate_args, name=name)
    super().__init__(
      dtype=self._probs.dtype,
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._probs, self._logits],
      name=name,
    )

  logits = parameter("logits", "The log odds of success.")
  probs = parameter("probs", "The probabilities of success.")

  def _shaping(self):
    return [self._probs]

  def _sample_n(self, n, seed=None):
    smallest = np.finfo(self.dtype.as_numpy_dtype).tiny
    uniform = tf.random_uniform(self._shape_of_samples(n), minval=smallest, maxval=1.0, seed=seed, dtype=self.dtype)
    return tf.floor(tf.log(uniform) / tf.log1p(-self.probs))

  def _log_prob(self, counts):
    counts = _checked_count(counts, self.validate_args)
    # Where success is certain, no failure has the probability 1.
    return tf.math.xlogy(counts, 1.0 - self.probs) + tf.log(self.probs)

  def _cdf(self, counts):
    counts = tf.floor(_checked_count(counts, self.validate_args) * tf.ones_like(self.probs))
    return tf.where(counts < 0.0, tf.zeros_like(counts), -tf.expm1((1.0 + counts) * tf.log1p(-self.probs)))

  def _entropy(self):
    return (-self.logits * (self.probs - 1.0) + tf.nn.softplus(-self.logits)) / self.probs

  def _mean(self):
    return tf.exp(-self.logits)

  def _variance(self):
    return self._mean() / self.probs

  def _mode(self):
    return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)


class _OfTrials(ScalarDistribution):
  """What the two binomial distributions share: numbers of trials and probabilities."""

  def _begin(self, parameters, total_count, logits, probs, validate_args, allow_nan_stats, name):
    with name_scope(name, values=[total_count, logits, probs]) as name:
      self._logits, self._probs = logits_and_probs(logits, probs, validate_args=validate_args, name=name)
      self._total_count = tf.convert_to_tensor(total_count, dtype=self._probs.dtype, name="total_count")
      if validate_args:
        self._total_count = self._checked_total(self._total_count)
    super().__init__(
      dtype=self._probs.dtype,
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._total_count, self._logits, self._probs],
      name=name,
    )

  logits = parameter("logits", "The log odds of success.")
  probs = parameter("probs", "The probabilities of success.")

  def _shaping(self):
    return [self._total_count, self._probs]


class Binomial(_OfTrials):
  """The binomial distributions of how many of `total_count` trials succeed, with the probability `probs` or sigmoid(`logits`).

  ValueError unless one of both is given.
  """

  def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Binomial"):
    self._begin(kept_parameters(locals()), total_count, logits, probs, validate_args, allow_nan_stats, name)

  total_count = parameter("total_count", "The numbers of trials.")

  @staticmethod
  def _checked_total(total_count):
    return checked_total_count(total_count)

  def _sample_n(self, n, seed=None):
    # Failure and success as two classes.
    logits = tf.stack([-tf.nn.softplus(self.logits), -tf.nn.softplus(-self.logits)], axis=-1)
    return drawn_counts(logits, self.total_count, n, seed)[..., 1]

  def _checked_value(self, counts):
    counts = _checked_count(counts, self.validate_args)
    check = lambda: tf.assert_less_equal(counts, self.total_count, message="counts are not less than or equal to n.")
    return checked([check], counts, self.validate_args)

  def _log_prob(self, counts):
    counts = self._checked_value(counts)
    rest = self.total_count - counts
    ways = tf.lgamma(1.0 + self.total_count) - tf.lgamma(1.0 + counts) - tf.lgamma(1.0 + rest)
    return ways + tf.math.xlogy(counts, self.probs) + tf.math.xlogy(rest, 1.0 - self.probs)

  def _cdf(self, counts):
    counts = self._checked_value(counts)
    ones = tf.ones(self.batch_shape_tensor(), dtype=self.dtype) * tf.ones_like(counts)
    counts, total, probs = counts * ones, self.total_count * ones, self.probs * ones
    is_all = counts >= total
    below = tf.betainc(tf.where(is_all, ones, total - counts), 1.0 + counts, 1.0 - probs)
    return tf.where(is_all, ones, below)

  def _mean(self):
    return self.total_count * self.probs

  def _variance(self):
    return self._mean() * (1.0 - self.probs)

  def _mode(self):
    return tf.floor((1.0 + self.total_count) * self.probs)


class NegativeBinomial(_OfTrials):
  """The distributions of how many trials succeed before `total_count` fail, with the probability `probs` or sigmoid(`logits`).

  ValueError unless one of both is given.
  """

  def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="NegativeBinomial"):
    self._begin(kept_parameters(locals()), total_count, logits, probs, validate_args, allow_nan_stats, name)

  total_count = parameter("total_count", "The numbers of failures that end the trials.")

  @staticmethod
  def _checked_total(total_count):
    return checked([lambda: tf.assert_positive(total_count)], total_count)

  def _sample_n(self, n, seed=None):
    # A number of Poisson's distribution whose rate is one of Gamma's.
    rate = tf.random_gamma([n], alpha=self._whole(self.total_count), beta=tf.exp(-self.logits), dtype=self.dtype, seed=seed)
    return tf.random_poisson(rate, [], dtype=self.dtype, seed=derived_seed(seed, "NegativeBinom"))

  def _log_prob(self, x):
    x = _checked_count(x, self.validate_args)
    ways = tf.lgamma(self.total_count + x) - tf.lgamma(1.0 + x) - tf.lgamma(self.total_count)
    return ways + self.total_count * tf.log_sigmoid(-self.logits) + x * tf.log_sigmoid(self.logits)

  def _cdf(self, x):
    x = _checked_count(x, self.validate_args)
    ones = tf.ones(self.batch_shape_tensor(), dtype=self.dtype) * tf.ones_like(x)
    return tf.betainc(self.total_count * ones, 1.0 + x * ones, tf.sigmoid(-self.logits) * ones)

  def _mean(self):
    return self.total_count * tf.exp(self.logits)

  def _variance(self):
    return self._mean() / tf.sigmoid(-self.logits)

  def _mode(self):
    return tf.floor(tf.maximum(self.total_count - 1.0, 0.0) * tf.exp(self.logits))
