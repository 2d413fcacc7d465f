"""The categorical distribution with samples that are 1 at their class, and 0 elsewhere; and those that come near it."""

import numpy as np

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import checked, logits_and_probs
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution


class _OfClasses(Distribution):
  """Vectors with an element for each class, whose logits or probabilities are given."""

  @property
  def logits(self):
    """Logarithms of probabilities, up to a constant."""
    return self._logits

  @property
  def probs(self):
    """The probabilities of the classes."""
    return self._probs

  @property
  def event_size(self):
    """The number of classes, a tensor."""
    return self._event_size

  def _take(self, logits, probs, validate_args, name):
    self._logits, self._probs = logits_and_probs(logits, probs, multidimensional=True, validate_args=validate_args, name=name)
    self._event_size = tf.shape(self._logits)[-1]

  def _batch_shape_tensor(self):
    return tf.shape(self.logits)[:-1]

  def _batch_shape(self):
    return self.logits.get_shape()[:-1]

  def _event_shape_tensor(self):
    return tf.shape(self.logits)[-1:]

  def _event_shape(self):
    return self.logits.get_shape().with_rank_at_least(1)[-1:]


class OneHotCategorical(_OfClasses):
  """The distributions of vectors of `dtype` with a 1 at a class of the probabilities `probs`, or softmax(`logits`).

  ValueError unless one of both is given.
  """

  def __init__(
    self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True, name="OneHotCategorical"
  ):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[logits, probs]) as name:
      self._take(logits, probs, validate_args, name)
    super().__init__(
      dtype=dtypes.as_dtype(dtype),
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._logits, self._probs],
      name=name,
    )

  def _sample_n(self, n, seed=None):
    logits = tf.reshape(self.logits, [-1, self.event_size])
    drawn = tf.one_hot(tf.multinomial(logits, n, seed=seed), self.event_size, dtype=self.dtype)
    return tf.reshape(tf.transpose(drawn, [1, 0, 2]), tf.concat([[n], tf.shape(self.logits)], 0))

  def _log_prob(self, x):
    given = x
    check = lambda: tf.assert_equal(
      tf.ones([], dtype=given.dtype), tf.reduce_sum(given, axis=[-1]), message="sample last-dimension must sum to `1`"
    )
    x = checked([lambda: tf.assert_non_negative(given), check], x, self.validate_args)
    return tf.reduce_sum(tf.cast(x, self.logits.dtype) * tf.nn.log_softmax(self.logits), axis=-1)

  def _entropy(self):
    return -tf.reduce_sum(tf.nn.log_softmax(self.logits) * self.probs, axis=-1)

  def _mode(self):
    mode = tf.one_hot(tf.argmax(self.logits, axis=-1), self.event_size, dtype=self.dtype)
    mode.set_shape(self.logits.get_shape())
    return mode

  def _mean(self):
    return tf.identity(self.probs)

  def _covariance(self):
    products = -tf.matmul(self.probs[..., None], self.probs[..., None, :])
    return tf.matrix_set_diag(products, self._variance())

  def _variance(self):
    return self.probs * (1.0 - self.probs)


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _of_two(a, b, name=None):
  with name_scope(name, "kl_one_hot_categorical_one_hot_categorical", values=[a.logits, b.logits]):
    difference = tf.nn.log_softmax(a.logits) - tf.nn.log_softmax(b.logits)
    return tf.reduce_sum(tf.nn.softmax(a.logits) * difference, axis=-1)


def _gumbel(shape, dtype, seed):
  smallest = np.finfo(dtype.as_numpy_dtype).tiny
  return -tf.log(-tf.log(tf.random_uniform(shape, minval=smallest, maxval=1.0, dtype=dtype, seed=seed)))


class ExpRelaxedOneHotCategorical(_OfClasses):
  """The logarithms of RelaxedOneHotCategorical, which are better for computing with (Maddison, Mnih and Teh, 2017).

  ValueError unless one of logits and probabilities is given.
  """

  def __init__(
    self,
    temperature,
    logits=None,
    probs=None,
    dtype=None,
    validate_args=False,
    allow_nan_stats=True,
    name="ExpRelaxedOneHotCategorical",
  ):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[logits, probs, temperature]) as name:
      self._take(logits, probs, validate_args, name)
      dtype = self._logits.dtype if dtype is None else dtypes.as_dtype(dtype)
      temperature = tf.convert_to_tensor(temperature, dtype=self._logits.dtype, name="temperature")
      self._temperature = checked([lambda: tf.assert_positive(temperature)], temperature, validate_args)
    super().__init__(
      dtype=dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._logits, self._probs, self._temperature],
      name=name,
    )

  @property
  def temperature(self):
    """How far samples are from those of OneHotCategorical: near 0 they are almost these."""
    return self._temperature

  def _sample_n(self, n, seed=None):
    noise = _gumbel(tf.concat([[n], tf.shape(self.logits)], 0), self.dtype, seed)
    return tf.nn.log_softmax((self.logits + noise) / self._temperature_of_vectors())

  def _temperature_of_vectors(self):
    return self.temperature if self.temperature.get_shape().ndims == 0 else self.temperature[..., None]

  def _log_prob(self, x):
    """log of (k - 1)! T^(k - 1) times the product of p exp(-T x) over the k-th power of their sum."""
    classes = tf.cast(self.event_size, x.dtype)
    differences = self.logits - x * self._temperature_of_vectors()
    normalization = tf.lgamma(classes) + (classes - 1.0) * tf.log(self.temperature)
    return normalization + tf.reduce_sum(differences, -1) - classes * tf.reduce_logsumexp(differences, -1)


class RelaxedOneHotCategorical(ExpRelaxedOneHotCategorical):
  """Distributions of vectors of positive numbers with the sum 1, softmax((logits + noise of Gumbel) / temperature), through which
  gradients go (Jang, Gu and Poole, 2017). ValueError unless one of logits and probabilities is given."""

  def __init__(
    self,
    temperature,
    logits=None,
    probs=None,
    dtype=None,
    validate_args=False,
    allow_nan_stats=True,
    name="RelaxedOneHotCategorical",
  ):
    super().__init__(temperature, logits, probs, dtype, validate_args, allow_nan_stats, name)

  def _sample_n(self, n, seed=None):
    return tf.exp(super()._sample_n(n, seed))

  def _log_prob(self, x):
    logs = tf.log(x)
    return super()._log_prob(logs) - tf.reduce_sum(logs, -1)


class RelaxedBernoulli(ScalarDistribution):
  """Distributions of numbers between 0 and 1, sigmoid((logits + logistic noise) / temperature), through which gradients go.

  ValueError unless one of logits and probabilities is given.
  """

  _names_of_parameters = ("temperature", "logits")

  def __init__(self, temperature, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="RelaxedBernoulli"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[logits, probs, temperature]) as name:
      self._logits, self._probs = logits_and_probs(logits, probs, validate_args=validate_args, name=name)
      temperature = tf.convert_to_tensor(temperature, dtype=self._logits.dtype, name="temperature")
      self._temperature = checked([lambda: tf.assert_positive(temperature)], temperature, validate_args)
    super().__init__(
      dtype=self._logits.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._temperature, self._logits],
      name=name,
    )

  @property
  def temperature(self):
    """How far samples are from 0 and 1."""
    return self._temperature

  @property
  def logits(self):
    """The log odds of 1."""
    return self._logits

  @property
  def probs(self):
    """The probabilities of 1."""
    return self._probs

  def _sample_n(self, n, seed=None):
    smallest = np.finfo(self.dtype.as_numpy_dtype).tiny
    uniform = tf.random_uniform(self._shape_of_samples(n), minval=smallest, maxval=1.0, dtype=self.dtype, seed=seed)
    return tf.sigmoid((self.logits + tf.log(uniform) - tf.log1p(-uniform)) / self.temperature)

  def _log_prob(self, x):
    odds = tf.log(x) - tf.log1p(-x)
    z = odds * self.temperature - self.logits
    return tf.log(self.temperature) - z - 2.0 * tf.nn.softplus(-z) - tf.log(x) - tf.log1p(-x)

  def _cdf(self, x):
    return tf.sigmoid((tf.log(x) - tf.log1p(-x)) * self.temperature - self.logits)
