"""Ops that initialize variables, and ops that tell which are not initialized."""

import os

import millrace as tf
from millrace import gen
from millrace.framework import constants, dtypes
from millrace.framework import graph as ops
from millrace.ops.variables import collections, state


def variables_initializer(var_list, name="init"):
  """Returns an op that initializes the variables, all in one step and in no order."""
  if var_list:
    return tf.group(*[v.initializer for v in var_list], name=name)
  return tf.no_op(name=name)


def initialize_variables(var_list, name="init"):
  """Returns variables_initializer(): the older name."""
  return variables_initializer(var_list, name=name)


def global_variables_initializer():
  """Returns an op that initializes all variables that tasks share."""
  return variables_initializer(collections.global_variables())


def initialize_all_variables():
  """Returns global_variables_initializer(): the older name."""
  return global_variables_initializer()


def local_variables_initializer():
  """Returns an op that initializes all variables of this process alone."""
  return variables_initializer(collections.local_variables())


def initialize_local_variables():
  """Returns local_variables_initializer(): the older name."""
  return local_variables_initializer()


def is_variable_initialized(variable):
  """Returns whether the variable has a value when the op runs, a bool."""
  return state.is_variable_initialized(variable)


def _all_known():
  return collections.global_variables() + collections.local_variables()


def _buffers_of_the_graph():
  kinds = ("Variable", "VariableV2", "AutoReloadVariable")
  return [op.outputs[0] for op in ops.get_default_graph().get_operations() if op.type in kinds]


def assert_variables_initialized(var_list=None):
  """Returns an op that fails with FailedPreconditionError where one of the variables has no value.

  By default of all variables; None where the graph has none. report_uninitialized_variables tells which they are.
  """
  if var_list is None:
    var_list = _all_known()
  if not var_list:
    var_list = _buffers_of_the_graph()
  if not var_list:
    return None
  ranks = []
  for variable in var_list:
    # The rank alone is read: its value is of no use, but reading it fails.
    with ops.colocate_with(variable.op):
      ranks.append(gen.rank(variable, name=None))
  return ranks[0] if len(ranks) == 1 else tf.stack(ranks)


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
  """Returns the names of the variables that have no value when the op runs, a vector of strings.

  By default of all variables. The op runs on a CPU, or on the device that the environment's
  TF_DEVICE_FOR_UNINITIALIZED_VARIABLE_REPORTING names.
  """
  if var_list is None:
    var_list = _all_known()
    if not var_list:
      var_list = _buffers_of_the_graph()
  with ops.name_scope(name):
    initialized = [state.is_variable_initialized(v) for v in var_list]
    with ops.device(os.environ.get("TF_DEVICE_FOR_UNINITIALIZED_VARIABLE_REPORTING", "/cpu:0")):
      if not var_list:
        return constants.constant([], dtype=dtypes.string)
      missing = gen.logical_not(tf.stack(initialized))
      return tf.boolean_mask(constants.constant([v.op.name for v in var_list]), missing)
