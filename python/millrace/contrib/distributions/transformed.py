"""Distributions of functions of what other distributions draw."""

import millrace as tf
from millrace.contrib.distributions.bijectors.elementwise import Identity
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.framework.tensor_values import constant_value_as_shape
from millrace.ops.distributions.distribution import Distribution, kept_parameters


class TransformedDistribution(Distribution):
  """The distributions of bijector.forward(x) for x of `distribution`.

  `batch_shape` and `event_shape` make a batch, or events of independent elements, of a distribution that has none.

  ValueError for a shape that is given for a distribution which has one.
  """

  def __init__(self, distribution, bijector=None, batch_shape=None, event_shape=None, validate_args=False, name=None):
    parameters = kept_parameters(locals())
    bijector = Identity(validate_args=validate_args) if bijector is None else bijector
    name = name or bijector.name + distribution.name.split("/")[-2]
    with name_scope(name) as name:
      for what, given, own in (
        ("batch", batch_shape, distribution.batch_shape),
        ("event", event_shape, distribution.event_shape),
      ):
        if given is not None and own.ndims:
          raise ValueError(f"Base distribution is not scalar: it has the {what} shape {own}, which cannot be replaced.")
      self._own_batch, self._own_event = (
        None if shape is None else tf.convert_to_tensor(shape, dtype=dtypes.int32) for shape in (batch_shape, event_shape)
      )
    self._distribution, self._bijector = distribution, bijector
    super().__init__(
      dtype=distribution.dtype,
      reparameterization_type=distribution.reparameterization_type,
      validate_args=validate_args,
      allow_nan_stats=distribution.allow_nan_stats,
      parameters=parameters,
      graph_parents=distribution._graph_parents + bijector.graph_parents,
      name=name,
    )

  @property
  def distribution(self):
    """The distribution that is drawn from."""
    return self._distribution

  @property
  def bijector(self):
    """The function."""
    return self._bijector

  def _inner_event_shape(self):
    return self.distribution.event_shape if self._own_event is None else constant_value_as_shape(self._own_event)

  def _event_shape(self):
    shape = self._inner_event_shape()
    return self.bijector.forward_event_shape(shape) if shape.ndims is not None else TensorShape(None)

  def _event_shape_tensor(self):
    inner = self.distribution.event_shape_tensor() if self._own_event is None else self._own_event
    return self.bijector.forward_event_shape_tensor(inner)

  def _batch_shape(self):
    return self.distribution.batch_shape if self._own_batch is None else constant_value_as_shape(self._own_batch)

  def _batch_shape_tensor(self):
    return self.distribution.batch_shape_tensor() if self._own_batch is None else self._own_batch

  def _own_dimensions(self):
    """How many dimensions of events the distribution itself does not know."""
    return 0 if self._own_event is None else self._inner_event_shape().ndims

  def _sample_n(self, n, seed=None):
    extra = [shape for shape in (self._own_batch, self._own_event) if shape is not None]
    if self._own_event is not None and self.distribution.batch_shape.ndims:
      # Elements of events come behind the batch.
      drawn = self.distribution.sample(tf.concat([self._own_event, [n]], 0), seed=seed)
      count = self._own_dimensions()
      order = list(range(count, drawn.get_shape().ndims)) + list(range(count))
      drawn = tf.transpose(drawn, order)
    else:
      drawn = self.distribution.sample(tf.concat([[n], *extra], 0), seed=seed)
    return self.bijector.forward(drawn)

  def _summed(self, values):
    count = self._own_dimensions()
    return tf.reduce_sum(values, axis=list(range(-count, 0))) if count else values

  def _inverse_log_det(self, y):
    return self.bijector.inverse_log_det_jacobian(y, event_ndims=self._event_shape().ndims)

  def _log_prob(self, y):
    x = self.bijector.inverse(y)
    if self._own_event is not None and self.distribution.batch_shape.ndims:
      raise NotImplementedError("log_prob of a batch with an event_shape of one's own is not implemented")
    return self._summed(self.distribution.log_prob(x)) + self._inverse_log_det(y)

  def _prob(self, y):
    return tf.exp(self._log_prob(y))

  def _of_numbers(self, what):
    if self._own_event is not None or self._inner_event_shape().ndims:
      raise NotImplementedError(f"{what} is not implemented for distributions of vectors")

  def _log_cdf(self, y):
    self._of_numbers("log_cdf")
    return self.distribution.log_cdf(self.bijector.inverse(y))

  def _cdf(self, y):
    self._of_numbers("cdf")
    return self.distribution.cdf(self.bijector.inverse(y))

  def _log_survival_function(self, y):
    self._of_numbers("log_survival_function")
    return self.distribution.log_survival_function(self.bijector.inverse(y))

  def _survival_function(self, y):
    self._of_numbers("survival_function")
    return self.distribution.survival_function(self.bijector.inverse(y))

  def _quantile(self, value):
    self._of_numbers("quantile")
    return self.bijector.forward(self.distribution.quantile(value))

  def _mean(self):
    if not self.bijector.is_constant_jacobian:
      raise NotImplementedError("mean is not implemented for non-affine bijectors")
    mean = self.distribution.mean()
    if self._own_batch is not None or self._own_event is not None:
      extra = [shape for shape in (self._own_batch, self._own_event) if shape is not None]
      mean = tf.broadcast_to(mean, tf.concat(extra, 0))
    return self.bijector.forward(mean)

  def _entropy(self):
    """That of the distribution and the logarithm of how much the function widens it."""
    if not self.bijector.is_constant_jacobian:
      raise NotImplementedError("entropy is not implemented")
    entropy = self.distribution.entropy()
    if self._own_event is not None:
      entropy = entropy * tf.cast(tf.reduce_prod(self._own_event), entropy.dtype)
    if self._own_batch is not None:
      entropy = tf.broadcast_to(entropy, self._own_batch)
    shape = tf.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
    dummy = tf.zeros(shape, dtype=self.dtype)
    dummy.set_shape(self.batch_shape.concatenate(self.event_shape))
    return entropy - self._inverse_log_det(dummy)
