"""How often classes are drawn whose probabilities are themselves drawn from Dirichlet's distribution."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.ops.distributions.dirichlet import checked_concentration
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.parameters import checked_counts, checked_total_count, drawn_counts, log_combinations
from millrace.ops.distributions.reparameterization import NOT_REPARAMETERIZED
from millrace.ops.distributions.seeds import derived_seed


class DirichletMultinomial(Distribution):
  """The distributions of how often each class is drawn in `total_count` draws with probabilities from Dirichlet(concentration)."""

  def __init__(self, total_count, concentration, validate_args=False, allow_nan_stats=True, name="DirichletMultinomial"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[total_count, concentration]) as name:
      self._total_count = tf.convert_to_tensor(total_count, name="total_count")
      if validate_args:
        self._total_count = checked_total_count(self._total_count)
      self._concentration = checked_concentration(tf.convert_to_tensor(concentration, name="concentration"), validate_args)
      self._total_concentration = tf.reduce_sum(self._concentration, -1)
    super().__init__(
      dtype=self._concentration.dtype,
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._total_count, self._concentration],
      name=name,
    )

  @property
  def total_count(self):
    """The numbers of draws."""
    return self._total_count

  @property
  def concentration(self):
    """The parameters of the classes."""
    return self._concentration

  @property
  def total_concentration(self):
    """Their sums over the classes."""
    return self._total_concentration

  def _batch_shape_tensor(self):
    return tf.shape(self.total_concentration)

  def _batch_shape(self):
    return self.total_concentration.get_shape()

  def _event_shape_tensor(self):
    # Which the numbers of draws have no part in.
    return tf.shape(self.concentration)[-1:]

  def _event_shape(self):
    return self.concentration.get_shape().with_rank_at_least(1)[-1:]

  def _sample_n(self, n, seed=None):
    ones = tf.ones_like(self._mean())
    gammas = tf.random_gamma(shape=[n], alpha=self.concentration * ones, dtype=self.dtype, seed=seed)
    seed = derived_seed(seed, "dirichlet_multinomial")
    # Each sample has probabilities of its own.
    logits = tf.log(gammas)
    if self.total_count.get_shape().ndims != 0:
      return tf.squeeze(drawn_counts(logits, self.total_count, 1, seed), [0])
    classes = tf.shape(logits)[-1]
    drawn = tf.multinomial(tf.reshape(logits, [-1, classes]), tf.cast(self.total_count, dtypes.int32), seed=seed)
    counts = tf.reduce_sum(tf.one_hot(drawn, depth=classes, dtype=self.dtype), -2)
    return tf.reshape(counts, tf.shape(logits))

  def _log_prob(self, counts):
    if self.validate_args:
      counts = checked_counts(counts, self.total_count)
    ordered = tf.lbeta(self.concentration + counts) - tf.lbeta(self.concentration)
    return ordered + log_combinations(self.total_count, counts)

  def _prob(self, counts):
    return tf.exp(self._log_prob(counts))

  def _mean(self):
    return self.total_count[..., tf.newaxis] * (self.concentration / self.total_concentration[..., tf.newaxis])

  def _covariance(self):
    scaled = self._scale_of_variance() * self._mean()
    products = -tf.matmul(scaled[..., tf.newaxis], scaled[..., tf.newaxis, :])
    return tf.matrix_set_diag(products, self._variance())

  def _variance(self):
    scale = self._scale_of_variance()
    scaled = scale * self._mean()
    return scaled * (self.total_count[..., tf.newaxis] * scale - scaled)

  def _scale_of_variance(self):
    """The root of (1 + total / n) / (1 + total): how much wider counts are than those of fixed probabilities, over n."""
    total = self.total_concentration[..., tf.newaxis]
    return tf.sqrt((1.0 + total / self.total_count[..., tf.newaxis]) / (1.0 + total))
