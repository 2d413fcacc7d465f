"""Accumulated gradient normalization (Hermans, Spanakis and Möckel, 2017): workers explore alone and give the mean of their gradients."""

import millrace as tf
from millrace.contrib.opt import center_variables
from millrace.train.optimizers import optimizer
from millrace.train.session import hooks_base

_SUM = "grad_variable"


class AGNCustomGetter(center_variables.CenterGetter):
  """The custom getter of tf.variable_scope for models that AGNOptimizer trains.

  Trainable variables of tf.get_variable become local variables on `worker_device`. Each has a center, the global variable
  "global_center_variable/NAME", which tf.train.replica_device_setter places on parameter servers, and the sum of its gradients,
  the local variable "grad_variable/NAME".
  """

  def __init__(self, worker_device):
    super().__init__(worker_device)
    self.sums = {}

  def __call__(self, getter, name, trainable, collections, *args, **kwargs):
    if not trainable:
      return getter(name, trainable=trainable, collections=collections, *args, **kwargs)
    local = self._local(getter, name, args, kwargs)
    self._make_center(local, name)
    self.sums.update(self._make_beside(local, name, _SUM, lambda var: tf.zeros_like(var.initial_value)))
    return local


class AGNOptimizer(optimizer.Optimizer):
  """Wraps an optimizer: workers step alone, and every `communication_period` steps the center takes one with their mean gradient.

  A worker updates its variables by `optimizer` and adds the gradients up. When the period is over, `optimizer` applies their sum
  divided by the period to the center, the worker goes on from there, and the sums are zero again. The global step counts these
  exchanges. Make the model in a variable scope with `custom_getter`, and give the session the hook of `make_session_run_hook`.
  """

  def __init__(self, optimizer, num_worker, custom_getter, communication_period=10, use_locking=True, name="AGNOptimizer"):
    super().__init__(use_locking, name)
    self._opt = optimizer
    self._num_worker = num_worker
    self._period = communication_period
    self._centers = custom_getter.centers
    self._sums = custom_getter.sums
    self._local_step = center_variables.make_local_step()
    self._opt._prepare()

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op of a worker's step, with the exchange where one is due."""
    pairs = [(tf.convert_to_tensor(g), v) for g, v in grads_and_vars if g is not None]
    with center_variables.moved_to_worker():
      applied = self._opt.apply_gradients(pairs)
    summed = []
    for grad, var in pairs:
      with tf.device(self._sums[var].device):
        summed.append(tf.assign_add(self._sums[var], grad).op)
    with tf.control_dependencies([applied, *summed]):
      counted = tf.assign_add(self._local_step, 1, name="local_step_update").op
    with tf.control_dependencies([counted]):
      due = tf.equal(tf.floormod(self._local_step, self._period), 0)
      return tf.cond(due, lambda: self._exchange([v for _, v in pairs], global_step), tf.no_op, name=name)

  def _exchange(self, local_vars, global_step):
    centers = [self._centers[v] for v in local_vars]
    sums = [self._sums[v] for v in local_vars]
    means = [total.read_value() / self._period for total in sums]
    with tf.control_dependencies(means):
      moved = self._opt.apply_gradients(list(zip(means, centers)), global_step=global_step)
    with tf.control_dependencies([moved]):
      taken = center_variables.assign_all(local_vars, [center.read_value() for center in centers])
      cleared = center_variables.assign_all(sums, [tf.zeros_like(total) for total in sums])
    return tf.group(taken, cleared)

  def get_init_op(self, task_index):
    """The op that gives the worker's variables the values of their centers, and its sums zeros.

    Raises ValueError if there are no such variables.
    """
    local_vars = [v for v in tf.trainable_variables() if v in self._centers]
    if not local_vars:
      raise ValueError("The lists of local_variables, global_center_variables,grad_center_variables should not be empty  ")
    sums = [self._sums[v] for v in local_vars]
    return tf.group(
      center_variables.assign_all(local_vars, [self._centers[v].read_value() for v in local_vars]),
      center_variables.assign_all(sums, [tf.zeros_like(total) for total in sums]),
    )

  def make_session_run_hook(self, is_chief, task_index):
    """The hook that initializes the variables of worker `task_index` in a MonitoredTrainingSession."""
    return _AGNOptimizerHook(self, is_chief, task_index)


class _AGNOptimizerHook(hooks_base.SessionRunHook):
  """Gives the worker's variables the values of the centers when a session was made."""

  def __init__(self, agn_optimizer, is_chief, task_index):
    self._agn_optimizer = agn_optimizer
    self._is_chief = is_chief
    self._task_index = task_index

  def begin(self):
    self._variable_init_op = self._agn_optimizer.get_init_op(self._task_index)

  def after_create_session(self, session, coord):
    session.run(self._variable_init_op)
