"""Elastic averaging (Zhang, Choromanska and LeCun, 2015): workers and their center pull at each other every so many steps."""

import millrace as tf
from millrace.contrib.opt import center_variables, saved_names
from millrace.train.optimizers import optimizer
from millrace.train.session import hooks_base

_OWN_CENTER = "local_center_variable"


class ElasticAverageCustomGetter(center_variables.CenterGetter):
  """The custom getter of tf.variable_scope for models that ElasticAverageOptimizer trains.

  Trainable variables of tf.get_variable become local variables on `worker_device`. Each has a center, the global variable
  "global_center_variable/NAME", which tf.train.replica_device_setter places on parameter servers, and the center as the worker
  saw it last, the local variable "local_center_variable/NAME".
  """

  def __init__(self, worker_device):
    super().__init__(worker_device)
    self.own_centers = {}

  def __call__(self, getter, name, trainable, collections, *args, **kwargs):
    if not trainable:
      return getter(name, trainable=trainable, collections=collections, *args, **kwargs)
    local = self._local(getter, name, args, kwargs)
    self._make_center(local, name)
    self.own_centers.update(self._make_beside(local, name, _OWN_CENTER, center_variables._initial_value))
    return local


class ElasticAverageOptimizer(optimizer.Optimizer):
  """Wraps an optimizer of local variables, of which each has a center on the parameter servers.

  Every `communication_period` steps of a worker, with d = variable - center: variable -= moving_rate * d and
  center += moving_rate * d. Between them the loss has rho * d^2 / 2 in it, d being taken from the center seen last. The defaults
  are moving_rate = 0.9 / communication_period / num_worker and rho = moving_rate / learning rate of `opt`. The global step counts
  exchanges. With `synchronous` the workers wait for each other before they begin. Make the model in a variable scope with
  `ea_custom_getter`, and give the session the hook of `make_session_run_hook`.
  """

  BETA = 0.9

  def __init__(
    self,
    opt,
    num_worker,
    ea_custom_getter,
    communication_period=10,
    moving_rate=None,
    rho=None,
    use_locking=True,
    synchronous=False,
    name="ElasticAverageOptimizer",
  ):
    super().__init__(use_locking, name)
    self._opt = opt
    self._num_worker = num_worker
    self._period = communication_period
    self._centers = ea_custom_getter.centers
    self._own_centers = ea_custom_getter.own_centers
    self._moving_rate = self.BETA / communication_period / num_worker if moving_rate is None else moving_rate
    self._rho = self._moving_rate / self._opt._learning_rate if rho is None else rho
    self._synchronous = synchronous
    self._local_step = center_variables.make_local_step()
    self._opt._prepare()

  def compute_gradients(
    self,
    loss,
    var_list=None,
    gate_gradients=optimizer.Optimizer.GATE_OP,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    grad_loss=None,
  ):
    """Pairs (gradient or None, variable) of the loss with rho * |variable - center|^2 / 2 for each variable."""
    if not var_list:
      var_list = tf.trainable_variables()
    differences = [var - self._own_centers[var] for var in var_list]
    distance = self._rho * tf.add_n([tf.nn.l2_loss(difference) for difference in differences])
    return self._opt.compute_gradients(
      loss + distance, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
    )

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op of a worker's step, with the exchange where one is due."""
    grads_and_vars = list(grads_and_vars)
    local_vars = [v for g, v in grads_and_vars if g is not None]
    with center_variables.moved_to_worker():
      applied = self._opt.apply_gradients(grads_and_vars)
    with tf.control_dependencies([applied]):
      counted = tf.assign_add(self._local_step, 1, name="local_step_update").op
    with tf.control_dependencies([counted]):
      due = tf.equal(tf.floormod(self._local_step, self._period), 0)
      return tf.cond(due, lambda: self._exchange(local_vars, global_step), tf.no_op, name=name)

  def _exchange(self, local_vars, global_step):
    own_centers = [self._own_centers[v] for v in local_vars]
    centers = [self._centers[v] for v in local_vars]
    seen = center_variables.assign_all(own_centers, [center.read_value() for center in centers])
    pulled = []
    with tf.control_dependencies([seen]):
      for local, own_center, center in zip(local_vars, own_centers, centers):
        with tf.device(local.device):
          pull = self._moving_rate * (local.read_value() - own_center.read_value())
        with tf.control_dependencies([pull]):
          with tf.device(local.device):
            pulled.append(tf.assign_sub(local, pull).op)
          with tf.device(center.device):
            pulled.append(tf.assign_add(center, pull).op)
      if global_step is not None:
        with tf.colocate_with(global_step):
          pulled.append(tf.assign_add(global_step, 1).op)
    return tf.group(*pulled)

  def get_init_op(self, task_index):
    """The op that gives the variables of worker `task_index`, and the centers that it saw last, the values of the centers.

    With `synchronous` it waits until all workers are that far. Raises ValueError if there are no such variables.
    """
    local_vars = tf.trainable_variables()
    centers = [self._centers[v] for v in local_vars if v in self._centers]
    own_centers = [self._own_centers[v] for v in local_vars if v in self._own_centers]
    if not (local_vars and centers and own_centers):
      raise ValueError("The lists of local_variables, global_center_variables, local_center_variables should not be empty  ")
    values = [center.read_value() for center in centers]
    with_centers = [v for v in local_vars if v in self._centers]
    init_op = tf.group(center_variables.assign_all(with_centers, values), center_variables.assign_all(own_centers, values))
    if not self._synchronous:
      return init_op
    return self._after_all_workers(init_op, task_index)

  def _after_all_workers(self, op, task_index):
    """Gives every other worker a token after `op`, and takes one of each of them."""
    with tf.colocate_with(next(iter(self._centers.values()))):
      queues = [
        tf.FIFOQueue(self._num_worker, [tf.bool], shapes=[[]], shared_name=f"variable_init_sync_queue{i}")
        for i in range(self._num_worker)
      ]
    with tf.control_dependencies([op]):
      given = [queue.enqueue(False) for i, queue in enumerate(queues) if i != task_index]
    with tf.control_dependencies(given):
      taken = queues[task_index].dequeue_many(self._num_worker - 1)
    return tf.group(taken)

  def make_session_run_hook(self, is_chief, task_index):
    """The hook that initializes the variables of worker `task_index` in a MonitoredTrainingSession."""
    return _ElasticAverageOptimizerHook(self, is_chief, task_index)

  def swapping_saver(self, var_list=None, name="swapping_saver", **kwargs):
    """A tf.train.Saver that saves the centers under the names of the variables.

    `var_list` is that of Saver, by default the trainable variables that there are now. Raises RuntimeError where the custom getter
    has made none.
    """
    if not self._centers:
      raise RuntimeError(
        "Please make sure your model is created with ElasticAverageCustomGetter and call this function after model created"
      )
    by_name = saved_names.variables_by_saved_name(tf.trainable_variables() if var_list is None else var_list)
    return tf.train.Saver(saved_names.replaced(by_name, lambda v: self._centers.get(v, v)), name=name, **kwargs)


class _ElasticAverageOptimizerHook(hooks_base.SessionRunHook):
  """Gives the worker's variables the values of the centers when a session was made."""

  def __init__(self, ea_optimizer, is_chief, task_index):
    self._ea_optimizer = ea_optimizer
    self._is_chief = is_chief
    self._task_index = task_index

  def begin(self):
    self._variable_init_op = self._ea_optimizer.get_init_op(self._task_index)

  def after_create_session(self, session, coord):
    session.run(self._variable_init_op)
