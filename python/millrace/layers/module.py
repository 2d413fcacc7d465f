"""tf.Module: an object that has variables and other modules as its attributes, and finds them there."""

import functools
import re

from millrace.framework import graph as ops
from millrace.framework import nest
from millrace.ops.variables.variable import Variable


def camel_to_snake(name):
  """Returns "my_layer" for "MyLayer"."""
  text = re.sub("([a-z0-9])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name))
  return text.lower()


class Module:
  """Has a name, a scope of names, and whatever variables and modules are among its attributes, also in lists and dictionaries.

  `name` has to be a Python identifier; None takes that of the class in small letters. ValueError for another one.
  """

  # Attributes that are no part of the module.
  _TF_MODULE_IGNORED_PROPERTIES = frozenset()

  def __init__(self, name=None):
    if name is None:
      name = camel_to_snake(type(self).__name__)
    elif not re.match(r"^[a-zA-Z_]([a-zA-Z0-9_])*$", name):
      raise ValueError(
        f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid class name)."
      )
    self._name = name
    with ops.name_scope(name) as scope:
      self._scope_name = scope

  @property
  def name(self):
    return self._name

  @property
  def name_scope(self):
    """A context that opens the module's scope of names again."""
    return ops.name_scope(self._scope_name)

  @property
  def variables(self):
    """The variables of this module and of those in it: attributes by name, its own first."""
    return tuple(self._flatten(predicate=_is_variable))

  @property
  def trainable_variables(self):
    """Those of `variables` that are trained."""
    return tuple(self._flatten(predicate=lambda value: _is_variable(value) and value.trainable))

  @property
  def submodules(self):
    """All modules that are in this one."""
    return tuple(self._flatten(predicate=_is_module))

  @classmethod
  def with_name_scope(cls, method):
    """Returns a method whose ops are made in the module's scope of names: a decorator."""

    @functools.wraps(method)
    def in_scope(self, *args, **kwargs):
      with self.name_scope:
        return method(self, *args, **kwargs)

    return in_scope

  def _no_dependency(self, value):
    """Returns `value`, which is to be no dependency of checkpoints as an attribute. Attributes are kept as they are given."""
    return value

  def _flatten(self, recursive=True, predicate=None, seen=None):
    """Yields the values among the attributes that fit, each object once; those of modules come after their owner's."""
    seen = {id(self)} if seen is None else seen
    inside = []
    attributes = vars(self)
    for key in sorted(attributes):
      if key in self._TF_MODULE_IGNORED_PROPERTIES:
        continue
      for leaf in _leaves(attributes[key]):
        if id(leaf) in seen:
          continue
        seen.add(id(leaf))
        if predicate is None or predicate(leaf):
          yield leaf
        if recursive and _is_module(leaf):
          inside.append(leaf)
    for module in inside:
      yield from module._flatten(recursive, predicate, seen)


def _leaves(value):
  try:
    return nest.flatten(value)
  except (TypeError, ValueError):  # a dictionary whose keys have no order
    return ()


def _is_variable(value):
  return isinstance(value, Variable)


def _is_module(value):
  return isinstance(value, Module)
