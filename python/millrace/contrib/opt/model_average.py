"""Training by the average of models: workers train alone, and every so many steps go on from the average of all."""

import millrace as tf
from millrace.contrib.opt import center_variables
from millrace.train.optimizers import optimizer
from millrace.train.session import hooks_base


class ModelAverageCustomGetter(center_variables.CenterGetter):
  """The custom getter of tf.variable_scope for models that ModelAverageOptimizer trains.

  Trainable variables of tf.get_variable become local variables on `worker_device`; the centers are global variables
  "global_center_variable/NAME", which tf.train.replica_device_setter places on parameter servers.
  """

  def __call__(self, getter, name, trainable, collections, *args, **kwargs):
    if not trainable:
      return getter(name, trainable=trainable, collections=collections, *args, **kwargs)
    local = self._local(getter, name, args, kwargs)
    self._make_center(local, name)
    return local


class ModelAverageOptimizer(optimizer.Optimizer):
  """Wraps an optimizer of local variables: every `interval_steps` steps the centers and all workers get the workers' average.

  All `num_worker` workers wait for each other then. The global step counts the averages. Make the model in a variable scope with
  `ma_custom_getter`, and give the session the hook of `make_session_run_hook()`.
  """

  def __init__(
    self, opt, num_worker, is_chief, ma_custom_getter, interval_steps=100, use_locking=True, name="ModelAverageOptimizer"
  ):
    super().__init__(use_locking, name)
    self._opt = opt
    self._num_worker = num_worker
    self._is_chief = is_chief
    self._centers = ma_custom_getter.centers
    self._interval_steps = interval_steps
    self._accumulators = []
    self._chief_init_op = None
    self._local_step = center_variables.make_local_step()
    self._opt._prepare()

  def compute_gradients(self, *args, **kwargs):
    """Those of the wrapped optimizer."""
    return self._opt.compute_gradients(*args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op of a worker's step, with the average where one is due. Raises ValueError for no variables and no global step."""
    if not grads_and_vars:
      raise ValueError("Must supply at least one variable")
    if global_step is None:
      raise ValueError("Global step is required")
    local_vars = [v for g, v in grads_and_vars if g is not None]
    centers = [self._centers[v] for v in local_vars]
    with center_variables.moved_to_worker():
      applied = self._opt.apply_gradients(grads_and_vars)
    with tf.control_dependencies([applied]):
      counted = tf.assign_add(self._local_step, 1, name="local_step_update").op
    self._make_accumulators(local_vars, centers)
    with tf.colocate_with(global_step):
      tokens = tf.FIFOQueue(-1, [tf.bool], shapes=[[]], shared_name="sync_queue")
    with tf.control_dependencies([counted]):
      due = tf.equal(tf.floormod(self._local_step, self._interval_steps), 0)
      update = tf.cond(due, lambda: self._average(local_vars, centers, global_step, tokens), tf.no_op, name=name)
    begun = []
    for accumulator, center in zip(self._accumulators, centers):
      with tf.device(center.device):
        begun.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
    self._chief_init_op = tf.group(*begun)
    return update

  def _make_accumulators(self, local_vars, centers):
    with tf.name_scope(None, self._name + "/global"):
      for local, center in zip(local_vars, centers):
        with tf.device(center.device):
          self._accumulators.append(
            tf.ConditionalAccumulator(local.dtype.base_dtype, shape=local.get_shape(), shared_name=center.name + "/var_accum")
          )

  def _average(self, local_vars, centers, global_step, tokens):
    """Gives the worker's variables, waits until the chief has written the average of all, and takes it."""
    given = []
    for accumulator, local, center in zip(self._accumulators, local_vars, centers):
      with tf.device(center.device):
        given.append(accumulator.apply_grad(tf.identity(local), local_step=global_step))
    with tf.control_dependencies(given):
      done = self._lead(centers, global_step, tokens) if self._is_chief else self._follow(global_step, tokens)
    with tf.control_dependencies([done]):
      return center_variables.assign_all(local_vars, [center.read_value() for center in centers])

  def _lead(self, centers, global_step, tokens):
    written = []
    for accumulator, center in zip(self._accumulators, centers):
      with tf.device(center.device):
        written.append(tf.assign(center, accumulator.take_grad(self._num_worker)).op)
    with tf.device(global_step.device):
      written.append(tf.assign_add(global_step, 1).op)
      with tf.control_dependencies(written):
        return tokens.enqueue_many(tf.fill([self._num_worker - 1], tf.constant(False)))

  def _follow(self, global_step, tokens):
    with tf.device(global_step.device):
      return tokens.dequeue().op

  def get_init_op(self):
    """The op that gives the worker's variables the values of their centers."""
    return center_variables.assign_all(list(self._centers), [center.read_value() for center in self._centers.values()])

  def make_session_run_hook(self):
    """The hook that initializes what this optimizer needs in a MonitoredTrainingSession."""
    return _ModelAverageOptimizerHook(self)


class _ModelAverageOptimizerHook(hooks_base.SessionRunHook):
  """Begins with the centers' values; the chief also tells the accumulators which step it is."""

  def __init__(self, ma_optimizer):
    self._ma_optimizer = ma_optimizer

  def begin(self):
    self._local_init_op = self._ma_optimizer.get_init_op()

  def after_create_session(self, session, coord):
    session.run(self._local_init_op)
    if self._ma_optimizer._is_chief and self._ma_optimizer._chief_init_op is not None:
      session.run(self._ma_optimizer._chief_init_op)
