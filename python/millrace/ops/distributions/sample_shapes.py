"""Shapes of what is drawn: those of the sample, of the batch and of an event, one after the other."""

import numpy as np

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.tensor_shape import TensorShape
from millrace.framework.tensor_values import constant_value


def as_vector(sample_shape):
  """A shape that is a number or a vector: (the vector, how many samples these are), both int32 tensors.

  Raises:
    ValueError: for a shape of more dimensions.
  """
  known = constant_value(sample_shape)
  if known is not None:
    if known.ndim > 1:
      raise ValueError("Input is neither scalar nor vector.")
    vector = known.reshape([-1]).astype(np.int32)
    return tf.constant(vector, dtype=dtypes.int32), tf.constant(int(np.prod(vector)), dtype=dtypes.int32)
  vector = tf.reshape(sample_shape, [-1])
  return vector, tf.reduce_prod(vector)


def set_static_shape(samples, sample_shape, batch_shape, event_shape):
  """Tells the tensor what is known of its shape. `sample_shape` is a vector of int32."""
  known = constant_value(sample_shape)
  front = TensorShape(None) if known is None else TensorShape([int(size) for size in known])
  if known is None and sample_shape.get_shape().num_elements() is not None:
    front = TensorShape([None] * sample_shape.get_shape().num_elements())
  samples.set_shape(samples.get_shape().merge_with(front.concatenate(batch_shape).concatenate(event_shape)))
  return samples


def is_scalar(static_shape, dynamic_shape):
  """Whether a shape has no dimensions: a bool where it is known, else a tensor."""
  if static_shape.ndims is not None:
    return static_shape.ndims == 0
  return tf.equal(tf.size(dynamic_shape()), 0)
