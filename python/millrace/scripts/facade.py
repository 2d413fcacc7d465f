"""The modules that scripts of TensorFlow 0.12 import: those of this package, but for functions whose arguments had another order.

They are modules of their own, since this package's code uses the present functions.
"""

import importlib
import importlib.abc
import types

from millrace.api import modules
from millrace.scripts import old_names


class Facade(types.ModuleType):
  """Has the names of a public module (`_api_name`)."""

  def __getattr__(self, name):
    api_name = self.__dict__["_api_name"]
    if name.startswith("__") and name not in ("__all__", "__version__"):
      raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
    full = "%s.%s" % (api_name, name)
    if full in old_names.REORDERED:
      found = getattr(importlib.import_module("millrace.scripts.before_1_0"), old_names.REORDERED[full])
    else:
      found = getattr(importlib.import_module(modules.module_name(api_name)), name)
      if isinstance(found, modules.ApiModule):
        found = importlib.import_module("tensorflow" + full[2:])
    self.__dict__[name] = found
    return found

  def __dir__(self):
    return dir(importlib.import_module(modules.module_name(self.__dict__["_api_name"])))


class Loader(importlib.abc.Loader):
  def __init__(self, api_name, version):
    self._api_name = api_name
    self._version = version

  def create_module(self, spec):
    module = Facade(spec.name)
    module.__dict__.update(_api_name=self._api_name, __version__=self._version)
    return module

  def exec_module(self, module):
    pass
