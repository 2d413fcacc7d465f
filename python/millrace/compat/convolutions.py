"""tensorflow.python.ops.nn_ops.Convolution: a convolution that is called with inputs and filters later."""

import millrace as tf


class Convolution:
  """Convolution of inputs and filters of these shapes. Raises ValueError for shapes that do not fit."""

  def __init__(self, input_shape, filter_shape, padding, strides=None, dilation_rate=None, name=None, data_format=None):
    channels_at = 1 if data_format is not None and data_format.startswith("NC") else -1
    input_shape, filter_shape = tf.TensorShape(input_shape), tf.TensorShape(filter_shape)
    if input_shape.ndims is not None and filter_shape.ndims is not None:
      input_shape.with_rank(filter_shape.ndims)
      channels, of_filters = input_shape[channels_at], filter_shape[-2]
      if not channels.is_compatible_with(of_filters):
        raise ValueError(
          "number of input channels does not match corresponding dimension of filter, %s != %s" % (channels, of_filters)
        )
    self.padding = padding
    self.strides = strides
    self.dilation_rate = dilation_rate
    self.name = name
    self.data_format = data_format
    self.input_shape = input_shape
    self.filter_shape = filter_shape

  def __call__(self, inp, filter):
    return tf.nn.convolution(
      inp, filter, self.padding, self.strides, self.dilation_rate, name=self.name, data_format=self.data_format
    )
