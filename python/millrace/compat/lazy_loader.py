"""tensorflow.python.util.lazy_loader: a module that is loaded when a name of it is asked for."""

import importlib
import types


class LazyLoader(types.ModuleType):
  """Stands for the module `name` as `local_name` of a module whose globals these are, and is replaced by it once it is loaded."""

  def __init__(self, local_name, parent_module_globals, name, warning=None):
    super().__init__(name)
    self._local_name = local_name
    self._parent_module_globals = parent_module_globals
    self._warning = warning

  def _load(self):
    module = importlib.import_module(self.__name__)
    self._parent_module_globals[self._local_name] = module
    if self._warning:
      from millrace.platform import logging

      logging.warning(self._warning)
      self._warning = None
    self.__dict__.update(module.__dict__)
    return module

  def __getattr__(self, item):
    return getattr(self._load(), item)

  def __dir__(self):
    return dir(self._load())
