"""Objects, lists and dictionaries that checkpoints of objects look into, and what they leave out."""

import collections.abc

from millrace.train.saver import object_graph


class NoDependency:
  """A value that, as an attribute of a Checkpointable, is not saved: `self.x = NoDependency(value)` sets x to the value."""

  def __init__(self, value):
    self.value = value


class Checkpointable:
  """An object whose attributes are saved by their names: variables, optimizers, lists and others that hold some."""

  def __setattr__(self, name, value):
    left_out = self.__dict__.setdefault("_left_out", set())
    left_out.discard(name)
    if isinstance(value, NoDependency):
      left_out.add(name)
      value = value.value
    object.__setattr__(self, name, value)

  def _checkpoint_children(self):
    left_out = self.__dict__.get("_left_out", ())
    return sorted(
      (name, value)
      for name, value in vars(self).items()
      if name != "_left_out" and name not in left_out and object_graph.is_trackable(value)
    )


CheckpointableBase = Checkpointable


def as_it_is(method):
  """A decorator that changes nothing, in place of the one by which attributes set in a method are not saved."""
  return method


class List(collections.abc.MutableSequence):
  """A list whose elements are saved by their places. Elements may be added, not replaced or removed."""

  def __init__(self, *args, **kwargs):
    self._elements = list(*args, **kwargs)

  def _checkpoint_children(self):
    return object_graph.children(self._elements)

  def __getitem__(self, key):
    return List(self._elements[key]) if isinstance(key, slice) else self._elements[key]

  def __setitem__(self, key, value):
    raise ValueError("Elements of a List that is saved cannot be replaced")

  def __delitem__(self, key):
    raise ValueError("Elements of a List that is saved cannot be removed")

  def insert(self, index, value):
    if index != len(self._elements):
      raise ValueError("Elements of a List that is saved can only be added at its end")
    self._elements.append(value)

  def __len__(self):
    return len(self._elements)

  def __add__(self, other):
    return List([*self._elements, *other])

  def __radd__(self, other):
    return List([*other, *self._elements])

  def __eq__(self, other):
    return isinstance(other, collections.abc.Sequence) and self._elements == list(other)

  __hash__ = None

  def __repr__(self):
    return f"List({self._elements!r})"


class Mapping(collections.abc.Mapping):
  """A dictionary whose values are saved by their keys, which are texts. Values may be added, not replaced or removed."""

  def __init__(self, *args, **kwargs):
    self._values = {}
    self.update(*args, **kwargs)

  def _checkpoint_children(self):
    return object_graph.children(self._values)

  def __setitem__(self, key, value):
    if not isinstance(key, str):
      raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
    if key in self._values and self._values[key] is not value:
      raise ValueError(f"Mappings are an append-only data structure. Tried to overwrite the key '{key}'")
    self._values[key] = value

  def update(self, *args, **kwargs):
    for key, value in dict(*args, **kwargs).items():
      self[key] = value

  def __getitem__(self, key):
    return self._values[key]

  def __len__(self):
    return len(self._values)

  def __iter__(self):
    return iter(self._values)

  def __repr__(self):
    return f"Mapping({self._values!r})"


class UniqueNameTracker(Checkpointable):
  """Saves objects by names that it makes unique: `layer`, `layer_1`, ..."""

  def __init__(self):
    self._tracked = NoDependency({})

  def track(self, checkpointable, base_name):
    """Takes an object under a name; returns it. Raises ValueError for what cannot be saved."""
    if not object_graph.is_trackable(checkpointable):
      raise ValueError(f"Expected an object that can be saved, got {checkpointable}.")
    name, count = base_name, 0
    while name in self._tracked:
      count += 1
      name = f"{base_name}_{count}"
    self._tracked[name] = checkpointable
    return checkpointable

  def _checkpoint_children(self):
    return sorted(self._tracked.items())


class PythonStateWrapper(object_graph.PythonState):
  """A state of Python that two functions save, as a text, and restore."""

  def __init__(self, save_callback, restore_callback):
    self._save = save_callback
    self._restore = restore_callback

  def serialize(self):
    return self._save()

  def deserialize(self, string_value):
    return self._restore(string_value)


def list_objects(root_checkpointable):
  """Returns all objects that are saved with one, itself first."""
  return list(object_graph.ObjectGraph(root_checkpointable).objects)


def object_metadata(save_path):
  """Returns the TrackableObjectGraph of a checkpoint. Raises ValueError if it has none."""
  found = object_graph.read(save_path)
  if found is None:
    raise ValueError(f'The specified checkpoint "{save_path}" does not appear to be object-based')
  return found


def dot_graph_from_checkpoint(save_path):
  """Returns the graph of a checkpoint's objects as a text for Graphviz."""
  message = object_metadata(save_path)
  lines = ["digraph {"]
  for number, node in enumerate(message.nodes):
    label = "root" if number == 0 else ", ".join(attribute.full_name or attribute.name for attribute in node.attributes)
    lines.append(f'  N_{number} [label="{label}"]')
    lines += [f'  N_{number} -> N_{child.node_id} [label="{child.local_name}"]' for child in node.children]
    for slot in node.slot_variables:
      lines.append(f'  N_{slot.original_variable_node_id} -> N_{slot.slot_variable_node_id} [label="{slot.slot_name}"]')
  return "\n".join([*lines, "}"]) + "\n"
