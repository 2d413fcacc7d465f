"""Gradient descent with momentum, plain and Nesterov's."""

import millrace as tf
from millrace import gen
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class MomentumOptimizer(optimizer.Optimizer):
  """accumulation = momentum * accumulation + gradient; var -= learning_rate * accumulation."""

  def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
    super().__init__(use_locking, name)
    self._learning_rate = learning_rate
    self._momentum = momentum
    self._use_nesterov = use_nesterov

  def _create_slots(self, var_list):
    for v in var_list:
      self._zeros_slot(v, "momentum", self._name)

  def _prepare(self):
    rate = self._call_if_callable(self._learning_rate)
    self._learning_rate_tensor = tf.convert_to_tensor(rate, name="learning_rate")
    momentum = self._call_if_callable(self._momentum)
    self._momentum_tensor = tf.convert_to_tensor(momentum, name="momentum")

  def _flags(self):
    return {"use_locking": self._use_locking, "use_nesterov": self._use_nesterov}

  def _apply_dense(self, grad, var):
    slot = self.get_slot(var, "momentum")
    rate = cast(self._learning_rate_tensor, var.dtype.base_dtype)
    momentum = cast(self._momentum_tensor, var.dtype.base_dtype)
    return gen.apply_momentum(var, slot, rate, grad, momentum, **self._flags()).op

  def _resource_apply_dense(self, grad, var):
    slot = self.get_slot(var, "momentum")
    rate = cast(self._learning_rate_tensor, grad.dtype.base_dtype)
    momentum = cast(self._momentum_tensor, grad.dtype.base_dtype)
    return gen.resource_apply_momentum(var.handle, slot.handle, rate, grad, momentum, **self._flags())

  def _apply_sparse(self, grad, var):
    slot = self.get_slot(var, "momentum")
    rate = cast(self._learning_rate_tensor, var.dtype.base_dtype)
    momentum = cast(self._momentum_tensor, var.dtype.base_dtype)
    return gen.sparse_apply_momentum(var, slot, rate, grad.values, grad.indices, momentum, **self._flags()).op

  def _resource_apply_sparse(self, grad, var, indices):
    slot = self.get_slot(var, "momentum")
    rate = cast(self._learning_rate_tensor, grad.dtype)
    momentum = cast(self._momentum_tensor, grad.dtype)
    return gen.resource_sparse_apply_momentum(var.handle, slot.handle, rate, grad, indices, momentum, **self._flags())
