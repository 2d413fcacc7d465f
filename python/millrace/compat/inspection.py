"""What TensorFlow's own code uses to look at functions and to decorate them, as programs that took parts of it do."""

import collections
import functools
import inspect
from contextlib import contextmanager
from inspect import (
  currentframe,
  getcallargs,
  getdoc,
  getfile,
  getmembers,
  getmodule,
  getmro,
  getsource,
  isbuiltin,
  isclass,
  isframe,
  isfunction,
  isgenerator,
  ismethod,
  ismodule,
  isroutine,
  stack,
)

ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")
FullArgSpec = inspect.FullArgSpec


def getfullargspec(obj):
  """Returns the FullArgSpec of a function: of a decorated one, of what was decorated."""
  return inspect.getfullargspec(unwrap(obj)[1])


def getargspec(obj):
  """Returns the ArgSpec of a function. ValueError if it has arguments by keyword alone."""
  found = getfullargspec(obj)
  if found.kwonlyargs:
    raise ValueError(f"{obj} has arguments that are given by keyword alone; use getfullargspec.")
  return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc="", decorator_argspec=None):
  """Returns `decorator_func` with the name, the text and the signature of `target`, which it calls."""
  del decorator_name, decorator_doc, decorator_argspec
  return functools.wraps(target)(decorator_func)


def unwrap(maybe_tf_decorator):
  """Returns (the functions around it, the outermost first; the innermost function)."""
  around = []
  while hasattr(maybe_tf_decorator, "__wrapped__"):
    around.append(maybe_tf_decorator)
    maybe_tf_decorator = maybe_tf_decorator.__wrapped__
  return around, maybe_tf_decorator


def inside_function():
  """Whether the default graph is that of a function."""
  from millrace.framework import graph

  return graph.get_default_graph().building_function


def in_xla_context(graph):
  """False: there is no XLA, nor a graph whose control flow is TensorFlow 2's."""
  return False


def known_value(graph, tensor):
  """The value of a tensor if it follows from constants, or None."""
  from millrace.framework.constant_values import value_while_building

  return value_while_building(tensor)


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
  """Leaves a module as it is: TensorFlow takes from it the names that its text does not have."""


def make_all(module_name, doc_string_modules=None):
  """Returns the names of a module that its text has after @@."""
  import re
  import sys

  modules = doc_string_modules or [sys.modules[module_name]]
  texts = "\n".join(module.__doc__ or "" for module in modules)
  return sorted(set(re.findall(r"^\s*@@(\w+)", texts, re.MULTILINE)) & set(dir(sys.modules[module_name])))


class tf_export:
  """A decorator which leaves a function or class as it is: its public names are those that a program gives it."""

  def __init__(self, *names, **options):
    self._names = names
    self._options = options

  def __call__(self, func):
    return func

  def export_constant(self, module_name, name):
    """Does nothing, for a constant."""


__all__ = [
  "ArgSpec",
  "FullArgSpec",
  "contextmanager",
  "currentframe",
  "getargspec",
  "getcallargs",
  "getdoc",
  "getfile",
  "getfullargspec",
  "getmembers",
  "getmodule",
  "getmro",
  "getsource",
  "isbuiltin",
  "isclass",
  "isframe",
  "isfunction",
  "isgenerator",
  "ismethod",
  "ismodule",
  "isroutine",
  "make_all",
  "make_decorator",
  "remove_undocumented",
  "stack",
  "tf_export",
  "unwrap",
]
