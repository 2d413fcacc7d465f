"""arg_scope: default arguments for all calls of some functions in a part of a program."""

import functools
import inspect

# The arguments of each function by its key; the innermost scope is the last. One stack for all threads.
_stack = [{}]
# Of decorated functions, by their keys: the names of the arguments with defaults.
_decorated = {}


def arg_scope_func_key(op):
  """Returns what stands for a function in scopes: the same for the function and what add_arg_scope made of it."""
  return getattr(op, "_key_op", str(op))


def current_arg_scope():
  """Returns the arguments in force: a dictionary from keys of functions to dictionaries of arguments."""
  return _stack[-1]


def has_arg_scope(func):
  """Returns whether add_arg_scope made the function."""
  return arg_scope_func_key(func) in _decorated


def arg_scoped_arguments(func):
  """Returns the names of the arguments of `func` that have defaults and so can be given by a scope. ValueError for functions
  that add_arg_scope has not made."""
  if not has_arg_scope(func):
    raise ValueError(f"{_name(func)} is not decorated with @add_arg_scope")
  return _decorated[arg_scope_func_key(func)]


def add_arg_scope(func):
  """Returns the function with arguments from arg_scope: a decorator. What a call says itself comes before them."""
  key = arg_scope_func_key(func)

  @functools.wraps(func)
  def scoped(*args, **kwargs):
    defaults = _stack[-1].get(key)
    return func(*args, **{**defaults, **kwargs} if defaults else kwargs)

  parameters = inspect.signature(func).parameters.values()
  _decorated[key] = tuple(p.name for p in parameters if p.default is not p.empty)
  scoped._key_op = key
  return scoped


class arg_scope:
  """`with arg_scope([conv2d, fully_connected], weights_regularizer=...) as scope`: calls inside have these arguments.

  Takes functions that add_arg_scope made and arguments for all of them, or the scope of an earlier one, which is entered again
  in place of the current one. Enters as the scope. TypeError for functions that are no list, ValueError for functions without
  scopes and for arguments beside a scope. As a decorator it is around all calls of a function.
  """

  def __init__(self, list_ops_or_scope, **kwargs):
    self._functions = list_ops_or_scope
    self._arguments = kwargs

  def __enter__(self):
    if isinstance(self._functions, dict):
      if self._arguments:
        raise ValueError("When attempting to re-use a scope by suppling a dictionary, kwargs must be empty.")
      scope = dict(self._functions)
    else:
      if not isinstance(self._functions, (list, tuple)):
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
      scope = dict(_stack[-1])
      for func in self._functions:
        if not has_arg_scope(func):
          raise ValueError(f"{_name(func)} is not decorated with @add_arg_scope")
        key = arg_scope_func_key(func)
        scope[key] = {**scope.get(key, {}), **self._arguments}
    _stack.append(scope)
    return scope

  def __exit__(self, *exception):
    _stack.pop()
    return False

  def __call__(self, func):
    @functools.wraps(func)
    def inside(*args, **kwargs):
      with arg_scope(self._functions, **self._arguments):
        return func(*args, **kwargs)

    return inside


def _name(func):
  return "%s.%s" % (getattr(func, "__module__", ""), getattr(func, "__name__", func))
