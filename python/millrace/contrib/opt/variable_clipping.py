"""An optimizer that keeps the norms of variables small."""

import contextlib

import millrace as tf
from millrace.framework import composite
from millrace.framework import graph as graph_lib
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.slots_of_another import SlotsOfAnother


class VariableClippingOptimizer(SlotsOfAnother, optimizer.Optimizer):
  """Wraps an optimizer; after its step, variables are scaled so that norms along given dimensions are at most `max_norm`.

  `vars_to_clip_dims` maps variables to lists of dimensions, as in tf.clip_by_norm. Where the gradient is sparse and dimension 0 is
  not among them, only the rows that have a gradient are clipped. With `colocate_clip_ops_with_vars` the clipping is placed beside
  its variable.
  """

  def __init__(
    self,
    opt,
    vars_to_clip_dims,
    max_norm,
    use_locking=False,
    colocate_clip_ops_with_vars=False,
    name="VariableClipping",
  ):
    super().__init__(use_locking, name)
    self._opt = opt
    self._vars_to_clip_dims = {var: list(dims) for var, dims in vars_to_clip_dims.items()}
    self._max_norm = max_norm
    self._colocate_clip_ops_with_vars = colocate_clip_ops_with_vars

  def compute_gradients(self, *args, **kwargs):
    return self._opt.compute_gradients(*args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op that applies the gradients and then clips the variables."""
    grads_and_vars = list(grads_and_vars)
    with tf.name_scope(None, self._name):
      update_op = self._opt.apply_gradients(grads_and_vars, global_step=global_step)
      clipped = []
      with tf.control_dependencies([update_op]):
        for grad, var in grads_and_vars:
          if grad is None or var not in self._vars_to_clip_dims:
            continue
          with tf.name_scope("clip_" + var.op.name), self._beside(var):
            if isinstance(grad, composite.IndexedSlices):
              clipped.append(self._clip_rows(grad, var))
            else:
              clipped.append(self._clip(var))
      return tf.group(update_op, *clipped, name=name)

  def _beside(self, var):
    return graph_lib.colocate_with(var) if self._colocate_clip_ops_with_vars else contextlib.nullcontext()

  def _clip(self, var):
    value = var.read_value()
    excess = value - tf.clip_by_norm(value, self._max_norm, self._vars_to_clip_dims[var])
    return tf.assign_sub(var, excess, use_locking=self._use_locking).op

  def _clip_rows(self, grad, var):
    dims = self._vars_to_clip_dims[var]
    if 0 in dims:
      tf.logging.warning(
        "Clipping norm across dims %s for %s is inefficient when including sparse dimension 0.", dims, var.op.name
      )
      return self._clip(var)
    rows = tf.gather(var, grad.indices)
    # An index may occur several times: writing the same row again does no harm.
    clipped = tf.clip_by_norm(rows, self._max_norm, dims)
    return tf.scatter_update(var, grad.indices, clipped, use_locking=self._use_locking).op
