"""Dilation and erosion of gray images."""

from millrace import gen
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup


def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None):
  """Returns the greatest sum of a pixel and the filter [height, width, channels] in each window."""
  filter = deprecated_argument_lookup("filters", filters, "filter", filter)
  rates = deprecated_argument_lookup("dilations", dilations, "rates", rates)
  return gen.dilation2d(input, filter, strides=strides, rates=rates, padding=padding, name=name)


def erosion2d(value, kernel, strides, rates, padding, name=None):
  """Returns the least difference of a pixel and the kernel [height, width, channels] in each window."""
  with ops.name_scope(name, "erosion2d", [value, kernel]) as scope:
    # An erosion is the dilation of the negative by the kernel turned around.
    dilated = gen.dilation2d(
      input=gen.neg(value),
      filter=gen.reverse_v2(kernel, [0, 1]),
      strides=strides,
      rates=rates,
      padding=padding,
      name=scope,
    )
    return gen.neg(dilated)
