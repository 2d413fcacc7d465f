"""Convolutions of each channel by itself."""

import millrace as tf
from millrace import gen
from millrace.framework import convert
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.ops.nn import space_to_batch


def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
  """Returns the convolution of each channel with its filters: [height, width, channels, outputs of each channel].

  `rate` is the distance of the pixels that a filter meets, two numbers; strides then have to be 1.
  """
  rate = deprecated_argument_lookup("dilations", dilations, "rate", rate)
  with ops.name_scope(name, "depthwise", [input, filter]) as scope:
    input = convert.convert_to_tensor(input, name="tensor_in")
    filter = convert.convert_to_tensor(filter, name="filter_in")

    def run(inputs, _, inner_padding):
      return _native(inputs, filter, strides, inner_padding, data_format, scope)

    return space_to_batch.with_space_to_batch(
      input=input,
      filter_shape=tf.shape(filter),
      dilation_rate=[1, 1] if rate is None else rate,
      padding=padding,
      data_format=data_format,
      op=run,
    )


def _native(input, filter, strides, padding, data_format, name):
  return gen.depthwise_conv2d_native(
    input, filter, strides=strides, padding=padding, data_format=data_format or "NHWC", name=name
  )


def separable_conv2d(
  input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, dilations=None
):
  """Returns a depthwise convolution, then one of 1 by 1 windows over all channels: [1, 1, channels, outputs]."""
  rate = deprecated_argument_lookup("dilations", dilations, "rate", rate)
  with ops.name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
    input = convert.convert_to_tensor(input, name="tensor_in")
    depthwise_filter = convert.convert_to_tensor(depthwise_filter, name="depthwise_filter")
    pointwise_filter = convert.convert_to_tensor(pointwise_filter, name="pointwise_filter")
    shape = pointwise_filter.get_shape().with_rank(4)
    shape[0].assert_is_compatible_with(1)
    shape[1].assert_is_compatible_with(1)

    def run(inputs, _, inner_padding):
      return _native(inputs, depthwise_filter, strides, inner_padding, data_format, "depthwise")

    depthwise = space_to_batch.with_space_to_batch(
      input=input,
      filter_shape=tf.shape(depthwise_filter),
      dilation_rate=[1, 1] if rate is None else rate,
      padding=padding,
      data_format=data_format,
      op=run,
    )
    return gen.conv2d(
      depthwise,
      pointwise_filter,
      strides=[1, 1, 1, 1],
      padding="VALID",
      data_format=data_format or "NHWC",
      name=scope,
    )


def depthwise_conv2d_native(
  input,
  filter,
  strides,
  padding,
  data_format="NHWC",
  dilations=[1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
):
  """Returns the convolution of each channel with its filters: the op itself."""
  padding, amounts = _padding(padding)
  return gen.depthwise_conv2d_native(
    input,
    filter,
    strides=strides,
    padding=padding,
    explicit_paddings=amounts,
    data_format=data_format,
    dilations=dilations,
    name=name,
  )


def depthwise_conv2d_native_backprop_input(
  input_sizes,
  filter,
  out_backprop,
  strides,
  padding,
  data_format="NHWC",
  dilations=[1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
):
  """Returns the gradient of depthwise_conv2d_native to images of shape `input_sizes`."""
  padding, amounts = _padding(padding)
  return gen.depthwise_conv2d_native_backprop_input(
    input_sizes,
    filter,
    out_backprop,
    strides=strides,
    padding=padding,
    explicit_paddings=amounts,
    data_format=data_format,
    dilations=dilations,
    name=name,
  )


def depthwise_conv2d_native_backprop_filter(
  input,
  filter_sizes,
  out_backprop,
  strides,
  padding,
  data_format="NHWC",
  dilations=[1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
):
  """Returns the gradient of depthwise_conv2d_native to filters of shape `filter_sizes`."""
  padding, amounts = _padding(padding)
  return gen.depthwise_conv2d_native_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides=strides,
    padding=padding,
    explicit_paddings=amounts,
    data_format=data_format,
    dilations=dilations,
    name=name,
  )


def _padding(padding):
  from millrace.ops.nn import windows

  return windows.padding_and_amounts(padding)
