"""What a layer finds among its attributes: other layers, and variables that were not made by its own add_weight."""

from millrace.layers.module import Module
from millrace.ops.variables.partitioned import PartitionedVariable
from millrace.ops.variables.variable import Variable

_CONTAINERS = (list, tuple, dict)
_PLAIN = (int, float, str, bytes)


def parts(layer, skipped):
  """Yields the layers and variables among the attributes of `layer`, also in lists and dictionaries, in order, each once."""
  seen = {id(layer)}
  for name, value in list(vars(layer).items()):
    if name not in skipped:
      yield from _parts(value, seen)


def _parts(value, seen):
  if isinstance(value, _CONTAINERS):
    if id(value) in seen:
      return
    seen.add(id(value))
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], _PLAIN):
      return  # data, of which there may be much
    for part in list(value.values()) if isinstance(value, dict) else value:
      yield from _parts(part, seen)
  elif isinstance(value, (Module, Variable, PartitionedVariable)) and id(value) not in seen:
    seen.add(id(value))
    yield value


def once(values):
  """Returns the list without objects that it has already."""
  seen, found = set(), []
  for value in values:
    if id(value) not in seen:
      seen.add(id(value))
      found.append(value)
  return found
