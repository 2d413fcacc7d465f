"""The multinomial distribution: how often each of several classes is drawn."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.parameters import (
  checked_counts,
  checked_total_count,
  drawn_counts,
  log_combinations,
  logits_and_probs,
)
from millrace.ops.distributions.reparameterization import NOT_REPARAMETERIZED


class Multinomial(Distribution):
  """The distributions of how often classes with the probabilities `probs` or softmax(`logits`) are drawn in `total_count` draws.

  ValueError unless one of both is given.
  """

  def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Multinomial"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[total_count, logits, probs]) as name:
      self._total_count = tf.convert_to_tensor(total_count, name="total_count")
      if validate_args:
        self._total_count = checked_total_count(self._total_count)
      self._logits, self._probs = logits_and_probs(
        logits=logits, probs=probs, multidimensional=True, validate_args=validate_args, name=name
      )
      self._mean_value = self._total_count[..., tf.newaxis] * self._probs
    super().__init__(
      dtype=self._probs.dtype,
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._total_count, self._logits, self._probs],
      name=name,
    )

  @property
  def total_count(self):
    """The numbers of draws."""
    return self._total_count

  @property
  def logits(self):
    """Logarithms of probabilities, up to a constant."""
    return self._logits

  @property
  def probs(self):
    """The probabilities of the classes."""
    return self._probs

  def _batch_shape_tensor(self):
    return tf.shape(self._mean_value)[:-1]

  def _batch_shape(self):
    return self._mean_value.get_shape().with_rank_at_least(1)[:-1]

  def _event_shape_tensor(self):
    return tf.shape(self._mean_value)[-1:]

  def _event_shape(self):
    return self._mean_value.get_shape().with_rank_at_least(1)[-1:]

  def _sample_n(self, n, seed=None):
    return drawn_counts(self.logits, self.total_count, n, seed)

  def _log_prob(self, counts):
    if self.validate_args:
      counts = checked_counts(counts, self.total_count)
    return tf.reduce_sum(counts * tf.nn.log_softmax(self.logits), -1) + log_combinations(self.total_count, counts)

  def _mean(self):
    return tf.identity(self._mean_value)

  def _whole_probs(self):
    return self._probs * tf.ones_like(self._mean_value)

  def _covariance(self):
    probs = self._whole_probs()
    products = -tf.matmul(self._mean_value[..., tf.newaxis], probs[..., tf.newaxis, :])
    return tf.matrix_set_diag(products, self._variance())

  def _variance(self):
    probs = self._whole_probs()
    return self._mean_value - self._mean_value * probs
