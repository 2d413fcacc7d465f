"""The shapes of distributions of single numbers."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.distributions.distribution import Distribution
from millrace.ops.distributions.parameters import broadcast_dynamic, broadcast_static


class ScalarDistribution(Distribution):
  """Distributions of single numbers, whose batch is that of their parameters broadcast together: `_shaping` are these."""

  _names_of_parameters = ()

  def _shaping(self):
    return self._graph_parents

  @classmethod
  def _param_shapes(cls, sample_shape):
    return {name: tf.convert_to_tensor(sample_shape, dtype=dtypes.int32) for name in cls._names_of_parameters}

  def _batch_shape_tensor(self):
    return broadcast_dynamic(*self._shaping())

  def _batch_shape(self):
    return broadcast_static(*self._shaping())

  def _event_shape_tensor(self):
    return tf.constant([], dtype=dtypes.int32)

  def _event_shape(self):
    return TensorShape([])

  def _shape_of_samples(self, count):
    return tf.concat([[count], self.batch_shape_tensor()], 0)

  def _whole(self, tensor):
    """A parameter broadcast to the batch."""
    static = self.batch_shape
    if static.is_fully_defined() and tensor.get_shape() == static:
      return tensor
    return tensor * tf.ones(self.batch_shape_tensor(), dtype=tensor.dtype)
