"""The names of the arguments that a user's function can be given."""

import functools
import inspect

_NAMED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def names_of(function):
  """The names of a callable's arguments as a tuple, without `self` and without those that a partial application gives."""
  if isinstance(function, functools.partial):
    given = set(function.keywords or ())
    return tuple(name for name in names_of(function.func)[len(function.args) :] if name not in given)
  parameters = inspect.signature(function).parameters.values()
  return tuple(parameter.name for parameter in parameters if parameter.kind in _NAMED)


def takes_any(function):
  """Whether a callable takes arguments of all names, by two stars."""
  if isinstance(function, functools.partial):
    return takes_any(function.func)
  return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in inspect.signature(function).parameters.values())
