"""Graph: ops while a program makes them, with what surrounds their making. Names, devices and nodes are the extension's."""

import threading

from millrace import _binding
from millrace.framework import graph_contexts
from millrace.framework.collection_lists import Collections
from millrace.framework.default_graphs import AsDefault, get_default_graph, has_default_graph, reset_default_graph
from millrace.framework.graph_keys import GraphKeys
from millrace.framework.operation import Operation
from millrace.framework.scopes import (
  NullContextmanager,
  _get_graph_from_inputs,
  colocate_with,
  container,
  control_dependencies,
  device,
  init_scope,
  name_from_scope_name,
  name_scope,
  op_scope,
  prepend_name_scope,
  strip_name_scope,
)
from millrace.framework.tensor import Tensor

__all__ = [
  "Graph",
  "GraphKeys",
  "NullContextmanager",
  "Operation",
  "Tensor",
  "_get_graph_from_inputs",
  "add_to_collection",
  "add_to_collections",
  "colocate_with",
  "container",
  "control_dependencies",
  "device",
  "get_all_collection_keys",
  "get_collection",
  "get_collection_ref",
  "get_default_graph",
  "has_default_graph",
  "init_scope",
  "name_from_scope_name",
  "name_scope",
  "op_scope",
  "prepend_name_scope",
  "reset_default_graph",
  "strip_name_scope",
  "uid",
]

_uid = 0
_uid_lock = threading.Lock()


def uid():
  """A number that is unique in this process."""
  global _uid
  with _uid_lock:
    _uid += 1
    return _uid


class Graph(_binding.Graph, Collections):
  """Operations and the tensors that flow between them."""

  building_function = False  # overridden by graphs of functions
  seed = None  # of random ops; tf.set_random_seed sets it
  is_call = False  # overridden by graphs whose tensors have values at once
  outer_graph = None

  def __init__(self):
    _complete_tensors()
    Collections.__init__(self)
    self._lock = threading.RLock()
    self.seed = None
    self._finalized = False
    self._functions = {}
    self._container = ""
    self._attr_scope_map = {}
    self._gradient_override_map = {}
    self._default_original_op = None
    self._key = "graph-%d/" % uid()
    self._thread_local = None  # of stacks, after switch_to_thread_local
    self._stacks = graph_contexts.Stacks()
    self._handle_feeders = {}
    self._handle_readers = {}
    self._handle_movers = {}
    self._handle_deleters = {}

  # The default graph.

  def as_default(self):
    """A context in which this is the default graph of the thread."""
    return AsDefault(self)

  # Names.

  @property
  def _name_stack(self):
    return _binding.scope(self)[:-1]

  @_name_stack.setter
  def _name_stack(self, name):
    _binding.set_scope(self, name + "/" if name else "")

  def name_scope(self, name):
    """A context in which new ops have a common prefix in their names; enters as the prefix, "a/b/"."""
    return graph_contexts.NameScope(self, name)

  def get_name_scope(self):
    """The current name scope without the slash at its end."""
    return _binding.scope(self)[:-1]

  def unique_name(self, name, mark_as_used=True):
    """Returns a name, within the current scope, that nothing in this graph has: "a", then "a_1"."""
    return _binding.unique_name(self, _binding.scope(self) + name, mark_as_used)

  # Devices, colocation, control dependencies.

  @property
  def _current_stacks(self):
    local = self._thread_local
    if local is None:
      return self._stacks
    stacks = getattr(local, "stacks", None)
    if stacks is None:
      stacks = local.stacks = graph_contexts.Stacks()
    return stacks

  def switch_to_thread_local(self):
    """From now on each thread has devices, colocation and control dependencies of its own."""
    if self._thread_local is None:
      self._thread_local = threading.local()
      self._thread_local.stacks = self._stacks.copy()
      _binding.set_thread_local(self)

  def device(self, device_name_or_function):
    """A context in which new ops request a device: a name, a function from an Operation to a name, or None."""
    return graph_contexts.Device(self, device_name_or_function)

  def colocate_with(self, op, ignore_existing=False):
    """A context in which new ops are placed with `op`."""
    return graph_contexts.Colocation(self, op, ignore_existing)

  def _colocate_with_for_gradient(self, op, gradient_uid, ignore_existing=False):
    return self.colocate_with(op, ignore_existing)

  def control_dependencies(self, control_inputs):
    """A context in which new ops run after these operations and tensors; None hides the outer ones and leaves control flow."""
    return graph_contexts.ControlDependencies(self, control_inputs)

  def _current_control_dependencies(self):
    return {op for controller in self._current_stacks.controllers for op in controller.ops}

  def container(self, container_name):
    """A context in which new variables and queues live in this container."""
    return graph_contexts.Container(self, container_name)

  def gradient_override_map(self, op_type_map):
    """A context in which ops of these types get another registered gradient: {"Square": "MySquare"}."""
    return graph_contexts.GradientOverrides(self, op_type_map)

  def _attr_scope(self, attr_map):
    """A context in which ops get attributes: names to AttrValue messages, functions from an op to one, or None to stop it."""
    return graph_contexts.AttrScope(self, attr_map)

  def _original_op(self, op):
    return graph_contexts.OriginalOp(self, op)

  def _get_control_flow_context(self):
    core = _binding.current_context(self)
    if core is None:
      return None
    from millrace.ops.control_flow import contexts

    return contexts.wrap(self, core)

  def _set_control_flow_context(self, ctx):
    _binding.set_current_context(self, None if ctx is None else ctx._core)

  _control_flow_context = property(_get_control_flow_context)

  def _apply_after_making(self, op):
    """Finishes an op where functions of Python decide on its device or attributes."""
    stacks = self._current_stacks
    if stacks.has_functions() and not _has_ref_input(op):
      colocated = op.device if stacks.colocation else ""
      if colocated:
        op._set_device("")
      stacks.apply_devices(op)
      if colocated:
        op._set_device(colocated)
    for name, value in self._attr_scope_map.items():
      if callable(value):
        value = value(op)
      if value is not None and not _binding.has_attr(op, name):
        op._set_attr(name, value)

  # Making ops.

  def create_op(
    self,
    op_type,
    inputs,
    dtypes=None,
    input_types=None,
    name=None,
    attrs=None,
    op_def=None,
    compute_shapes=True,
    compute_device=True,
  ):
    """Adds an operation. Inputs are tensors, attributes are AttrValue messages by their names; types are as the schema says."""
    for index, tensor in enumerate(inputs):
      if not isinstance(tensor, Tensor):
        raise TypeError("Input #%d is not a tensor: %s" % (index, tensor))
    return self._create_op_internal(op_type, inputs, dtypes, input_types, name, attrs, op_def, compute_device)

  def _create_op_internal(
    self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None, op_def=None, compute_device=True
  ):
    self._check_not_finalized()
    if name is None:
      name = op_type
    name = name_from_scope_name(name) if name and name[-1] == "/" else self.unique_name(name)
    inputs = [self.capture(tensor, name=None) if tensor.graph is not self else tensor for tensor in inputs]
    values = {key: plain_attr(key, value) for key, value in (attrs or {}).items()}
    return _binding.create(self, op_type, name, inputs, [], values, compute_device)

  def capture(self, tensor, name=None):
    """What stands for a tensor of another graph. Only graphs of functions have that."""
    raise ValueError("Tensor %s is not an element of this graph." % (tensor,))

  @property
  def version(self):
    """A number that grows with each op."""
    return _binding.num_ids(self)

  @property
  def _c_graph(self):
    """What functions of tensorflow.python.pywrap_tensorflow take: itself."""
    return self

  @property
  def _last_id(self):
    return _binding.num_ids(self)

  @property
  def _nodes_by_id(self):
    return {op._id: op for op in _binding.operations(self)}

  @property
  def _nodes_by_name(self):
    return {op.name: op for op in _binding.operations(self)}

  @property
  def finalized(self):
    return self._finalized

  def finalize(self):
    """Makes the graph read-only."""
    self._finalized = True
    _binding.set_finalized(self, True)

  def _unsafe_unfinalize(self):
    self._finalized = False
    _binding.set_finalized(self, False)

  def _check_not_finalized(self):
    if self._finalized:
      raise RuntimeError("Graph is finalized and cannot be modified.")

  # As messages.

  @property
  def graph_def_versions(self):
    """The VersionDef of the graph."""
    from millrace.framework import protos

    return protos.GraphDef.FromString(_binding.graph_def(self, self.version, False)).versions

  def as_graph_def(self, from_version=None, add_shapes=False):
    """Returns the GraphDef, or that of the ops made since a version; with `add_shapes` nodes have `_output_shapes`."""
    from millrace.framework import protos

    result = protos.GraphDef.FromString(_binding.graph_def(self, from_version or 0, True))
    if add_shapes:
      for node in result.node:
        op = self._get_operation_by_name_unsafe(node.name)
        if op.outputs:
          node.attr["_output_shapes"].list.shape.extend([output.get_shape().as_proto() for output in op.outputs])
    return result

  def _as_graph_def(self, from_version=None, add_shapes=False):
    return self.as_graph_def(from_version, add_shapes), self.version

  def _is_function(self, name):
    return name in self._functions

  def _get_function(self, name):
    return self._functions.get(name.decode() if isinstance(name, bytes) else name)

  def _add_function(self, function):
    """Adds a function: an object with `name` and `definition`, a FunctionDef; a `grad_func_name` if it has a gradient."""
    from millrace.framework import protos

    known = self._functions.get(function.name)
    if known is not None and known.definition == function.definition:
      return
    library = protos.FunctionDefLibrary()
    library.function.add().CopyFrom(function.definition)
    gradient = getattr(function, "grad_func_name", None)
    if gradient:
      library.gradient.add(function_name=function.name, gradient_func=gradient)
    _binding.add_functions(self, library.SerializeToString())
    self._functions[function.name] = function

  # Looking up.

  def get_operations(self):
    """The list of all operations, in the order in which they were made."""
    return _binding.operations(self)

  def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
    """Returns the Tensor or Operation that `obj` is, stands for, or names. Raises TypeError, ValueError and KeyError."""
    return graph_contexts.as_graph_element(self, obj, allow_tensor, allow_operation)

  def _as_graph_element_locked(self, obj, allow_tensor, allow_operation):
    return graph_contexts.as_graph_element(self, obj, allow_tensor, allow_operation)

  def get_operation_by_name(self, name):
    if not isinstance(name, str):
      raise TypeError("Operation names are strings (or similar), not %s." % type(name).__name__)
    return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

  def _get_operation_by_name_unsafe(self, name):
    op = _binding.find(self, name)
    if op is None:
      raise KeyError(name)
    return op

  _get_operation_by_name = _get_operation_by_name_unsafe

  def get_tensor_by_name(self, name):
    if not isinstance(name, str):
      raise TypeError("Tensor names are strings (or similar), not %s." % type(name).__name__)
    return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

  def _get_operation_by_tf_operation(self, op):
    return op

  # Feeds and fetches.

  def prevent_feeding(self, tensor):
    """Marks a tensor as one that sessions refuse to feed."""
    _binding.prevent_feeding(tensor)

  def is_feedable(self, tensor):
    return _binding.is_feedable(tensor)

  def prevent_fetching(self, op):
    """Marks an operation as one that sessions refuse to fetch."""
    _binding.prevent_fetching(op)

  def is_fetchable(self, tensor_or_op):
    return _binding.is_fetchable(tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op)


_complete = False
_completing = threading.local()


def _complete_tensors():
  """Imports what gives tensors their operators, and lists of tensors their conversion.

  Each thread that comes before it is done takes part in it, and so goes on when it is.
  """
  global _complete
  if _complete or getattr(_completing, "begun", False):
    return
  import importlib

  _completing.begun = True
  try:
    for module in ("math.operators", "array.slicing", "array.packing"):
      importlib.import_module("millrace.ops." + module)
  finally:
    _completing.begun = False
  _complete = True


def _has_ref_input(op):
  return any(dtype._is_ref_dtype for dtype in _binding.input_types(op))


def plain_attr(name, value):
  """An attribute as the extension takes it: of an AttrValue the string, or for all other kinds the serialized message."""
  if not hasattr(value, "SerializeToString"):
    return value
  # What no schema has, such as `_class`, is taken as a message whatever it is.
  is_string = value.WhichOneof("value") == "s" and not name.startswith("_")
  return value.s if is_string else value.SerializeToString()


def add_to_collection(name, value):
  """Adds a value to a collection of the default graph."""
  get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
  """Adds a value to several collections of the default graph."""
  get_default_graph().add_to_collections(names, value)


def get_collection_ref(key):
  """The list itself of a collection of the default graph."""
  return get_default_graph().get_collection_ref(key)


def get_collection(key, scope=None):
  """A copy of a collection of the default graph, or of its elements whose names begin with `scope`."""
  return get_default_graph().get_collection(key, scope)


def get_all_collection_keys():
  """The names of the collections of the default graph."""
  return get_default_graph().get_all_collection_keys()


def _after_making(op):
  op.graph._apply_after_making(op)


_binding.set_hooks(graph_class=Graph, default_graph=get_default_graph, after=_after_making)
