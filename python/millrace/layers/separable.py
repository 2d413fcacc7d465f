"""Layers of convolutions in two steps: each channel by itself, then all channels at each place."""

import millrace as tf
from millrace.layers import convolution, named_values, windows
from millrace.layers.input_spec import InputSpec
from millrace.ops.variables.initializers import zeros_initializer


class _Separable(convolution.Conv):
  """What separable convolutions over one and two dimensions share."""

  _ARGUMENTS = tuple(name for name in convolution.Conv._ARGUMENTS if not name.startswith("kernel_") or name == "kernel_size") + (
    "depth_multiplier",
    "depthwise_initializer",
    "pointwise_initializer",
    "depthwise_regularizer",
    "pointwise_regularizer",
    "depthwise_constraint",
    "pointwise_constraint",
  )

  def _set_steps(self, depth_multiplier, initializers, regularizers, constraints):
    self.depth_multiplier = depth_multiplier
    self.depthwise_initializer, self.pointwise_initializer = [named_values.initializer(i) for i in initializers]
    self.depthwise_regularizer, self.pointwise_regularizer = [named_values.regularizer(r) for r in regularizers]
    self.depthwise_constraint, self.pointwise_constraint = [named_values.constraint(c) for c in constraints]

  def build(self, input_shape):
    channels = self._channels(input_shape)
    axis = 1 if self.data_format == "channels_first" else -1
    self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
    self.depthwise_kernel = self.add_weight(
      name="depthwise_kernel",
      shape=self.kernel_size + (channels, self.depth_multiplier),
      initializer=self.depthwise_initializer,
      regularizer=self.depthwise_regularizer,
      constraint=self.depthwise_constraint,
      trainable=True,
      dtype=self.dtype,
    )
    self.pointwise_kernel = self.add_weight(
      name="pointwise_kernel",
      shape=(1,) * self.rank + (self.depth_multiplier * channels, self.filters),
      initializer=self.pointwise_initializer,
      regularizer=self.pointwise_regularizer,
      constraint=self.pointwise_constraint,
      trainable=True,
      dtype=self.dtype,
    )
    self.bias = self._add_bias()
    self.built = True

  def call(self, inputs):
    if self.padding == "causal":
      inputs = self._causal(inputs)
    padding = "VALID" if self.padding == "causal" else self.padding.upper()
    first = self.data_format == "channels_first"
    depthwise, pointwise = self.depthwise_kernel, self.pointwise_kernel
    steps, rates, axis = list(self.strides), list(self.dilation_rate), 2 if first else 1
    if self.rank == 1:
      steps, rates = steps * 2, [1, *rates]
      inputs = tf.expand_dims(inputs, axis)
      depthwise = tf.expand_dims(depthwise, 0)
      pointwise = tf.expand_dims(pointwise, 0)
    outputs = tf.nn.separable_conv2d(
      inputs,
      depthwise,
      pointwise,
      strides=[1, 1, *steps] if first else [1, *steps, 1],
      padding=padding,
      rate=rates,
      data_format=windows.op_format(self.data_format, 2),
    )
    if self.use_bias:
      outputs = tf.nn.bias_add(outputs, self.bias, data_format=windows.op_format(self.data_format, 2))
    if self.rank == 1:
      outputs = tf.squeeze(outputs, [axis])
    return self.activation(outputs)


def _with_rank(rank):
  """Returns the constructor of a separable convolution over `rank` dimensions."""

  def __init__(
    self,
    filters,
    kernel_size,
    strides=1 if rank == 1 else (1,) * rank,
    padding="valid",
    data_format="channels_last",
    dilation_rate=1 if rank == 1 else (1,) * rank,
    depth_multiplier=1,
    activation=None,
    use_bias=True,
    depthwise_initializer=None,
    pointwise_initializer=None,
    bias_initializer=zeros_initializer(),
    depthwise_regularizer=None,
    pointwise_regularizer=None,
    bias_regularizer=None,
    activity_regularizer=None,
    depthwise_constraint=None,
    pointwise_constraint=None,
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
      dilation_rate=dilation_rate,
      activation=activation,
      use_bias=use_bias,
      bias_initializer=bias_initializer,
      bias_regularizer=bias_regularizer,
      activity_regularizer=activity_regularizer,
      bias_constraint=bias_constraint,
      trainable=trainable,
      name=name,
      **kwargs,
    )
    self._set_steps(
      depth_multiplier,
      (depthwise_initializer, pointwise_initializer),
      (depthwise_regularizer, pointwise_regularizer),
      (depthwise_constraint, pointwise_constraint),
    )

  return __init__


class SeparableConv1D(_Separable):
  """Convolution of each channel of series by itself, with `depth_multiplier` outputs of each, then over all of these.

  `depthwise_kernel` is [kernel_size, channels, depth_multiplier], `pointwise_kernel` [1, channels * depth_multiplier, filters];
  each has its initializer, regularizer and constraint. The rest: see Conv1D.
  """

  __init__ = _with_rank(1)


class SeparableConv2D(_Separable):
  """Convolution of each channel of images by itself, with `depth_multiplier` outputs of each, then over all of these.

  `depthwise_kernel` is [*kernel_size, channels, depth_multiplier], `pointwise_kernel` [1, 1, channels * depth_multiplier,
  filters]. The rest: see Conv2D.
  """

  __init__ = _with_rank(2)
