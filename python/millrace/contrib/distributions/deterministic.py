"""Distributions of one value."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED


class _OneValue(Distribution):
  _event_ndims = 0

  def _begin(self, parameters, loc, atol, rtol, validate_args, allow_nan_stats, name):
    with name_scope(name, values=[loc, atol, rtol]) as name:
      self._loc = tf.convert_to_tensor(loc, name="loc")
      self._atol, self._rtol = (
        tf.zeros([], self._loc.dtype) if value is None else tf.convert_to_tensor(value, self._loc.dtype) for value in (atol, rtol)
      )
    super().__init__(
      dtype=self._loc.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._loc, self._atol, self._rtol],
      name=name,
    )

  @property
  def loc(self):
    """The value."""
    return self._loc

  @property
  def atol(self):
    """How far values may be from it and count as equal."""
    return self._atol

  @property
  def rtol(self):
    """How far values may be from it and count as equal, over its absolute value."""
    return self._rtol

  def _batch_shape_tensor(self):
    shape = tf.shape(self.loc)
    return shape[: -self._event_ndims] if self._event_ndims else shape

  def _batch_shape(self):
    shape = self.loc.get_shape()
    return shape[: -self._event_ndims] if self._event_ndims else shape

  def _event_shape_tensor(self):
    return tf.shape(self.loc)[-1:] if self._event_ndims else tf.constant([], dtype=dtypes.int32)

  def _event_shape(self):
    return self.loc.get_shape()[-1:] if self._event_ndims else TensorShape([])

  def _sample_n(self, n, seed=None):
    return tf.broadcast_to(self.loc, tf.concat([[n], tf.shape(self.loc)], 0))

  def _is_equal(self, x):
    return tf.abs(x - self.loc) <= self.atol + self.rtol * tf.abs(self.loc)

  def _entropy(self):
    return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)

  def _mean(self):
    return tf.identity(self.loc)

  def _variance(self):
    return tf.zeros_like(self.loc)

  def _mode(self):
    return self.mean()


class Deterministic(_OneValue):
  """The distributions of the numbers `loc`: values have the probability 1 if |x - loc| <= atol + rtol |loc|, otherwise 0."""

  def __init__(self, loc, atol=None, rtol=None, validate_args=False, allow_nan_stats=True, name="Deterministic"):
    self._begin(kept_parameters(locals()), loc, atol, rtol, validate_args, allow_nan_stats, name)

  def _prob(self, x):
    return tf.cast(self._is_equal(x), self.dtype)

  def _cdf(self, x):
    return tf.cast(x >= self.loc - (self.atol + self.rtol * tf.abs(self.loc)), self.dtype)


class VectorDeterministic(_OneValue):
  """The distributions of the vectors `loc`: Deterministic, all elements together."""

  _event_ndims = 1

  def __init__(self, loc, atol=None, rtol=None, validate_args=False, allow_nan_stats=True, name="VectorDeterministic"):
    self._begin(kept_parameters(locals()), loc, atol, rtol, validate_args, allow_nan_stats, name)

  def _prob(self, x):
    return tf.cast(tf.reduce_all(self._is_equal(x), axis=-1), self.dtype)
