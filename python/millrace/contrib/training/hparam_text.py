"""Values of hyperparameters as text: "name=value,list=[value,value],list[1]=value"."""

import re

_ASSIGNMENT = re.compile(
  r"""
  (?P<name>[a-zA-Z][\w.]*)                 # a name may have points
  (?:\[\s*(?P<index>\d+)\s*\])?            # and the position in a list
  \s*=\s*
  (?:(?P<value>[^,\[]*) | \[(?P<values>[^\]]*)\])
  (?:$|,\s*)
  """,
  re.VERBOSE,
)


def _boolean(text):
  if text in ("true", "True"):
    return True
  if text in ("false", "False"):
    return False
  return bool(int(text))


def parse_values(values, type_map, ignore_unknown=False):
  """The map of names to values that a text of assignments says, with the types of `type_map`.

  Assignments are separated by commas: name=value, name=[value,value], and name[position]=value, which become a map of positions.
  Booleans are true and false. Names that `type_map` does not have are errors, or with `ignore_unknown` left out.
  Raises ValueError for texts that are none of that, values of another type, and values that are set twice.
  """
  found = {}
  position = 0
  while position < len(values):
    match = _ASSIGNMENT.match(values, position)
    if not match:
      raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
    position = match.end()
    name = match["name"]
    if name not in type_map:
      if ignore_unknown:
        continue
      raise ValueError(f"Unknown hyperparameter type for {name}")
    parse = _parser(name, type_map[name], values)
    if match["value"] is not None:
      _put(found, name, match["index"], parse(match["value"]), values)
    elif match["index"] is not None:
      raise ValueError("Assignment of a list to a list index.")
    else:
      _put(found, name, None, [parse(text) for text in re.split("[ ,]", match["values"]) if text], values)
  return found


def _parser(name, kind, values):
  convert = _boolean if kind is bool else kind

  def parse(text):
    try:
      return convert(text)
    except ValueError:
      raise ValueError(f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{text}' in {values}") from None

  return parse


def _put(found, name, index, value, values):
  """Keeps a value, or one of a list. Raises ValueError if there is one already."""
  twice = ValueError(f"Multiple assignments to variable '{name}' in {values}")
  if index is None:
    if name in found:
      raise twice
    found[name] = value
    return
  elements = found.setdefault(name, {})
  if not isinstance(elements, dict) or int(index) in elements:
    raise twice
  elements[int(index)] = value
