"""Which kind of variable is made: functions of the program around the call, then resources or buffers."""

import contextlib

from millrace.framework import graph as ops
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization

_resources_by_default = False


def enable_resource_variables():
  """Makes variables resources where neither call nor scope say what they are."""
  global _resources_by_default
  _resources_by_default = True


def disable_resource_variables():
  """Makes variables buffers where neither call nor scope say what they are: the state at the beginning."""
  global _resources_by_default
  _resources_by_default = False


def resource_variables_enabled():
  """Returns whether variables are resources where neither call nor scope say what they are."""
  return _resources_by_default


def _stack(graph):
  """Returns the functions around variables of this graph, the innermost last."""
  return graph.__dict__.setdefault("_variable_creators", [])


@contextlib.contextmanager
def variable_creator_scope(variable_creator):
  """Inside, variables are made by variable_creator(next_creator, **kwargs).

  `kwargs` are all arguments of tf.Variable by their names. The function changes what it wants, calls next_creator(**kwargs)
  and returns a variable. Inner functions are called first.
  """
  graph = ops.get_default_graph()
  creators = _stack(graph)
  creators.append(variable_creator)
  try:
    yield
  finally:
    # A function left inside means that scopes were not left in order.
    if creators[-1] is not variable_creator:
      raise RuntimeError("Exiting variable_creator_scope without proper nesting.")
    creators.pop()


def default_creator(next_creator=None, **kwargs):
  """Makes the variable: the end of the chain of creators."""
  use_resource = kwargs.pop("use_resource", None)
  if use_resource is None:
    from millrace.ops.variables.scope import get_variable_scope

    use_resource = get_variable_scope().use_resource
  if use_resource is None:
    use_resource = _resources_by_default
  if use_resource:
    from millrace.ops.variables.resource_variable import ResourceVariable

    kwargs.pop("expected_shape", None)
    return ResourceVariable(**kwargs)
  from millrace.ops.variables.ref_variable import RefVariable

  return RefVariable(**kwargs)


def make(
  initial_value=None,
  trainable=None,
  collections=None,
  validate_shape=True,
  caching_device=None,
  name=None,
  variable_def=None,
  dtype=None,
  expected_shape=None,
  import_scope=None,
  constraint=None,
  use_resource=None,
  synchronization=VariableSynchronization.AUTO,
  aggregation=VariableAggregation.NONE,
  shape=None,
):
  """Returns what the creators in force make of these arguments of tf.Variable."""
  getter = default_creator
  for creator in _stack(ops.get_default_graph()):
    getter = _called_with(creator, getter)
  return getter(
    initial_value=initial_value,
    trainable=trainable,
    collections=collections,
    validate_shape=validate_shape,
    caching_device=caching_device,
    name=name,
    variable_def=variable_def,
    dtype=dtype,
    expected_shape=expected_shape,
    import_scope=import_scope,
    constraint=constraint,
    use_resource=use_resource,
    synchronization=synchronization,
    aggregation=aggregation,
    shape=shape,
  )


def _called_with(creator, next_creator):
  return lambda **kwargs: creator(next_creator, **kwargs)
