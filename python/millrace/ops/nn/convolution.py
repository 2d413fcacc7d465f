"""Convolutions with filters of one, two and three dimensions."""

import millrace as tf
from millrace import gen
from millrace.framework import convert
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.ops.nn import space_to_batch, windows


def conv2d(
  input,
  filter=None,
  strides=None,
  padding=None,
  use_cudnn_on_gpu=True,
  data_format="NHWC",
  dilations=[1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
  filters=None,
):
  """Returns the convolution of images [batch, height, width, channels] with filters [height, width, channels, outputs].

  `strides` and `dilations`: one number, one a dimension of the window, or one a dimension. `padding`: "SAME", "VALID" or a list
  of [before, after] of each dimension. `data_format`: "NHWC" or "NCHW". Further batch dimensions may stand before.
  """
  filter = deprecated_argument_lookup("filters", filters, "filter", filter)
  padding, amounts = windows.padding_and_amounts(padding)
  if data_format is None:
    data_format = "NHWC"
  channels = windows.channel_index(data_format, 2)
  strides = windows.per_dimension(strides, 2, channels, "strides")
  dilations = windows.per_dimension(dilations, 2, channels, "dilations")
  rank = getattr(getattr(input, "shape", None), "ndims", None)
  if rank is None or rank < 5:
    return gen.conv2d(
      input,
      filter,
      strides=strides,
      padding=padding,
      use_cudnn_on_gpu=use_cudnn_on_gpu,
      explicit_paddings=amounts,
      data_format=data_format,
      dilations=dilations,
      name=name,
    )

  def run(images):
    return gen.conv2d(
      images,
      filter,
      strides=strides,
      padding=padding,
      use_cudnn_on_gpu=use_cudnn_on_gpu,
      explicit_paddings=amounts,
      data_format=data_format,
      dilations=dilations,
    )

  return _with_one_batch_dimension(input, run, inner_rank=3, name=name)


def _with_one_batch_dimension(input, op, inner_rank, name):
  """Applies `op` with all dimensions before the last `inner_rank` as one, and gives them back."""
  with ops.name_scope(name, "squeeze_batch_dims", [input]):
    input = convert.convert_to_tensor(input, name="input")
    shape = input.shape
    inner = shape[-inner_rank:]
    if not inner.is_fully_defined():
      inner = tf.shape(input)[-inner_rank:]
    batch = shape[:-inner_rank]
    if not batch.is_fully_defined():
      batch = tf.shape(input)[:-inner_rank]
    if isinstance(inner, type(shape)):
      flat = tf.reshape(input, [-1, *inner.as_list()])
    else:
      flat = tf.reshape(input, tf.concat(([-1], inner), axis=-1))
    out = op(flat)
    out_inner = out.shape[-inner_rank:]
    if not out_inner.is_fully_defined():
      out_inner = tf.shape(out)[-inner_rank:]
    out = tf.reshape(out, tf.concat((batch, out_inner), axis=-1))
    out.set_shape(shape[:-inner_rank].concatenate(out.shape[-inner_rank:]))
    return out


def conv1d(
  value=None,
  filters=None,
  stride=None,
  padding=None,
  use_cudnn_on_gpu=None,
  data_format=None,
  name=None,
  input=None,
  dilations=None,
):
  """Returns the convolution of series [batch, width, channels] with filters [width, channels, outputs].

  `data_format`: "NWC", the default, or "NCW"; ValueError for others.
  """
  value = deprecated_argument_lookup("input", input, "value", value)
  with ops.name_scope(name, "conv1d", [value, filters]) as scope:
    if data_format in (None, "NHWC", "NWC"):
      data_format, axis, channels = "NHWC", -3, 2
    elif data_format in ("NCHW", "NCW"):
      data_format, axis, channels = "NCHW", -2, 1
    else:
      raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
    strides = [1, *windows.per_dimension(stride, 1, channels, "stride")]
    dilations = [1, *windows.per_dimension(dilations, 1, channels, "dilations")]
    value = tf.expand_dims(value, axis)
    filters = tf.expand_dims(filters, 0)
    result = gen.conv2d(
      value,
      filters,
      strides=strides,
      padding=padding,
      use_cudnn_on_gpu=True if use_cudnn_on_gpu is None else use_cudnn_on_gpu,
      data_format=data_format,
      dilations=dilations,
      name=scope,
    )
    return tf.squeeze(result, [axis])


def conv3d(
  input,
  filter=None,
  strides=None,
  padding=None,
  data_format="NDHWC",
  dilations=[1, 1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
  filters=None,
):
  """Returns the convolution of volumes [batch, depth, height, width, channels] with filters of these and of outputs."""
  filter = deprecated_argument_lookup("filters", filters, "filter", filter)
  return gen.conv3d(input, filter, strides=strides, padding=padding, data_format=data_format, dilations=dilations, name=name)


def conv2d_backprop_filter(
  input,
  filter_sizes,
  out_backprop,
  strides,
  padding,
  use_cudnn_on_gpu=True,
  data_format="NHWC",
  dilations=[1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
):
  """Returns the gradient of conv2d to filters of shape `filter_sizes`."""
  padding, amounts = windows.padding_and_amounts(padding)
  return gen.conv2d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides=strides,
    padding=padding,
    use_cudnn_on_gpu=use_cudnn_on_gpu,
    explicit_paddings=amounts,
    data_format=data_format,
    dilations=dilations,
    name=name,
  )


def conv2d_backprop_input(
  input_sizes,
  filter=None,
  out_backprop=None,
  strides=None,
  padding=None,
  use_cudnn_on_gpu=True,
  data_format="NHWC",
  dilations=[1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
  filters=None,
):
  """Returns the gradient of conv2d to images of shape `input_sizes`."""
  filter = deprecated_argument_lookup("filters", filters, "filter", filter)
  padding, amounts = windows.padding_and_amounts(padding)
  return gen.conv2d_backprop_input(
    input_sizes,
    filter,
    out_backprop,
    strides=strides,
    padding=padding,
    use_cudnn_on_gpu=use_cudnn_on_gpu,
    explicit_paddings=amounts,
    data_format=data_format,
    dilations=dilations,
    name=name,
  )


def conv3d_backprop_filter(
  input,
  filter_sizes,
  out_backprop,
  strides,
  padding,
  data_format="NDHWC",
  dilations=[1, 1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
):
  """Returns the gradient of conv3d to filters of shape `filter_sizes`."""
  return gen.conv3d_backprop_filter_v2(
    input,
    filter_sizes,
    out_backprop,
    strides=strides,
    padding=padding,
    data_format=data_format,
    dilations=dilations,
    name=name,
  )


def convolution(
  input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, filters=None, dilations=None
):
  """Returns the convolution of [batch, one to three dimensions, channels] with filters of these dimensions.

  Dilated ones are plain convolutions of the elements that a filter meets together, sorted into batches. `data_format` that
  begins with "NC" puts channels first. Raises ValueError where strides and rates are both more than 1.
  """
  filter = deprecated_argument_lookup("filters", filters, "filter", filter)
  dilation_rate = deprecated_argument_lookup("dilations", dilations, "dilation_rate", dilation_rate)
  with ops.name_scope(name, "convolution", [input, filter]) as scope:
    input = convert.convert_to_tensor(input, name="input")
    filter = convert.convert_to_tensor(filter, name="filter")
    ndims = filter.get_shape().ndims or input.get_shape().ndims
    if ndims is None:
      raise ValueError("rank of input or filter must be known")
    n = ndims - 2
    if not 1 <= n <= 3:
      raise ValueError(f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={n}.")
    strides, rates = windows.strides_and_rates(n, strides, dilation_rate)

    def run(inputs, padding):
      return _plain(inputs, filter, n, padding, strides, data_format, scope)

    if (rates == 1).all():
      return run(input, padding)
    return space_to_batch.with_space_to_batch(
      input,
      rates,
      padding,
      lambda inputs, _, inner_padding: run(inputs, inner_padding),
      filter_shape=filter.get_shape() if filter.get_shape().is_fully_defined() else tf.shape(filter),
      data_format=data_format,
    )


def _plain(inputs, filter, n, padding, strides, data_format, name):
  """A convolution of n dimensions without dilation."""
  strides = [int(s) for s in strides]
  if n == 1:
    return conv1d(inputs, filter, stride=strides[0], padding=padding, data_format=data_format or "NWC", name=name)
  first = data_format is not None and data_format.startswith("NC")
  strides = [1, 1, *strides] if first else [1, *strides, 1]
  op = gen.conv2d if n == 2 else gen.conv3d
  return op(
    inputs,
    filter,
    strides=strides,
    padding=padding,
    data_format=data_format or ("NHWC" if n == 2 else "NDHWC"),
    name=name,
  )


def atrous_conv2d(value, filters, rate, padding, name=None):
  """Returns the convolution whose filters take every `rate`-th pixel: conv2d with dilations, by batches of pixels."""
  return convolution(input=value, filter=filters, padding=padding, dilation_rate=[rate, rate], name=name)
