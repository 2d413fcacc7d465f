"""Adam that counts its steps by the global step."""

import millrace as tf
from millrace.framework import graph as graph_lib
from millrace.train.optimizers import adam


class AdamGSOptimizer(adam.AdamOptimizer):
  """Adam that has no variables for the powers of its decays: they are decay ** (global_step + 1).

  `global_step` is a variable, tensor or number: how many steps there have been. The slots are those of
  tf.train.AdamOptimizer.
  """

  def __init__(self, global_step=0, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam"):
    super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
    self._global_step = global_step
    self._steps_t = None

  def _create_slots(self, var_list):
    for v in var_list:
      self._zeros_slot(v, "m", self._name)
      self._zeros_slot(v, "v", self._name)

  def _prepare(self):
    super()._prepare()
    # A copy, so that the step is read once, before it counts on.
    if isinstance(self._global_step, tf.Variable):
      with graph_lib.colocate_with(self._global_step):
        step = tf.identity(self._global_step)
    else:
      step = tf.convert_to_tensor(self._global_step, name="global_step")
    self._steps_t = tf.cast(step, tf.float32) + 1.0

  def _get_beta_accumulators(self):
    beta1, beta2 = tf.cast(self._beta1_t, tf.float32), tf.cast(self._beta2_t, tf.float32)
    return tf.pow(beta1, self._steps_t), tf.pow(beta2, self._steps_t)

  def _finish(self, update_ops, name_scope):
    return tf.group(*update_ops, name=name_scope)
