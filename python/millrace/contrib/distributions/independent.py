"""Distributions of vectors and matrices whose elements are independent."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.divergences import RegisterKL, kl_divergence


class Independent(Distribution):
  """Distributions whose last `reinterpreted_batch_ndims` dimensions of the batch, by default all but the first, become dimensions of
  events: their elements are independent."""

  def __init__(self, distribution, reinterpreted_batch_ndims=None, validate_args=False, name=None):
    parameters = kept_parameters(locals())
    if reinterpreted_batch_ndims is None:
      reinterpreted_batch_ndims = max(0, distribution.batch_shape.ndims - 1)
    if distribution.batch_shape.ndims is not None and reinterpreted_batch_ndims > distribution.batch_shape.ndims:
      raise ValueError(
        f"reinterpreted_batch_ndims({reinterpreted_batch_ndims}) cannot exceed distribution.batch_ndims({distribution.batch_shape.ndims})"
      )
    self._distribution = distribution
    self._count = int(reinterpreted_batch_ndims)
    super().__init__(
      dtype=distribution.dtype,
      reparameterization_type=distribution.reparameterization_type,
      validate_args=validate_args,
      allow_nan_stats=distribution.allow_nan_stats,
      parameters=parameters,
      graph_parents=distribution._graph_parents,
      name=name or "Independent" + distribution.name.split("/")[-2],
    )

  @property
  def distribution(self):
    """The distributions of the elements."""
    return self._distribution

  @property
  def reinterpreted_batch_ndims(self):
    """How many dimensions of the batch became dimensions of events, an int32 tensor."""
    return tf.constant(self._count, dtype=dtypes.int32)

  def _batch_shape_tensor(self):
    shape = self.distribution.batch_shape_tensor()
    return shape[: tf.size(shape) - self._count]

  def _batch_shape(self):
    shape = self.distribution.batch_shape
    return shape if shape.ndims is None else shape[: shape.ndims - self._count]

  def _event_shape_tensor(self):
    shape = self.distribution.batch_shape_tensor()
    return tf.concat([shape[tf.size(shape) - self._count :], self.distribution.event_shape_tensor()], 0)

  def _event_shape(self):
    shape = self.distribution.batch_shape
    if shape.ndims is None:
      return TensorShape(None)
    return shape[shape.ndims - self._count :].concatenate(self.distribution.event_shape)

  def _summed(self, values):
    return tf.reduce_sum(values, axis=list(range(-self._count, 0))) if self._count else values

  def _sample_n(self, n, seed=None):
    return self.distribution.sample(sample_shape=n, seed=seed)

  def _log_prob(self, x):
    return self._summed(self.distribution.log_prob(x))

  def _entropy(self):
    return self._summed(self.distribution.entropy())

  def _mean(self):
    return self.distribution.mean()

  def _variance(self):
    return self.distribution.variance()

  def _stddev(self):
    return self.distribution.stddev()

  def _mode(self):
    return self.distribution.mode()


@RegisterKL(Independent, Independent)
def _of_two(a, b, name=None):
  """The sum of the divergences of the elements."""
  if a.event_shape != b.event_shape:
    raise ValueError("Event shapes do not match.")
  with name_scope(name, "kl_independent"):
    return a._summed(kl_divergence(a.distribution, b.distribution))
