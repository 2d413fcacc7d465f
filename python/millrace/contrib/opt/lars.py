"""Momentum with a rate for each variable, for large batches."""

import millrace as tf
from millrace import gen
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class LARSOptimizer(optimizer.Optimizer):
  """LARS (You, Gitman and Ginsburg, 2017): momentum whose rate is in proportion to |var| / |gradient|.

  The rate of a variable is learning_rate * eeta * |var| / (|gradient| + weight_decay * |var| + epsilon), and the gradient has
  weight_decay * var in it, unless a text of `skip_list` is in the variable's name. Sparse gradients are those of momentum.
  Raises ValueError for negative `momentum` and `weight_decay`.
  """

  def __init__(
    self,
    learning_rate,
    momentum=0.9,
    weight_decay=0.0001,
    eeta=0.001,
    epsilon=0.0,
    name="LARSOptimizer",
    skip_list=None,
    use_nesterov=False,
  ):
    if momentum < 0.0:
      raise ValueError(f"momentum should be positive: {momentum}")
    if weight_decay < 0.0:
      raise ValueError(f"weight_decay should be positive: {weight_decay}")
    super().__init__(use_locking=False, name=name)
    self._learning_rate = learning_rate
    self._momentum = momentum
    self._weight_decay = weight_decay
    self._eeta = eeta
    self._epsilon = epsilon
    self._skip_list = skip_list
    self._use_nesterov = use_nesterov

  def _create_slots(self, var_list):
    for v in var_list:
      self._zeros_slot(v, "momentum", self._name)

  def _prepare(self):
    rate = self._call_if_callable(self._learning_rate)
    self._learning_rate_tensor = tf.convert_to_tensor(rate, name="learning_rate")
    momentum = self._call_if_callable(self._momentum)
    self._momentum_tensor = tf.convert_to_tensor(momentum, name="momentum")

  def compute_lr(self, grad, var):
    """The rate of `var` and its gradient with the weight decay: (learning_rate, grad) for variables that are skipped."""
    if self._skip_list is not None and any(text in var.name for text in self._skip_list):
      return self._learning_rate, grad
    w_norm = tf.norm(var, ord=2)
    g_norm = tf.norm(grad, ord=2)
    ratio = self._eeta * w_norm / (g_norm + self._weight_decay * w_norm + self._epsilon)
    both = tf.logical_and(tf.greater(w_norm, 0), tf.greater(g_norm, 0))
    trust = tf.where(both, ratio, tf.ones_like(ratio))
    return self._learning_rate * trust, grad + self._weight_decay * var

  def _hyper(self, dtype):
    return cast(self._learning_rate_tensor, dtype), cast(self._momentum_tensor, dtype)

  def _apply_dense(self, grad, var):
    scaled_lr, grad = self.compute_lr(grad, var)
    dtype = var.dtype.base_dtype
    momentum = cast(self._momentum_tensor, dtype)
    return gen.apply_momentum(
      var,
      self.get_slot(var, "momentum"),
      tf.cast(1.0, dtype),
      grad * cast(scaled_lr, dtype),
      momentum,
      use_locking=False,
      use_nesterov=self._use_nesterov,
    ).op

  def _resource_apply_dense(self, grad, var):
    scaled_lr, grad = self.compute_lr(grad, var)
    dtype = var.dtype.base_dtype
    momentum = cast(self._momentum_tensor, dtype)
    return gen.resource_apply_momentum(
      var.handle,
      self.get_slot(var, "momentum").handle,
      tf.cast(1.0, dtype),
      grad * cast(scaled_lr, dtype),
      momentum,
      use_locking=False,
      use_nesterov=self._use_nesterov,
    )

  def _apply_sparse(self, grad, var):
    rate, momentum = self._hyper(var.dtype.base_dtype)
    slot = self.get_slot(var, "momentum")
    return gen.sparse_apply_momentum(
      var, slot, rate, grad.values, grad.indices, momentum, use_locking=False, use_nesterov=self._use_nesterov
    ).op

  def _resource_apply_sparse(self, grad, var, indices):
    rate, momentum = self._hyper(grad.dtype)
    slot = self.get_slot(var, "momentum")
    return gen.resource_sparse_apply_momentum(
      var.handle, slot.handle, rate, grad, indices, momentum, use_locking=False, use_nesterov=self._use_nesterov
    )
