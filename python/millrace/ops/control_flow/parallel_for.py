"""Functions of a number, once for each from 0 on, whose results are stacked: pfor, for_loop and vectorized_map.

The turns are those of a loop, of which many run at once. The function is called once, in the loop, so that it may take
gradients of what is outside of it.
"""

import contextlib

from millrace.framework import constants, convert, nest, tensor_shape
from millrace.framework import graph as graphs
from millrace.framework.scopes import control_dependencies
from millrace.ops.control_flow import tensor_array, while_loop

_PARALLEL = 32


def pfor(loop_fn, iters, parallel_iterations=None):
  """The results of `loop_fn(i)` for i from 0 to iters - 1: tensors stacked along dimension 0, an op for an op, None for None."""
  return _stacked(loop_fn, iters, parallel_iterations)


def for_loop(loop_fn, loop_fn_dtypes, iters, parallel_iterations=None):
  """pfor(), with the types of the results, which are looked at no further: those that `loop_fn` gives are right."""
  del loop_fn_dtypes
  return _stacked(loop_fn, iters, parallel_iterations)


def vectorized_map(fn, elems):
  """Returns the results of `fn` for the rows of `elems`, a tensor or a structure of them, each result stacked along dimension 0."""
  from millrace.ops.array import gathering, shapes

  def as_it_is(value):
    # The gradient of this is a whole tensor, that of the rows alone would be slices.
    value = convert.convert_to_tensor(value)
    return shapes.reshape(value, shapes.shape(value))

  elems = nest.map_structure(as_it_is, elems)
  first = nest.flatten(elems)[0]
  count = tensor_shape.dimension_value(first.shape.with_rank_at_least(1)[0])
  if count is None:
    count = shapes.shape(first)[0]
  return pfor(lambda i: fn(nest.map_structure(lambda value: gathering.gather(value, i), elems)), count)


@contextlib.contextmanager
def _outside(context):
  """A context for ops that belong before the loop which is being made, where `context` is around that."""
  graph = graphs.get_default_graph()
  inside = graph._get_control_flow_context()
  with control_dependencies(None):
    graph._set_control_flow_context(context)
    try:
      yield
    finally:
      graph._set_control_flow_context(None)
  assert graph._get_control_flow_context() is inside


def _stacked(loop_fn, iters, parallel_iterations):
  """The results of all turns. A float that all of an array's writes add to says when they are over, as a flow does."""
  outer = graphs.get_default_graph()._get_control_flow_context()
  count = convert.convert_to_tensor(iters, name="iters")
  found = {}

  def body(i, flow):
    found["structure"] = made = loop_fn(i)
    after, flows = [], [flow]
    found["arrays"] = arrays = []
    for value in nest.flatten(made):
      if value is None or isinstance(value, graphs.Operation):
        after += [] if value is None else [value]
        arrays.append(value)
        continue
      value = convert.convert_to_tensor(value)
      with _outside(outer):
        array = tensor_array.TensorArray(
          value.dtype.base_dtype, size=count, element_shape=value.shape, colocate_with_first_write_call=False
        )
      arrays.append(array)
      flows.append(array.write(i, value).flow)
    with graphs.control_dependencies(after):
      return i + 1, _sum(flows)

  with graphs.name_scope("pfor"):
    begin = [constants.constant(0), constants.constant(0.0)]
    _, flow = while_loop.while_loop(lambda i, _: i < count, body, begin, parallel_iterations=parallel_iterations or _PARALLEL)
    rows = tensor_shape.TensorShape([tensor_shape.dimension_value(_static(iters))])
    results = [_whole(array, flow, rows) for array in found["arrays"]]
  structure = found["structure"]
  return nest.pack_sequence_as(structure, results) if nest.is_nested(structure) else results[0]


def _sum(flows):
  from millrace.ops.array import identities
  from millrace.ops.math import sums

  return identities.identity(flows[0]) if len(flows) == 1 else sums.add_n(flows)


def _static(iters):
  from millrace.framework import tensor_values

  return tensor_values.constant_value(iters) if hasattr(iters, "op") else iters


def _whole(array, flow, rows):
  """The elements of an array, once all turns are over; an op that waits for them; or None."""
  if array is None:
    return None
  if isinstance(array, graphs.Operation):
    from millrace.ops.control_flow import basics

    return basics.group(flow)
  whole = tensor_array.TensorArray(array.dtype, handle=array.handle, flow=flow)
  whole._element_shape = array._element_shape
  result = whole.stack()
  result.set_shape(rows.concatenate(array.element_shape))
  return result
