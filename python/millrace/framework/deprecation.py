"""Functions that have a better name or arguments now: their callers are told once a place of call."""

import functools
import sys

_told = set()
_silent = False


def _tell(func_name, module, date, instructions):
  frame = sys._getframe(2)
  place = (frame.f_code.co_filename, frame.f_lineno, func_name)
  if _silent or place in _told:
    return
  _told.add(place)
  from millrace.platform import logging

  logging.warning(
    "From %s:%d: %s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s",
    place[0],
    place[1],
    func_name,
    module,
    "in a future version" if date is None else "after %s" % date,
    instructions,
  )


def deprecated(date, instructions, warn_once=True):
  """Decorates a function whose callers are told to follow the instructions; each place of call once."""
  del warn_once

  def decorate(function):
    @functools.wraps(function)
    def told(*args, **kwargs):
      _tell(function.__name__, function.__module__, date, instructions)
      return function(*args, **kwargs)

    return told

  return decorate


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
  """Decorates a function some arguments of which are deprecated: callers that pass them by name are told."""
  del kwargs
  names = [name if isinstance(name, str) else name[0] for name in deprecated_arg_names_or_tuples]

  def decorate(function):
    @functools.wraps(function)
    def told(*args, **kwargs):
      for name in names:
        if kwargs.get(name) is not None:
          _tell("calling %s with %s" % (function.__name__, name), function.__module__, date, instructions)
      return function(*args, **kwargs)

    return told

  return decorate


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
  """Returns the value of an argument that has two names. Raises ValueError if both are given."""
  if old_value is not None:
    if new_value is not None:
      raise ValueError("Cannot specify both '%s' and '%s'." % (old_name, new_name))
    return old_value
  return new_value


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
  """Returns a function or class under an old name, whose callers are told of the new one."""
  del warn_once
  instructions = "Please use %s instead." % name

  @functools.wraps(func_or_class)
  def told(*args, **kwargs):
    _tell(deprecated_name, func_or_class.__module__, None, instructions)
    return func_or_class(*args, **kwargs)

  return told


class silence:
  """A context in which nobody is told anything."""

  def __enter__(self):
    global _silent
    self._before, _silent = _silent, True

  def __exit__(self, kind, value, trace):
    global _silent
    _silent = self._before
