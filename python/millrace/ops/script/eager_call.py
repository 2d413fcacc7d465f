"""Calls of functions that work on tensors with known values: such a call builds a small graph of its own and runs it at once."""

import numpy as np

from millrace.framework import constants, convert, dtypes
from millrace.framework import graph as graphs
from millrace.framework import tensor


class CallGraph(graphs.Graph):
  """The graph of one call. Its tensors have values, which are computed when they are asked for."""

  is_call = True

  def __init__(self):
    super().__init__()
    self._session = None

  def value_of(self, value):
    """Returns a tensor's value as a numpy array or scalar."""
    from millrace.client import session

    if self._session is None:
      self._session = session.Session(graph=self)
    return self._session.run(value)

  def close(self):
    if self._session is not None:
      self._session.close()


def call(function, types, values):
  """Returns what `function` returns for tensors of these values, as arrays of the types."""
  graph = CallGraph()
  try:
    with graph.as_default():
      inputs = [_tensor_of(value) for value in values]
      results = _results(function(*inputs), types)
      return [np.asarray(graph.value_of(result)) for result in results]
  finally:
    graph.close()


def call_gradient(function, types, values, grads):
  """Returns the gradients with respect to the values of `function`'s results, whose incoming gradients are `grads`."""
  from millrace.ops.gradients import backprop

  graph = CallGraph()
  try:
    with graph.as_default():
      inputs = [_tensor_of(value) for value in values]
      results = _results(function(*inputs), types)
      pairs = [(y, _tensor_of(dy)) for y, dy in zip(results, grads) if y.dtype.is_floating or y.dtype.is_complex]
      found = backprop.gradients(
        [y for y, _ in pairs], inputs, [dy for _, dy in pairs], unconnected_gradients=backprop.UnconnectedGradients.ZERO
      )
      return [np.asarray(graph.value_of(convert.convert_to_tensor(grad))) for grad in found]
  finally:
    graph.close()


def _tensor_of(value):
  return constants.constant(value)


def _results(returned, types):
  if returned is None:
    returned = []
  elif not isinstance(returned, (list, tuple)):
    returned = [returned]
  if len(types) == 1 and len(returned) != 1:
    returned = [returned]
  return [convert.convert_to_tensor(value, dtype=dtype) for value, dtype in zip(returned, types)]


def is_known(value):
  """True for a tensor of a call, whose value is known."""
  return isinstance(value, tensor.Tensor) and getattr(value.graph, "is_call", False)


def gradient_of_call(op, *grads):
  """The gradient of EagerPyFunc: another call, which computes the function again."""
  from millrace.ops.script import py_func

  token = op.get_attr("token").decode()
  inner = py_func.function_of(token)
  if inner is None:
    raise ValueError("callback %s is not found" % token)
  count = len(op.inputs)

  def compute(*values):
    return call_gradient(inner.function, inner.types, values[:count], values[count:])

  types = [value.dtype if value.dtype.is_floating or value.dtype.is_complex else dtypes.float32 for value in op.inputs]
  given = [grad if grad is not None else _zeros(value) for grad, value in zip(grads, op.outputs)]
  found = py_func.py_func(compute, list(op.inputs) + given, types)
  return [
    grad if value.dtype.is_floating or value.dtype.is_complex else None
    for grad, value in zip(found if isinstance(found, (list, tuple)) else [found], op.inputs)
  ]


def _zeros(value):
  from millrace.ops.array import filling

  return filling.zeros_like(value)
