"""Adagrad that can leave its sums of squares alone, so that regularization does not slow learning down."""

import contextlib

from millrace import gen
from millrace.train.optimizers import adagrad
from millrace.train.optimizers.optimizer import cast


class RegAdagradOptimizer(adagrad.AdagradOptimizer):
  """tf.train.AdagradOptimizer with a scope in which update ops leave the accumulators as they are."""

  def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="RegAdagrad"):
    super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
    self._updates_slots = True

  @contextlib.contextmanager
  def avoid_updating_slots(self):
    """A scope: the update ops that are made in it read the accumulators and do not write them."""
    before = self._updates_slots
    self._updates_slots = False
    try:
      yield
    finally:
      self._updates_slots = before

  def _arguments(self, dtype):
    return cast(self._learning_rate_tensor, dtype), {"use_locking": self._use_locking, "update_slots": self._updates_slots}

  def _apply_dense(self, grad, var):
    rate, flags = self._arguments(var.dtype.base_dtype)
    return gen.apply_adagrad(var, self.get_slot(var, "accumulator"), rate, grad, **flags).op

  def _resource_apply_dense(self, grad, var):
    rate, flags = self._arguments(grad.dtype.base_dtype)
    return gen.resource_apply_adagrad(var.handle, self.get_slot(var, "accumulator").handle, rate, grad, **flags)

  def _apply_sparse(self, grad, var):
    rate, flags = self._arguments(var.dtype.base_dtype)
    accumulator = self.get_slot(var, "accumulator")
    return gen.sparse_apply_adagrad(var, accumulator, rate, grad.values, grad.indices, **flags).op

  def _resource_apply_sparse(self, grad, var, indices):
    rate, flags = self._arguments(grad.dtype)
    accumulator = self.get_slot(var, "accumulator").handle
    return gen.resource_sparse_apply_adagrad(var.handle, accumulator, rate, grad, indices, **flags)
