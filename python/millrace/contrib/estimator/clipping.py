"""clip_gradients_by_norm: optimizers whose gradients are clipped."""

import millrace as tf


class _Transformed(tf.train.Optimizer):
  """An optimizer that changes the gradients of another one before they are applied."""

  def __init__(self, optimizer, change, name=None):
    super().__init__(use_locking=False, name=name or "TransformGradients" + optimizer.get_name())
    self._optimizer = optimizer
    self._change = change

  def compute_gradients(self, *args, **kwargs):
    return self._optimizer.compute_gradients(*args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    return self._optimizer.apply_gradients(self._change(grads_and_vars), global_step=global_step, name=name)

  def get_slot(self, *args, **kwargs):
    return self._optimizer.get_slot(*args, **kwargs)

  def get_slot_names(self, *args, **kwargs):
    return self._optimizer.get_slot_names(*args, **kwargs)


def clip_gradients_by_norm(optimizer, clip_norm):
  """An optimizer that does what another one does with gradients each of which has at most the norm `clip_norm`."""

  def clip(pairs):
    return [(None if gradient is None else _clipped(gradient, clip_norm), variable) for gradient, variable in pairs]

  return _Transformed(optimizer, clip, name="ClipByNorm" + optimizer.get_name())


def _clipped(gradient, norm):
  if isinstance(gradient, tf.IndexedSlices):
    return tf.IndexedSlices(tf.clip_by_norm(gradient.values, norm), gradient.indices, gradient.dense_shape)
  return tf.clip_by_norm(gradient, norm)
