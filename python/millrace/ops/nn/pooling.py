"""Pooling: the greatest element or the mean of each window."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import convert, dtypes
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.ops.nn import space_to_batch, windows


def _check_ksize(ksize):
  if any(size == 0 for size in ksize):
    raise ValueError(f"`ksize` cannot be zero. Received: ksize={ksize}")
  return ksize


def max_pool(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
  """Returns the greatest element of each window of images [batch, height, width, channels].

  `ksize` and `strides`: one number, two, or one a dimension. `padding`: "SAME", "VALID" or a list of [before, after] of each
  dimension. `data_format`: "NHWC", "NCHW" or "NCHW_VECT_C".
  """
  value = deprecated_argument_lookup("input", input, "value", value)
  return _max_pool(value, ksize, strides, padding, data_format, name, "MaxPool")


def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
  """Returns the greatest element of each window of images. Arguments: see max_pool."""
  return _max_pool(input, ksize, strides, padding, data_format, name, "MaxPool2d")


def _max_pool(value, ksize, strides, padding, data_format, name, default_name):
  with ops.name_scope(name, default_name, [value]) as scope:
    data_format = data_format or "NHWC"
    channels = windows.channel_index(data_format, 2)
    ksize = _check_ksize(windows.per_dimension(ksize, 2, channels, "ksize"))
    strides = windows.per_dimension(strides, 2, channels, "strides")
    padding, amounts = windows.padding_and_amounts(padding)
    return gen.max_pool(
      value,
      ksize=ksize,
      strides=strides,
      padding=padding,
      explicit_paddings=amounts,
      data_format=data_format,
      name=scope,
    )


def avg_pool(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
  """Returns the mean of each window of images, of the elements that there are. Arguments: see max_pool."""
  value = deprecated_argument_lookup("input", input, "value", value)
  with ops.name_scope(name, "AvgPool", [value]) as scope:
    data_format = data_format or "NHWC"
    channels = windows.channel_index(data_format, 2)
    return gen.avg_pool(
      value,
      ksize=windows.per_dimension(ksize, 2, channels, "ksize"),
      strides=windows.per_dimension(strides, 2, channels, "strides"),
      padding=padding,
      data_format=data_format,
      name=scope,
    )


def _pool1d(op, default_name, input, ksize, strides, padding, data_format, name):
  with ops.name_scope(name, default_name, [input]) as scope:
    data_format = data_format or "NWC"
    channels = windows.channel_index(data_format, 1)
    ksize = [1, *windows.per_dimension(ksize, 1, channels, "ksize")]
    strides = [1, *windows.per_dimension(strides, 1, channels, "strides")]
    axis = 1 if data_format == "NWC" else 2
    image = tf.expand_dims(input, axis)
    result = op(
      image,
      ksize=ksize,
      strides=strides,
      padding=padding,
      data_format="NHWC" if data_format == "NWC" else "NCHW",
      name=scope,
    )
    return tf.squeeze(result, axis)


def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
  """Returns the greatest element of each window of series [batch, width, channels]; "NCW" has channels before width."""
  return _pool1d(gen.max_pool, "MaxPool1d", input, ksize, strides, padding, data_format, name)


def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
  """Returns the mean of each window of series [batch, width, channels]; "NCW" has channels before width."""
  return _pool1d(gen.avg_pool, "AvgPool1D", input, ksize, strides, padding, data_format, name)


def _pool3d(op, default_name, input, ksize, strides, padding, data_format, name):
  with ops.name_scope(name, default_name, [input]) as scope:
    data_format = data_format or "NDHWC"
    channels = windows.channel_index(data_format, 3)
    return op(
      input,
      ksize=windows.per_dimension(ksize, 3, channels, "ksize"),
      strides=windows.per_dimension(strides, 3, channels, "strides"),
      padding=padding,
      data_format=data_format,
      name=scope,
    )


def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
  """Returns the greatest element of each window of volumes [batch, depth, height, width, channels]."""
  return _pool3d(gen.max_pool3d, "MaxPool3D", input, ksize, strides, padding, data_format, name)


def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
  """Returns the mean of each window of volumes [batch, depth, height, width, channels]."""
  return _pool3d(gen.avg_pool3d, "AvgPool3D", input, ksize, strides, padding, data_format, name)


def _dimensions(input, data_format):
  """Returns how many dimensions windows have: as the format says, or else the rank."""
  if data_format is not None:
    n = len(data_format) - 2
  else:
    shape = convert.convert_to_tensor(input).shape
    n = len(shape) - 2
  if not 1 <= n <= 3:
    raise ValueError(
      f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={getattr(input, 'shape', None)} of rank {n + 2}."
    )
  return n


def _any_pool(ops_by_n, formats, input, ksize, strides, padding, data_format, name):
  n = _dimensions(input, data_format)
  return ops_by_n[n - 1](input, ksize, strides, padding, data_format=data_format or formats[n - 1], name=name)


_FORMATS = ("NWC", "NHWC", "NDHWC")


def max_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
  """Returns max_pool1d, max_pool2d or max_pool3d, by the rank of the input or the format."""
  pools = (max_pool1d, max_pool2d, max_pool3d)
  return _any_pool(pools, _FORMATS, input, ksize, strides, padding, data_format, name)


def avg_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
  """Returns avg_pool1d, avg_pool2d or avg_pool3d, by the rank of the input or the format."""
  pools = (avg_pool1d, avg_pool, avg_pool3d)
  return _any_pool(pools, _FORMATS, input, ksize, strides, padding, data_format, name)


def max_pool_with_argmax(
  input,
  ksize,
  strides,
  padding,
  data_format="NHWC",
  Targmax=None,
  name=None,
  output_dtype=None,
  include_batch_in_index=False,
):
  """Returns the greatest element of each window and its index in the flattened image, or in the flattened batch."""
  if data_format != "NHWC":
    raise ValueError(f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}")
  Targmax = deprecated_argument_lookup("output_dtype", output_dtype, "Targmax", Targmax)
  return gen.max_pool_with_argmax(
    input,
    ksize=ksize,
    strides=strides,
    padding=padding,
    Targmax=dtypes.int64 if Targmax is None else Targmax,
    include_batch_in_index=include_batch_in_index,
    name=name,
  )


_POOLS = {
  ("MAX", 1): max_pool1d,
  ("MAX", 2): max_pool,
  ("MAX", 3): max_pool3d,
  ("AVG", 1): avg_pool1d,
  ("AVG", 2): avg_pool,
  ("AVG", 3): avg_pool3d,
}


def pool(
  input,
  window_shape,
  pooling_type,
  padding,
  dilation_rate=None,
  strides=None,
  name=None,
  data_format=None,
  dilations=None,
):
  """Returns the pooling "MAX" or "AVG" of windows of one to three dimensions, which may have gaps.

  Raises ValueError for other types and ranks, strides beyond the window, strides with gaps, and padding with gaps.
  """
  dilation_rate = deprecated_argument_lookup("dilations", dilations, "dilation_rate", dilation_rate)
  with ops.name_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
    input = convert.convert_to_tensor(input, name="input")
    n = len(window_shape)
    if not 1 <= n <= 3:
      raise ValueError(f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape} of length {n}")
    input.get_shape().with_rank(n + 2)
    strides, rates = windows.strides_and_rates(n, strides, dilation_rate)
    if padding == "SAME" and np.any(rates > 1):
      raise ValueError(
        f"pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: padding={padding} and "
        f"dilation_rate={rates}"
      )
    if np.any(strides > window_shape):
      raise ValueError(
        "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU implementations. Received: "
        f"strides={strides} and window_shape={window_shape}"
      )
    if (pooling_type, n) not in _POOLS:
      raise ValueError(f"{n}-D {pooling_type} pooling is not supported.")
    first = data_format is not None and data_format.startswith("NC")
    ksize = [1, 1, *window_shape] if first else [1, *window_shape, 1]
    steps = [1, 1, *map(int, strides)] if first else [1, *map(int, strides), 1]
    arguments = {} if data_format is None else {"data_format": data_format}

    def run(inputs, _, inner_padding):
      return _POOLS[pooling_type, n](inputs, ksize, steps, inner_padding, name=scope, **arguments)

    return space_to_batch.with_space_to_batch(
      input=input,
      dilation_rate=rates,
      padding=padding,
      op=run,
      spatial_dims=range(2, n + 2) if first else range(1, n + 1),
      filter_shape=window_shape,
    )
