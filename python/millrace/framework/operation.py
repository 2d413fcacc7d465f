"""Operation: a node of a graph."""

import linecache

from millrace import _binding


class Operation(_binding.Operation):
  """A node of a graph, which takes tensors and makes tensors. Made by the functions of ops, by Graph.create_op, or of a NodeDef."""

  def __new__(
    cls, node_def, g, inputs=None, output_types=None, control_inputs=None, input_types=None, original_op=None, op_def=None
  ):
    """Adds a node to the graph `g` as the NodeDef says, but with the tensors `inputs`. Types are those of the op's schema.

    Raises TypeError for what is no NodeDef, no graph or no tensor, ValueError for a name that is none.
    """
    from millrace.framework import graph, protos, tensor

    if not isinstance(node_def, protos.NodeDef):
      raise TypeError("Argument node_def must be a NodeDef. Received an instance of type: %s." % type(node_def))
    if not isinstance(g, graph.Graph):
      raise TypeError("Argument g must be a Graph. Received an instance of type %s" % type(g))
    inputs = [] if inputs is None else list(inputs)
    for value in inputs:
      if not isinstance(value, tensor.Tensor):
        raise TypeError("Argument inputs shall be a list of tensors. Received an input of type: %s" % type(value))
    before = [getattr(value, "op", value) for value in control_inputs or []]
    attrs = {key: graph.plain_attr(key, value) for key, value in node_def.attr.items()}
    return _binding.create(g, node_def.op, node_def.name, inputs, before, attrs, True)

  @property
  def node_def(self):
    """The NodeDef."""
    from millrace.framework import protos

    return protos.GraphDef.FromString(_binding.node_bytes(self)).node[0]

  _node_def = node_def

  @property
  def op_def(self):
    """The OpDef of the op's type."""
    from millrace.framework import op_defs

    return op_defs.proto(self.type)

  @property
  def _is_stateful(self):
    return _binding.is_stateful(self)

  @property
  def _input_types(self):
    return _binding.input_types(self)

  @property
  def _output_types(self):
    return [int(output.dtype) for output in self.outputs]

  @property
  def _outputs(self):
    return self.outputs

  @property
  def _inputs(self):
    return self.inputs

  @property
  def _control_inputs(self):
    return self.control_inputs

  @property
  def _control_outputs(self):
    return [op for op in self.graph.get_operations() if self in op.control_inputs]

  def values(self):
    """The outputs as a tuple."""
    return tuple(self.outputs)

  def output(self, index):
    return self.outputs[index]

  def get_attr(self, name):
    """Returns an attribute: bytes, a number, a DType, a message, or a list of these. Raises ValueError if there is none."""
    value = _binding.get_attr(self, name)
    if type(value) is not tuple:
      return value
    from millrace.framework import protos

    attr = protos.AttrValue.FromString(value[0])
    kind = attr.WhichOneof("value")
    if kind != "list":
      return getattr(attr, kind)
    for field in ("shape", "tensor", "func"):
      values = getattr(attr.list, field)
      if values:
        return list(values)
    return []

  def _set_attr(self, attr_name, attr_value):
    _binding.set_attr(self, attr_name, attr_value if isinstance(attr_value, bytes) else attr_value.SerializeToString())

  def _clear_attr(self, attr_name):
    _binding.clear_attr(self, attr_name)

  def _set_device(self, device):
    """Sets the device: a name, a DeviceSpec or an object that has its text by str()."""
    if hasattr(device, "to_string"):
      device = device.to_string()
    elif not isinstance(device, str):
      device = "" if device is None else str(device)
    from millrace.framework import device_spec

    _binding.set_op_device(self, device_spec.canonical_name(device))

  def _set_device_from_string(self, device_str):
    _binding.set_op_device(self, device_str)

  def _add_control_input(self, op):
    self._add_control_inputs([op])

  def _add_control_inputs(self, ops):
    """Makes this operation wait for others."""
    for op in ops:
      if not isinstance(op, Operation):
        raise TypeError("op must be an Operation: %s" % op)
      _binding.add_control_input(self, op)

  def _remove_all_control_inputs(self):
    for op in self.control_inputs:
      _binding.remove_control_input(self, op)

  def _update_input(self, index, tensor):
    """Connects an input with another tensor."""
    from millrace.framework.tensor import Tensor

    if not isinstance(tensor, Tensor):
      raise TypeError("tensor must be a Tensor: %s" % tensor)
    if tensor.graph is not self.graph:
      raise ValueError("Tensor %s must be from the same graph as %s." % (tensor, self))
    _binding.set_input(self, index, tensor)

  def colocation_groups(self):
    """The groups of ops that are placed together with this one: b"loc:@name" of each; its own if it names none."""
    default = [b"loc:@" + self.name.encode()]
    try:
      named = self.get_attr("_class")
    except ValueError:
      return default
    groups = [group for group in named if group.startswith(b"loc:@")]
    return groups or default

  @property
  def traceback(self):
    """Where the program made the operation: (file, line, function, text), the outermost frame first."""
    frames = []
    for code, line in _binding.frames(self):
      text = linecache.getline(code.co_filename, line or 0).strip()
      frames.append((code.co_filename, line or 0, code.co_name, text or None))
    return frames

  @property
  def traceback_with_start_lines(self):
    return [(*frame, None, code.co_firstlineno) for frame, (code, _) in zip(self.traceback, _binding.frames(self))]

  @property
  def _traceback(self):
    return self.traceback

  def _get_control_flow_context(self):
    core = _binding.context_of(self)
    if core is None:
      return None
    from millrace.ops.control_flow import contexts

    return contexts.wrap(self.graph, core)

  def _set_control_flow_context(self, ctx):
    _binding.set_context_of(self, None if ctx is None else ctx._core)

  _control_flow_context = property(_get_control_flow_context)

  @property
  def _id_value(self):
    return self._id

  @property
  def _original_op(self):
    return self.__dict__.get("_original")

  def run(self, feed_dict=None, session=None):
    """Runs the operation by a session; by default the default session of this thread."""
    from millrace.client import default_session

    default_session.run_using_default_session(self, feed_dict, self.graph, session)

  def __copy__(self):
    return self

  def __str__(self):
    return str(self.node_def)

  def __repr__(self):
    return "<tf.Operation '%s' type=%s>" % (self.name, self.type)


_binding.set_hooks(operation_class=Operation)
