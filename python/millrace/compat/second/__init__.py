"""tf.compat.v2 in graphs: the names of tf.compat.v1, with TensorFlow 2's order of arguments where that is another one.

`orders.txt` and `own.txt` say for which names what is different. Names that TensorFlow 2 took away are there as well.
"""

import importlib
import importlib.machinery
import os
import types

from millrace.api import modules, stand_ins
from millrace.api.tables import read_lines, tables

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_HERE = "millrace.compat.v2"


class _Names:
  """What the tables of this folder say."""

  def __init__(self):
    self.orders = dict(read_lines(os.path.join(_FOLDER, "orders.txt")))
    self.own = dict(read_lines(os.path.join(_FOLDER, "own.txt")))


_names = _Names()


class Module(types.ModuleType):
  """A module of tf.compat.v2. `_api_name` is that of tf.compat.v1, such as "tf.nn"."""

  def __getattr__(self, name):
    if name.startswith("__") and name not in ("__all__", "__version__"):
      raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
    found = self._find("%s.%s" % (self._api_name, name), name)
    self.__dict__[name] = found
    return found

  def _find(self, full, name):
    second = "tf.compat.v2" + full[2:]
    if stand_ins.stands_for(second):
      return stand_ins.of(second)
    if tables().reason(second) is not None:
      raise AttributeError("%s is not part of Millrace. %s" % (second, tables().reason(second)))
    if full in _names.own:
      return modules.resolve(_names.own[full])
    first = getattr(importlib.import_module(modules.module_name(self._api_name)), name)
    if full in _names.orders:
      from millrace.compat.second.reordering import reordered

      return reordered(first, _names.orders[full])
    return importlib.import_module(_HERE + full[2:]) if _has_module(full) else first

  def __dir__(self):
    below = self._api_name + "."
    own = {full[len(below) :] for full in _names.own if full.startswith(below) and "." not in full[len(below) :]}
    return sorted(own | set(dir(importlib.import_module(modules.module_name(self._api_name)))))


def _has_module(full):
  return full in tables().members and full != "tf.compat" and not full.startswith(("tf.contrib", "tf.keras", "tf.compat."))


class _Loader(importlib.abc.Loader):
  def create_module(self, spec):
    module = Module(spec.name)
    module.__dict__["_api_name"] = "tf" + spec.name[len(_HERE) :]
    return module

  def exec_module(self, module):
    pass


def spec_of(name):
  """The spec of a module of tf.compat.v2, or None if there is none of that name."""
  full = "tf" + name[len(_HERE) :]
  if full == "tf" or _has_module(full):
    return importlib.machinery.ModuleSpec(name, _Loader(), is_package=True)
  if full in tables().members:
    return modules.alias_spec(name, modules.module_name(full))
  for stood_for in ("tf.compat.v2" + full[2:], full):
    if stand_ins.stands_for(stood_for):
      return stand_ins.spec_of(name, stood_for)
  return None
