"""Lists of the variables of the default graph, by the collection that they are in."""

from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys


def global_variables(scope=None):
  """Returns the variables that all tasks share. `scope` is a pattern: only those whose names match at their beginning."""
  return ops.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables():
  """Returns global_variables(): the older name."""
  return ops.get_collection(GraphKeys.GLOBAL_VARIABLES)


def local_variables(scope=None):
  """Returns the variables of this process alone, such as counters of metrics and of epochs."""
  return ops.get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope=None):
  """Returns the variables that a trained model consists of."""
  return ops.get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope=None):
  """Returns the variables that optimizers change unless they are told which."""
  return ops.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope=None):
  """Returns the variables of which moving averages are kept."""
  return ops.get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)
