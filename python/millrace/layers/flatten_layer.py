"""The layer that makes one dimension of all but the batch."""

import numpy as np

import millrace as tf
from millrace.framework import tensor_shape
from millrace.layers import base, windows
from millrace.layers.input_spec import InputSpec


class Flatten(base.Layer):
  """Reshapes inputs to [batch, elements]. With "channels_first" channels are moved behind the other dimensions before."""

  _ARGUMENTS = ("data_format",)

  def __init__(self, data_format=None, **kwargs):
    super().__init__(**kwargs)
    self.data_format = windows.data_format(data_format)
    self.input_spec = InputSpec(min_ndim=1)

  def call(self, inputs):
    rank = inputs.shape.rank
    if self.data_format == "channels_first" and rank is not None and rank > 1:
      inputs = tf.transpose(inputs, [0, *range(2, rank), 1])
    if rank == 1:
      return tf.expand_dims(inputs, axis=-1)
    sizes = inputs.shape.as_list() if rank is not None else [None, None]
    if sizes[0] is not None and None in sizes[1:]:
      return tf.reshape(inputs, [sizes[0], -1])
    if None in sizes[1:]:
      outputs = tf.reshape(inputs, [tf.shape(inputs)[0], -1])
      outputs.set_shape(self.compute_output_shape(inputs.shape))
      return outputs
    count = int(np.prod(sizes[1:], dtype=np.int64))
    return tf.reshape(inputs, tf.constant([-1, count], dtype=tf.int32 if count < 2**31 else tf.int64))

  def compute_output_shape(self, input_shape):
    shape = tensor_shape.TensorShape(input_shape)
    if shape.rank is None:
      return tensor_shape.TensorShape([None, None])
    sizes = shape.as_list()
    count = None if None in sizes[1:] else int(np.prod(sizes[1:], dtype=np.int64))
    return tensor_shape.TensorShape([sizes[0], count])


def flatten(inputs, name=None, data_format="channels_last"):
  """Returns the inputs reshaped to [batch, elements]: see Flatten."""
  return Flatten(name=name, data_format=data_format).apply(inputs)
