"""Lets kinds of composite tensors take part in functions of tensors.

A function that is marked here asks, before it makes any op, whether one of its arguments is of a class with a handler (a
ragged tensor, say). Then the handler answers in its place. Where no such class was registered, a call costs one look.
"""

import functools

# Handlers by class: called with the function, its kind and the arguments; NotImplemented passes the call on.
_handlers = {}


def register(composite_class, handler):
  """Registers `handler(function, kind, args, kwargs)` for arguments of `composite_class`.

  `kind` is "unary", "binary" or "nary" for functions of elements, and "other" for those that need code of their own; they
  are told apart by `function.__name__`. A handler that returns NotImplemented leaves the call to the function itself.
  """
  _handlers[composite_class] = handler


def is_registered(value):
  """Whether `value` is of a class with a handler."""
  return type(value) in _handlers


def dispatches(kind):
  """Marks a function as one that asks the handlers of its arguments' classes first."""

  def decorate(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
      if _handlers:
        handler = _handler_of(args) or (_handler_of(kwargs.values()) if kwargs else None)
        if handler is not None:
          result = handler(call, kind, args, kwargs)
          if result is not NotImplemented:
            return result
      return function(*args, **kwargs)

    return call

  return decorate


unary = dispatches("unary")
binary = dispatches("binary")
nary = dispatches("nary")
other = dispatches("other")


def _handler_of(values):
  for value in values:
    found = _handlers.get(type(value))
    if found is None and isinstance(value, (list, tuple)):
      for element in value:
        found = _handlers.get(type(element))
        if found is not None:
          return found
    if found is not None:
      return found
  return None
