"""A function of tf.compat.v1 with TensorFlow 2's order of arguments."""

import ast
import inspect


def reordered(function, order):
  """Returns `function` with the arguments that a line of `orders.txt` says, which says its form."""
  names, renamed, defaults, always = [], {}, {}, {}
  for word in order.split():
    for mark, kept in (("=", renamed), ("~", defaults), (":", always)):
      name, found, value = word.partition(mark)
      if found:
        kept[name] = value if mark == "=" else _value(value)
        break
    if name not in always:
      names.append(name)
  called = function.__name__

  def call(*args, **kwargs):
    if len(args) > len(names):
      raise TypeError("%s() takes %d positional arguments but %d were given" % (called, len(names), len(args)))
    given = dict(zip(names, args))
    for name, value in kwargs.items():
      if name not in names:
        raise TypeError("%s() got an unexpected keyword argument %r" % (called, name))
      if name in given:
        raise TypeError("%s() got multiple values for argument %r" % (called, name))
      given[name] = value
    given = {**defaults, **given}
    return function(**{renamed.get(name, name): value for name, value in given.items()}, **always)

  call.__name__, call.__qualname__, call.__doc__, call.__module__ = called, called, function.__doc__, function.__module__
  call.__signature__ = _signature(function, names, renamed, defaults)
  return call


def _signature(function, names, renamed, defaults):
  first = inspect.signature(function).parameters
  found = []
  for name in names:
    default = defaults.get(name, first[renamed.get(name, name)].default)
    # What follows an argument that need not be given need not be given either.
    if default is inspect.Parameter.empty and found and found[-1].default is not default:
      default = None
    found.append(inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
  return inspect.Signature(found)


def _value(text):
  if text == "int32":
    from millrace.framework import dtypes

    return dtypes.int32
  return ast.literal_eval(text)
