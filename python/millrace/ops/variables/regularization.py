"""Losses of regularizers, as they stand in the collection: each use makes the ops of the loss where it is used."""

from millrace.framework import convert
from millrace.framework.tensor import Tensor


class RegularizationLoss:
  """The loss that `make()` builds: as a tensor it is built anew, so that a loop or a conditional has its own.

  What is asked of it as an object (name, shape, op, eval) is answered by one that was built at once.
  """

  def __init__(self, make):
    self._make = make
    self._first = make()

  @property
  def name(self):
    return self._first.name

  @property
  def dtype(self):
    return self._first.dtype

  @property
  def shape(self):
    return self._first.shape

  @property
  def op(self):
    return self._first.op

  @property
  def graph(self):
    return self._first.graph

  @property
  def device(self):
    return self._first.device

  @property
  def value_index(self):
    return self._first.value_index

  def get_shape(self):
    return self._first.get_shape()

  def consumers(self):
    return self._first.consumers()

  def eval(self, feed_dict=None, session=None):
    """Returns the value, computed by a session."""
    return self._first.eval(feed_dict=feed_dict, session=session)

  def _as_graph_element(self):
    return self._first

  def __repr__(self):
    return repr(self._first)


def _operator(name):
  def run(loss, *args):
    return getattr(Tensor, name)(loss._make(), *args)

  run.__name__ = name
  return run


def _to_tensor(loss, dtype=None, name=None, as_ref=False):
  if as_ref or (dtype is not None and not dtype.is_compatible_with(loss.dtype)):
    return NotImplemented
  return loss._make()


def _complete():
  for name in Tensor.OVERLOADABLE_OPERATORS:
    if name not in ("__eq__", "__ne__"):
      setattr(RegularizationLoss, name, _operator(name))
  convert.register_tensor_conversion_function(RegularizationLoss, _to_tensor, priority=0)
  convert.register_dense_tensor_like_type(RegularizationLoss)


_complete()
