"""tf.raw_ops: every op by its type, `tf.raw_ops.MatMul(a=..., b=...)`, with keyword arguments alone."""

import functools
import keyword
import re
import sys


def wrapper_name(op_type):
  """The name of the generated wrapper of an op: snake case of its type."""
  name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", op_type)
  name = re.sub(r"([a-z\d])([A-Z])", r"\1_\2", name).lower()
  return name + "_" if keyword.iskeyword(name) else name


def __getattr__(name):
  if name.startswith("_"):
    raise AttributeError(name)
  from millrace import gen
  from millrace.framework import op_defs

  try:
    op_defs.get(name)
  except (KeyError, ValueError):
    raise AttributeError("module 'millrace.raw_ops' has no attribute %r: there is no op of this type" % name) from None
  function = getattr(gen, gen_name(name))

  def raw_op(**kwargs):
    return function(**kwargs)

  raw_op = functools.wraps(function)(raw_op)
  raw_op.__name__ = raw_op.__qualname__ = name
  setattr(sys.modules[__name__], name, raw_op)
  return raw_op


def gen_name(op_type):
  """The name of the op in `gen`, which may know it better than the rule does."""
  from millrace import gen

  names = getattr(gen, "NAMES", None)
  return names[op_type] if names and op_type in names else wrapper_name(op_type)


def __dir__():
  from millrace.framework import op_defs

  return sorted(getattr(op_defs, "names", lambda: [])())
