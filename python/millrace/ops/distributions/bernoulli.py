"""The Bernoulli distribution: 1 with a probability, otherwise 0."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import checked, is_close_to_integer, logits_and_probs
from millrace.ops.distributions.reparameterization import NOT_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution


class Bernoulli(ScalarDistribution):
  """The distributions of 1 with the probability `probs` or sigmoid(`logits`), and of 0 otherwise. Samples are of `dtype`.

  ValueError unless one of both is given.
  """

  _names_of_parameters = ("logits",)

  def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True, name="Bernoulli"):
    parameters = kept_parameters(locals())
    with name_scope(name) as name:
      self._logits, self._probs = logits_and_probs(logits=logits, probs=probs, validate_args=validate_args, name=name)
    super().__init__(
      dtype=dtypes.as_dtype(dtype),
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._logits, self._probs],
      name=name,
    )

  @property
  def logits(self):
    """The log odds of 1."""
    return self._logits

  @property
  def probs(self):
    """The probabilities of 1."""
    return self._probs

  def _shaping(self):
    return [self._logits]

  def _sample_n(self, n, seed=None):
    drawn = tf.random_uniform(self._shape_of_samples(n), seed=seed, dtype=self.probs.dtype)
    return tf.cast(tf.less(drawn, self.probs), self.dtype)

  def _log_prob(self, event):
    if self.validate_args:
      given = event
      event = checked(
        [
          lambda: is_close_to_integer(given, "Elements must be whole numbers."),
          lambda: tf.assert_non_negative(given, message="Elements must be non-negative."),
          lambda: tf.assert_less_equal(given, tf.ones([], given.dtype), message="Elements cannot exceed 1."),
        ],
        event,
      )
    event, logits = tf.cast(event, self.logits.dtype), self.logits
    if not (event.get_shape().is_fully_defined() and event.get_shape() == logits.get_shape()):
      event, logits = event * tf.ones_like(logits), logits * tf.ones_like(event)
    return -tf.nn.sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

  def _entropy(self):
    return -self.logits * (tf.sigmoid(self.logits) - 1.0) + tf.nn.softplus(-self.logits)

  def _mean(self):
    return tf.identity(self.probs)

  def _variance(self):
    return self._mean() * (1.0 - self.probs)

  def _mode(self):
    """1 where that is more probable than 0."""
    return tf.cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _of_two(a, b, name=None):
  with name_scope(name, "kl_bernoulli_bernoulli", values=[a.logits, b.logits]):
    zero = tf.nn.softplus(b.logits) - tf.nn.softplus(a.logits)
    one = tf.nn.softplus(-b.logits) - tf.nn.softplus(-a.logits)
    return tf.sigmoid(a.logits) * one + tf.sigmoid(-a.logits) * zero
