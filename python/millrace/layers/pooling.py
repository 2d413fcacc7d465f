"""Layers that take the greatest element or the mean of each window."""

import millrace as tf
from millrace.framework import tensor_shape
from millrace.layers import base, windows
from millrace.layers.input_spec import InputSpec


class _Pooling(base.Layer):
  """The base of poolings over `_rank` dimensions by the function `_pool`."""

  _ARGUMENTS = ("pool_size", "strides", "padding", "data_format")
  _rank = None

  def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
    if strides is None:
      raise ValueError("Argument `strides` must not be None.")
    super().__init__(name=name, **kwargs)
    self.pool_size = windows.numbers(pool_size, self._rank, "pool_size")
    self.strides = windows.numbers(strides, self._rank, "strides", allow_zero=True)
    self.padding = windows.padding(padding)
    self.data_format = windows.data_format(data_format)
    self.input_spec = InputSpec(ndim=self._rank + 2)

  @staticmethod
  def _pool(inputs, ksize, strides, padding, data_format):
    raise NotImplementedError

  def call(self, inputs):
    first = self.data_format == "channels_first"
    size, strides, axis = list(self.pool_size), list(self.strides), 3 if first else 2
    if self._rank == 1:
      size, strides = [*size, 1], [*strides, 1]
      inputs = tf.expand_dims(inputs, axis)
    outputs = self._pool(
      inputs,
      [1, 1, *size] if first else [1, *size, 1],
      [1, 1, *strides] if first else [1, *strides, 1],
      self.padding.upper(),
      windows.op_format(self.data_format, max(self._rank, 2)),
    )
    return tf.squeeze(outputs, axis) if self._rank == 1 else outputs

  def compute_output_shape(self, input_shape):
    sizes = tensor_shape.TensorShape(input_shape).as_list()
    first = self.data_format == "channels_first"
    space = [
      windows.output_size(size, self.pool_size[i], self.padding, self.strides[i])
      for i, size in enumerate(sizes[2:] if first else sizes[1:-1])
    ]
    return tensor_shape.TensorShape([sizes[0], sizes[1], *space] if first else [sizes[0], *space, sizes[-1]])


def _average(inputs, ksize, strides, padding, data_format):
  op = tf.nn.avg_pool if len(ksize) == 4 else tf.nn.avg_pool3d
  return op(inputs, ksize, strides, padding, data_format=data_format)


def _greatest(inputs, ksize, strides, padding, data_format):
  op = tf.nn.max_pool if len(ksize) == 4 else tf.nn.max_pool3d
  return op(inputs, ksize, strides, padding, data_format=data_format)


class AveragePooling1D(_Pooling):
  """The mean of each window of series [batch, width, channels], or with channels before the width by "channels_first".

  Windows have the size `pool_size` and are `strides` apart; with `padding` "same" those at the ends take the elements that
  there are.
  """

  _rank = 1
  _pool = staticmethod(_average)


class MaxPooling1D(_Pooling):
  """The greatest element of each window of series. Arguments: see AveragePooling1D."""

  _rank = 1
  _pool = staticmethod(_greatest)


class AveragePooling2D(_Pooling):
  """The mean of each window of images; sizes and strides are one number or two. The rest: see AveragePooling1D."""

  _rank = 2
  _pool = staticmethod(_average)


class MaxPooling2D(_Pooling):
  """The greatest element of each window of images. Arguments: see AveragePooling2D."""

  _rank = 2
  _pool = staticmethod(_greatest)


class AveragePooling3D(_Pooling):
  """The mean of each window of volumes; sizes and strides are one number or three. The rest: see AveragePooling1D."""

  _rank = 3
  _pool = staticmethod(_average)


class MaxPooling3D(_Pooling):
  """The greatest element of each window of volumes. Arguments: see AveragePooling3D."""

  _rank = 3
  _pool = staticmethod(_greatest)


def average_pooling1d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
  """Returns the mean of each window of series: see AveragePooling1D."""
  return AveragePooling1D(pool_size, strides, padding, data_format, name).apply(inputs)


def max_pooling1d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
  """Returns the greatest element of each window of series: see MaxPooling1D."""
  return MaxPooling1D(pool_size, strides, padding, data_format, name).apply(inputs)


def average_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
  """Returns the mean of each window of images: see AveragePooling2D."""
  return AveragePooling2D(pool_size, strides, padding, data_format, name).apply(inputs)


def max_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
  """Returns the greatest element of each window of images: see MaxPooling2D."""
  return MaxPooling2D(pool_size, strides, padding, data_format, name).apply(inputs)


def average_pooling3d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
  """Returns the mean of each window of volumes: see AveragePooling3D."""
  return AveragePooling3D(pool_size, strides, padding, data_format, name).apply(inputs)


def max_pooling3d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
  """Returns the greatest element of each window of volumes: see MaxPooling3D."""
  return MaxPooling3D(pool_size, strides, padding, data_format, name).apply(inputs)
