"""What graphs have: their placeholders, scopes, and the graph that a list of tensors is of; and functions of Python in them."""

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework import nest


def get_graph_from_inputs(op_input_list, graph=None):
  """Returns the graph of these tensors and operations, or `graph`, of which they then have to be; ValueError if they are not."""
  return ops._get_graph_from_inputs(op_input_list, graph)


def get_placeholders(graph):
  """Returns the placeholders of a graph."""
  return [op.outputs[0] for op in graph.get_operations() if op.type in ("Placeholder", "PlaceholderV2")]


def get_name_scope():
  """Returns the current scope of names, "a/b"."""
  return ops.get_default_graph().get_name_scope()


def py_func(func, args=(), kwargs=None, output_types=None, output_shapes=None, stateful=True, name=None):
  """Returns what a function of Python returns for tensors: structures of tensors as arguments and as result.

  `output_types` and `output_shapes` are of the result's structure; None says that it returns nothing, which gives the op.
  ValueError where one is given without the other.
  """
  kwargs = kwargs or {}
  if output_shapes is None and output_types is not None:
    shapes = None
  elif output_types is None and output_shapes is not None:
    raise ValueError("`output_types` is required for `output_shapes`.")
  else:
    shapes = output_shapes
  flat_types = [] if output_types is None else nest.flatten(output_types)
  arguments = nest.flatten((list(args), kwargs))

  def run(*values):
    own_args, own_kwargs = nest.pack_sequence_as((list(args), kwargs), list(values))
    result = func(*own_args, **own_kwargs)
    return [] if output_types is None else nest.flatten(result)

  result = tf.py_func(run, arguments, flat_types, stateful=stateful, name=name)
  if output_types is None:
    return result
  results = list(result) if isinstance(result, (list, tuple)) else [result]
  if shapes is not None:
    for value, shape in zip(results, nest.flatten_up_to(output_types, shapes)):
      value.set_shape(shape)
  return nest.pack_sequence_as(output_types, results)


def smart_case(pred_fn_pairs, default=None, exclusive=False, name="smart_case"):
  """Returns tf.case(), without an op where the first predicate that is not known to be false is known to be true."""
  from millrace.ops.control_flow.conditional import smart_constant_value

  pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
  unknown = []
  for pred, function in pairs:
    value = smart_constant_value(pred)
    if value is None:
      unknown.append((pred, function))
    elif value:
      if not unknown:
        return function()
      default = function
      break
  if not unknown:
    if default is None:
      raise ValueError("All predicates are known to be false, and there is no default.")
    return default()
  return tf.case(unknown, default=default, exclusive=exclusive, name=name)
