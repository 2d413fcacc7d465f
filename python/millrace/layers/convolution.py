"""Layers of convolutions over one, two and three dimensions."""

import millrace as tf
from millrace.framework import tensor_shape
from millrace.layers import base, named_values, windows
from millrace.layers.input_spec import InputSpec
from millrace.ops.variables.initializers import zeros_initializer


class Conv(base.Layer):
  """The base of convolutions: activation(convolution of the inputs with `kernel` + bias) over `rank` dimensions."""

  _ARGUMENTS = (
    "filters",
    "kernel_size",
    "strides",
    "padding",
    "data_format",
    "dilation_rate",
    "activation",
    "use_bias",
    "kernel_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "bias_regularizer",
    "activity_regularizer",
    "kernel_constraint",
    "bias_constraint",
  )

  def __init__(
    self,
    rank,
    filters,
    kernel_size,
    strides=1,
    padding="valid",
    data_format="channels_last",
    dilation_rate=1,
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
    activity_regularizer = named_values.regularizer(activity_regularizer)
    super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
    self.rank = rank
    self.filters = int(filters) if filters is not None else None
    if self.filters is not None and self.filters <= 0:
      raise ValueError(f"Invalid value for argument `filters`. Expected a strictly positive value. Received filters={filters}.")
    self.kernel_size = windows.numbers(kernel_size, rank, "kernel_size")
    self.strides = windows.numbers(strides, rank, "strides", allow_zero=True)
    self.padding = windows.padding(padding)
    self.data_format = windows.data_format(data_format)
    self.dilation_rate = windows.numbers(dilation_rate, rank, "dilation_rate")
    self.activation = named_values.activation(activation)
    self.use_bias = use_bias
    self.kernel_initializer = named_values.initializer(kernel_initializer)
    self.bias_initializer = named_values.initializer(bias_initializer)
    self.kernel_regularizer = named_values.regularizer(kernel_regularizer)
    self.bias_regularizer = named_values.regularizer(bias_regularizer)
    self.kernel_constraint = named_values.constraint(kernel_constraint)
    self.bias_constraint = named_values.constraint(bias_constraint)
    self.input_spec = InputSpec(min_ndim=rank + 2)
    if self.padding == "causal" and not isinstance(self, Conv1D) and type(self).__name__ != "SeparableConv1D":
      raise ValueError("Causal padding is only supported for `Conv1D`and `SeparableConv1D`.")
    if max(self.strides) > 1 and max(self.dilation_rate) > 1:
      raise ValueError(
        "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
        f"strides={self.strides} and dilation_rate={self.dilation_rate}"
      )

  @property
  def _channel_axis(self):
    return 1 if self.data_format == "channels_first" else self.rank + 1

  def _channels(self, input_shape, layer="inputs"):
    """Returns the number of channels. ValueError where it is not known."""
    shape = tensor_shape.TensorShape(input_shape)
    axis = 1 if self.data_format == "channels_first" else -1
    if shape.as_list()[axis] is None:
      raise ValueError(
        f"The channel dimension of the {layer} should be defined. The input_shape received is {shape}, where axis {axis} "
        "(0-based) is the channel dimension, which found to be `None`."
      )
    return shape.as_list()[axis]

  def _add_kernel(self, shape):
    return self.add_weight(
      name="kernel",
      shape=shape,
      initializer=self.kernel_initializer,
      regularizer=self.kernel_regularizer,
      constraint=self.kernel_constraint,
      trainable=True,
      dtype=self.dtype,
    )

  def _add_bias(self):
    if not self.use_bias:
      return None
    return self.add_weight(
      name="bias",
      shape=(self.filters,),
      initializer=self.bias_initializer,
      regularizer=self.bias_regularizer,
      constraint=self.bias_constraint,
      trainable=True,
      dtype=self.dtype,
    )

  def build(self, input_shape):
    channels = self._channels(input_shape)
    self.kernel = self._add_kernel(self.kernel_size + (channels, self.filters))
    self.bias = self._add_bias()
    self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={1 if self.data_format == "channels_first" else -1: channels})
    self.built = True

  def _causal(self, inputs):
    """Returns the inputs with zeros before them, so that no output sees what comes later."""
    before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
    first = self.data_format == "channels_first"
    return tf.pad(inputs, [[0, 0], [0, 0], [before, 0]] if first else [[0, 0], [before, 0], [0, 0]])

  def call(self, inputs):
    padding = self.padding.upper()
    known = inputs.shape
    if self.padding == "causal":
      inputs = self._causal(inputs)
      padding = "VALID"
    outputs = tf.nn.convolution(
      inputs,
      self.kernel,
      padding=padding,
      strides=list(self.strides),
      dilation_rate=list(self.dilation_rate),
      data_format=windows.op_format(self.data_format, self.rank),
      name=type(self).__name__,
    )
    if known.rank is not None:
      outputs.set_shape(self.compute_output_shape(known))
    return self._finished(outputs)

  def _finished(self, outputs):
    """Returns the activation of the outputs with the bias."""
    if self.use_bias:
      if self.data_format == "channels_first" and self.rank == 1:
        outputs += tf.reshape(self.bias, (1, self.filters, 1))
      else:
        outputs = tf.nn.bias_add(outputs, self.bias, data_format="NCHW" if self.data_format == "channels_first" else "NHWC")
    return self.activation(outputs)

  def compute_output_shape(self, input_shape):
    sizes = tensor_shape.TensorShape(input_shape).as_list()
    first = self.data_format == "channels_first"
    space = [
      windows.output_size(size, self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i])
      for i, size in enumerate(sizes[2:] if first else sizes[1:-1])
    ]
    return tensor_shape.TensorShape(sizes[:1] + ([self.filters, *space] if first else [*space, self.filters]))


def _with_rank(rank):
  """Returns the constructor of a convolution over `rank` dimensions."""

  def __init__(
    self,
    filters,
    kernel_size,
    strides=1 if rank == 1 else (1,) * rank,
    padding="valid",
    data_format="channels_last",
    dilation_rate=1 if rank == 1 else (1,) * rank,
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
    Conv.__init__(
      self,
      rank,
      filters,
      kernel_size,
      strides=strides,
      padding=padding,
      data_format=data_format,
      dilation_rate=dilation_rate,
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


class Conv1D(Conv):
  """Convolution of series [batch, width, channels], or [batch, channels, width] with "channels_first".

  `kernel` is [kernel_size, channels, filters]. `padding` is "valid", "same", or "causal": zeros before the series, so that no
  output sees what comes later. `strides` and `dilation_rate` cannot both be more than 1. The rest: see Dense.
  """

  __init__ = _with_rank(1)


class Conv2D(Conv):
  """Convolution of images [batch, height, width, channels], or [batch, channels, height, width] with "channels_first".

  `kernel` is [*kernel_size, channels, filters]; sizes, strides and rates are one number or two. The rest: see Conv1D.
  """

  __init__ = _with_rank(2)


class Conv3D(Conv):
  """Convolution of volumes [batch, depth, height, width, channels], or with channels first.

  `kernel` is [*kernel_size, channels, filters]; sizes, strides and rates are one number or three. The rest: see Conv1D.
  """

  __init__ = _with_rank(3)
