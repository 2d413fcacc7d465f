"""Parts of GraphDefs: what some nodes need, without training, with variables as constants."""

import millrace as tf
from millrace.framework import protos

_VARIABLE_TYPES = ("Variable", "VariableV2", "VarHandleOp")


def _name_of(tensor_name):
  """The node of an input's name."""
  return tensor_name.lstrip("^").split(":", 1)[0]


def must_run_on_cpu(node, pin_variables_on_cpu=False):
  """Whether the node (an Operation or NodeDef) must be on a CPU: strings, integers of shapes, and variables if asked."""
  node_def = node.node_def if isinstance(node, tf.Operation) else node
  if pin_variables_on_cpu and node_def.op in _VARIABLE_TYPES:
    return True
  host_types = (protos.DT_STRING, protos.DT_INT32)
  if node_def.op == "Const":
    return node_def.attr["dtype"].type in host_types
  if node_def.op == "DynamicStitch":
    return node_def.attr["T"].type == protos.DT_INT32
  if node_def.op == "Cast":
    return node_def.attr["SrcT"].type == protos.DT_INT32
  return False


def extract_sub_graph(graph_def, dest_nodes):
  """The GraphDef of the nodes that `dest_nodes` (names) depend on, in their order.

  Raises TypeError for wrong types, AssertionError for a node that isn't there.
  """
  if not protos.is_message(graph_def, "GraphDef"):
    raise TypeError(f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.")
  if isinstance(dest_nodes, str):
    raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.")
  graph_def = protos.coerce(protos.GraphDef, graph_def)
  nodes = {node.name: node for node in graph_def.node}
  for name in dest_nodes:
    if name not in nodes:
      raise AssertionError(f"{name} is not in graph")
  wanted = set()
  waiting = list(dest_nodes)
  while waiting:
    name = waiting.pop()
    if name in wanted:
      continue
    wanted.add(name)
    waiting.extend(_name_of(i) for i in nodes[name].input)
  result = protos.GraphDef()
  for node in graph_def.node:
    if node.name in wanted:
      result.node.add().CopyFrom(node)
  result.library.CopyFrom(graph_def.library)
  result.versions.CopyFrom(graph_def.versions)
  return result


def tensor_shape_from_node_def_name(graph, input_name):
  """The shape of the tensor of that name, whose output is the first if it says none."""
  name = input_name if ":" in input_name else input_name + ":0"
  return graph.get_tensor_by_name(name).get_shape()


def remove_training_nodes(input_graph, protected_nodes=None):
  """The GraphDef without what only training needs: checks of numerics, and identities but those of `protected_nodes`."""
  protected = set(protected_nodes or [])
  input_graph = protos.coerce(protos.GraphDef, input_graph)
  kept = [n for n in input_graph.node if n.op != "CheckNumerics" or n.name in protected]
  # Without them their input stands in their place.
  replaced = {n.name: n.input[0] for n in input_graph.node if n.op == "CheckNumerics" and n.name not in protected and n.input}
  waited_for = {_name_of(i) for n in kept for i in n.input if i.startswith("^")}
  spliced = []
  for node in kept:
    has_control = any(i.startswith("^") for i in node.input)
    if node.op == "Identity" and not has_control and node.name not in waited_for and node.name not in protected:
      replaced[node.name] = node.input[0]
    else:
      spliced.append(node)

  def source(name):
    control = name.startswith("^")
    found = name
    while _name_of(found) in replaced:
      found = replaced[_name_of(found)]
    return "^" + _name_of(found) if control else found

  result = protos.GraphDef()
  for node in spliced:
    copy = result.node.add()
    copy.CopyFrom(node)
    copy.input[:] = [source(i) for i in node.input]
  result.library.CopyFrom(input_graph.library)
  result.versions.CopyFrom(input_graph.versions)
  return result


def convert_variables_to_constants(
  sess, input_graph_def, output_node_names, variable_names_whitelist=None, variable_names_blacklist=None
):
  """The GraphDef that `output_node_names` need, in which variables are constants with the session's values.

  Only those of the whitelist, and none of the blacklist, are replaced.
  """
  graph_def = extract_sub_graph(input_graph_def, output_node_names)
  nodes = {node.name: node for node in graph_def.node}
  handles = {}
  for node in graph_def.node:
    if node.op not in _VARIABLE_TYPES:
      continue
    if variable_names_whitelist is not None and node.name not in variable_names_whitelist:
      continue
    if variable_names_blacklist is not None and node.name in variable_names_blacklist:
      continue
    handles[node.name] = node
  values = _values(sess, handles)
  tf.logging.info("Froze %d variables.", len(values))

  def variable_of(name):
    """The variable that an input leads to through switches and identities, or None."""
    name = _name_of(name)
    while name in nodes:
      if name in values:
        return name
      if nodes[name].op not in ("Switch", "Enter", "Identity", "RefSwitch", "RefEnter"):
        return None
      name = _name_of(nodes[name].input[0])
    return None

  result = protos.GraphDef()
  axes = []
  for node in graph_def.node:
    if node.name in values:
      _add_constant(result, node, values[node.name])
    elif node.op == "ReadVariableOp" and variable_of(node.input[0]):
      _add(result, node, "Identity", [node.input[0]], T=node.attr["dtype"])
    elif node.op == "ResourceGather" and variable_of(node.input[0]):
      axes.append(_add_gather(result, node))
    else:
      copy = result.node.add()
      copy.CopyFrom(node)
      passes = node.op in ("Switch", "Enter", "Identity", "RefSwitch", "RefEnter")
      variable = variable_of(node.input[0]) if passes else None
      if variable and nodes[variable].op == "VarHandleOp":
        copy.attr["T"].CopyFrom(nodes[variable].attr["dtype"])
  result.node.extend(axes)
  result.library.CopyFrom(graph_def.library)
  result.versions.CopyFrom(graph_def.versions)
  return result


def _values(sess, variables):
  """The session's values of variables, by the names of their nodes."""
  if not variables:
    return {}
  fetches = {}
  for name, node in variables.items():
    if node.op == "VarHandleOp":
      fetches[name] = _read_name(sess.graph, name)
    else:
      fetches[name] = name + ":0"
  return dict(sess.run(fetches))


def _read_name(graph, name):
  """The name of a tensor that reads a resource variable."""
  read = name + "/Read/ReadVariableOp:0"
  try:
    graph.get_tensor_by_name(read)
    return read
  except (KeyError, ValueError):
    for consumer in graph.get_tensor_by_name(name + ":0").consumers():
      if consumer.type == "ReadVariableOp":
        return consumer.outputs[0].name
    raise


def _add(result, node, op, inputs, **attrs):
  made = result.node.add(name=node.name, op=op, input=inputs, device=node.device)
  for key, value in attrs.items():
    made.attr[key].CopyFrom(value)
  return made


def _add_constant(result, node, value):
  made = result.node.add(name=node.name, op="Const")
  made.attr["dtype"].CopyFrom(node.attr["dtype"])
  dtype = tf.as_dtype(node.attr["dtype"].type).base_dtype
  made.attr["dtype"].type = dtype.as_datatype_enum
  made.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype=dtype, shape=value.shape))


def _add_gather(result, node):
  """GatherV2 along the first dimension behind the batch's; returns the node of that dimension, which is new."""
  batch_dims = node.attr["batch_dims"].i if "batch_dims" in node.attr else 0
  axis_name = node.name + "/axis"
  int32 = protos.AttrValue(type=protos.DT_INT32)
  gather = _add(
    result,
    node,
    "GatherV2",
    [node.input[0], node.input[1], axis_name, *node.input[2:]],
    Tparams=node.attr["dtype"],
    Tindices=node.attr["Tindices"],
    Taxis=int32,
  )
  if batch_dims:
    gather.attr["batch_dims"].i = batch_dims
  axis = protos.NodeDef(name=axis_name, op="Const", device=node.device)
  axis.attr["dtype"].CopyFrom(int32)
  axis.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(batch_dims, dtype=tf.int32, shape=[]))
  return axis
