"""Enumerations of tf.distribute, and what a function of inputs is told."""

import enum


class ReduceOp(enum.Enum):
  """How values of replicas become one."""

  SUM = "SUM"
  MEAN = "MEAN"


class InputReplicationMode(enum.Enum):
  """How inputs are replicated."""

  PER_WORKER = "PER_WORKER"


class InputContext:
  """Which of several pipelines of inputs a function is to make."""

  def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
    self._num_input_pipelines = num_input_pipelines
    self._input_pipeline_id = input_pipeline_id
    self._num_replicas_in_sync = num_replicas_in_sync

  @property
  def num_replicas_in_sync(self):
    return self._num_replicas_in_sync

  @property
  def input_pipeline_id(self):
    return self._input_pipeline_id

  @property
  def num_input_pipelines(self):
    return self._num_input_pipelines

  def get_per_replica_batch_size(self, global_batch_size):
    """A replica's part of a batch. ValueError if it can't be divided."""
    if global_batch_size % self._num_replicas_in_sync != 0:
      raise ValueError(
        "The `global_batch_size` %r is not divisible by `num_replicas_in_sync` %r "
        % (global_batch_size, self._num_replicas_in_sync)
      )
    return global_batch_size // self._num_replicas_in_sync
