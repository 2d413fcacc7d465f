"""What arguments the functions take that a program brings."""

import functools
import inspect


def argument_names(function):
  """Returns (names of the arguments, whether any names are taken) of a function, a partial or an object with __call__."""
  if not (inspect.isroutine(function) or isinstance(function, functools.partial)):
    function = function.__call__
  try:
    parameters = inspect.signature(function).parameters.values()
  except (TypeError, ValueError):
    return (), False
  names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
  return names, any(p.kind == p.VAR_KEYWORD for p in parameters)


def needs_no_arguments(function):
  """Returns whether a call without arguments works."""
  try:
    inspect.signature(function).bind()
  except TypeError:
    return False
  except ValueError:
    return True
  return True
