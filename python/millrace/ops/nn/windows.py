"""Sizes of windows, strides and padding as ops take them: a number for each dimension."""

import numpy as np


def per_dimension(value, n, channel_index, name):
  """Returns `value` as a list of n + 2 numbers, 1 for batch and channels.

  `value` is None (all 1), a number, or a list of 1, n or n + 2 numbers; `channel_index` is 1 or n + 1. ValueError for others.
  """
  if value is None:
    value = [1]
  elif not hasattr(value, "__len__"):
    value = [value]
  count = len(value)
  if count == n + 2:
    return value
  if count == 1:
    value = list(value) * n
  elif count == n:
    value = list(value)
  else:
    raise ValueError(f"{name} should be of length 1, {n} or {n + 2}. Received: {name}={value} of length {count}")
  return [1, 1, *value] if channel_index == 1 else [1, *value, 1]


def channel_index(data_format, n):
  """Returns which dimension has the channels: 1 for formats "NC...", else the last of n + 2."""
  return 1 if data_format is not None and data_format.startswith("NC") else n + 1


def padding_and_amounts(padding, rank=4):
  """Returns (padding, explicit amounts): a list of [before, after] a dimension becomes ("EXPLICIT", the numbers in a row).

  Raises ValueError for the text "EXPLICIT", and for lists that have not `rank` pairs.
  """
  if not isinstance(padding, (list, tuple)):
    if padding == "EXPLICIT":
      raise ValueError("'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list.")
    return padding, []
  for i, pair in enumerate(padding):
    if not isinstance(pair, (list, tuple)):
      raise ValueError(
        f"When `padding` is a list, each element of `padding` must be a list/tuple of size 2. Received: padding={padding} with "
        f"element at index {i} of type {type(pair)}"
      )
    if len(pair) != 2:
      raise ValueError(
        f"When `padding` is a list, each element of `padding` must be a list/tuple of size 2. Received: padding={padding} with "
        f"element at index {i} of size {len(pair)}"
      )
  if len(padding) != rank:
    raise ValueError(f"When padding is a list, it must be of size {rank}. Received: padding={padding} of size {len(padding)}")
  return "EXPLICIT", [int(amount) for pair in padding for amount in pair]


def strides_and_rates(n, strides, rates):
  """Returns strides and dilation rates of n dimensions, int32 arrays; one number stands for all dimensions.

  Raises ValueError for other numbers of them, for numbers below 1, and where both are more than 1.
  """
  if rates is None:
    rates = [1] * n
  rates = _numbers(rates, n, "dilation_rate")
  strides = _numbers([1] * n if strides is None else strides, n, "strides")
  if np.any(strides > 1) and np.any(rates > 1):
    raise ValueError(
      "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
      f"Received: strides={strides} and dilation_rate={rates}"
    )
  return strides, rates


def _numbers(values, n, name):
  values = np.atleast_1d(np.array(values, dtype=np.int32))
  if len(values) == 1 and n > 1:
    values = np.repeat(values, n)
  if len(values) != n:
    raise ValueError(f"`len({name})` should be {n}. Received: {name}={values} of length {len(values)}")
  if np.any(values < 1):
    raise ValueError(f"all values of `{name}` must be positive. Received: {name}={values}")
  return values
