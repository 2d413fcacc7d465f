"""What a transform is asked for: its name and arguments, as text."""

import re

import millrace as tf

_NAME = re.compile(r"\s*([A-Za-z0-9_]+)\s*")
_ARGUMENT = re.compile(r"""[\s,]*([A-Za-z0-9_]+)\s*=\s*("([^"]*)"|'([^']*)'|[^\s,)"']*)\s*""")


def parsed(text):
  """[(name, [(argument, value), ...])] of a text such as 'a b(x=1, y="2,3")'. InvalidArgumentError where it is no such text."""
  found = []
  at = 0
  while text[at:].strip():
    name = _NAME.match(text, at)
    if name is None:
      raise _error(text, at, "the name of a transform")
    at = name.end()
    arguments = []
    if text[at : at + 1] == "(":
      at += 1
      while text[at : at + 1] != ")":
        argument = _ARGUMENT.match(text, at)
        if argument is None:
          end = re.compile(r"[\s,]*(?=\))").match(text, at)
          if end is None:
            raise _error(text, at, "an argument, as name=value, or a bracket that closes")
          at = end.end()
          continue
        values = [value for value in argument.groups()[2:] if value is not None]
        arguments.append((argument[1], values[0] if values else argument[2]))
        at = argument.end()
      at += 1
    found.append((name[1], arguments))
  return found


def _error(text, at, wanted):
  return tf.errors.InvalidArgumentError(None, None, "Transforms: %s is expected at %r" % (wanted, text[at : at + 40]))


class Request:
  """The name of a transform, its arguments, and the names of the graph's inputs and outputs, as given and of their nodes."""

  def __init__(self, name, arguments, inputs, outputs):
    self.name = name
    self.arguments = arguments
    self.inputs = [one.lstrip("^").partition(":")[0] for one in inputs]
    self.outputs = [one.lstrip("^").partition(":")[0] for one in outputs]
    self.output_tensors = [one[:-2] if one.endswith(":0") else one for one in outputs]

  @property
  def kept(self):
    """Names of nodes that stay what they are."""
    return {*self.inputs, *self.outputs}

  def all(self, argument):
    """All values of an argument that may come several times."""
    return [value for name, value in self.arguments if name == argument]

  def one(self, argument, default=None):
    """The value of an argument. ValueError if it comes several times, or is missing and has no default."""
    values = self.all(argument)
    if len(values) > 1 or (not values and default is None):
      raise ValueError("expects exactly one %s, as %s(%s=...)" % (argument, self.name, argument))
    return values[0] if values else default

  def truth(self, argument, default):
    value = self.one(argument, "true" if default else "false").lower()
    if value not in ("true", "t", "1", "false", "f", "0"):
      raise ValueError("%s is true or false, not %s" % (argument, value))
    return value in ("true", "t", "1")

  def number(self, argument, default):
    try:
      return int(self.one(argument, str(default)))
    except ValueError:
      raise ValueError("%s is a whole number, not %s" % (argument, self.one(argument))) from None


def shape_of(text):
  """The sizes of a text such as "1,2"; none for an empty text."""
  try:
    return [int(size) for size in text.split(",") if size.strip()]
  except ValueError:
    raise ValueError("a shape is numbers with commas, not %s" % text) from None


def dtype_of(text):
  """The type of a name such as "float" or "int32". ValueError for another."""
  try:
    return tf.as_dtype(text)
  except TypeError:
    raise ValueError("there is no type %s" % text) from None
