"""What programs that could also run on several cores of TPUs call, for the one shard that there is here."""

import contextlib

from millrace.ops.losses.reduction import Reduction
from millrace.platform import logging
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.slots_of_another import SlotsOfAnother


class TpuContext:
  """How many shards a function is part of; None outside `tpu_shard_context`."""

  def __init__(self):
    self._number_of_shards = None

  @property
  def number_of_shards(self):
    return self._number_of_shards

  def set_number_of_shards(self, number_of_shards):
    self._number_of_shards = number_of_shards


_context = TpuContext()


def get_tpu_context():
  return _context


@contextlib.contextmanager
def tpu_shard_context(number_of_shards):
  """A context of one shard. NotImplementedError for another number, ValueError within another such context."""
  if _context.number_of_shards is not None:
    raise NotImplementedError("tpu_shard_context cannot be nested.")
  if number_of_shards != 1:
    raise NotImplementedError(f"There are no TPUs: the number of shards has to be 1, not {number_of_shards}.")
  _context.set_number_of_shards(number_of_shards)
  try:
    yield
  finally:
    _context.set_number_of_shards(None)


def cross_replica_sum(x, group_assignment=None, name=None):
  """The sum over all replicas, which is `x` of the only one."""
  from millrace.ops.array import identities

  return identities.identity(x, name=name or "CrossReplicaSum")


class CrossShardOptimizer(SlotsOfAnother, optimizer.Optimizer):
  """Hands everything to the optimizer `opt`: the gradients of one shard are those of all."""

  def __init__(self, opt, reduction=Reduction.MEAN, name="CrossShardOptimizer", group_assignment=None):
    if reduction not in (Reduction.SUM, Reduction.MEAN):
      raise ValueError(f"Argument `reduction` should be one of {Reduction.SUM, Reduction.MEAN}. Received: {reduction}")
    super().__init__(False, name)
    self._opt = opt
    self._reduction = reduction

  def compute_gradients(self, loss, var_list=None, **kwargs):
    """Those of the optimizer within."""
    if _context.number_of_shards is None:
      logging.warning(
        "CrossShardOptimizer should be used within a tpu_shard_context, but got unset number_of_shards. Assuming 1."
      )
    return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    return self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)
