"""The import hook: `tensorflow` and what programs import below it are this package's."""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys

from millrace.api import modules, stand_ins
from millrace.api.tables import tables
from millrace.scripts import facade, internals, old_names

VERSIONS = {"1.15": "1.15.0", "0.12": "0.12.1"}
NAME = "tensorflow"
# The package of TensorFlow 1.14 and later that has what was below tensorflow.python.estimator before.
ESTIMATORS = "tensorflow_estimator"


class Finder(importlib.abc.MetaPathFinder):
  def find_spec(self, fullname, path=None, target=None):
    if fullname == ESTIMATORS:
      return importlib.machinery.ModuleSpec(fullname, _Estimators(), is_package=True)
    if fullname.startswith(ESTIMATORS + "."):
      return modules.alias_spec(fullname, NAME + fullname[len(ESTIMATORS) :])
    if fullname != NAME and not fullname.startswith(NAME + "."):
      return None
    rest = fullname[len(NAME) + 1 :]
    if not rest:
      return _public_spec(fullname, "tf")
    if internals.is_module(fullname):
      return importlib.machinery.ModuleSpec(fullname, internals.Loader(), is_package=True)
    api_name = modules.api_name_of("%s.%s" % (modules.ROOT, rest))
    if api_name == "tf" or tables().is_module(api_name) or api_name.startswith("tf.compat.v2"):
      return _public_spec(fullname, api_name)
    if stand_ins.stands_for(api_name):
      return stand_ins.spec_of(fullname, api_name)
    reason = None
    if api_name not in tables().places:
      reason = tables().reason(api_name) or tables().reason(api_name.replace("tf.python.", "tf.", 1))
    name = modules.name_in_error(fullname, api_name)
    if reason is not None:
      raise ModuleNotFoundError("%s is not part of Millrace. %s" % (fullname, reason), name=name)
    raise ModuleNotFoundError(
      "No module named %r: Millrace has TensorFlow 1.15's public API and the internals that programs import most" % fullname,
      name=name,
    )


class _Estimators(importlib.abc.Loader):
  """Makes the package of estimators, whose modules are this package's."""

  def create_module(self, spec):
    return None

  def exec_module(self, module):
    module.estimator = importlib.import_module(NAME + ".estimator")
    module.__version__ = "1.15.1"


def _public_spec(name, api_name):
  """A spec of a public module under TensorFlow's name."""
  target = modules.module_name(api_name)
  if _installed == "0.12" and isinstance(importlib.import_module(target), modules.ApiModule):
    return importlib.machinery.ModuleSpec(name, facade.Loader(api_name, VERSIONS["0.12"]), is_package=True)
  return modules.alias_spec(name, target)


_installed = None


def installed():
  """The version that was asked for when the hook was installed, or None."""
  return _installed


def install(tf="1.15", children=False):
  """Installs the hook for this process and those that multiprocessing spawns; with `children`, for all children of this Python.

  With "1.15", `tensorflow` is this package's own module; with "0.12", one beside it. Raises ValueError for an unknown version,
  RuntimeError if TensorFlow itself is loaded already or another version was asked for before.
  """
  global _installed
  version = ".".join(str(tf).split(".")[:2])
  if version not in VERSIONS:
    raise ValueError("millrace.install: there is no version %r; use one of %s" % (tf, ", ".join(sorted(VERSIONS))))
  if _installed is not None:
    if _installed != version:
      raise RuntimeError("millrace.install: version %s is installed already in this process" % _installed)
    _follow_children(version, children)
    return
  root = sys.modules[modules.ROOT]
  loaded = sys.modules.get(NAME)
  if loaded is not None and loaded is not root:
    raise RuntimeError("millrace.install: TensorFlow is imported already in this process; install Millrace before it")
  _installed = version
  old_names.install()
  sys.meta_path.insert(0, Finder())
  if version == "1.15":
    root.__dict__["__version__"] = VERSIONS[version]
  public = importlib.import_module(NAME)
  for name in ("python", "core", "examples", "tools"):
    public.__dict__[name] = importlib.import_module("%s.%s" % (NAME, name))
  _follow_spawned(version)
  _follow_children(version, children)


def _follow_children(version, wanted):
  if wanted:
    from millrace.scripts import children

    children.follow(version)


def _follow_spawned(version):
  """Lets processes that multiprocessing spawns install the hook before they load the script."""
  import multiprocessing.spawn as spawn

  inner = spawn.get_command_line

  def get_command_line(**kwargs):
    words = inner(**kwargs)
    if "-c" in words:
      at = words.index("-c") + 1
      folder = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules[modules.ROOT].__file__)))
      begin = "import sys; sys.path.append(%r); import millrace; millrace.install(%r); " % (folder, version)
      words = [*words[:at], begin + words[at], *words[at + 1 :]]
    return words

  spawn.get_command_line = get_command_line
