"""tf.CriticalSection: parts of a graph of which one at a time runs, in all sessions that share it."""

from millrace import gen
from millrace.framework import graph as graphs
from millrace.framework import nest, scopes
from millrace.ops.array import identities
from millrace.ops.control_flow import basics, tensor_array

_SECTIONS = "critical_sections"
_EXECUTIONS = "critical_section_executions"


class _ExecutionSignature:
  """What a collection of the graph says of one call of `execute`."""

  def __init__(self, op, handle, resources, exclusive):
    self.op, self.handle, self.resources, self.exclusive_resource_access = op, handle, resources, exclusive


class CriticalSection:
  """Runs functions of the graph one after the other, in the order in which steps reach them.

  The lock is a resource of the device, which sessions share under `shared_name` (default: its name). Definitions
  (`critical_section_def`, `import_scope`) are not supported, as in TensorFlow.
  """

  def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
    if critical_section_def:
      raise ValueError("critical_section_def is not supported.")
    with graphs.name_scope(name, "CriticalSection", []) as scope:
      if shared_name is None:
        shared_name = scope
      self._handle = gen.mutex_v2(shared_name=shared_name, container="", name=scope)
    self._name = self._handle.op.name
    graphs.add_to_collection(_SECTIONS, self)

  @property
  def name(self):
    """The name of the op that makes the lock."""
    return self._name

  def execute(self, fn, exclusive_resource_access=True, name=None):
    """Returns what `fn()` builds and returns, which a step runs while it holds the lock.

    With `exclusive_resource_access` no other critical section of the graph may use the resources that `fn` uses: ValueError.
    A function that calls `execute` of the same section would wait for ever: ValueError.
    """
    graph = graphs.get_default_graph()
    with graphs.name_scope(name, "critical_section_execute", []):
      lock = gen.mutex_lock(self._handle)
      begin = graph._last_id
      with graphs.control_dependencies([lock.op]):
        result = fn()
      made = [op for op in graph.get_operations() if op._id >= begin]
      if any(op.type == "MutexLock" and op.inputs[0] is self._handle for op in made):
        raise ValueError(
          "Attempting to lock a CriticalSection in which we are already running. This is illegal and may cause deadlocks."
        )
      _lock_after_inputs(lock.op, made)
      resources = self._resources_of(made)
      self._check_access(graph, resources, exclusive_resource_access)
      # The lock is held until all of the result is there, but not for ops of branches that are not taken.
      with graphs.control_dependencies([_identity(value) for value in nest.flatten(result)]):
        with scopes.colocate_with(self._handle):
          released = gen.consume_mutex_lock(lock)
        result = nest.pack_sequence_as(result, basics.tuple(nest.flatten(result)))
      with graphs.control_dependencies([released]):
        result = nest.map_structure(_identity, result)
    graph.add_to_collection(_EXECUTIONS, _ExecutionSignature(lock.op, self._handle, resources, exclusive_resource_access))
    return result

  def _resources_of(self, made):
    """The variables and other resources of outside that the ops use."""
    inside, found = set(made), []
    for op in made:
      for value in op.inputs:
        is_state = value.dtype.name == "resource" or value.dtype.name.endswith("_ref")
        if is_state and value.op not in inside and value is not self._handle and value not in found:
          found.append(value)
    return found

  def _check_access(self, graph, resources, exclusive):
    for other in graph.get_collection(_EXECUTIONS):
      if other.handle is self._handle or not (exclusive or other.exclusive_resource_access):
        continue
      shared = [value.name for value in resources if any(value is theirs for theirs in other.resources)]
      if shared:
        raise ValueError(
          "This execution would access resources: %s.  Either this lock (CriticalSection: %s) or lock '%s' requested exclusive "
          "resource access of this resource.  Did you mean to call execute with keyword argument "
          "exclusive_resource_access=False?" % (shared, self._name, other.handle.op.name)
        )


def _lock_after_inputs(lock, made):
  """Lets the lock wait for what the ops use of outside, which may need the lock of another section."""
  outside = dict.fromkeys(before for op in made for before in [*(value.op for value in op.inputs), *op.control_inputs])
  for op in [*made, lock, *lock.control_inputs, *(value.op for value in lock.inputs)]:
    outside.pop(op, None)
  if outside:
    lock._add_control_input(basics.group(*outside))


def _identity(value):
  """The same value, of an op, a TensorArray or a tensor, that waits for what is to be waited for here."""
  if isinstance(value, graphs.Operation):
    return basics.group(value)
  return value.identity() if isinstance(value, tensor_array.TensorArray) else identities.identity(value)
