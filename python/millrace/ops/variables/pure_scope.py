"""A scope of variables alone, without one of names, as libraries of modules open it."""

from millrace.ops.variables import scope as scopes
from millrace.ops.variables.variable_scope_object import VariableScope


def pure_variable_scope(
  name_or_scope,
  reuse=None,
  initializer=None,
  regularizer=None,
  caching_device=None,
  partitioner=None,
  custom_getter=None,
  old_name_scope=None,
  dtype=None,
  use_resource=None,
  constraint=None,
):
  """A context in which the scope is current: a VariableScope that is opened again, or a name below the current one."""
  settings = {
    "initializer": initializer,
    "regularizer": regularizer,
    "caching_device": caching_device,
    "partitioner": partitioner,
    "dtype": dtype,
    "use_resource": use_resource,
    "constraint": constraint,
  }
  if old_name_scope is None and isinstance(name_or_scope, VariableScope):
    old_name_scope = name_or_scope.original_name_scope
  return scopes._opened(name_or_scope, reuse, settings, custom_getter, old_name_scope)
