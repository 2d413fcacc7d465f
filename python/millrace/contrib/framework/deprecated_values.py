"""Values of arguments that callers are told to give up."""

import functools

from millrace.framework import deprecation


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
  """Decorates a function whose callers are told to follow the instructions where an argument has one of these values.

  For each argument the first one is told, or each unless `warn_once`.
  """

  def decorate(function):
    @functools.wraps(function)
    def told(*args, **kwargs):
      for name, value in deprecated_kwargs.items():
        if name in kwargs and kwargs[name] == value and (function, name) not in deprecation._told:
          shown = f"calling {deprecation._shown(function, told)} with {name}={value}"
          deprecation._tell((function, name), shown, date, instructions, warn_once)
      return function(*args, **kwargs)

    return told

  return decorate
