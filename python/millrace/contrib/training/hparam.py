"""HParams: hyperparameters with names and types."""

import json
import numbers

from millrace.contrib.training.hparam_text import parse_values
from millrace.framework.deprecation import deprecated


def _cast_to_type_if_compatible(name, param_type, value):
  """`value` as a `param_type`. Raises ValueError for a value of another kind: texts, booleans, numbers, and floats for integers."""
  if issubclass(param_type, type(None)):
    return value
  wrong = (
    (issubclass(param_type, (str, bytes)) and not isinstance(value, (str, bytes)))
    or issubclass(param_type, bool) != isinstance(value, bool)
    or (issubclass(param_type, numbers.Integral) and not isinstance(value, numbers.Integral))
    or (issubclass(param_type, numbers.Number) and not isinstance(value, numbers.Number))
  )
  if wrong:
    raise ValueError(f"Could not cast hparam '{name}' of type '{param_type}' from value {value!r}")
  return param_type(value)


class HParams:
  """Hyperparameters, given as keyword arguments; each is an attribute.

  Values are integers, floats, booleans, texts, or lists of one of them, which is the type that other values have to be of.
  `hparam_def` is a message of `to_proto()` instead, or its bytes; `model_structure` is kept for the program. Raises ValueError for names
  that attributes have already, empty lists, and for keywords beside a message.
  """

  def __init__(self, hparam_def=None, model_structure=None, **kwargs):
    self._hparam_types = {}
    self._model_structure = model_structure
    if hparam_def:
      if kwargs:
        raise ValueError("hparam_def and initialization values are mutually exclusive")
      from millrace.contrib.training import hparam_messages

      for name, value in hparam_messages.values_of(hparam_def):
        self.add_hparam(name, value)
    for name, value in kwargs.items():
      self.add_hparam(name, value)

  def add_hparam(self, name, value):
    """Adds a hyperparameter. Raises ValueError if the name is in use, or for an empty list."""
    if getattr(self, name, None) is not None:
      raise ValueError(f"Hyperparameter name is reserved: {name}")
    if isinstance(value, (list, tuple)):
      if not value:
        raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
      self._hparam_types[name] = (type(value[0]), True)
    else:
      self._hparam_types[name] = (type(value), False)
    setattr(self, name, value)

  def set_hparam(self, name, value):
    """Gives a hyperparameter another value. Raises KeyError if there is none, ValueError for a value of another type."""
    param_type, is_list = self._hparam_types[name]
    if isinstance(value, list):
      if not is_list:
        raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
      setattr(self, name, [_cast_to_type_if_compatible(name, param_type, v) for v in value])
    else:
      if is_list:
        raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
      setattr(self, name, _cast_to_type_if_compatible(name, param_type, value))

  def del_hparam(self, name):
    """Removes a hyperparameter, if there is one of that name."""
    if hasattr(self, name):
      delattr(self, name)
      del self._hparam_types[name]

  def parse(self, values):
    """Takes values from a text, "name=value,name=[value,value],name[2]=value"; returns itself. See parse_values for errors."""
    types = {name: param_type for name, (param_type, _) in self._hparam_types.items()}
    return self.override_from_dict(parse_values(values, types))

  def override_from_dict(self, values_dict):
    """Takes values from a map of names; returns itself. A map of positions changes these elements of a list.

    Raises KeyError for names that are not there, ValueError for values of another type.
    """
    for name, value in values_dict.items():
      if isinstance(value, dict) and self._hparam_types[name][1]:
        changed = list(getattr(self, name))
        for position, element in value.items():
          if position >= len(changed):
            raise ValueError(f"Could not set element {position} of hparam '{name}', which has {len(changed)}")
          changed[position] = element
        value = changed
      self.set_hparam(name, value)
    return self

  @deprecated(None, "Use `override_from_dict`.")
  def set_from_map(self, values_map):
    """The same as override_from_dict."""
    return self.override_from_dict(values_dict=values_map)

  def set_model_structure(self, model_structure):
    self._model_structure = model_structure

  def get_model_structure(self):
    return self._model_structure

  def to_json(self, indent=None, separators=None, sort_keys=False):
    """The values as JSON, without functions; arguments are those of json.dumps."""
    return json.dumps(_without_functions(self.values()), indent=indent, separators=separators, sort_keys=sort_keys)

  def parse_json(self, values_json):
    """Takes values from JSON; returns itself. Raises as override_from_dict."""
    return self.override_from_dict(json.loads(values_json))

  def values(self):
    """The values by name."""
    return {name: getattr(self, name) for name in self._hparam_types}

  def get(self, key, default=None):
    """The value of a name, or `default` if there is none. Raises ValueError for a default of another type than the value's."""
    if key not in self._hparam_types:
      return default
    if default is not None:
      param_type, is_list = self._hparam_types[key]
      text = f"list<{param_type}>" if is_list else str(param_type)
      message = f"Hparam '{key}' of type '{text}' is incompatible with default={default}"
      if is_list != isinstance(default, list):
        raise ValueError(message)
      try:
        for value in default if is_list else [default]:
          _cast_to_type_if_compatible(key, param_type, value)
      except ValueError as error:
        raise ValueError(f"{message}. {error}") from None
    return getattr(self, key)

  def __contains__(self, key):
    return key in self._hparam_types

  def __str__(self):
    return str(sorted(self.values().items()))

  def __repr__(self):
    return f"{type(self).__name__}({self})"

  @staticmethod
  def _get_kind_name(param_type, is_list):
    """The name of the field that a type has in the message."""
    from millrace.contrib.training import hparam_messages

    return hparam_messages.kind_name(param_type, is_list)

  def to_proto(self, export_scope=None):
    """The values as a message, HParamDef; there are no names to shorten by `export_scope`."""
    from millrace.contrib.training import hparam_messages

    del export_scope
    return hparam_messages.message_of(
      (name, getattr(self, name), kind, is_list) for name, (kind, is_list) in self._hparam_types.items()
    )

  @staticmethod
  def from_proto(hparam_def, import_scope=None):
    """HParams of a message; there are no names to extend by `import_scope`."""
    del import_scope
    return HParams(hparam_def=hparam_def)


def _without_functions(value):
  if isinstance(value, dict):
    return {key: _without_functions(v) for key, v in value.items() if not callable(v)}
  if isinstance(value, list):
    return [_without_functions(v) for v in value if not callable(v)]
  return value
