"""An optimizer that drops gradients which are too old."""

import millrace as tf
from millrace.train import steps
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.slots_of_another import SlotsOfAnother


class DropStaleGradientOptimizer(SlotsOfAnother, optimizer.Optimizer):
  """Wraps an optimizer and drops gradients if the global step has gone on by more than `staleness` while they were computed.

  The op of `apply_gradients` is 0.0 for gradients that were applied and 1.0 for dropped ones; the summary "Gradient staleness
  percentage" says how many were dropped. There has to be a global step.
  """

  def __init__(self, opt, staleness, use_locking=False, name="DropStaleGradient"):
    super().__init__(use_locking, name)
    self._opt = opt
    self._staleness = staleness

  def compute_gradients(self, loss, *args, **kwargs):
    """Those of the wrapped optimizer, of a loss that is computed after the global step was looked at."""
    global_step = steps.get_global_step()
    if global_step is None:
      raise ValueError("Global step is required to check staleness")
    self._local_step = tf.Variable(
      global_step.initialized_value(),
      trainable=False,
      collections=[tf.GraphKeys.LOCAL_VARIABLES],
      dtype=global_step.dtype.base_dtype,
      name="local_step",
    )
    with tf.control_dependencies([tf.assign(self._local_step, global_step).op]):
      loss = tf.identity(loss)
      return self._opt.compute_gradients(loss, *args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """0.0 if the gradients were applied, 1.0 if they were too old."""
    grads_and_vars = list(grads_and_vars)
    gradients = [g.values if isinstance(g, tf.IndexedSlices) else g for g, _ in grads_and_vars if g is not None]
    with tf.control_dependencies(gradients):
      now = steps.get_global_step().read_value()
      staleness = tf.reshape(now - self._local_step.read_value(), shape=())
    dropped = tf.Variable(0.0, trainable=False, name="stale_counter")

    def accept():
      with tf.control_dependencies([self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)]):
        return tf.constant(0.0) + 0.0

    def drop():
      return tf.constant(1.0) + 0.0

    allowed = tf.convert_to_tensor(self._staleness, dtype=staleness.dtype)
    outcome = tf.cond(tf.less_equal(staleness, allowed), accept, drop)
    with tf.colocate_with(dropped):
      counted = tf.assign_add(dropped, outcome)
    steps_done = tf.cast(steps.get_global_step() + 1, tf.float32)
    tf.summary.scalar("Gradient staleness percentage", dropped / steps_done)
    with tf.control_dependencies([counted.op]):
      return tf.identity(outcome)
