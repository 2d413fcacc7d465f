"""Layers of transposed convolutions: they make images and volumes larger, as the gradients of convolutions do."""

import millrace as tf
from millrace.framework import tensor_shape
from millrace.layers import convolution, windows
from millrace.layers.input_spec import InputSpec
from millrace.ops.variables.initializers import zeros_initializer


class _Transposed(convolution.Conv):
  """What transposed convolutions over two and three dimensions share."""

  _ARGUMENTS = tuple(name for name in convolution.Conv._ARGUMENTS if name != "dilation_rate")

  def build(self, input_shape):
    shape = tensor_shape.TensorShape(input_shape)
    if len(shape) != self.rank + 2:
      raise ValueError(f"Inputs should have rank {self.rank + 2}. Received input_shape={shape}.")
    channels = self._channels(shape, f"inputs to `{type(self).__name__}`")
    axis = 1 if self.data_format == "channels_first" else -1
    self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
    self.kernel = self._add_kernel(self.kernel_size + (self.filters, channels))
    self.bias = self._add_bias()
    self.built = True

  def call(self, inputs):
    sizes = tf.shape(inputs)
    known = inputs.shape.as_list()
    first = self.data_format == "channels_first"
    batch = sizes[0]
    axes = range(2, self.rank + 2) if first else range(1, self.rank + 1)
    space = [known[axis] if known[axis] is not None and self.rank == 2 else sizes[axis] for axis in axes]
    space = [
      windows.transposed_size(size, window, self.padding, stride)
      for size, window, stride in zip(space, self.kernel_size, self.strides)
    ]
    output_shape = tf.stack([batch, self.filters, *space] if first else [batch, *space, self.filters])
    strides = [1, 1, *self.strides] if first else [1, *self.strides, 1]
    op = tf.nn.conv2d_transpose if self.rank == 2 else tf.nn.conv3d_transpose
    outputs = op(
      inputs,
      self.kernel,
      output_shape,
      strides,
      padding=self.padding.upper(),
      data_format=windows.op_format(self.data_format, self.rank),
    )
    outputs.set_shape(self.compute_output_shape(inputs.shape))
    return self._finished(outputs)

  def compute_output_shape(self, input_shape):
    sizes = tensor_shape.TensorShape(input_shape).as_list()
    first = self.data_format == "channels_first"
    space = [
      windows.transposed_size(size, self.kernel_size[i], self.padding, self.strides[i])
      for i, size in enumerate(sizes[2:] if first else sizes[1:-1])
    ]
    return tensor_shape.TensorShape(sizes[:1] + ([self.filters, *space] if first else [*space, self.filters]))


def _with_rank(rank):
  """Returns the constructor of a transposed convolution over `rank` dimensions."""

  def __init__(
    self,
    filters,
    kernel_size,
    strides=(1,) * rank,
    padding="valid",
    data_format="channels_last",
    activation=None,
    use_bias=True,
    kernel_initializer=None,
    bias_initializer=zeros_initializer(),
    kernel_regularizer=None,
    bias_regularizer=None,
    activity_regularizer=None,
    kernel_constraint=None,
    bias_constraint=None,
    trainable=True,
    name=None,
    **kwargs,
  ):
    convolution.Conv.__init__(
      self,
      rank,
      filters,
      kernel_size,
      strides=strides,
      padding=padding,
      data_format=data_format,
      activation=activation,
      use_bias=use_bias,
      kernel_initializer=kernel_initializer,
      bias_initializer=bias_initializer,
      kernel_regularizer=kernel_regularizer,
      bias_regularizer=bias_regularizer,
      activity_regularizer=activity_regularizer,
      kernel_constraint=kernel_constraint,
      bias_constraint=bias_constraint,
      trainable=trainable,
      name=name,
      **kwargs,
    )

  return __init__


class Conv2DTranspose(_Transposed):
  """Makes images of which the inputs could be a convolution: each size becomes size * stride, with "valid" and a window
  beyond the stride by their difference more.

  `kernel` is [*kernel_size, filters, channels of the inputs]. The rest: see Conv2D.
  """

  __init__ = _with_rank(2)


class Conv3DTranspose(_Transposed):
  """Makes volumes of which the inputs could be a convolution. Arguments: see Conv2DTranspose and Conv3D."""

  __init__ = _with_rank(3)
