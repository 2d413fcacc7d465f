"""How copies of a variable are kept together, and how a scope gives variables that are there already.

In graphs without replicas the first two change nothing but are kept, shown and written to VariableDefs.
"""

import enum


class VariableSynchronization(enum.Enum):
  """When the copies of a distributed variable are brought together: on reading, on writing, or as the strategy decides."""

  AUTO = 0
  NONE = 1
  ON_WRITE = 2
  ON_READ = 3


class VariableAggregation(enum.Enum):
  """How the values of several replicas become the value of one variable."""

  NONE = 0
  SUM = 1
  MEAN = 2
  ONLY_FIRST_REPLICA = 3
  ONLY_FIRST_TOWER = ONLY_FIRST_REPLICA  # The older name of the same.

  def __hash__(self):
    return hash(self.value)

  def __eq__(self, other):
    if self is other:
      return True
    if isinstance(other, VariableAggregation):
      return self.value == other.value
    if isinstance(other, int):
      return self.value == other
    return False


class _ReuseMode(enum.Enum):
  """Reuse that makes a variable where there is none yet."""

  AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def check_modes(synchronization, aggregation, trainable, name):
  """Returns (synchronization, aggregation, trainable) with their defaults in place of None.

  Variables that are synchronized on reading are not trained unless that is asked for. Raises ValueError for an unknown way
  of aggregation.
  """
  if aggregation is None:
    aggregation = VariableAggregation.NONE
  elif not isinstance(aggregation, VariableAggregation):
    try:
      aggregation = VariableAggregation(aggregation)
    except ValueError:
      raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}") from None
  if synchronization is None:
    synchronization = VariableSynchronization.AUTO
  if trainable is None:
    trainable = synchronization != VariableSynchronization.ON_READ
  return synchronization, aggregation, trainable
