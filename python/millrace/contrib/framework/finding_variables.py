"""Lists of variables by scope, name and collection."""

import re

from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.variables.variable_scope_object import VariableScope


def get_variables(scope=None, suffix=None, collection=GraphKeys.GLOBAL_VARIABLES):
  """Returns the variables of a collection whose names begin with `scope`, a pattern or a VariableScope, and end with `suffix`."""
  if isinstance(scope, VariableScope):
    scope = scope.name
  if suffix is not None:
    if ":" not in suffix:
      suffix += ":"
    scope = (scope or "") + ".*" + suffix
  return ops.get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
  """Returns get_variables() of the model's."""
  return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
  """Returns get_variables() of those of this process."""
  return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None):
  """Returns get_variables() of those that are trained."""
  return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_to_restore(include=None, exclude=None):
  """Returns the global variables of the scopes `include`, all by default, without those of the scopes `exclude`.

  TypeError where one of the two is neither None nor a list.
  """
  if include is None:
    included = get_variables()
  else:
    if not isinstance(include, (list, tuple)):
      raise TypeError("include is provided but is not iterable")
    included = [variable for scope in include for variable in get_variables(scope)]
  excluded = []
  if exclude is not None:
    if not isinstance(exclude, (list, tuple)):
      raise TypeError("exclude is provided but is not iterable")
    excluded = [variable for scope in exclude for variable in get_variables(scope)]
  ids = {id(variable) for variable in excluded}
  return [variable for variable in included if id(variable) not in ids]


def get_variables_by_suffix(suffix, scope=None):
  """Returns the global variables of `scope` whose names end with `suffix`."""
  return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name, scope=None):
  """Returns the global variables of `scope` whose last name is `given_name`."""
  suffix = "/" + given_name + ":|^" + given_name + ":"
  return get_variables(scope=scope, suffix=suffix)


def get_unique_variable(var_op_name):
  """Returns the global variable of that name. ValueError where there is none."""
  candidates = ops.get_collection(GraphKeys.GLOBAL_VARIABLES, var_op_name)
  if not candidates:
    raise ValueError(f"Couldn't find variable {var_op_name}")
  for candidate in candidates:
    if candidate.op.name == var_op_name:
      return candidate
  raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variable_full_name(var):
  """Returns the name of a variable in checkpoints: for a part, that of the whole."""
  info = var._save_slice_info
  return info.full_name if info else var.op.name


def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
  """Returns the variables whose names fit one of `include_patterns` (None: all) and none of `exclude_patterns`.

  A pattern may be anywhere in the name, or with `reg_search=False` at its beginning.
  """
  fits = re.search if reg_search else re.match

  def any_fits(patterns, variable):
    return any(fits(pattern, variable.op.name) for pattern in patterns)

  found = [v for v in var_list if include_patterns is None or any_fits(include_patterns, v)]
  return [v for v in found if exclude_patterns is None or not any_fits(exclude_patterns, v)]
