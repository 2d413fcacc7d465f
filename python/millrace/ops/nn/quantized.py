"""Ops of quantized images: 8 bits an element, and the numbers that the least and the greatest stand for."""

from millrace import gen
from millrace.framework import dtypes


def quantized_conv2d(
  input,
  filter,
  min_input,
  max_input,
  min_filter,
  max_filter,
  strides,
  padding,
  out_type=dtypes.qint32,
  dilations=[1, 1, 1, 1],  # noqa: B006  The list is not changed.
  name=None,
):
  """Returns (convolution, least, greatest) of quantized images and filters."""
  return gen.quantized_conv2d(
    input,
    filter,
    min_input,
    max_input,
    min_filter,
    max_filter,
    strides=strides,
    padding=padding,
    out_type=out_type,
    dilations=dilations,
    name=name,
  )


def quantized_relu_x(features, max_value, min_features, max_features, out_type=dtypes.quint8, name=None):
  """Returns (features between 0 and `max_value`, least, greatest)."""
  return gen.quantized_relu_x(features, max_value, min_features, max_features, out_type=out_type, name=name)
