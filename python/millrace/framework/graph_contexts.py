"""The contexts of a graph's methods, and how names lead to its elements."""

from millrace import _binding
from millrace.framework import device_spec


class _Requested:
  """Stands for an op while names of devices are merged."""

  def __init__(self):
    self.device = ""


class Stacks:
  """What surrounds the making of ops: devices (outermost first), ops of colocation, control dependencies."""

  __slots__ = ("devices", "colocation", "controllers")

  def __init__(self):
    self.devices = []
    self.colocation = []
    self.controllers = []

  def copy(self):
    made = Stacks()
    made.devices, made.colocation, made.controllers = list(self.devices), list(self.colocation), list(self.controllers)
    return made

  def has_functions(self):
    """True if a function is among the devices in force."""
    for spec in reversed(self.devices):
      if spec.function is None:
        return False
      if not spec.is_name:
        return True
    return False

  def apply_devices(self, op):
    """Sets the device of an op, which may be any object that has one: the innermost first."""
    before = None
    for spec in reversed(self.devices):
      if spec.function is None:
        break
      device = spec.merge(op)
      if device is not None and device is not before:
        op._set_device_from_string(device) if hasattr(op, "_set_device_from_string") else setattr(op, "device", device)
        before = device

  def announce(self, graph):
    """Tells the extension of the devices."""
    if self.has_functions():
      _binding.set_device(graph, "", True)
      return
    merged = _Requested()
    self.apply_devices(merged)
    _binding.set_device(graph, merged.device, False)


class _DeviceEntry:
  """One `with device(...)`."""

  __slots__ = ("function", "is_name", "_shortcut", "is_null")

  def __init__(self, name_or_function):
    self.is_name = not callable(name_or_function) or hasattr(name_or_function, "shortcut_string_merge")
    if name_or_function is None:
      self.function = None
    elif callable(name_or_function):
      self.function = name_or_function
    else:
      self.function = device_spec.merge_device(name_or_function)
    self.is_null = bool(getattr(self.function, "is_null_merge", False))

  def merge(self, op):
    if self.is_null:
      return None
    if self.is_name:
      return self.function.shortcut_string_merge(op)
    device = self.function(op)
    if hasattr(device, "to_string"):
      device = device.to_string()
    return "" if device is None else device


class Device:
  """`with graph.device(...)`."""

  __slots__ = ("_graph", "_entry")

  def __init__(self, graph, name_or_function):
    self._graph = graph
    self._entry = _DeviceEntry(name_or_function)

  def __enter__(self):
    stacks = self._graph._current_stacks
    stacks.devices.append(self._entry)
    stacks.announce(self._graph)

  def __exit__(self, kind, value, trace):
    stacks = self._graph._current_stacks
    if not stacks.devices or stacks.devices.pop() is not self._entry:
      raise RuntimeError("Exiting device scope without proper scope nesting")
    stacks.announce(self._graph)
    return False


class Devices:
  """A context with other devices in the place of all that are in force."""

  __slots__ = ("_graph", "_devices", "_before")

  def __init__(self, graph, devices):
    self._graph, self._devices = graph, devices

  def __enter__(self):
    stacks = self._graph._current_stacks
    self._before, stacks.devices = stacks.devices, self._devices
    stacks.announce(self._graph)

  def __exit__(self, kind, value, trace):
    stacks = self._graph._current_stacks
    stacks.devices = self._before
    stacks.announce(self._graph)
    return False


class Colocation:
  """`with graph.colocate_with(...)`. Outer devices do not hold within."""

  __slots__ = ("_graph", "_op", "_ignore", "_devices", "_colocation")

  def __init__(self, graph, op, ignore_existing):
    if op is None and not ignore_existing:
      raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
    self._graph, self._ignore = graph, ignore_existing
    self._op = None if op is None else _op_of(op, graph)

  def __enter__(self):
    stacks = self._graph._current_stacks
    self._devices, self._colocation = stacks.devices, stacks.colocation
    stacks.devices = []
    stacks.colocation = ([] if self._ignore else list(stacks.colocation)) + ([] if self._op is None else [self._op])
    stacks.announce(self._graph)
    _binding.set_colocation(self._graph, stacks.colocation)

  def __exit__(self, kind, value, trace):
    stacks = self._graph._current_stacks
    stacks.devices, stacks.colocation = self._devices, self._colocation
    stacks.announce(self._graph)
    _binding.set_colocation(self._graph, stacks.colocation)
    return False


def _op_of(value, graph):
  from millrace.framework import convert
  from millrace.framework.operation import Operation
  from millrace.framework.tensor import Tensor

  if isinstance(value, Operation):
    return value
  if isinstance(value, Tensor):
    return value.op
  handle = getattr(value, "handle", None)
  if handle is not None and hasattr(handle, "op") and hasattr(value, "op"):
    return handle.op
  with graph.as_default():
    return convert.internal_convert_to_tensor_or_indexed_slices(value, as_ref=True).op


class Controller:
  """The operations of one `with graph.control_dependencies(...)`."""

  __slots__ = ("ops", "core")

  def __init__(self, ops):
    self.ops = ops
    self.core = _binding.Controller(ops)


_TRUE = b"\x28\x01"  # an AttrValue that is true; it marks ops that others wait for, in graphs as TensorFlow writes them


class ControlDependencies:
  """`with graph.control_dependencies(...)`."""

  __slots__ = ("_graph", "_ops", "_before", "_context")

  def __init__(self, graph, control_inputs):
    self._graph = graph
    self._ops = None
    if control_inputs is None:
      return
    from millrace.framework.composite import IndexedSlices
    from millrace.framework.operation import Operation
    from millrace.framework.tensor import Tensor

    self._ops, known = [], graph._current_control_dependencies()
    for value in control_inputs:
      if isinstance(value, Tensor):
        op = value.op
      elif isinstance(value, Operation):
        op = value
      else:
        # Variables have an op as well, and what stands for a tensor names it itself.
        has_op = hasattr(value, "op") and (hasattr(value, "_handle") or isinstance(value, IndexedSlices))
        element = value.op if has_op else graph.as_graph_element(value)
        op = element.op if isinstance(element, Tensor) else element
        if not isinstance(op, Operation):
          raise TypeError("Control input must be Operation or Tensor: %s" % (value,))
      if op.graph is not graph:
        if graph.building_function:
          continue  # what is outside has run before the function does
        graph.as_graph_element(value)  # raises ValueError
      if op not in known:
        _binding.set_attr(op, "_has_manual_control_dependencies", _TRUE)
        self._ops.append(op)
        known.add(op)

  def __enter__(self):
    stacks = self._graph._current_stacks
    self._before = stacks.controllers
    if self._ops is None:
      stacks.controllers = []
      self._context = self._graph._get_control_flow_context()
      if self._context is not None:
        self._graph._set_control_flow_context(None)
    else:
      self._context = None
      stacks.controllers = stacks.controllers + [Controller(self._ops)]
    _binding.set_controllers(self._graph, [controller.core for controller in stacks.controllers])

  def __exit__(self, kind, value, trace):
    stacks = self._graph._current_stacks
    stacks.controllers = self._before
    _binding.set_controllers(self._graph, [controller.core for controller in self._before])
    if self._context is not None:
      self._graph._set_control_flow_context(self._context)
    return False


class NameScope:
  """`with graph.name_scope(...)`."""

  __slots__ = ("_graph", "_name", "_before")

  def __init__(self, graph, name):
    self._graph, self._name = graph, name

  def __enter__(self):
    graph, name = self._graph, self._name
    if isinstance(name, bytes):
      name = name.decode()
    self._before = before = _binding.scope(graph)
    if not name:
      scope = ""
    else:
      if not _binding.is_valid_name(name, not before):
        raise ValueError("'%s' is not a valid scope name" % name)
      scope = name if name[-1] == "/" else _binding.unique_name(graph, before + name, True) + "/"
    _binding.set_scope(graph, scope)
    return scope

  def __exit__(self, kind, value, trace):
    _binding.set_scope(self._graph, self._before)
    return False


class Container:
  """`with graph.container(...)`."""

  __slots__ = ("_graph", "_name", "_before")

  def __init__(self, graph, name):
    self._graph, self._name = graph, name

  def __enter__(self):
    self._before, self._graph._container = self._graph._container, self._name
    _binding.set_container(self._graph, self._name or "")
    return self._name

  def __exit__(self, kind, value, trace):
    self._graph._container = self._before
    _binding.set_container(self._graph, self._before or "")
    return False


class GradientOverrides:
  """`with graph.gradient_override_map(...)`."""

  __slots__ = ("_graph", "_map", "_before")

  def __init__(self, graph, op_type_map):
    if not isinstance(op_type_map, dict):
      raise TypeError("op_type_map must be a dictionary mapping strings to strings")
    for op_type, gradient in op_type_map.items():
      if not isinstance(op_type, str) or not isinstance(gradient, str):
        raise TypeError("op_type_map must be a dictionary mapping strings to strings")
    self._graph, self._map = graph, dict(op_type_map)

  def __enter__(self):
    self._before = self._graph._gradient_override_map
    self._set({**self._before, **self._map})

  def __exit__(self, kind, value, trace):
    self._set(self._before)
    return False

  def _set(self, overrides):
    self._graph._gradient_override_map = overrides
    _binding.set_gradient_overrides(self._graph, overrides)


class AttrScope:
  """`with graph._attr_scope(...)`."""

  __slots__ = ("_graph", "_map", "_before")

  def __init__(self, graph, attr_map):
    if not isinstance(attr_map, dict):
      raise TypeError("attr_map must be a dictionary mapping strings to Callable or AttrValue or None")
    for name, value in attr_map.items():
      if not isinstance(name, str) or not (value is None or callable(value) or hasattr(value, "SerializeToString")):
        raise TypeError("attr_map must be a dictionary mapping strings to Callable or AttrValue or None")
    self._graph, self._map = graph, dict(attr_map)

  def __enter__(self):
    self._before = self._graph._attr_scope_map
    merged = {**self._before, **self._map}
    self._set({name: value for name, value in merged.items() if value is not None})

  def __exit__(self, kind, value, trace):
    self._set(self._before)
    return False

  def _set(self, attrs):
    self._graph._attr_scope_map = attrs
    plain = {name: value.SerializeToString() for name, value in attrs.items() if not callable(value)}
    _binding.set_attr_scopes(self._graph, plain, len(plain) < len(attrs))


class OriginalOp:
  """`with graph._original_op(...)`."""

  def __init__(self, graph, op):
    self._graph, self._op = graph, op

  def __enter__(self):
    self._before, self._graph._default_original_op = self._graph._default_original_op, self._op

  def __exit__(self, kind, value, trace):
    self._graph._default_original_op = self._before
    return False


def as_graph_element(graph, obj, allow_tensor, allow_operation):
  """Implements Graph.as_graph_element."""
  from millrace.framework.operation import Operation
  from millrace.framework.tensor import Tensor

  if allow_tensor and allow_operation:
    types = "Tensor or Operation"
  elif allow_tensor:
    types = "Tensor"
  elif allow_operation:
    types = "Operation"
  else:
    raise ValueError("allow_tensor and allow_operation can't both be False.")
  convert = getattr(obj, "_as_graph_element", None)
  if convert is not None:
    obj = convert()
  if isinstance(obj, (str, bytes)):
    return _named(graph, obj.decode() if isinstance(obj, bytes) else obj, allow_tensor, allow_operation, types)
  if isinstance(obj, Tensor) and allow_tensor:
    if obj.graph is not graph:
      raise ValueError("Tensor %s is not an element of this graph." % obj)
    return obj
  if isinstance(obj, Operation) and allow_operation:
    if obj.graph is not graph:
      raise ValueError("Operation %s is not an element of this graph." % obj)
    return obj
  raise TypeError("Can not convert a %s into a %s." % (type(obj).__name__, types))


def _named(graph, name, allow_tensor, allow_operation, types):
  if ":" in name:
    if not allow_tensor:
      raise ValueError("Name %s appears to refer to a Tensor, not a %s." % (repr(name), types))
    op_name, colon, number = name.partition(":")
    if not number.isdigit():
      raise ValueError(
        "The name %s looks a like a Tensor name, but is not a valid one. Tensor names must be of the form "
        '"<op_name>:<output_index>".' % repr(name)
      )
    op = _binding.find(graph, op_name)
    if op is None:
      raise KeyError(
        "The name %s refers to a Tensor which does not exist. The operation, %s, does not exist in the graph."
        % (repr(name), repr(op_name))
      )
    tensor = _binding.output(op, int(number))
    if tensor is None:
      raise KeyError(
        "The name %s refers to a Tensor which does not exist. The operation, %s, exists but only has %s outputs."
        % (repr(name), repr(op_name), _binding.num_outputs(op))
      )
    return tensor
  op = _binding.find(graph, name)
  if allow_operation:
    if op is None:
      raise KeyError("The name %s refers to an Operation not in the graph." % repr(name))
    return op
  if op is not None:
    text = "The name %s refers to an Operation, not a %s." % (repr(name), types)
  else:
    text = "The name %s looks like an (invalid) Operation name, not a %s." % (repr(name), types)
  raise ValueError(text + ' Tensor names must be of the form "<op_name>:<output_index>".')
