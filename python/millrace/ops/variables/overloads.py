"""The operators of tensors on variables: each takes the variable's value."""

from millrace.framework import graph
from millrace.framework.tensor import Tensor


def overload(cls):
  """Gives a class of variables the operators that tensors have, but not equality: variables are compared by identity."""

  graph._complete_tensors()
  for name in Tensor.OVERLOADABLE_OPERATORS:
    if name in ("__eq__", "__ne__", "__getitem__"):
      continue
    setattr(cls, name, _on_value(name, getattr(Tensor, name)))
  cls.__getitem__ = _sliced
  cls.__iter__ = _iterated
  cls.__array_priority__ = 100  # Behind numpy's own, so that numpy leaves operators to us.


def _on_value(name, operator):
  def run(a, *args, **kwargs):
    return operator(a.value(), *args, **kwargs)

  run.__name__ = name
  run.__doc__ = operator.__doc__
  return run


def _sliced(variable, slice_spec):
  """Returns a slice of the value, which can be assigned to."""
  from millrace.ops.array import slicing

  return slicing.getitem_variable(variable, slice_spec)


def _iterated(variable):
  """Raises what iterating over a tensor raises."""
  return Tensor.__iter__(variable.read_value())
