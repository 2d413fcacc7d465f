"""The graph of a program's objects, by which tf.train.Checkpoint finds the values of variables again."""

import abc

import millrace as tf
from millrace.framework import errors, protos
from millrace.train.optimizers import optimizer as optimizer_lib
from millrace.train.saver import reader as reader_lib

# The key under which the graph of objects is stored.
OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_VALUE = "VARIABLE_VALUE"
_STATE = "py_state"


class PythonState(metaclass=abc.ABCMeta):
  """A state of Python that a checkpoint of objects can hold, as bytes."""

  @abc.abstractmethod
  def serialize(self):
    """The state as bytes."""

  @abc.abstractmethod
  def deserialize(self, string_value):
    """Takes the state over from bytes."""

  def _checkpoint_children(self):
    return []


def read(save_path):
  """The graph of objects of a checkpoint, or None if it has none."""
  reader = reader_lib.NewCheckpointReader(save_path)
  if not reader.has_tensor(OBJECT_GRAPH_KEY):
    return None
  graph = protos.TrackableObjectGraph()
  value = reader.get_tensor(OBJECT_GRAPH_KEY)
  graph.ParseFromString(value.item() if hasattr(value, "item") else value)
  return graph


def variable_keys(save_path):
  """A map of the full names of variables to keys, or None if the checkpoint has no graph of objects."""
  try:
    graph = read(save_path)
  except errors.NotFoundError:
    return None
  if graph is None:
    return None
  return {a.full_name: a.checkpoint_key for node in graph.nodes for a in node.attributes if a.full_name}


def is_trackable(value):
  """Whether the object has values that can be saved, or other objects that do."""
  known = (tf.Variable, optimizer_lib.Optimizer, tf.Module, list, tuple, dict)
  return isinstance(value, known) or hasattr(value, "_checkpoint_children")


def children(value):
  """The objects of an object by their names there, in the order of the graph."""
  if isinstance(value, tf.Variable):
    return []
  if isinstance(value, optimizer_lib.Optimizer):
    graph = tf.get_default_graph()
    return sorted((name, v) for (name, of), v in value._non_slot_dict.items() if of is graph)
  if isinstance(value, (list, tuple)):
    return [(str(i), item) for i, item in enumerate(value) if is_trackable(item)]
  if isinstance(value, dict):
    return [(str(key), value[key]) for key in sorted(value) if is_trackable(value[key])]
  if isinstance(value, tf.Module):
    # What a layer is made of itself is no part of what it was given.
    is_layer = isinstance(value, tf.layers.Layer)
    attributes = [(name, v) for name, v in vars(value).items() if not (is_layer and name.startswith("_"))]
    return [(name, v) for name, v in attributes if is_trackable(v)]
  return value._checkpoint_children()


def _escape(name):
  return name.replace(".", "..").replace("/", ".S")


class ObjectGraph:
  """The objects that can be reached from a root, numbered by their distance; `keys` are those of the variables."""

  def __init__(self, root):
    self.objects = [root]
    self.message = protos.TrackableObjectGraph()
    self._paths = [()]
    self._ids = {id(root): 0}
    # By keys of the checkpoint.
    self.variables = {}
    self.states = {}
    self._walk()
    for node_id, found in enumerate(self.objects):
      path = "/".join(self._paths[node_id])
      if isinstance(found, tf.Variable):
        self._add_value(node_id, found, path)
      elif isinstance(found, PythonState):
        key = f"{path}/.ATTRIBUTES/{_STATE}"
        self.message.nodes[node_id].attributes.add(name=_STATE, checkpoint_key=key)
        self.states[key] = found
    for node_id in range(len(self.objects)):
      if isinstance(self.objects[node_id], optimizer_lib.Optimizer):
        self._add_slots(node_id)

  def _walk(self):
    at = 0
    while at < len(self.objects):
      node = self.message.nodes.add()
      for name, child in children(self.objects[at]):
        if id(child) not in self._ids:
          self._ids[id(child)] = len(self.objects)
          self.objects.append(child)
          self._paths.append((*self._paths[at], _escape(name)))
        node.children.add(node_id=self._ids[id(child)], local_name=name)
      at += 1

  def _add_value(self, node_id, variable, path):
    key = f"{path}/.ATTRIBUTES/{_VALUE}"
    self.message.nodes[node_id].attributes.add(name=_VALUE, full_name=variable.op.name, checkpoint_key=key)
    self.variables[key] = variable

  def _add_slots(self, node_id):
    optimizer = self.objects[node_id]
    path = "/".join(self._paths[node_id])
    for slot_name in optimizer.get_slot_names():
      for original_id, variable in list(enumerate(self.objects)):
        if not isinstance(variable, tf.Variable):
          continue
        slot = optimizer.get_slot(variable, slot_name)
        if slot is None or id(slot) in self._ids:
          continue
        slot_id = len(self.objects)
        self._ids[id(slot)] = slot_id
        self.objects.append(slot)
        self.message.nodes.add()
        key = f"{'/'.join(self._paths[original_id])}/.OPTIMIZER_SLOT/{path}/{_escape(slot_name)}"
        self._paths.append(())
        self._add_value(slot_id, slot, key)
        self.message.nodes[node_id].slot_variables.add(
          original_variable_node_id=original_id, slot_name=slot_name, slot_variable_node_id=slot_id
        )


def match(stored, root):
  """A map of the numbers of a stored graph's nodes to the objects of the program that they are."""
  found = {0: root}
  waiting = [0]
  while waiting:
    node_id = waiting.pop(0)
    here = dict(children(found[node_id]))
    for child in stored.nodes[node_id].children:
      if child.local_name in here and child.node_id not in found:
        found[child.node_id] = here[child.local_name]
        waiting.append(child.node_id)
  for node_id, node in enumerate(stored.nodes):
    optimizer = found.get(node_id)
    if not isinstance(optimizer, optimizer_lib.Optimizer):
      continue
    for slot in node.slot_variables:
      variable = found.get(slot.original_variable_node_id)
      if isinstance(variable, tf.Variable):
        kept = optimizer.get_slot(variable, slot.slot_name)
        if kept is not None:
          found[slot.slot_variable_node_id] = kept
  return found


def path_of(stored, node_id):
  """The names that lead from the root to a node, for messages."""
  paths = {0: "(root)"}
  waiting = [0]
  while waiting:
    at = waiting.pop(0)
    for child in stored.nodes[at].children:
      if child.node_id not in paths:
        paths[child.node_id] = f"{paths[at]}.{child.local_name}"
        waiting.append(child.node_id)
  return paths.get(node_id, f"(node {node_id})")
