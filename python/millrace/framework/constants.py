"""Constants: nodes whose value is in the graph."""

from millrace import _binding
from millrace.framework import default_graphs, tensor_shape, tensor_values


def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
  """Returns a constant of a value of Python or numpy.

  With a shape that has more elements than the value, the last one stands for the others; with `verify_shape` that is an error.
  Raises TypeError for values that are not of `dtype`.
  """
  return _constant(value, dtype, shape, name, verify_shape, False)


def constant_v2(value, dtype=None, shape=None, name="Const"):
  """Like `constant`; with a shape, a value of one element fills it."""
  return _constant(value, dtype, shape, name, False, True)


def _constant(value, dtype, shape, name, verify_shape, allow_broadcast):
  graph = default_graphs.get_default_graph()
  if shape is not None:
    shape = tensor_shape.as_shape(shape).as_list()
  array, element = tensor_values.full_array(value, dtype, shape, verify_shape, allow_broadcast)
  graph._check_not_finalized()
  name = name or "Const"
  scope = _binding.scope(graph)
  if not _binding.is_valid_name(name, not scope):
    raise ValueError("`%s` is not a valid node name. It has letters, digits and any of ._-/> alone." % (scope + name))
  return _binding.constant(graph, name, _binding.value_from_array(array, element))


def is_constant(tensor_or_op):
  """True for an operation Const and its output."""
  op = getattr(tensor_or_op, "op", tensor_or_op)
  return op.type == "Const"
