"""tf.vectorized_map: a function of each element of tensors."""

from millrace.framework import convert, nest
from millrace.ops.control_flow import functional
from millrace.ops.gradients import function_graph


def vectorized_map(fn, elems):
  """Returns the results of `fn` for the rows of `elems`, a tensor or a structure of them, each result stacked along dimension 0.

  The values are those of tf.map_fn with all rows at once; rows run as turns of a loop, and results that do not depend on the
  row are repeated. The types of the results are those that `fn` has for the first row.
  """
  elems = nest.map_structure(convert.convert_to_tensor, elems)
  with function_graph.FunctionGraph("vectorized_map").as_default():
    # The types are looked for in a graph of their own, which is dropped.
    rows = [_placeholder_of_row(value) for value in nest.flatten(elems)]
    probe = fn(nest.pack_sequence_as(elems, rows))
    types = nest.map_structure(lambda value: convert.convert_to_tensor(value).dtype, probe)

  def converted(row):
    return nest.map_structure(convert.convert_to_tensor, fn(row))

  return functional.map_fn(converted, elems, dtype=types, parallel_iterations=32)


def _placeholder_of_row(value):
  from millrace.ops.array import placeholders

  return placeholders.placeholder(value.dtype, value.shape[1:])
