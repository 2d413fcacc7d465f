"""The graph in which the body of a function is built, and the FunctionDef that is made of it."""

import re

from millrace import gen
from millrace.framework import dtypes
from millrace.framework import graph as graphs
from millrace.framework import op_defs, protos


class FunctionGraph(graphs.Graph):
  """The body of a function while it is built. Tensors of outside become further arguments, or are copied in."""

  building_function = True

  def __init__(self, name, capture_by_value=False):
    super().__init__()
    self.name = name
    self.outer_graph = graphs.get_default_graph()
    self.capture_by_value = capture_by_value
    self.inputs = []
    self.outputs = []
    self.extra_inputs = []  # tensors of outside
    self.extra_args = []  # what stands for them inside
    self.extra_vars = []
    self._captured = {}
    self._copied = {}
    self.seed = self.outer_graph.seed

  def capture(self, value, name=None):
    """Returns what stands for a tensor of outside."""
    if value.graph is self:
      return value
    outer = self.outer_graph
    if value.graph is not outer and outer.building_function:
      value = outer.capture(value)
    found = self._captured.get(value)
    if found is None:
      found = self._copy(value.op).outputs[value.value_index] if self.capture_by_value else self._argument(value)
      self._captured[value] = found
    return found

  def _argument(self, value):
    from millrace import _binding

    self.extra_inputs.append(value)
    with self.as_default(), self.control_dependencies(None), self.colocate_with(None, ignore_existing=True), self.device(None):
      made = gen.placeholder(dtype=value.dtype.base_dtype, shape=value.get_shape())
      if hasattr(_binding, "copy_handle_data"):
        _binding.copy_handle_data(value, made)
    self.extra_args.append(made)
    return made

  def _copy(self, op):
    """Copies an op of outside and what it depends on. Raises ValueError for ops with state and placeholders."""
    found = self._copied.get(op)
    if found is not None:
      return found
    if op.type in ("Placeholder", "PlaceholderV2") or op._is_stateful:
      raise ValueError(
        "Cannot capture a %s node (%s) by value." % ("placeholder" if "Placeholder" in op.type else "stateful", op.name)
      )
    inputs = [self._copy(value.op).outputs[value.value_index] for value in op.inputs]
    attrs = dict(op.node_def.attr)
    with self.as_default(), self.control_dependencies(None):
      made = self.create_op(op.type, inputs, name=op.name, attrs=attrs)
    self._copied[op] = made
    return made


def _argument_name(name):
  """A name as arguments have it: lower case letters, digits and underscores."""
  text = re.sub(r"[^a-z0-9]", "_", name.lower())
  text = text.lstrip("_0123456789")
  return text or "unknown"


class _Names:
  """Unique names of the arguments and the nodes of a function."""

  def __init__(self):
    self._taken = {}

  def take(self, name):
    if name not in self._taken:
      self._taken[name] = 0
      return name
    while True:
      candidate = "%s_%d" % (name, self._taken[name])
      self._taken[name] += 1
      if candidate not in self._taken:
        self._taken[candidate] = 0
        return candidate


def definition(graph, inputs, outputs, out_names=None, arg_names=None, description=None):
  """Returns the FunctionDef, without a name, of a graph whose placeholders `inputs` are the arguments."""
  made = protos.FunctionDef()
  names = _Names()
  arguments = {}
  for i, value in enumerate(inputs):
    name = names.take(_argument_name(arg_names[i] if arg_names and i < len(arg_names) else value.op.name))
    arguments[value.op] = name
    made.signature.input_arg.add(name=name, type=value.dtype.as_datatype_enum)
    _note_shape(made, i, value)
  results = []
  for i, value in enumerate(outputs):
    name = out_names[i] if out_names else _argument_name(value.op.name)
    name = names.take(name)
    made.signature.output_arg.add(name=name, type=value.dtype.base_dtype.as_datatype_enum)
    results.append(name)
  if description:
    made.signature.description = description
  body = [op for op in graph.get_operations() if op not in arguments]
  node_names = {op: names.take(op.name) for op in body}
  where = lambda value: arguments.get(value.op) or "%s:%s" % (node_names[value.op], _output_of(value))
  node_defs = {node.name: node for node in graph.as_graph_def().node}
  for op in body:
    node = made.node_def.add()
    node.CopyFrom(node_defs[op.name])
    node.name = node_names[op]
    del node.input[:]
    node.input.extend(where(value) for value in op.inputs)
    node.input.extend("^" + node_names[waited] for waited in op.control_inputs if waited in node_names)
    _rename_colocation(node, op, node_names)
    if op._is_stateful:
      made.signature.is_stateful = True
  for name, value in zip(results, outputs):
    made.ret[name] = where(value)
  return made


def _note_shape(made, i, value):
  if value.dtype.base_dtype in (dtypes.resource, dtypes.variant):
    return
  made.arg_attr[i].attr["_output_shapes"].list.shape.add().CopyFrom(value.get_shape().as_proto())


def _rename_colocation(node, op, node_names):
  if "_class" not in node.attr:
    return
  by_name = {op.name: name for op, name in node_names.items()}
  groups = node.attr["_class"].list.s
  renamed = [b"loc:@" + by_name.get(group[5:].decode(), group[5:].decode()).encode() for group in groups]
  del groups[:]
  groups.extend(renamed)


def _output_of(value):
  """An output as functions name it: the argument's name and the number among its values, "z:0"."""
  op, index = value.op, value.value_index
  function = op.graph._get_function(op.type)
  if function is not None:
    return "%s:0" % function.definition.signature.output_arg[index].name
  for arg in op_defs.get(op.type).outputs:
    count = _count(op, arg)
    if index < count:
      return "%s:%d" % (arg.name, index)
    index -= count
  raise ValueError("%s has no such output" % value.name)


def _count(op, arg):
  if arg.number_attr:
    return op.get_attr(arg.number_attr)
  if arg.type_list_attr:
    return len(op.get_attr(arg.type_list_attr))
  return 1
