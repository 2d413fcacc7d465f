"""Views of tf.profiler as messages."""

from millrace.profiler import messages

_NUMBERS = (
  "exec_micros",
  "accelerator_exec_micros",
  "cpu_exec_micros",
  "requested_bytes",
  "peak_bytes",
  "residual_bytes",
  "output_bytes",
  "parameters",
  "float_ops",
)


def _set_numbers(message, one):
  for name in _NUMBERS:
    setattr(message, name, one.own[name])
    setattr(message, "total_" + name, one.total[name])


def _set_shapes(message, node):
  for index, dims in sorted(node.input_shapes.items()):
    shape = message.input_shapes[index]
    if dims is None:
      shape.unknown_rank = True
    else:
      for size in dims:
        shape.dim.add(size=size)


def graph_node(one, message=None):
  """The GraphNodeProto of a tree."""
  message = messages.GraphNodeProto() if message is None else message
  message.name = one.name
  _set_numbers(message, one)
  message.run_count = one.own["run_count"]
  message.total_run_count = one.total["run_count"]
  message.total_definition_count = one.total["definition_count"]
  if one.node is not None:
    _set_shapes(message, one.node)
    if one.node.device:
      message.devices.append(one.node.device)
  for child in one.children:
    graph_node(child, message.children.add())
  return message


def _multi_node(one, message):
  message.name = one.name
  _set_numbers(message, one)
  for node in one.graph_nodes:
    added = message.graph_nodes.add(name=node.name)
    _set_shapes(added, node)
    taken = node.taken(-1)
    added.run_count = taken["run_count"]
    added.exec_micros = taken["exec_micros"]
    added.requested_bytes = taken["requested_bytes"]
    added.parameters = taken["parameters"]
    added.float_ops = taken["float_ops"]


def code_node(one, message=None):
  """The MultiGraphNodeProto of a tree of lines."""
  message = messages.MultiGraphNodeProto() if message is None else message
  _multi_node(one, message)
  for child in one.children:
    code_node(child, message.children.add())
  return message


def type_list(root):
  """The MultiGraphNodeProto of a list of op types, each below the one before it."""
  made = messages.MultiGraphNodeProto()
  _multi_node(root, made)
  message = made
  for one in root.children:
    message = message.children.add()
    _multi_node(one, message)
  return made
