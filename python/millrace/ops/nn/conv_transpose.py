"""Transposed convolutions: the gradients of convolutions to their inputs, as layers that make images larger."""

import millrace as tf
from millrace import gen
from millrace.framework import convert
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.framework.tensor import Tensor
from millrace.ops.nn import windows


def conv2d_transpose(
  value=None,
  filter=None,
  output_shape=None,
  strides=None,
  padding="SAME",
  data_format="NHWC",
  name=None,
  input=None,
  filters=None,
  dilations=None,
):
  """Returns images of shape `output_shape` whose conv2d has the shape of `value`.

  `filter` is [height, width, outputs, channels of `value`].
  """
  value = deprecated_argument_lookup("input", input, "value", value)
  filter = deprecated_argument_lookup("filters", filters, "filter", filter)
  with ops.name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
    data_format = data_format or "NHWC"
    channels = windows.channel_index(data_format, 2)
    return gen.conv2d_backprop_input(
      input_sizes=output_shape,
      filter=filter,
      out_backprop=value,
      strides=windows.per_dimension(strides, 2, channels, "strides"),
      padding=padding,
      data_format=data_format,
      dilations=windows.per_dimension(dilations, 2, channels, "dilations"),
      name=scope,
    )


def conv1d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None):
  """Returns series of shape `output_shape` whose conv1d has the shape of `input`; filters [width, outputs, channels]."""
  with ops.name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
    if data_format in (None, "NHWC", "NWC"):
      data_format, axis, channels = "NHWC", 1, 2
    elif data_format in ("NCHW", "NCW"):
      data_format, axis, channels = "NCHW", 2, 1
    else:
      raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
    strides = [1, *windows.per_dimension(strides, 1, channels, "stride")]
    dilations = [1, *windows.per_dimension(dilations, 1, channels, "dilations")]
    input = tf.expand_dims(input, axis)
    filters = tf.expand_dims(filters, 0)
    if not isinstance(output_shape, Tensor):
      output_shape = list(output_shape)
    output_shape = tf.concat([output_shape[:axis], [1], output_shape[axis:]], 0)
    result = gen.conv2d_backprop_input(
      input_sizes=output_shape,
      filter=filters,
      out_backprop=input,
      strides=strides,
      padding=padding,
      data_format=data_format,
      dilations=dilations,
      name=scope,
    )
    return tf.squeeze(result, axis)


def conv3d_transpose(
  value,
  filter=None,
  output_shape=None,
  strides=None,
  padding="SAME",
  data_format="NDHWC",
  name=None,
  input=None,
  filters=None,
  dilations=None,
):
  """Returns volumes of shape `output_shape` whose conv3d has the shape of `value`."""
  value = deprecated_argument_lookup("input", input, "value", value)
  filter = deprecated_argument_lookup("filters", filters, "filter", filter)
  with ops.name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
    data_format = data_format or "NDHWC"
    channels = windows.channel_index(data_format, 3)
    return gen.conv3d_backprop_input_v2(
      input_sizes=output_shape,
      filter=filter,
      out_backprop=value,
      strides=windows.per_dimension(strides, 3, channels, "strides"),
      padding=padding,
      data_format=data_format,
      dilations=windows.per_dimension(dilations, 3, channels, "dilations"),
      name=scope,
    )


def conv_transpose(input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None):
  """Returns the transposed convolution of one to three dimensions, as many as `output_shape` has. ValueError for others."""
  with ops.name_scope(name, "conv_transpose", [input, filter, output_shape]) as scope:
    if isinstance(output_shape, Tensor):
      n = output_shape.shape.as_list()[0] - 2
    elif hasattr(output_shape, "__len__"):
      n = len(output_shape) - 2
    else:
      raise ValueError(f"`output_shape` must be a tensor or sized collection. Received: output_shape={output_shape}")
    if not 1 <= n <= 3:
      raise ValueError(f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape} of length {n + 2}.")
    op = (conv1d_transpose, conv2d_transpose, conv3d_transpose)[n - 1]
    arguments = {"data_format": data_format} if data_format else {}
    return op(
      input,
      filters,
      output_shape,
      strides=strides,
      padding=padding,
      dilations=dilations,
      name=scope,
      **arguments,
    )


def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
  """Returns images of shape `output_shape` whose atrous_conv2d has the shape of `value`. ValueError for other paddings."""
  with ops.name_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]):
    value = convert.convert_to_tensor(value, name="value")
    filters = convert.convert_to_tensor(filters, name="filters")
    value_channels, filter_channels = value.get_shape()[3], filters.get_shape()[3]
    if not value_channels.is_compatible_with(filter_channels):
      raise ValueError(
        "`value` channel count must be compatible with `filters` input channel count. Received: value.shape="
        f"{value.get_shape()} with channel count {value_channels} and filters.shape={filters.get_shape()} with input channel "
        f"count {filter_channels}."
      )
    if rate < 1:
      raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
    if rate == 1:
      return conv2d_transpose(value, filters, output_shape, strides=[1, 1, 1, 1], padding=padding)
    known = not isinstance(output_shape, Tensor)
    sizes = [int(s) for s in output_shape] if known else output_shape
    output = convert.convert_to_tensor(output_shape, name="output_shape")
    if output.get_shape().ndims is not None and output.get_shape().as_list() != [4]:
      raise ValueError(
        f"`output_shape` must have shape (4,). Received: output_shape={output_shape} with shape {output.get_shape()}"
      )
    pads = _same_padding(filters, rate, padding)
    return _by_batches(value, filters, sizes, rate, pads)


def _same_padding(filters, rate, padding):
  """Returns (top, bottom, left, right), as filters with gaps pad images."""
  if padding == "VALID":
    return 0, 0, 0, 0
  if padding != "SAME":
    raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
  shape = filters.get_shape().as_list() if filters.get_shape().is_fully_defined() else tf.shape(filters)
  heights = (shape[0] + (shape[0] - 1) * (rate - 1)) - 1
  widths = (shape[1] + (shape[1] - 1) * (rate - 1)) - 1
  return heights // 2, heights - heights // 2, widths // 2, widths - widths // 2


def _by_batches(value, filters, sizes, rate, pads):
  top, bottom, left, right = pads
  height = sizes[1] + top + bottom
  width = sizes[2] + left + right
  more_height = (rate - height % rate) % rate
  more_width = (rate - width % rate) % rate
  batches = tf.space_to_batch(input=value, paddings=[[0, more_height], [0, more_width]], block_size=rate)
  input_sizes = [rate * rate * sizes[0], (height + more_height) // rate, (width + more_width) // rate, sizes[3]]
  result = gen.conv2d_backprop_input(
    input_sizes=input_sizes, filter=filters, out_backprop=batches, strides=[1, 1, 1, 1], padding="VALID"
  )
  crops = [[top, bottom + more_height], [left, right + more_width]]
  return tf.batch_to_space(input=result, crops=crops, block_size=rate)
