"""Modules such as `millrace.train` and `millrace.nn`, whose attributes are looked up in the tables of public names.

Where this package has a folder of that name (`train/`), its module is the public one as well: what the tables say of it comes
before its own submodules.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types

from millrace.api import stand_ins
from millrace.api.tables import tables

ROOT = "millrace"
# What programs import that is not public: `millrace.python.framework.ops` is what `tensorflow.python.framework.ops` is.
_INTERNALS = ("python", "core", "examples", "tools")
_FINDERS = ("millrace.api.modules", "millrace.scripts.hook")

# Names with underscores around that are looked up like others.
_SPECIAL = ("__all__", "__version__", "__git_version__", "__compiler_version__")


class UnknownName(AttributeError):
  """A name that is not there. Its text names similar ones, which are looked for when somebody reads it."""

  def __init__(self, shown, name, names):
    super().__init__(shown, name)
    self._shown = shown
    self._wanted = name
    self._names = names

  def __str__(self):
    import difflib

    text = "module %r has no attribute %r" % (self._shown, self._wanted)
    near = difflib.get_close_matches(self._wanted, self._names, 3, 0.75)
    if not near:
      lower = {name.lower(): name for name in self._names}
      near = [lower[name] for name in difflib.get_close_matches(self._wanted.lower(), list(lower), 3, 0.75)]
    return "%s. Similar names: %s" % (text, ", ".join(near)) if near else text


def resolve(place):
  """Returns what stands at a place of a table."""
  module, _, attribute = place.partition(":")
  found = importlib.import_module("%s.%s" % (ROOT, module) if module else ROOT)
  for part in attribute.split(".") if attribute else ():
    found = getattr(found, part)
  return found


class ApiModule(types.ModuleType):
  """A module of public names. `_api_name` is its public name, such as "tf.train"."""

  def __getattr__(self, name):
    api_name = self.__dict__.get("_api_name", "tf")
    if name.startswith("__") and name not in _SPECIAL:
      raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
    if name == "__all__":
      return sorted(member for member in tables().members.get(api_name, ()) if not member.startswith("_"))
    full = "%s.%s" % (api_name, name)
    place = tables().places.get(full)
    if place is not None:
      found = resolve(place)
    elif full in tables().members:
      found = importlib.import_module(module_name(full))
    elif full == "tf.compat.v1":
      found = sys.modules[ROOT]
    elif full == "tf.compat.v2":
      found = importlib.import_module(module_name(full))
    elif stand_ins.stands_for(full):
      found = stand_ins.of(full)
    else:
      raise self._error(full, name)
    self.__dict__[name] = found
    return found

  def _error(self, full, name):
    reason = tables().reason(full)
    if reason is not None:
      return AttributeError("%s is not part of Millrace. %s" % (full, reason))
    return UnknownName(self.__name__, name, sorted(tables().members.get(self.__dict__.get("_api_name"), ())))

  def __setattr__(self, name, value):
    # An internal module that was imported does not hide the public name that it is called like.
    if isinstance(value, types.ModuleType) and value.__name__ == "%s.%s" % (self.__name__, name):
      place = tables().places.get("%s.%s" % (self.__dict__.get("_api_name"), name))
      if place is not None and ":" in place:
        return
    super().__setattr__(name, value)

  def __dir__(self):
    return sorted(set(tables().members.get(self.__dict__.get("_api_name"), ())) | {"__doc__", "__name__", "__version__"})

  def __reduce__(self):
    return importlib.import_module, (self.__name__,)


def module_name(api_name):
  """The name of the Python module of a public module: "millrace.train" of "tf.train"."""
  return ROOT + api_name[2:]


def name_in_error(fullname, api_name):
  """The name that a ModuleNotFoundError has for a module: its own, by which `pydoc.locate` and others know that it is not there.

  In `from package import module` Python drops an error of that name, and its words with it; there it is the public name.
  """
  frame = sys._getframe(1)
  while frame is not None:
    if frame.f_code.co_filename.startswith("<frozen importlib") and frame.f_code.co_name == "_handle_fromlist":
      return api_name
    if not frame.f_code.co_filename.startswith("<frozen importlib") and frame.f_globals.get("__name__") not in _FINDERS:
      return fullname
    frame = frame.f_back
  return fullname


def api_name_of(module):
  """The public name of a Python module's name."""
  name = "tf" + module[len(ROOT) :]
  while name.startswith("tf.compat.v1.") or name == "tf.compat.v1":
    name = "tf" + name[len("tf.compat.v1") :]
  if name.startswith("tf.python.keras.") or name == "tf.python.keras":
    name = "tf" + name[len("tf.python") :]
  return name


class _Alias(importlib.abc.Loader):
  """Loads another module under this name."""

  def __init__(self, target):
    self._target = target

  def create_module(self, spec):
    self._module = importlib.import_module(self._target)
    self._spec = self._module.__spec__
    return self._module

  def exec_module(self, module):
    module.__spec__ = self._spec  # which the import replaced


class _Synthetic(importlib.abc.Loader):
  """Makes a module of public names that has no file."""

  def __init__(self, api_name):
    self._api_name = api_name

  def create_module(self, spec):
    module = ApiModule(spec.name)
    module.__dict__["_api_name"] = self._api_name
    return module

  def exec_module(self, module):
    pass


class _Physical(importlib.abc.Loader):
  """Loads a module of this package that is a public one as well."""

  def __init__(self, loader, api_name):
    self._loader = loader
    self._api_name = api_name

  def create_module(self, spec):
    return self._loader.create_module(spec)

  def exec_module(self, module):
    module.__dict__["_api_name"] = self._api_name
    module.__class__ = ApiModule
    self._loader.exec_module(module)

  def __getattr__(self, name):
    return getattr(self._loader, name)


class _Extension(importlib.abc.Loader):
  """Loads the extension so that it keeps to its own libraries, also beside TensorFlow's, which has others of the same names.

  AddressSanitizer cannot be in such a process; where it is loaded, the extension takes what is there.
  """

  def __init__(self, loader):
    self._loader = loader

  def create_module(self, spec):
    if "asan" in os.environ.get("LD_PRELOAD", "") or not hasattr(os, "RTLD_DEEPBIND"):
      return self._loader.create_module(spec)
    before = sys.getdlopenflags()
    sys.setdlopenflags(before | os.RTLD_DEEPBIND)
    try:
      return self._loader.create_module(spec)
    finally:
      sys.setdlopenflags(before)

  def exec_module(self, module):
    self._loader.exec_module(module)

  def __getattr__(self, name):
    return getattr(self._loader, name)


def alias_spec(name, target):
  """A spec for importing the module `target` under the name `name`."""
  return importlib.machinery.ModuleSpec(name, _Alias(target), is_package=True)


class Finder(importlib.abc.MetaPathFinder):
  """Finds the public modules below this package."""

  def find_spec(self, fullname, path=None, target=None):
    if not fullname.startswith(ROOT + "."):
      return None
    if fullname == ROOT + "._binding":
      spec = importlib.machinery.PathFinder.find_spec(fullname, path)
      if spec is not None:
        spec.loader = _Extension(spec.loader)
      return spec
    api_name = api_name_of(fullname)
    if api_name == "tf.compat.v2" or api_name.startswith("tf.compat.v2."):
      from millrace.compat import second

      return second.spec_of(fullname)
    if fullname != module_name(api_name):
      return alias_spec(fullname, module_name(api_name))
    place = tables().places.get(api_name)
    if place is not None:
      if ":" in place:  # a name that is no module, which an internal module may be called like
        return None
      target_name = "%s.%s" % (ROOT, place)
      return None if target_name == fullname else alias_spec(fullname, target_name)
    if api_name not in tables().members:
      parts = fullname.split(".")
      if parts[1] in _INTERNALS or "python" in parts:
        from millrace.scripts import internals

        spec = internals.spec_of(fullname)
        if spec is not None:
          return spec
      if stand_ins.stands_for(api_name):
        return stand_ins.spec_of(fullname, api_name)
      self._check_absent(fullname, api_name, path)
      return None
    spec = importlib.machinery.PathFinder.find_spec(fullname, path)
    if spec is not None and spec.loader is not None:
      spec.loader = _Physical(spec.loader, api_name)
      return spec
    spec = importlib.machinery.ModuleSpec(fullname, _Synthetic(api_name), is_package=True)
    if path is not None:  # folders without an __init__ of their own
      found = importlib.machinery.PathFinder.find_spec(fullname, path)
      spec.submodule_search_locations = list(found.submodule_search_locations or ()) if found is not None else []
    return spec

  def _check_absent(self, fullname, api_name, path):
    reason = tables().reason(api_name)
    if reason is None or importlib.machinery.PathFinder.find_spec(fullname, path) is not None:
      return  # other finders may know it
    raise ModuleNotFoundError("%s is not part of Millrace. %s" % (api_name, reason), name=name_in_error(fullname, api_name))


def install():
  """Lets Python find the public modules, and makes the package itself one. Called once, by the package."""
  root = sys.modules[ROOT]
  root.__dict__["_api_name"] = "tf"
  root.__class__ = ApiModule
  sys.modules[ROOT + ".compat.v1"] = root
  sys.meta_path.insert(0, Finder())
