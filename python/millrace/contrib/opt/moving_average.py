"""An optimizer that keeps moving averages of what it trains, and a saver that saves them in the place of the variables."""

import millrace as tf
from millrace.contrib.opt import saved_names
from millrace.train import moving_averages
from millrace.train.optimizers import optimizer


class MovingAverageOptimizer(optimizer.Optimizer):
  """Wraps an optimizer and keeps tf.train.ExponentialMovingAverage of the variables that it updates.

  With `sequential_update` the averages are updated after the variables, otherwise at the same time. `num_updates` and
  `average_decay` are those of ExponentialMovingAverage.
  """

  def __init__(self, opt, average_decay=0.9999, num_updates=None, sequential_update=True):
    super().__init__(use_locking=False, name=opt.get_name())
    self._optimizer = opt
    self._ema = moving_averages.ExponentialMovingAverage(average_decay, num_updates=num_updates)
    self._swapped_names = None
    self._sequential_update = bool(sequential_update)

  def compute_gradients(self, *args, **kwargs):
    """Those of the wrapped optimizer."""
    return self._optimizer.compute_gradients(*args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op that applies the gradients and updates the averages."""
    grads_and_vars = list(grads_and_vars)
    train_op = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step, name=name)
    updated = [var for grad, var in grads_and_vars if grad is not None]
    if self._sequential_update:
      with tf.control_dependencies([train_op]):
        average_op = self._ema.apply(updated)
    else:
      average_op = self._ema.apply(updated)
    self._swapped_names = {}
    for var in updated:
      average = self._ema.average(var)
      self._swapped_names[var.op.name] = average.op.name
      self._swapped_names[average.op.name] = var.op.name
    return tf.group(train_op, average_op, name="train_with_avg")

  def swapping_saver(self, var_list=None, name="swapping_saver", **kwargs):
    """A tf.train.Saver that saves the averages under the names of the variables, and the variables under those of the averages.

    Train with it; who evaluates restores the averages by a usual Saver. `var_list` is that of Saver, by default all global
    variables that there are now. Raises RuntimeError before `apply_gradients`, ValueError if one of a pair is not in the list.
    """
    if self._swapped_names is None:
      raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
    by_key = saved_names.variables_by_saved_name(tf.global_variables() if var_list is None else var_list)
    by_name = {}
    for v in by_key.values():
      by_name.update((part.op.name, part) for part in (v if isinstance(v, list) else [v]))

    def swapped(v):
      other = self._swapped_names.get(v.op.name)
      if other is None:
        return v
      if other not in by_name:
        raise ValueError(f"Variable to swap {other} is not part of variables to save. This breaks MovingAverageOptimizer.")
      return by_name[other]

    return tf.train.Saver(saved_names.replaced(by_key, swapped), name=name, **kwargs)

  def get_slot(self, var, name):
    return self._optimizer.get_slot(var, name)

  def get_slot_names(self):
    return self._optimizer.get_slot_names()

  def variables(self):
    return self._optimizer.variables()
