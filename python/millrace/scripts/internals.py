"""Modules below `tensorflow.python` and `tensorflow.core` that programs import though they are not public.

Tables `compat/internals/*.txt` have lines `module name place`: the place of one name, or with the name * a module that is
searched for all names. A place that begins with `tf` is a public module or name.
"""

import importlib
import importlib.abc
import importlib.machinery
import os
import types

from millrace.api import modules, stand_ins
from millrace.api.tables import tables

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "compat", "internals")


class _Tables:
  def __init__(self):
    self.names = {}  # module: {name: place}
    self.searched = {}  # module: list of places
    self.parents = {"tensorflow.python", "tensorflow.core", "tensorflow.examples"}
    for file in sorted(os.listdir(_FOLDER)):
      if file.endswith(".txt"):
        self._read(os.path.join(_FOLDER, file))

  def _read(self, path):
    with open(path, encoding="utf-8") as file:
      for line in file:
        words = line.split()
        if not words or words[0].startswith("#"):
          continue
        module, name, places = words[0], words[1], words[2:]
        self.names.setdefault(module, {})
        if name == "*":
          self.searched.setdefault(module, []).extend(places)
        else:
          self.names[module][name] = places[0]
        parent = module.rpartition(".")[0]
        while parent.count("."):
          self.parents.add(parent)
          parent = parent.rpartition(".")[0]


_read = None


def _tables():
  global _read
  if _read is None:
    _read = _Tables()
  return _read


def is_module(name):
  """True for a module of the tables, what it is in, and modules of messages (`..._pb2`)."""
  found = _tables()
  if name in found.names or (name.startswith("tensorflow.core.") and name.endswith("_pb2")):
    return True
  # What is public itself (tensorflow.contrib) has its own names, and those below it are found there as well.
  return name in found.parents and not tables().is_module("tf" + name[len("tensorflow") :])


def _at(place):
  """What stands at a place: of a public name, or of a module below this package."""
  if place == "tf" or place.startswith("tf."):
    if place in tables().places:
      return modules.resolve(tables().places[place])
    return importlib.import_module(modules.module_name(place))
  return modules.resolve(place)


class InternalModule(types.ModuleType):
  """Looks names up in the tables, then in the modules that are searched, then among modules below it.

  Its name begins with `tensorflow`, or with this package's name in programs that import this package instead.
  """

  def _name_of_tensorflow(self):
    return "tensorflow" + self.__name__[len(self.__name__.partition(".")[0]) :]

  def __getattr__(self, name):
    if name.startswith("__") and name != "__all__":
      raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
    if name == "__all__":
      return [member for member in dir(self) if not member.startswith("_")]
    found = self._find(name)
    self.__dict__[name] = found
    return found

  def _find(self, name):
    own = self._name_of_tensorflow()
    place = _tables().names.get(own, {}).get(name)
    if place is not None:
      return _at(place)
    for place in _tables().searched.get(own, ()):
      try:
        return getattr(_at(place), name)
      except AttributeError:
        continue
      except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith(modules.ROOT + "."):
          raise
    if own.endswith("_pb2"):
      from millrace.framework import protos

      return getattr(protos, name)
    if is_module("%s.%s" % (own, name)):
      return importlib.import_module("%s.%s" % (self.__name__, name))
    public = "tf%s.%s" % (own[len("tensorflow") :], name)
    if stand_ins.stands_for(public):
      return stand_ins.of(public)
    raise AttributeError("module %r has no attribute %r: Millrace has the internals that programs import most" % (own, name))

  def __dir__(self):
    own = self._name_of_tensorflow()
    names = set(_tables().names.get(own, ()))
    for place in _tables().searched.get(own, ()):
      names.update(dir(_at(place)))
    below = own + "."
    known = list(_tables().names) + sorted(_tables().parents)
    names.update(module[len(below) :].split(".")[0] for module in known if module.startswith(below))
    return sorted(names)


def spec_of(name):
  """The spec of an internal module below this package's name, or None if there is none."""
  below = name[len(modules.ROOT) :]
  return importlib.machinery.ModuleSpec(name, Loader(), is_package=True) if is_module("tensorflow" + below) else None


class Loader(importlib.abc.Loader):
  def create_module(self, spec):
    return InternalModule(spec.name)

  def exec_module(self, module):
    pass
