"""Adam that leaves alone the rows of a variable which have no gradient."""

import millrace as tf
from millrace.contrib.opt import adam_gs
from millrace.train.optimizers import adam


def update_rows(optimizer, var, grad, indices, rate, beta1, beta2, epsilon):
  """The op that moves only the rows at `indices` and their moments; `rate` has the corrections of the moments already."""
  lock = optimizer._use_locking
  m, v = optimizer.get_slot(var, "m"), optimizer.get_slot(var, "v")
  m_rows = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
  v_rows = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
  written = [
    tf.scatter_update(m, indices, m_rows, use_locking=lock),
    tf.scatter_update(v, indices, v_rows, use_locking=lock),
  ]
  moved = tf.scatter_sub(var, indices, rate * m_rows / (tf.sqrt(v_rows) + epsilon), use_locking=lock)
  return tf.group(moved, *written)


class LazyAdamOptimizer(adam.AdamOptimizer):
  """Adam whose sparse gradients move the rows that they have, and only the moments of these decay.

  That is not the same as Adam, where every step moves all rows; for large embeddings it is much less work. Dense gradients
  are Adam's. Arguments, slots and variables are those of tf.train.AdamOptimizer.
  """

  def _apply_sparse(self, grad, var):
    return self._resource_apply_sparse(grad.values, var, grad.indices)

  def _resource_apply_sparse(self, grad, var, indices):
    beta1_power, beta2_power, rate, beta1, beta2, epsilon = self._hyper(var.dtype.base_dtype)
    rate = rate * tf.sqrt(1 - beta2_power) / (1 - beta1_power)
    return update_rows(self, var, grad, indices, rate, beta1, beta2, epsilon)


class LazyAdamGSOptimizer(adam_gs.AdamGSOptimizer):
  """LazyAdamOptimizer which takes the powers of its decays from `global_step`, as AdamGSOptimizer does."""

  def _apply_sparse(self, grad, var):
    return self._resource_apply_sparse(grad.values, var, grad.indices)

  def _resource_apply_sparse(self, grad, var, indices):
    beta1_power, beta2_power, rate, beta1, beta2, epsilon = self._hyper(var.dtype.base_dtype)
    rate = rate * tf.sqrt(1 - beta2_power) / (1 - beta1_power)
    return update_rows(self, var, grad, indices, rate, beta1, beta2, epsilon)
