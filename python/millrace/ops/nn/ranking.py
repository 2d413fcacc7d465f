"""The greatest elements, and whether a class is among them."""

from millrace import gen
from millrace.framework import graph as ops


def top_k(input, k=1, sorted=True, name=None):
  """Returns (values, indices) of the `k` greatest elements of each last dimension, the greatest first where `sorted`."""
  return gen.top_kv2(input, k=k, sorted=sorted, name=name)


def in_top_k(predictions, targets, k, name=None):
  """Returns for each row of `predictions` whether the class `targets` is one of the `k` with the greatest values."""
  with ops.name_scope(name, "in_top_k"):
    return gen.in_top_kv2(predictions, targets, k, name=name)
