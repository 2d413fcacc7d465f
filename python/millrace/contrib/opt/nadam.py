"""Adam with Nesterov's momentum."""

import millrace as tf
from millrace import gen
from millrace.train.optimizers import adam


class NadamOptimizer(adam.AdamOptimizer):
  """Nadam (Dozat, 2015): Adam that steps along (1 - beta1) * gradient + beta1 * m instead of m.

  Arguments, slots and variables are those of tf.train.AdamOptimizer. Sparse gradients decay the moments of all rows and move
  the rows that they have.
  """

  def _apply_dense(self, grad, var):
    slots = [self.get_slot(var, "m"), self.get_slot(var, "v")]
    hyper = self._hyper(var.dtype.base_dtype)
    return gen.apply_adam(var, *slots, *hyper, grad, use_locking=self._use_locking, use_nesterov=True).op

  def _resource_apply_dense(self, grad, var):
    slots = [self.get_slot(var, "m").handle, self.get_slot(var, "v").handle]
    hyper = self._hyper(grad.dtype.base_dtype)
    return gen.resource_apply_adam(var.handle, *slots, *hyper, grad, use_locking=self._use_locking, use_nesterov=True)

  def _apply_sparse_shared(self, grad, var, indices, scatter_add):
    beta1_power, beta2_power, rate, beta1, beta2, epsilon = self._hyper(var.dtype.base_dtype)
    rate = rate * tf.sqrt(1 - beta2_power) / (1 - beta1_power)

    def decayed(slot, decay, rows):
      everywhere = tf.assign(slot, slot * decay, use_locking=self._use_locking)
      with tf.control_dependencies([everywhere]):
        return scatter_add(slot, indices, rows)

    fresh = (1 - beta1) * grad
    m = decayed(self.get_slot(var, "m"), beta1, fresh)
    v = decayed(self.get_slot(var, "v"), beta2, (1 - beta2) * tf.square(grad))
    step = rate * (fresh + beta1 * tf.gather(m, indices)) / (tf.sqrt(tf.gather(v, indices)) + epsilon)
    return tf.group(scatter_add(var, indices, -step), m, v)
