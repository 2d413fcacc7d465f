"""Gradient descent, plain and proximal."""

import millrace as tf
from millrace import gen
from millrace.framework import composite
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class GradientDescentOptimizer(optimizer.Optimizer):
  """var -= learning_rate * gradient."""

  def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
    super().__init__(use_locking, name)
    self._learning_rate = learning_rate
    self._learning_rate_tensor = None

  def _prepare(self):
    rate = self._call_if_callable(self._learning_rate)
    self._learning_rate_tensor = tf.convert_to_tensor(rate, name="learning_rate")

  def _apply_dense(self, grad, var):
    rate = cast(self._learning_rate_tensor, var.dtype.base_dtype)
    return gen.apply_gradient_descent(var, rate, grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, handle):
    rate = cast(self._learning_rate_tensor, grad.dtype.base_dtype)
    return gen.resource_apply_gradient_descent(handle.handle, rate, grad, use_locking=self._use_locking)

  def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
    rate = cast(self._learning_rate_tensor, grad.dtype.base_dtype)
    return gen.resource_scatter_add(handle.handle, indices, -grad * rate)

  def _apply_sparse_duplicate_indices(self, grad, var):
    delta = composite.IndexedSlices(
      grad.values * cast(self._learning_rate_tensor, var.dtype.base_dtype), grad.indices, grad.dense_shape
    )
    return var.scatter_sub(delta, use_locking=self._use_locking)


class ProximalGradientDescentOptimizer(optimizer.Optimizer):
  """Gradient descent, then the proximal step of the L1 and L2 regularizations."""

  def __init__(
    self,
    learning_rate,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    use_locking=False,
    name="ProximalGradientDescent",
  ):
    super().__init__(use_locking, name)
    self._learning_rate = learning_rate
    self._l1_regularization_strength = l1_regularization_strength
    self._l2_regularization_strength = l2_regularization_strength

  def _prepare(self):
    self._learning_rate_tensor = tf.convert_to_tensor(self._learning_rate, name="learning_rate")
    self._l1_tensor = tf.convert_to_tensor(self._l1_regularization_strength, name="l1_regularization_strength")
    self._l2_tensor = tf.convert_to_tensor(self._l2_regularization_strength, name="l2_regularization_strength")

  def _hyper(self, dtype):
    return [cast(t, dtype) for t in (self._learning_rate_tensor, self._l1_tensor, self._l2_tensor)]

  def _apply_dense(self, grad, var):
    hyper = self._hyper(var.dtype.base_dtype)
    return gen.apply_proximal_gradient_descent(var, *hyper, grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, var):
    hyper = self._hyper(grad.dtype.base_dtype)
    return gen.resource_apply_proximal_gradient_descent(var.handle, *hyper, grad, use_locking=self._use_locking)

  def _apply_sparse(self, grad, var):
    hyper = self._hyper(var.dtype.base_dtype)
    return gen.sparse_apply_proximal_gradient_descent(var, *hyper, grad.values, grad.indices, use_locking=self._use_locking).op

  def _resource_apply_sparse(self, grad, var, indices):
    hyper = self._hyper(grad.dtype)
    return gen.resource_sparse_apply_proximal_gradient_descent(var.handle, *hyper, grad, indices, use_locking=self._use_locking)
