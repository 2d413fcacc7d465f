"""Variables by the role that they have: of the model, of this process alone, or of all tasks."""

import functools

import millrace as tf
from millrace.contrib.framework.argument_scopes import add_arg_scope
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization


@add_arg_scope
def variable(
  name,
  shape=None,
  dtype=None,
  initializer=None,
  regularizer=None,
  trainable=True,
  collections=None,
  caching_device=None,
  device=None,
  partitioner=None,
  custom_getter=None,
  use_resource=None,
  synchronization=VariableSynchronization.AUTO,
  aggregation=VariableAggregation.NONE,
):
  """Returns get_variable() on a device: a name, or a function from the op of the variable to one.

  The variable is in `collections`, which are [GraphKeys.GLOBAL_VARIABLES] by default. custom_getter(name, ...) is called in
  place of get_variable. The rest: see tf.get_variable.
  """
  collections = list(dict.fromkeys([GraphKeys.GLOBAL_VARIABLES] if collections is None else collections))
  getter = tf.get_variable
  if custom_getter is not None:
    getter = functools.partial(custom_getter, reuse=tf.get_variable_scope().reuse)
  with ops.device(device or ""):
    return getter(
      name,
      shape=shape,
      dtype=dtype,
      initializer=initializer,
      regularizer=regularizer,
      trainable=trainable,
      collections=collections,
      caching_device=caching_device,
      partitioner=partitioner,
      use_resource=use_resource,
      synchronization=synchronization,
      aggregation=aggregation,
    )


@add_arg_scope
def model_variable(
  name,
  shape=None,
  dtype=tf.float32,
  initializer=None,
  regularizer=None,
  trainable=True,
  collections=None,
  caching_device=None,
  device=None,
  partitioner=None,
  custom_getter=None,
  use_resource=None,
  synchronization=VariableSynchronization.AUTO,
  aggregation=VariableAggregation.NONE,
):
  """Returns variable() that is in GLOBAL_VARIABLES and MODEL_VARIABLES beside `collections`."""
  collections = list(collections or []) + [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
  return variable(
    name,
    shape=shape,
    dtype=dtype,
    initializer=initializer,
    regularizer=regularizer,
    trainable=trainable,
    collections=collections,
    caching_device=caching_device,
    device=device,
    partitioner=partitioner,
    custom_getter=custom_getter,
    use_resource=use_resource,
    synchronization=synchronization,
    aggregation=aggregation,
  )


def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
  """Returns a variable of this process alone, in LOCAL_VARIABLES. Arguments: see tf.Variable."""
  return tf.Variable(
    initial_value,
    trainable=False,
    collections=[GraphKeys.LOCAL_VARIABLES],
    validate_shape=validate_shape,
    use_resource=use_resource,
    name=name,
  )


def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
  """Returns a variable that tasks share and that is not trained, in GLOBAL_VARIABLES. Arguments: see tf.Variable."""
  return tf.Variable(
    initial_value,
    trainable=False,
    collections=[GraphKeys.GLOBAL_VARIABLES],
    validate_shape=validate_shape,
    use_resource=use_resource,
    name=name,
  )


def add_model_variable(var):
  """Adds a variable to MODEL_VARIABLES unless it is there."""
  if not any(var is v for v in ops.get_collection_ref(GraphKeys.MODEL_VARIABLES)):
    ops.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def zero_initializer(ref, use_locking=True, name="zero_initializer"):
  """Returns an op that writes zeros to a variable without a tensor of its size in the graph."""
  with ops.name_scope(name) as scope:
    shape = tf.constant(ref.get_shape().as_list(), dtype=tf.int32, name="shape")
    return tf.assign(ref, tf.fill(shape, tf.constant(0, dtype=ref.dtype.base_dtype)), use_locking=use_locking, name=scope)
