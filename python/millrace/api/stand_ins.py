"""What stands for a name that is not offered, where programs import it though they may never use it.

Many programs derive a class from one of Keras', or import its modules, for a part of theirs that others use. So such a name is
there, as a class or a module which can be imported and derived from; using it is the error that says what to use instead. A name
that begins with a capital letter is a class. Others are modules that can be called, since a function looks the same.
"""

import abc
import importlib.abc
import importlib.machinery
import types

from millrace.api.tables import tables

_made = {}
# Functions that tell Keras of a class or a function of the program's, which has no effect here.
_REGISTRATIONS = {
  "register_keras_serializable": lambda *args, **kwargs: lambda registered: registered,
  "register_symbolic_tensor_type": lambda registered: None,
  "get_custom_objects": dict,
}


# Modules that are here as a whole: libraries that try several modules for a name learn that it is in another.
_WHOLE = ("tf.keras.initializers", "tf.keras.regularizers", "tf.keras.constraints", "tf.keras.activations")


def stands_for(api_name):
  """True for a public name, such as "tf.keras.layers", that is not offered but can be imported."""
  if api_name in tables().places or api_name.startswith(tuple(module + "." for module in _WHOLE)):
    return False
  return tables().importable(api_name)


def of(api_name):
  """What stands for a public name: a class or a module, the same one each time."""
  if api_name not in _made:
    last = api_name.rpartition(".")[2]
    is_class = last.lstrip("_")[:1].isupper()
    _made[api_name] = _REGISTRATIONS.get(last) or (_class(api_name) if is_class else Module(api_name))
  return _made[api_name]


def name_of(found):
  """The public name that an object stands for, or None of any other object."""
  return vars(found).get("_absent_name") if isinstance(found, (type, types.ModuleType)) else None


def why(api_name):
  """What is to be said to who uses a name that is not offered."""
  return "%s is not part of Millrace. %s" % (api_name, tables().reason(api_name))


class Module(types.ModuleType):
  """A module, or a function, that is not there."""

  def __init__(self, api_name):
    super().__init__("millrace" + api_name[2:])
    self.__dict__["_absent_name"] = api_name

  def __getattr__(self, name):
    if name.startswith("__"):
      raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
    return of("%s.%s" % (self._absent_name, name))

  def __call__(self, *args, **kwargs):
    raise AttributeError(why(self._absent_name))

  def __dir__(self):
    return []


class _Class(abc.ABCMeta):
  """The class of classes that are not there: they have all constants, which may be values of arguments."""

  def __getattr__(cls, name):
    api_name = cls.__dict__.get("_absent_name")
    if api_name is None or name.startswith("_"):
      raise AttributeError("type object %r has no attribute %r" % (cls.__name__, name))
    return of("%s.%s" % (api_name, name))


def _class(api_name):
  def __new__(cls, *args, **kwargs):
    derived = "" if cls is made else "%s derives from what is not there: " % cls.__name__
    raise AttributeError(derived + why(api_name))

  module, _, name = api_name.rpartition(".")
  made = _Class(name, (), {"__new__": __new__, "__module__": "millrace" + module[2:], "_absent_name": api_name})
  return made


class _Loader(importlib.abc.Loader):
  def __init__(self, api_name):
    self._api_name = api_name

  def create_module(self, spec):
    return of(self._api_name)

  def exec_module(self, module):
    pass


def spec_of(name, api_name):
  """A spec for importing, as the module `name`, what stands for a public name."""
  return importlib.machinery.ModuleSpec(name, _Loader(api_name), is_package=True)
