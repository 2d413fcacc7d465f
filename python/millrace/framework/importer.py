"""Nodes of a GraphDef become operations of a graph."""

import itertools
import math

from millrace import _binding
from millrace.framework import convert, protos, scopes
from millrace.framework.tensor import Tensor


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
  """Adds the nodes of a GraphDef to the default graph, below the scope `name` ("import" by default).

  `input_map` replaces inputs, by their names in the GraphDef, with tensors. Returns the list of operations ("x") and tensors ("x:0")
  that `return_elements` names, or None. `producer_op_list` is an OpList of the program that wrote the GraphDef: attributes with its
  defaults that are not known here are dropped. Raises TypeError for other arguments, ValueError for nodes that do not fit.
  """
  del op_dict
  graph_def = _graph_def(graph_def)
  input_map = _input_map(input_map)
  return_elements = _return_elements(return_elements)
  if producer_op_list is not None:
    graph_def = _without_producer_defaults(graph_def, producer_op_list)
  graph = scopes._get_graph_from_inputs([value for value in input_map.values() if isinstance(value, Tensor)])
  with graph.as_default():
    with graph.name_scope(name if name is not None else "import") as prefix:
      inputs = _tensors(name, input_map)
      _check_elements(graph_def, return_elements)
      graph_def, names = _unique(graph, graph_def, prefix)
      first = _binding.num_ids(graph)
      _binding.import_graph(graph, graph_def.SerializeToString(), prefix, list(inputs.items()))
      _apply_devices(graph, _binding.operations(graph, first))
      _check_used(graph, prefix, graph_def, inputs)
    _note_functions(graph, graph_def)
    return None if return_elements is None else [_element(graph, prefix, names, inputs, element) for element in return_elements]


def _graph_def(message):
  if not protos.is_message(message, "GraphDef"):
    raise TypeError("Argument `graph_def` must be a GraphDef proto.")
  return protos.coerce(protos.GraphDef, message)


def _input_map(input_map):
  if input_map is None:
    return {}
  if not isinstance(input_map, dict):
    raise TypeError("Argument `input_map` must be a dictionary. Obtained %s" % type(input_map).__name__)
  if not all(isinstance(key, (str, bytes)) for key in input_map):
    raise TypeError(
      "Argument `input_map` must be a dictionary mapping strings to Tensor objects. Received: input_map=%s" % (input_map,)
    )
  return {key.decode() if isinstance(key, bytes) else key: value for key, value in input_map.items()}


def _return_elements(elements):
  if elements is None:
    return None
  if not all(isinstance(element, (str, bytes)) for element in elements):
    raise TypeError("Argument `return_elements` must be a list of strings. Received: return_elements=%s" % (elements,))
  return tuple([element.decode() if isinstance(element, bytes) else element for element in elements])


def _tensors(name, input_map):
  if all(isinstance(value, Tensor) for value in input_map.values()):
    return input_map
  if name == "":
    raise ValueError(
      "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try calling "
      "tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def()."
    )
  with scopes.name_scope("_inputs"):
    return {key: convert.convert_to_tensor(value) for key, value in input_map.items()}


def _canonical(name):
  """A name of an input as the GraphDef may have it: "x:0" is "x"."""
  return name[:-2] if name.endswith(":0") else name


def _check_elements(graph_def, elements):
  if not elements:
    return
  known = {node.name: node for node in graph_def.node}
  for element in elements:
    base, colon, port = element.partition(":")
    node = known.get(base)
    if node is None:
      raise ValueError("Requested return %s %r not found in graph def" % ("tensor" if colon else "node", element))
    if colon and port.isdigit() and int(port) >= _number_of_outputs(graph_def, node):
      raise ValueError(
        "Invalid return output %s of node '%s', which has %d output(s)" % (port, base, _number_of_outputs(graph_def, node))
      )


def _number_of_outputs(graph_def, node):
  """How many outputs a node has, by the schema of its op or by a function of the GraphDef; infinity if neither is known."""
  from millrace.framework import op_defs

  if not op_defs.has(node.op):
    functions = (f.signature for f in graph_def.library.function if f.signature.name == node.op)
    return next((len(signature.output_arg) for signature in functions), math.inf)
  count = 0
  for output in op_defs.get(node.op).outputs:
    given = node.attr[output.number_attr or output.type_list_attr] if output.is_list else None
    if given is not None and given.WhichOneof("value") is None:
      return math.inf
    count += 1 if given is None else given.i if output.number_attr else len(given.list.type)
  return count


def _check_used(graph, prefix, graph_def, inputs):
  """Raises ValueError for inputs that nothing takes and that no node of the GraphDef has as an output."""
  if not inputs:
    return
  used = {_canonical(name) for node in graph_def.node for name in node.input}
  unused = [key for key in inputs if _canonical(key) not in used and not _is_there(graph, prefix, key)]
  if unused:
    names = sorted(key if ":" in key or key.startswith("^") else key + ":0" for key in unused)
    raise ValueError("Attempted to map inputs that were not found in graph_def: [%s]" % ", ".join(names))


def _is_there(graph, prefix, key):
  base, colon, port = key.lstrip("^").partition(":")
  op = _binding.find(graph, prefix + base)
  if op is None or key.startswith("^"):
    return op is not None
  return not colon and bool(op.outputs) or port.isdigit() and int(port) < len(op.outputs)


def _unique(graph, graph_def, prefix):
  """Gives nodes whose names are taken other ones. Returns the GraphDef and the new names by the old ones."""
  if prefix and all(_binding.find(graph, prefix + node.name) is None for node in graph_def.node):
    return graph_def, {}
  there = [op.name[len(prefix) :] for op in graph.get_operations() if op.name.startswith(prefix)]
  taken, own = _with_scopes(there), _with_scopes(node.name for node in graph_def.node)
  names = {}
  for node in graph_def.node:
    if node.name in taken:
      new = next(name for name in map((node.name + "_%d").__mod__, itertools.count(1)) if name not in taken and name not in own)
      names[node.name] = new
      taken.add(new)
  if not names:
    return graph_def, names
  renamed = protos.GraphDef()
  renamed.CopyFrom(graph_def)
  for node in renamed.node:
    node.name = names.get(node.name, node.name)
    for index, name in enumerate(node.input):
      mark = "^" if name.startswith("^") else ""
      base, colon, port = name[len(mark) :].partition(":")
      node.input[index] = mark + names.get(base, base) + colon + port
    groups = node.attr["_class"].list.s if "_class" in node.attr else []
    for index, group in enumerate(groups):
      if group.startswith(b"loc:@"):
        groups[index] = b"loc:@" + names.get(group[5:].decode(), group[5:].decode()).encode()
  return renamed, names


def _with_scopes(names):
  """The names of nodes and of the scopes that these are in: a/b/c is in a and in a/b."""
  found = set()
  for name in names:
    while name and name not in found:
      found.add(name)
      name = name.rpartition("/")[0]
  return found


def _apply_devices(graph, ops):
  """The devices in force hold for imported ops as well, outside of what they ask for themselves.

  An op that is colocated with others has the device of the first of them that has one, whatever it asked for. Raises ValueError for
  a device that is none.
  """
  stacks = graph._current_stacks
  colocated = []
  for op in ops:
    requested = op.device
    if requested:
      op._set_device_from_string("")
    others = _others_of_groups(op)
    if others:
      colocated.append((op, others))
    elif requested:
      with graph.device(requested):
        stacks.apply_devices(op)
    else:
      stacks.apply_devices(op)
  for op, others in colocated:
    devices = [_binding.find(graph, other).device for other in others]
    device = next((device for device in devices if device), "")
    if device:
      op._set_device(device)


def _others_of_groups(op):
  """The names of the ops that an op is colocated with. Many an op, such as a variable, names only itself."""
  if not _binding.has_attr(op, "_class"):
    return []
  names = [group.decode()[5:] for group in op.colocation_groups() if group.startswith(b"loc:@")]
  return [name for name in names if name != op.name]


def _note_functions(graph, graph_def):
  for function in graph_def.library.function:
    name = function.signature.name
    if name not in graph._functions:
      graph._functions[name] = _Imported(name, function)


class _Imported:
  """A function that a graph has by its definition alone."""

  def __init__(self, name, definition):
    self.name, self.definition = name, definition
    self.grad_func_name = None
    self.python_grad_func = None

  def add_to_graph(self, graph):
    graph._add_function(self)


def _element(graph, prefix, names, inputs, element):
  mapped = next((tensor for key, tensor in inputs.items() if ":" in element and _canonical(key) == _canonical(element)), None)
  if mapped is not None:
    return mapped
  base, colon, port = element.partition(":")
  op = _binding.find(graph, prefix + names.get(base, base))
  found = op if op is None or not colon else _binding.output(op, int(port)) if port.isdigit() else None
  if found is None:
    raise ValueError("Requested return_element %r not found in graph_def." % element)
  return found


def _without_producer_defaults(graph_def, producer_op_list):
  from millrace.framework import op_defs

  producers = {op.name: op for op in producer_op_list.op}
  changed = protos.GraphDef()
  changed.CopyFrom(graph_def)
  for node in changed.node:
    producer = producers.get(node.op)
    if producer is None or not op_defs.has(node.op):
      continue
    known = op_defs.get(node.op)
    for attr in producer.attr:
      if attr.name in node.attr and known.attr(attr.name) is None and not attr.name.startswith("_"):
        default = protos.coerce(protos.AttrValue, attr.default_value) if attr.HasField("default_value") else None
        if default is not None and node.attr[attr.name] == default:
          del node.attr[attr.name]
  return changed
