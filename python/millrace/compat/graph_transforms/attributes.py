"""Transforms of what is written on nodes: their ops, attributes and devices."""

from millrace.framework import op_defs


def add_default_attributes(graph_def, request):
  """Writes out the defaults of attributes that nodes do not have."""
  schemas = {}
  for node in graph_def.node:
    if node.op not in schemas:
      schemas[node.op] = op_defs.proto(node.op) if op_defs.has(node.op) else None
    schema = schemas[node.op]
    if schema is None and node.op not in {function.signature.name for function in graph_def.library.function}:
      raise ValueError("there is no op %s, of node %s" % (node.op, node.name))
    for attr in schema.attr if schema is not None else ():
      if attr.name not in node.attr and attr.HasField("default_value"):
        node.attr[attr.name].ParseFromString(attr.default_value.SerializeToString())
  return graph_def


def remove_attribute(graph_def, request):
  """Removes the attribute `attribute_name` from nodes, or from those of the op `op_name` alone."""
  name, op = request.one("attribute_name"), request.one("op_name", "")
  for node in graph_def.node:
    if op in ("", "*", node.op) and name in node.attr:
      del node.attr[name]
  return graph_def


def rename_attribute(graph_def, request):
  """Gives an attribute another name, on all nodes or on those of the op `op_name` alone."""
  old, new, op = request.one("old_attribute_name"), request.one("new_attribute_name"), request.one("op_name", "")
  for node in graph_def.node:
    if op in ("", "*", node.op) and old in node.attr:
      node.attr[new].CopyFrom(node.attr[old])
      del node.attr[old]
  return graph_def


def rename_op(graph_def, request):
  """Makes nodes of one op nodes of another."""
  old, new = request.one("old_op_name"), request.one("new_op_name")
  for node in graph_def.node:
    if node.op == old:
      node.op = new
  return graph_def


def remove_device(graph_def, request):
  """Takes the devices from all nodes."""
  for node in graph_def.node:
    node.device = ""
  return graph_def


def set_device(graph_def, request):
  """Gives nodes the device `device`; with `if_default` those that have none."""
  device, only_without = request.one("device", ""), request.truth("if_default", False)
  for node in graph_def.node:
    if not (only_without and node.device):
      node.device = device
  return graph_def
