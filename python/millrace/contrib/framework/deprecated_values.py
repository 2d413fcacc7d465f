"""Values of arguments that callers are told to give up."""

import functools

from millrace.framework import deprecation


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
  """Decorates a function whose callers are told to follow the instructions where an argument has one of these values."""
  del warn_once

  def decorate(function):
    @functools.wraps(function)
    def told(*args, **kwargs):
      for name, value in deprecated_kwargs.items():
        if name in kwargs and kwargs[name] == value:
          deprecation._tell(f"calling {function.__name__} with {name}={value}", function.__module__, date, instructions)
      return function(*args, **kwargs)

    return told

  return decorate
