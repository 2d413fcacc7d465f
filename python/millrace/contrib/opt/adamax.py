"""Adam with the largest gradient in the place of the second moment."""

import millrace as tf
from millrace import gen
from millrace.framework import graph as graph_lib
from millrace.train.optimizers import adam


class AdaMaxOptimizer(adam.AdamOptimizer):
  """AdaMax (Kingma and Ba, 2015, section 7): v = max(beta2 * v, |gradient|), and v needs no correction.

  Slots "m" and "v"; `beta1_power` is the one variable beside them. Sparse gradients move the rows that they have, and only
  these decay.
  """

  def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="AdaMax"):
    super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

  def _get_beta_accumulators(self):
    return (self._get_non_slot_variable("beta1_power", graph=tf.get_default_graph()),)

  def _create_slots(self, var_list):
    first_var = min(var_list, key=lambda v: v.name)
    self._create_non_slot_variable(self._call_if_callable(self._beta1), "beta1_power", first_var)
    for v in var_list:
      self._zeros_slot(v, "m", self._name)
      self._zeros_slot(v, "v", self._name)

  def _apply_dense(self, grad, var):
    slots = [self.get_slot(var, "m"), self.get_slot(var, "v")]
    return gen.apply_ada_max(var, *slots, *self._hyper(var.dtype.base_dtype), grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, var):
    slots = [self.get_slot(var, "m").handle, self.get_slot(var, "v").handle]
    hyper = self._hyper(grad.dtype.base_dtype)
    return gen.resource_apply_ada_max(var.handle, *slots, *hyper, grad, use_locking=self._use_locking)

  def _apply_sparse(self, grad, var):
    return self._resource_apply_sparse(grad.values, var, grad.indices)

  def _resource_apply_sparse(self, grad, var, indices):
    beta1_power, rate, beta1, beta2, epsilon = self._hyper(var.dtype.base_dtype)
    lock = self._use_locking
    m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
    m_rows = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
    v_rows = tf.maximum(beta2 * tf.gather(v, indices), tf.abs(grad))
    step = rate / (1 - beta1_power) * m_rows / (v_rows + epsilon)
    return tf.group(
      tf.scatter_sub(var, indices, step, use_locking=lock),
      tf.scatter_update(m, indices, m_rows, use_locking=lock),
      tf.scatter_update(v, indices, v_rows, use_locking=lock),
    )

  def _finish(self, update_ops, name_scope):
    (beta1_power,) = self._get_beta_accumulators()
    with tf.control_dependencies(update_ops), graph_lib.colocate_with(beta1_power):
      update_beta1 = beta1_power.assign(beta1_power * self._beta1_t, use_locking=self._use_locking)
    return tf.group(*update_ops + [update_beta1], name=name_scope)
