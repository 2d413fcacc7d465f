"""The op types that a GraphDef uses, also in its functions."""

from millrace.framework import op_defs, protos


def ops_used_by_graph_def(graph_def):
  """Returns the set of names of the op types that a GraphDef uses, and of functions that it calls but does not have."""
  functions = {function.signature.name: function for function in graph_def.library.function}
  used, waiting = set(), [node.op for node in graph_def.node]
  while waiting:
    op = waiting.pop()
    if op in used:
      continue
    used.add(op)
    if op in functions:
      waiting += [node.op for node in functions[op].node_def]
  return used - set(functions)


def stripped_op_list_for_graph(graph_def):
  """Returns the OpList, in the order of names and without descriptions, of the op types that a GraphDef uses.

  Raises RuntimeError if one is not known.
  """
  found = protos.OpList()
  unknown = []
  for name in sorted(ops_used_by_graph_def(graph_def)):
    if not op_defs.has(name):
      unknown.append(name)
      continue
    added = found.op.add()
    added.CopyFrom(op_defs.proto(name))
    added.summary = added.description = ""
    for part in (*added.attr, *added.input_arg, *added.output_arg):
      part.description = ""
  if unknown:
    raise RuntimeError(f"Op {unknown[0]} is used by the graph, but is not registered")
  return found
