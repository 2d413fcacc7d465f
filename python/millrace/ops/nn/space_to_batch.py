"""Ops of windows with gaps: elements that a window meets together are sorted into batches, where it has none."""

import numpy as np

import millrace as tf
from millrace.framework import convert, dtypes, tensor_values
from millrace.framework.tensor import Tensor


def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None, data_format=None):
  """Returns op(input, number of dimensions, padding) as if windows had gaps of `dilation_rate` - 1 elements.

  Dimensions `spatial_dims` (by default 1, 2, ..., or 2, 3, ... for a `data_format` "NC...") are sorted into batches, and
  padded as `padding` says; "SAME" needs `filter_shape`. Where all rates are 1, the op is called with the input as it is.
  Raises ValueError for other paddings, rates below 1 and ranks that do not fit.
  """
  input = convert.convert_to_tensor(input, name="input")
  rate = convert.convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate")
  if rate.shape.ndims is not None and rate.shape.ndims != 1:
    raise ValueError(f"`dilation_rate.shape.rank` must be 1. Received: dilation_rate={rate} of rank {rate.shape.ndims}")
  if not rate.shape.is_fully_defined():
    raise ValueError(f"`dilation_rate.shape` must be fully defined. Received: dilation_rate={rate} with shape {rate.shape}")
  n = rate.shape.as_list()[0]
  channels_first = data_format is not None and data_format.startswith("NC")
  spatial_dims = _checked_dims(spatial_dims, n, 2 if channels_first else 1)
  least = spatial_dims[-1] + (0 if channels_first else 1)
  if input.shape.ndims is not None and input.shape.ndims < least:
    raise ValueError(f"`input.shape.rank` must be at least {least}. Received: input.shape={input.shape}")
  const_rate = tensor_values.constant_value(rate)
  if const_rate is not None:
    if np.any(const_rate < 1):
      raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={const_rate}")
    if np.all(const_rate == 1):
      return op(input, n, padding)
  base_paddings = _base_paddings(padding, filter_shape, n, rate if const_rate is None else const_rate)
  sizes = input.shape.as_list() if input.shape.ndims is not None else None
  input_shape = None if sizes is None else [sizes[d] for d in spatial_dims]
  if input_shape is None or None in input_shape:
    dynamic = tf.shape(input)
    input_shape = tf.stack([dynamic[d] for d in spatial_dims])
  paddings, crops = tf.required_space_to_batch_paddings(input_shape=input_shape, base_paddings=base_paddings, block_shape=rate)
  rate = _for_all_dims(rate, 1, spatial_dims)
  paddings = _for_all_dims(paddings, 0, spatial_dims)
  crops = _for_all_dims(crops, 0, spatial_dims)
  batches = tf.space_to_batch_nd(input=input, block_shape=rate, paddings=paddings)
  result = tf.batch_to_space_nd(input=op(batches, n, "VALID"), block_shape=rate, crops=crops)
  return result


def _checked_dims(spatial_dims, n, first):
  if spatial_dims is None:
    return list(range(first, n + first))
  dims = list(spatial_dims)
  spatial_dims = sorted({int(d) for d in dims})
  if spatial_dims != dims or any(d < 1 for d in spatial_dims):
    raise ValueError(
      f"`spatial_dims` must be a monotonically increasing sequence of positive integers. Received: spatial_dims={dims}"
    )
  return spatial_dims


def _base_paddings(padding, filter_shape, n, rate):
  """Returns the padding that the op would make itself: [before, after] of each dimension."""
  if padding == "VALID":
    return np.zeros([n, 2], np.int32)
  if padding == "EXPLICIT":
    raise ValueError("EXPLICIT padding is not supported here")
  if padding != "SAME":
    raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
  if filter_shape is None:
    raise ValueError(
      f"`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape={filter_shape} and padding={padding}"
    )
  filter_shape = convert.convert_to_tensor(filter_shape, name="filter_shape")
  known = tensor_values.constant_value(filter_shape)
  if known is not None:
    filter_shape = known
  extra = (filter_shape[:n] - 1) * rate
  before = extra // 2
  after = extra - before
  return tf.stack([[before[i], after[i]] for i in range(n)])


def _for_all_dims(values, fill, spatial_dims):
  """Returns the values of the dimensions `spatial_dims`, with `fill` for dimensions between them, from dimension 1 on."""
  known = tensor_values.constant_value(values) if isinstance(values, Tensor) else values
  fill_dims = values.shape.as_list()[1:] if isinstance(values, Tensor) else list(np.shape(values)[1:])
  dtype = values.dtype.as_numpy_dtype if isinstance(values, Tensor) else values.dtype
  parts = []
  before = 0
  i = 0
  while i < len(spatial_dims):
    start = i
    if spatial_dims[start] > 1:
      parts.append(np.full([spatial_dims[start] - 1 - before, *fill_dims], fill, dtype=dtype))
    while i + 1 < len(spatial_dims) and spatial_dims[i + 1] == spatial_dims[i] + 1:
      i += 1
    parts.append((values if known is None else known)[start : i + 1])
    before = spatial_dims[i]
    i += 1
  return np.concatenate(parts) if known is not None else tf.concat(parts, 0)
