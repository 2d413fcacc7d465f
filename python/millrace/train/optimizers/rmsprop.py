"""RMSProp, plain and centered."""

import millrace as tf
from millrace import gen
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class RMSPropOptimizer(optimizer.Optimizer):
  """RMSProp: divides gradients by the root of a moving average of their squares; with momentum.

  With `centered`, by an estimate of the standard deviation, which needs the moving average of the gradients, too.
  """

  def __init__(
    self,
    learning_rate,
    decay=0.9,
    momentum=0.0,
    epsilon=1e-10,
    use_locking=False,
    centered=False,
    name="RMSProp",
  ):
    super().__init__(use_locking, name)
    self._learning_rate = learning_rate
    self._decay = decay
    self._momentum = momentum
    self._epsilon = epsilon
    self._centered = centered
    self._learning_rate_tensor = None
    self._decay_tensor = None
    self._momentum_tensor = None
    self._epsilon_tensor = None

  def _create_slots(self, var_list):
    for v in var_list:
      if v.get_shape().is_fully_defined():
        init_rms = tf.ones_initializer(dtype=v.dtype.base_dtype)
      else:
        init_rms = tf.ones_like(v)
      self._get_or_make_slot_with_initializer(v, init_rms, v.get_shape(), v.dtype.base_dtype, "rms", self._name)
      if self._centered:
        self._zeros_slot(v, "mg", self._name)
      self._zeros_slot(v, "momentum", self._name)

  def _prepare(self):
    rate, decay, momentum, epsilon = [
      self._call_if_callable(p) for p in (self._learning_rate, self._decay, self._momentum, self._epsilon)
    ]
    self._learning_rate_tensor = tf.convert_to_tensor(rate, name="learning_rate")
    self._decay_tensor = tf.convert_to_tensor(decay, name="decay")
    self._momentum_tensor = tf.convert_to_tensor(momentum, name="momentum")
    self._epsilon_tensor = tf.convert_to_tensor(epsilon, name="epsilon")

  def _hyper(self, dtype):
    tensors = (self._learning_rate_tensor, self._decay_tensor, self._momentum_tensor, self._epsilon_tensor)
    return [cast(t, dtype) for t in tensors]

  def _slots_of(self, var):
    names = ("mg", "rms", "momentum") if self._centered else ("rms", "momentum")
    return [self.get_slot(var, name) for name in names]

  def _apply_dense(self, grad, var):
    apply = gen.apply_centered_rms_prop if self._centered else gen.apply_rms_prop
    slots = self._slots_of(var)
    return apply(var, *slots, *self._hyper(var.dtype.base_dtype), grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, var):
    apply = gen.resource_apply_centered_rms_prop if self._centered else gen.resource_apply_rms_prop
    slots = [slot.handle for slot in self._slots_of(var)]
    return apply(var.handle, *slots, *self._hyper(grad.dtype.base_dtype), grad, use_locking=self._use_locking)

  def _apply_sparse(self, grad, var):
    apply = gen.sparse_apply_centered_rms_prop if self._centered else gen.sparse_apply_rms_prop
    slots = self._slots_of(var)
    hyper = self._hyper(var.dtype.base_dtype)
    return apply(var, *slots, *hyper, grad.values, grad.indices, use_locking=self._use_locking)

  def _resource_apply_sparse(self, grad, var, indices):
    apply = gen.resource_sparse_apply_centered_rms_prop if self._centered else gen.resource_sparse_apply_rms_prop
    slots = [slot.handle for slot in self._slots_of(var)]
    return apply(var.handle, *slots, *self._hyper(grad.dtype), grad, indices, use_locking=self._use_locking)
