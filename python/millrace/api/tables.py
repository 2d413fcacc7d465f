"""Reads the tables of public names, once a process."""

import os

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def read_lines(path):
  """Yields (first word, rest) of each line that is no comment."""
  with open(path, encoding="utf-8") as file:
    for line in file:
      if line.strip() and not line.startswith("#"):
        name, _, place = line.strip().partition(" ")
        yield name, place.strip()


class Tables:
  """`places`: the place of each public name. `members`: for each public module, the set of its names. `absent`: reasons.
  `importables`: those of the absent names that can be imported all the same."""

  def __init__(self):
    self.places = {}
    self.members = {"tf": set()}
    self.absent = {}
    self.importables = set()
    for file in sorted(os.listdir(_FOLDER)):
      if file.endswith("absent.txt"):
        names = dict(read_lines(os.path.join(_FOLDER, file)))
        self.absent.update(names)
        self.importables.update(names if file == "importable_absent.txt" else ())
      elif file.endswith(".txt"):
        self.places.update(read_lines(os.path.join(_FOLDER, file)))
    for name in self.places:
      self._add(name)

  def _add(self, name):
    """Makes the modules around a name."""
    module, _, last = name.rpartition(".")
    if module not in self.members:
      self.members[module] = set()
      self._add(module)
    self.members[module].add(last)

  def add(self, name, place):
    """Adds a name, or gives it another place."""
    self.places[name] = place
    self._add(name)

  def is_module(self, name):
    return name in self.members or (name in self.places and ":" not in self.places[name])

  def reason(self, name):
    """Why `name` (or what it is a part of) is not offered, or None."""
    found = self._absent_part(name)
    return None if found is None else self.absent[found]

  def importable(self, name):
    """True if `name` is not offered, and a part of what can be imported all the same."""
    return self._absent_part(name) in self.importables

  def _absent_part(self, name):
    while name and name not in self.absent:
      name = name.rpartition(".")[0]
    return name or None


_tables = None


def tables():
  global _tables
  if _tables is None:
    _tables = Tables()
  return _tables
