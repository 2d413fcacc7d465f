"""Functions that have a better name or arguments now: programs are told once of each."""

import functools
import sys

_told = set()
_silent = False


def _tell(key, name, date, instructions, warn_once=True):
  """Says at whose call, two frames above, what is deprecated; once for a key, unless `warn_once` is false."""
  if _silent or key in _told:
    return
  if warn_once:
    _told.add(key)
  from millrace.platform import logging

  frame = sys._getframe(2)
  logging.warning(
    "From %s:%d: %s is deprecated and will be removed %s.\nInstructions for updating:\n%s",
    frame.f_code.co_filename,
    frame.f_lineno,
    name,
    "in a future version" if date is None else "after %s" % date,
    instructions,
  )


def _shown(function, told):
  """The public name of a function, which is `told` where it is decorated; of a program's own, its name and module."""
  from millrace.api.tables import tables

  module = sys.modules.get(function.__module__)
  root = __name__.partition(".")[0]
  owner, _, method = function.__qualname__.partition(".")
  wanted = getattr(module, owner, None) if method else told
  if module is not None and wanted is not None and module.__name__.startswith(root + "."):
    public = []
    for name, place in tables().places.items():
      in_module, _, attribute = place.partition(":")
      found = sys.modules.get("%s.%s" % (root, in_module))
      if attribute and found is not None and vars(found).get(attribute) is wanted:
        public.append(name)
    if public:
      # The same function may have several names: those outside of tf.contrib are the later ones.
      name = min(public, key=lambda name: (name.startswith("tf.contrib."), name.count("."), name))
      return "%s.%s" % (name, method) if method else name
  return "%s (from %s)" % (function.__qualname__.rpartition("<locals>.")[2], function.__module__)


def deprecated(date, instructions, warn_once=True):
  """Decorates a function whose callers are told to follow the instructions: the first one, or each unless `warn_once`."""

  def decorate(function):
    @functools.wraps(function)
    def told(*args, **kwargs):
      if function not in _told:
        _tell(function, _shown(function, told), date, instructions, warn_once)
      return function(*args, **kwargs)

    return told

  return decorate


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
  """Decorates a function some arguments of which are deprecated: the first caller that passes one by its name is told.

  With `warn_once=False` each caller is.
  """
  warn_once = kwargs.get("warn_once", True)
  names = [name if isinstance(name, str) else name[0] for name in deprecated_arg_names_or_tuples]

  def decorate(function):
    @functools.wraps(function)
    def told(*args, **kwargs):
      for name in names:
        if kwargs.get(name) is not None and (function, name) not in _told:
          shown = "calling %s with %s" % (_shown(function, told), name)
          _tell((function, name), shown, date, instructions, warn_once)
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
  """Returns a function or class under an old name, of whose new name the first caller is told, or each unless `warn_once`."""
  instructions = "Please use %s instead." % name

  @functools.wraps(func_or_class)
  def told(*args, **kwargs):
    _tell((func_or_class, deprecated_name), deprecated_name, None, instructions, warn_once)
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
