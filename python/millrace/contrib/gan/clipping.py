"""Optimizers that keep variables within bounds."""

import millrace as tf


def clip_variables(optimizer, variables, weight_clip):
  """Returns an optimizer that after each step clips variables to -`weight_clip`..`weight_clip`. Raises ValueError unless that is positive."""
  if weight_clip < 0:
    raise ValueError(f"`weight_clip` must be positive. Instead, was {weight_clip}")
  return _ClippingOptimizer(optimizer, list(variables), weight_clip)


def clip_discriminator_weights(optimizer, model, weight_clip):
  """As clip_variables, of the discriminator of a model."""
  return clip_variables(optimizer, model.discriminator_variables, weight_clip)


class _ClippingOptimizer(tf.train.Optimizer):
  """Applies gradients by another optimizer, then clips variables."""

  def __init__(self, optimizer, variables, bound):
    super().__init__(use_locking=False, name="ClippingOptimizer")
    self._optimizer = optimizer
    self._variables = variables
    self._bound = bound

  def compute_gradients(self, *args, **kwargs):
    return self._optimizer.compute_gradients(*args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    applied = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step, name=name)
    with tf.control_dependencies([applied]):
      clipped = [tf.assign(variable, tf.clip_by_value(variable, -self._bound, self._bound)) for variable in self._variables]
    return tf.group(*clipped)

  def get_slot(self, *args, **kwargs):
    return self._optimizer.get_slot(*args, **kwargs)

  def get_slot_names(self, *args, **kwargs):
    return self._optimizer.get_slot_names(*args, **kwargs)

  def variables(self):
    return self._optimizer.variables()
