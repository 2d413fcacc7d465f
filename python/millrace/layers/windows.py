"""Arguments of layers that move a window: sizes, strides, padding and the place of the channels."""

import numpy as np


def numbers(value, n, name, allow_zero=False):
  """Returns n whole numbers as a tuple: `value` is one of them or n. ValueError for anything else, and for too small ones."""
  if isinstance(value, (int, np.integer)):
    found = (int(value),) * n
  else:
    error = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    try:
      found = tuple(value)
    except TypeError:
      raise ValueError(error) from None
    if len(found) != n:
      raise ValueError(error)
    for part in found:
      try:
        int(part)
      except (ValueError, TypeError):
        raise ValueError(error + f"including element {part} of type {type(part)}") from None
  wrong = [part for part in found if part < 0 or (part == 0 and not allow_zero)]
  if wrong:
    raise ValueError(
      f"The `{name}` argument must be a tuple of {n} integers. Received: {value} including {set(wrong)} that does not satisfy "
      f"the requirement `{'>= 0' if allow_zero else '> 0'}`."
    )
  return found


def data_format(value):
  """Returns "channels_last", also for None, or "channels_first". ValueError for others."""
  lower = "channels_last" if value is None else str(value).lower()
  if lower not in ("channels_first", "channels_last"):
    raise ValueError(f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {value}')
  return lower


def padding(value):
  """Returns "valid", "same" or "causal". ValueError for others."""
  lower = str(value).lower()
  if lower not in ("valid", "same", "causal"):
    raise ValueError(
      f'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", only for `Conv1D). Received: {value}'
    )
  return lower


def op_format(layer_format, n):
  """Returns the format of ops for n dimensions: "NHWC" for "channels_last" and 2."""
  places = "DHW"[3 - n :]
  return "NC" + places if layer_format == "channels_first" else "N" + places + "C"


def format_of_rank(layer_format, ndim):
  """Returns the format of ops for inputs of `ndim` dimensions, from 3 to 5. ValueError for others."""
  if ndim not in (3, 4, 5):
    raise ValueError(f"Input rank not supported: {ndim}")
  return op_format(data_format(layer_format), ndim - 2)


def output_size(size, window, mode, stride, dilation=1):
  """Returns how many windows there are along a dimension; None where its size is not known."""
  if size is None:
    return None
  reach = window + (window - 1) * (dilation - 1)
  if mode in ("same", "causal"):
    result = size
  else:
    result = size - reach + 1
  return (result + stride - 1) // stride


def transposed_size(size, window, mode, stride):
  """Returns the size of which a convolution makes `size` windows, a number or a tensor; None where it is not known."""
  if size is None:
    return None
  size = size * stride
  return size + max(window - stride, 0) if mode == "valid" else size
