"""Adadelta."""

import millrace as tf
from millrace import gen
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class AdadeltaOptimizer(optimizer.Optimizer):
  """Adadelta (Zeiler, 2012); slots "accum" and "accum_update"."""

  def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name="Adadelta"):
    super().__init__(use_locking, name)
    self._lr = learning_rate
    self._rho = rho
    self._epsilon = epsilon
    self._lr_t = None
    self._rho_t = None
    self._epsilon_t = None

  def _create_slots(self, var_list):
    for v in var_list:
      self._zeros_slot(v, "accum", self._name)
      self._zeros_slot(v, "accum_update", self._name)

  def _prepare(self):
    rate, rho, epsilon = [self._call_if_callable(p) for p in (self._lr, self._rho, self._epsilon)]
    self._lr_t = tf.convert_to_tensor(rate, name="lr")
    self._rho_t = tf.convert_to_tensor(rho, name="rho")
    self._epsilon_t = tf.convert_to_tensor(epsilon, name="epsilon")

  def _hyper(self, dtype):
    return [cast(t, dtype) for t in (self._lr_t, self._rho_t, self._epsilon_t)]

  def _accumulators(self, var):
    return self.get_slot(var, "accum"), self.get_slot(var, "accum_update")

  def _apply_dense(self, grad, var):
    accum, update = self._accumulators(var)
    hyper = self._hyper(var.dtype.base_dtype)
    return gen.apply_adadelta(var, accum, update, *hyper, grad, use_locking=self._use_locking)

  def _resource_apply_dense(self, grad, var):
    accum, update = self._accumulators(var)
    hyper = self._hyper(grad.dtype.base_dtype)
    return gen.resource_apply_adadelta(var.handle, accum.handle, update.handle, *hyper, grad, use_locking=self._use_locking)

  def _apply_sparse(self, grad, var):
    accum, update = self._accumulators(var)
    hyper = self._hyper(var.dtype.base_dtype)
    return gen.sparse_apply_adadelta(var, accum, update, *hyper, grad.values, grad.indices, use_locking=self._use_locking)

  def _resource_apply_sparse(self, grad, var, indices):
    accum, update = self._accumulators(var)
    hyper = self._hyper(grad.dtype)
    return gen.resource_sparse_apply_adadelta(
      var.handle, accum.handle, update.handle, *hyper, grad, indices, use_locking=self._use_locking
    )
