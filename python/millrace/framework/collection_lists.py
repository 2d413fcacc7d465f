"""Collections: lists of values of a graph, by name."""

import re


class Collections:
  """The part of a graph that has its collections."""

  def __init__(self):
    self._collections = {}

  @property
  def collections(self):
    """The names of the collections."""
    return list(self._collections)

  def add_to_collection(self, name, value):
    """Adds a value to the collection, which may hold it several times."""
    self._check_not_finalized()
    self._collections.setdefault(name, []).append(value)

  def add_to_collections(self, names, value):
    """Adds a value to each of the collections, once a name."""
    names = (names,) if isinstance(names, str) else dict.fromkeys(names)
    for name in names:
      self.add_to_collection(name, value)

  def get_collection_ref(self, name):
    """Returns the list itself, which is made if there is none."""
    return self._collections.setdefault(name, [])

  def get_collection(self, name, scope=None):
    """Returns a copy of the list; with a scope, of those elements whose `name` matches it as a regular expression."""
    values = self._collections.get(name, None)
    if values is None:
      return []
    if scope is None:
      return list(values)
    pattern = re.compile(scope)
    return [value for value in values if hasattr(value, "name") and pattern.match(value.name)]

  def get_all_collection_keys(self):
    """The names of the collections that have one."""
    return [name for name in self._collections if isinstance(name, str)]

  def clear_collection(self, name):
    """Removes all elements."""
    self._check_not_finalized()
    self._collections.pop(name, None)
