"""Adam."""

import millrace as tf
from millrace import gen
from millrace.framework import graph as graph_lib
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class AdamOptimizer(optimizer.Optimizer):
  """Adam (Kingma and Ba, 2015), with epsilon outside of the bias correction.

  Slots "m" and "v"; `beta1_power` and `beta2_power` are one pair of variables for all, placed beside the variable whose
  name comes first. Sparse gradients decay the moments of all rows, and so move all rows.
  """

  def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam"):
    super().__init__(use_locking, name)
    self._lr = learning_rate
    self._beta1 = beta1
    self._beta2 = beta2
    self._epsilon = epsilon
    self._lr_t = None
    self._beta1_t = None
    self._beta2_t = None
    self._epsilon_t = None

  def _get_beta_accumulators(self):
    graph = tf.get_default_graph()
    return (
      self._get_non_slot_variable("beta1_power", graph=graph),
      self._get_non_slot_variable("beta2_power", graph=graph),
    )

  def _create_slots(self, var_list):
    first_var = min(var_list, key=lambda v: v.name)
    self._create_non_slot_variable(self._call_if_callable(self._beta1), "beta1_power", first_var)
    self._create_non_slot_variable(self._call_if_callable(self._beta2), "beta2_power", first_var)
    for v in var_list:
      self._zeros_slot(v, "m", self._name)
      self._zeros_slot(v, "v", self._name)

  def _prepare(self):
    rate, beta1, beta2, epsilon = [self._call_if_callable(p) for p in (self._lr, self._beta1, self._beta2, self._epsilon)]
    self._lr_t = tf.convert_to_tensor(rate, name="learning_rate")
    self._beta1_t = tf.convert_to_tensor(beta1, name="beta1")
    self._beta2_t = tf.convert_to_tensor(beta2, name="beta2")
    self._epsilon_t = tf.convert_to_tensor(epsilon, name="epsilon")

  def _hyper(self, dtype):
    """beta1_power, beta2_power, learning rate, beta1, beta2, epsilon, all as `dtype`."""
    values = self._get_beta_accumulators() + (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
    return [cast(value, dtype) for value in values]

  def _apply_dense(self, grad, var):
    m = self.get_slot(var, "m")
    v = self.get_slot(var, "v")
    return gen.apply_adam(var, m, v, *self._hyper(var.dtype.base_dtype), grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, var):
    m = self.get_slot(var, "m")
    v = self.get_slot(var, "v")
    hyper = self._hyper(grad.dtype.base_dtype)
    return gen.resource_apply_adam(var.handle, m.handle, v.handle, *hyper, grad, use_locking=self._use_locking)

  def _apply_sparse_shared(self, grad, var, indices, scatter_add):
    beta1_power, beta2_power, rate, beta1, beta2, epsilon = self._hyper(var.dtype.base_dtype)
    rate = rate * tf.sqrt(1 - beta2_power) / (1 - beta1_power)
    m = self.get_slot(var, "m")
    scaled = grad * (1 - beta1)
    m_t = tf.assign(m, m * beta1, use_locking=self._use_locking)
    with tf.control_dependencies([m_t]):
      m_t = scatter_add(m, indices, scaled)
    v = self.get_slot(var, "v")
    scaled = (grad * grad) * (1 - beta2)
    v_t = tf.assign(v, v * beta2, use_locking=self._use_locking)
    with tf.control_dependencies([v_t]):
      v_t = scatter_add(v, indices, scaled)
    v_sqrt = tf.sqrt(v_t)
    update = tf.assign_sub(var, rate * m_t / (v_sqrt + epsilon), use_locking=self._use_locking)
    return tf.group(*[update, m_t, v_t])

  def _apply_sparse(self, grad, var):
    return self._apply_sparse_shared(
      grad.values,
      var,
      grad.indices,
      lambda x, i, v: tf.scatter_add(x, i, v, use_locking=self._use_locking),
    )

  def _resource_scatter_add(self, x, i, v):
    with tf.control_dependencies([gen.resource_scatter_add(x.handle, i, v)]):
      return x.value()

  def _resource_apply_sparse(self, grad, var, indices):
    return self._apply_sparse_shared(grad, var, indices, self._resource_scatter_add)

  def _finish(self, update_ops, name_scope):
    with tf.control_dependencies(update_ops):
      beta1_power, beta2_power = self._get_beta_accumulators()
      with graph_lib.colocate_with(beta1_power):
        update_beta1 = beta1_power.assign(beta1_power * self._beta1_t, use_locking=self._use_locking)
        update_beta2 = beta2_power.assign(beta2_power * self._beta2_t, use_locking=self._use_locking)
    return tf.group(*update_ops + [update_beta1, update_beta2], name=name_scope)
