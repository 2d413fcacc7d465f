"""Python runs this when it starts below `millrace python`, whose children have this folder in $PYTHONPATH (`scripts/children.py`).

In the same Python, `import tensorflow` then means what it means in the program that started it; nothing is imported before. In
others, which may be older than this package's, nothing happens. Either way Python goes on with the sitecustomize that it would have
had, and this folder is not in sys.path.
"""

import os
import sys

_VARIABLE = "MILLRACE_CHILDREN"


class _Finder(object):
  """Installs the hook when `tensorflow` is imported first."""

  def __init__(self, version, folder):
    self._version = version
    self._folder = folder

  def find_spec(self, name, path=None, target=None):
    if name != "tensorflow":
      return None
    sys.meta_path.remove(self)
    if self._folder not in sys.path:
      sys.path.append(self._folder)
    import importlib.machinery

    import millrace
    from millrace.scripts import hook

    if hook.installed() is None:
      millrace.install(self._version)
    # Python would take the specification of a module that is there, and load that a second time.
    return importlib.machinery.ModuleSpec(name, _Loaded(sys.modules.pop(name)), is_package=True)


class _Loaded(object):
  """Loads what the hook made of `tensorflow`, as it is."""

  def __init__(self, module):
    self._module = module
    self._spec = module.__spec__

  def create_module(self, spec):
    return self._module

  def exec_module(self, module):
    module.__spec__ = self._spec


def _follow():
  # As scripts/children.py writes it.
  words = os.environ.get(_VARIABLE, "").split(os.pathsep)
  if len(words) != 4:
    return
  version, tag, prefix, folder = words
  if tag != getattr(getattr(sys, "implementation", None), "cache_tag", None) or os.path.realpath(sys.prefix) != prefix:
    return
  if os.path.isfile(os.path.join(folder, "millrace", "__init__.py")):
    sys.meta_path.insert(0, _Finder(version, folder))


def _pass_on():
  """Runs the next sitecustomize, which takes this one's place; where there is none, the error is what Python expects."""
  own = os.path.dirname(os.path.abspath(__file__))
  sys.path[:] = [path for path in sys.path if path != own]
  del sys.modules[__name__]
  __import__(__name__)


_follow()
_kept = sys.modules[__name__]
_pass_on()
