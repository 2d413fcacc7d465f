"""Adagrad, plain and proximal."""

import millrace as tf
from millrace import gen
from millrace.framework import graph as graph_lib
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class AdagradOptimizer(optimizer.Optimizer):
  """accumulator += gradient^2; var -= learning_rate * gradient / sqrt(accumulator)."""

  def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
    if initial_accumulator_value <= 0.0:
      raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
    super().__init__(use_locking, name)
    self._learning_rate = learning_rate
    self._initial_accumulator_value = initial_accumulator_value
    self._learning_rate_tensor = None

  def _create_slots(self, var_list):
    for v in var_list:
      dtype = v.dtype.base_dtype
      if v.get_shape().is_fully_defined():
        init = tf.constant_initializer(self._initial_accumulator_value, dtype=dtype)
      else:
        init = self._dynamic_initializer(v, dtype)
      self._get_or_make_slot_with_initializer(v, init, v.get_shape(), dtype, "accumulator", self._name)

  def _dynamic_initializer(self, v, dtype):
    def init():
      return cast(gen.fill(tf.shape(v), self._initial_accumulator_value), dtype)

    return init

  def _prepare(self):
    rate = self._call_if_callable(self._learning_rate)
    self._learning_rate_tensor = tf.convert_to_tensor(rate, name="learning_rate")

  def _apply_dense(self, grad, var):
    acc = self.get_slot(var, "accumulator")
    rate = cast(self._learning_rate_tensor, var.dtype.base_dtype)
    return gen.apply_adagrad(var, acc, rate, grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, var):
    acc = self.get_slot(var, "accumulator")
    rate = cast(self._learning_rate_tensor, grad.dtype.base_dtype)
    return gen.resource_apply_adagrad(var.handle, acc.handle, rate, grad, use_locking=self._use_locking)

  def _apply_sparse(self, grad, var):
    acc = self.get_slot(var, "accumulator")
    rate = cast(self._learning_rate_tensor, var.dtype.base_dtype)
    return gen.sparse_apply_adagrad(var, acc, rate, grad.values, grad.indices, use_locking=self._use_locking).op

  def _resource_apply_sparse(self, grad, var, indices):
    acc = self.get_slot(var, "accumulator")
    rate = cast(self._learning_rate_tensor, grad.dtype)
    return gen.resource_sparse_apply_adagrad(var.handle, acc.handle, rate, grad, indices, use_locking=self._use_locking)


class ProximalAdagradOptimizer(optimizer.Optimizer):
  """Adagrad, then the proximal step of the L1 and L2 regularizations."""

  def __init__(
    self,
    learning_rate,
    initial_accumulator_value=0.1,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    use_locking=False,
    name="ProximalAdagrad",
  ):
    if initial_accumulator_value <= 0.0:
      raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
    super().__init__(use_locking, name)
    self._learning_rate = learning_rate
    self._initial_accumulator_value = initial_accumulator_value
    self._l1_regularization_strength = l1_regularization_strength
    self._l2_regularization_strength = l2_regularization_strength

  def _create_slots(self, var_list):
    for v in var_list:
      with graph_lib.colocate_with(v):
        val = tf.constant(self._initial_accumulator_value, shape=v.get_shape(), dtype=v.dtype.base_dtype)
      self._get_or_make_slot(v, val, "accumulator", self._name)

  def _prepare(self):
    self._learning_rate_tensor = tf.convert_to_tensor(self._learning_rate, name="learning_rate")
    self._l1_tensor = tf.convert_to_tensor(self._l1_regularization_strength, name="l1_regularization_strength")
    self._l2_tensor = tf.convert_to_tensor(self._l2_regularization_strength, name="l2_regularization_strength")

  def _hyper(self, dtype):
    return [cast(t, dtype) for t in (self._learning_rate_tensor, self._l1_tensor, self._l2_tensor)]

  def _apply_dense(self, grad, var):
    acc = self.get_slot(var, "accumulator")
    hyper = self._hyper(var.dtype.base_dtype)
    return gen.apply_proximal_adagrad(var, acc, *hyper, grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, var):
    acc = self.get_slot(var, "accumulator")
    hyper = self._hyper(grad.dtype.base_dtype)
    return gen.resource_apply_proximal_adagrad(var.handle, acc.handle, *hyper, grad, use_locking=self._use_locking)

  def _apply_sparse(self, grad, var):
    acc = self.get_slot(var, "accumulator")
    hyper = self._hyper(var.dtype.base_dtype)
    return gen.sparse_apply_proximal_adagrad(var, acc, *hyper, grad.values, grad.indices, use_locking=self._use_locking).op

  def _resource_apply_sparse(self, grad, var, indices):
    acc = self.get_slot(var, "accumulator")
    hyper = self._hyper(grad.dtype)
    return gen.resource_sparse_apply_proximal_adagrad(
      var.handle, acc.handle, *hyper, grad, indices, use_locking=self._use_locking
    )
