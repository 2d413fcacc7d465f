"""Bijectors that order, shape or normalize vectors."""

import numpy as np

import millrace as tf
from millrace.contrib.distributions.bijectors.base import Bijector
from millrace.framework import dtypes
from millrace.framework.tensor_shape import TensorShape
from millrace.framework.tensor_values import constant_value


class Permute(Bijector):
  """Vectors with their elements in the order of `permutation`: y[i] = x[permutation[i]].

  TypeError for a permutation that is not integer, ValueError for one that is known to be none.
  """

  def __init__(self, permutation, validate_args=False, name="permute"):
    with tf.name_scope(name, values=[permutation]):
      permutation = tf.convert_to_tensor(permutation, name="permutation")
      if not permutation.dtype.is_integer:
        raise TypeError(f"permutation.dtype ({permutation.dtype.name}) should be `int`-like.")
      known = constant_value(permutation)
      if known is not None and (np.sort(known) != np.arange(known.size)).any():
        raise ValueError("Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`.")
      if known is None and validate_args:
        ordered = tf.sort(permutation)
        check = tf.assert_equal(
          ordered,
          tf.range(tf.size(ordered)),
          message="Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`.",
        )
        with tf.control_dependencies([check]):
          permutation = tf.identity(permutation)
    self._permutation = permutation
    super().__init__(forward_min_event_ndims=1, is_constant_jacobian=True, validate_args=validate_args, name=name or "permute")

  @property
  def permutation(self):
    """The order."""
    return self._permutation

  def _forward(self, x):
    return tf.gather(x, self.permutation, axis=-1)

  def _inverse(self, y):
    return tf.gather(y, tf.invert_permutation(self.permutation), axis=-1)

  def _forward_log_det_jacobian(self, x):
    return tf.constant(0.0, dtype=x.dtype)


class Reshape(Bijector):
  """Events of `event_shape_in`, by default vectors, as events of `event_shape_out`. Either may have one -1, which follows."""

  def __init__(self, event_shape_out, event_shape_in=(-1,), validate_args=False, name=None):
    self._out = [int(size) for size in event_shape_out]
    self._in = [int(size) for size in event_shape_in]
    for sizes in (self._out, self._in):
      if sizes.count(-1) > 1:
        raise ValueError("At most one dimension of an event_shape may be -1.")
    super().__init__(
      forward_min_event_ndims=len(self._in),
      inverse_min_event_ndims=len(self._out),
      is_constant_jacobian=True,
      validate_args=validate_args,
      name=name or "reshape",
    )

  def _reshaped(self, x, before, after):
    shape = tf.shape(x)
    batch = shape[: tf.size(shape) - len(before)]
    result = tf.reshape(x, tf.concat([batch, after], 0))
    if x.get_shape().ndims is not None:
      known = x.get_shape()[: x.get_shape().ndims - len(before)]
      result.set_shape(known.concatenate(self._resolved(x.get_shape()[x.get_shape().ndims - len(before) :], after)))
    return result

  @staticmethod
  def _resolved(shape, after):
    """The sizes with that which follows from the number of elements."""
    count = shape.num_elements() if shape.is_fully_defined() else None
    if -1 not in after:
      return TensorShape(after)
    known = int(np.prod([size for size in after if size != -1]))
    return TensorShape([(None if count is None else count // known) if size == -1 else size for size in after])

  def _forward(self, x):
    return self._reshaped(x, self._in, self._out)

  def _inverse(self, y):
    return self._reshaped(y, self._out, self._in)

  def _forward_log_det_jacobian(self, x):
    return tf.constant(0.0, dtype=x.dtype)

  def _forward_event_shape(self, input_shape):
    return self._resolved(input_shape, self._out)

  def _inverse_event_shape(self, output_shape):
    return self._resolved(output_shape, self._in)

  def _forward_event_shape_tensor(self, input_shape):
    return self._sizes(input_shape, self._out)

  def _inverse_event_shape_tensor(self, output_shape):
    return self._sizes(output_shape, self._in)

  @staticmethod
  def _sizes(shape, after):
    if -1 not in after:
      return tf.constant(after, dtype=dtypes.int32)
    known = int(np.prod([size for size in after if size != -1]))
    return tf.stack([tf.reduce_prod(shape) // known if size == -1 else size for size in after])


class SoftmaxCentered(Bijector):
  """Vectors of n numbers as vectors of n + 1 positive numbers with the sum 1: softmax of them and a 0 at the end."""

  def __init__(self, validate_args=False, name="softmax_centered"):
    super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

  def _forward(self, x):
    zeros = tf.zeros_like(x[..., :1])
    return tf.nn.softmax(tf.concat([x, zeros], axis=-1))

  def _inverse(self, y):
    logs = tf.log(y)
    return logs[..., :-1] - logs[..., -1:]

  def _inverse_log_det_jacobian(self, y):
    return -tf.reduce_sum(tf.log(y), axis=-1)

  def _forward_log_det_jacobian(self, x):
    """The sum of the logarithms of all n + 1 results."""
    size = tf.cast(tf.shape(x)[-1] + 1, x.dtype)
    zeros = tf.zeros_like(x[..., :1])
    normalization = tf.reduce_logsumexp(tf.concat([x, zeros], axis=-1), axis=-1)
    return tf.reduce_sum(x, axis=-1) - size * normalization

  def _forward_event_shape(self, input_shape):
    size = input_shape[-1].value
    return input_shape[:-1].concatenate(None if size is None else size + 1)

  def _inverse_event_shape(self, output_shape):
    size = output_shape[-1].value
    return output_shape[:-1].concatenate(None if size is None else size - 1)

  def _forward_event_shape_tensor(self, input_shape):
    return tf.concat([input_shape[:-1], [input_shape[-1] + 1]], 0)

  def _inverse_event_shape_tensor(self, output_shape):
    return tf.concat([output_shape[:-1], [output_shape[-1] - 1]], 0)
