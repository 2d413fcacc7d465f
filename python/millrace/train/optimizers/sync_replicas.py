"""Synchronous training of several replicas: gradients are averaged before they are applied."""

import time

import millrace as tf
from millrace.framework import composite
from millrace.train import queue_runners
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.slots_of_another import SlotsOfAnother
from millrace.train.session import hooks_base


# How long a replica that finds the queue of tokens closed waits for the chief of a new training to make another one.
_NEW_TOKENS_SECS = 30.0


class SyncReplicasOptimizer(SlotsOfAnother, optimizer.Optimizer):
  """Collects `replicas_to_aggregate` gradients a variable, applies their average once, and hands out tokens of the new step.

  The chief runs `get_chief_queue_runner()`, which takes the averages and fills the queue of tokens; a replica's step
  waits for one token, which is the step that its next gradients belong to. Gradients of older steps are dropped.

  The queue of tokens is on the global step's task and outlives the chief's sessions, so that a chief that comes back goes on.
  With the hook of `make_session_run_hook` it is closed when the chief's training has come to its end, and for replicas that wait
  for more tokens that is the end of the data; the chief of the next training on these servers makes another one.
  """

  def __init__(
    self,
    opt,
    replicas_to_aggregate,
    total_num_replicas=None,
    variable_averages=None,
    variables_to_average=None,
    use_locking=False,
    name="sync_replicas",
  ):
    if total_num_replicas is None:
      total_num_replicas = replicas_to_aggregate
    super().__init__(use_locking, name)
    tf.logging.info("SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s", replicas_to_aggregate, total_num_replicas)
    self._opt = opt
    self._replicas_to_aggregate = replicas_to_aggregate
    self._gradients_applied = False
    self._variable_averages = variable_averages
    self._variables_to_average = variables_to_average
    self._total_num_replicas = total_num_replicas
    self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
    self._global_step = None
    self._sync_token_queue = None
    self._chief_queue_runner = None
    self._accumulator_list = []

  def compute_gradients(self, *args, **kwargs):
    """Those of the wrapped optimizer."""
    return self._opt.compute_gradients(*args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op of one step of a replica: it gives its gradients, then waits for the token of the next step."""
    if not grads_and_vars:
      raise ValueError("Must supply at least one variable")
    if global_step is None:
      raise ValueError("Global step is required to check staleness")
    self._global_step = global_step
    self._make_local_step(global_step)
    self.ready_for_local_init_op = tf.report_uninitialized_variables(tf.global_variables())

    with tf.name_scope(None, self._name):
      gave, averages = self._accumulate(grads_and_vars)
      with tf.device(global_step.device), tf.name_scope(""):
        update_op = self._opt.apply_gradients(averages, global_step)
      with tf.device(global_step.device), tf.name_scope(""):
        self._sync_token_queue = tf.FIFOQueue(
          -1, global_step.dtype.base_dtype, shapes=(), name="sync_token_q", shared_name="sync_token_q"
        )
      with tf.device(global_step.device), tf.name_scope(""):
        with tf.control_dependencies(gave):
          token = self._sync_token_queue.dequeue()
        train_op = tf.assign(self._local_step, token)
        with tf.control_dependencies([update_op]):
          tokens = tf.fill([self._tokens_per_step], global_step)
          sync_op = self._sync_token_queue.enqueue_many((tokens,))
        if self._variable_averages is not None:
          with tf.control_dependencies([sync_op]), tf.name_scope(""):
            sync_op = self._variable_averages.apply(self._variables_to_average)
        self._chief_queue_runner = queue_runners.QueueRunner(self._sync_token_queue, [sync_op])
      for accumulator, device in self._accumulator_list:
        with tf.device(device):
          self._chief_init_ops.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
      self.chief_init_op = tf.group(*self._chief_init_ops)
      self._gradients_applied = True
      return train_op

  def _make_local_step(self, global_step):
    """The step that a replica's gradients belong to; it stays on the worker, also where variables go to servers."""
    anchor = tf.no_op()
    with tf.colocate_with(anchor):
      self._local_step = tf.Variable(
        initial_value=0,
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES],
        dtype=global_step.dtype.base_dtype,
        name="sync_rep_local_step",
      )
    self.local_step_init_op = tf.assign(self._local_step, global_step)
    self._chief_init_ops = [self.local_step_init_op]

  def _accumulate(self, grads_and_vars):
    """The ops that give gradients to accumulators, and the pairs of averages and variables."""
    gave = []
    averages = []
    for grad, var in grads_and_vars:
      with tf.device(var.device):
        if grad is None:
          averages.append((None, var))
          continue
        shared_name = var.name + "/grad_accum"
        if isinstance(grad, tf.Tensor):
          accumulator = tf.ConditionalAccumulator(grad.dtype, shape=var.get_shape(), shared_name=shared_name)
          gave.append(accumulator.apply_grad(grad, local_step=self._local_step))
          averages.append((accumulator.take_grad(self._replicas_to_aggregate), var))
        else:
          if not isinstance(grad, composite.IndexedSlices):
            raise ValueError("Unknown grad type!")  # noqa: TRY004 (TensorFlow's class)
          accumulator = tf.SparseConditionalAccumulator(grad.dtype, shape=(), shared_name=shared_name)
          gave.append(accumulator.apply_indexed_slices_grad(grad, local_step=self._local_step))
          averages.append((accumulator.take_indexed_slices_grad(self._replicas_to_aggregate), var))
        self._accumulator_list.append((accumulator, var.device))
    return gave, averages

  def _make_token_ops(self, is_chief):
    """What the hook needs: whether the queue of tokens is closed, the op that takes it away, and the chief's queue runner."""
    step = self._global_step
    with tf.device(step.device), tf.name_scope(""):
      earlier = tf.FIFOQueue(-1, step.dtype.base_dtype, shapes=(), name="sync_token_q", shared_name="sync_token_q")
      self._no_tokens_left = earlier.is_closed()
      self._forget_tokens = tf.raw_ops.DestroyResourceOp(resource=earlier.queue_ref)
      return _TokenRunner(self._sync_token_queue, self._chief_queue_runner.enqueue_ops) if is_chief else None

  def get_chief_queue_runner(self):
    """The queue runner that the chief starts, which closes the queue of tokens with its session; `make_session_run_hook` has one
    that does not. Raises ValueError before `apply_gradients`."""
    if not self._gradients_applied:
      raise ValueError("Should be called after apply_gradients().")
    return self._chief_queue_runner

  def get_init_tokens_op(self, num_tokens=-1):
    """The op that puts the first tokens into the queue; the chief runs it once."""
    if not self._gradients_applied:
      raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
    needed = self._replicas_to_aggregate - self._total_num_replicas
    if num_tokens == -1:
      num_tokens = self._replicas_to_aggregate
    elif num_tokens < needed:
      raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
    if num_tokens > 0:
      with tf.device(self._global_step.device), tf.name_scope(""):
        tokens = tf.fill([num_tokens], self._global_step)
        return self._sync_token_queue.enqueue_many((tokens,))
    return tf.no_op(name="no_init_tokens")

  def make_session_run_hook(self, is_chief, num_tokens=-1):
    """The hook that does for MonitoredSession what this optimizer needs, on the chief and on the others."""
    return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _TokenRunner(queue_runners.QueueRunner):
  """Fills the queue of tokens, and closes it only when the training has ended: when the chief's session is lost or fails, the next
  one goes on with that queue, and none can open a queue again. So the queue that is closed with each session is another one."""

  def __init__(self, tokens, sync_ops):
    super().__init__(tf.FIFOQueue(1, tf.int32, shapes=(), name="dummy_queue", shared_name="dummy_queue"), sync_ops)
    self._close_tokens = tokens.close()
    self.training_has_ended = False

  def _close_on_stop(self, sess, cancel_op, coord):
    coord.wait_for_stop()
    if self.training_has_ended:
      super()._close_on_stop(sess, self._close_tokens, coord)
    super()._close_on_stop(sess, cancel_op, coord)


class _SyncReplicasOptimizerHook(hooks_base.SessionRunHook):
  """Initializes the step of a replica; on the chief it also starts the queue runner and hands out the first tokens."""

  def __init__(self, sync_optimizer, is_chief, num_tokens):
    self._sync_optimizer = sync_optimizer
    self._is_chief = is_chief
    self._num_tokens = num_tokens

  def begin(self):
    if self._sync_optimizer._gradients_applied is False:
      raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
    if self._is_chief:
      self._local_init_op = self._sync_optimizer.chief_init_op
      self._ready_for_local_init_op = self._sync_optimizer.ready_for_local_init_op
      self._q_runner = self._sync_optimizer._make_token_ops(is_chief=True)
      self._init_tokens_op = self._sync_optimizer.get_init_tokens_op(self._num_tokens)
    else:
      self._local_init_op = self._sync_optimizer.local_step_init_op
      self._ready_for_local_init_op = self._sync_optimizer.ready_for_local_init_op
      self._q_runner = self._sync_optimizer._make_token_ops(is_chief=False)
      self._init_tokens_op = None

  def after_create_session(self, session, coord):
    """Raises RuntimeError when the global variables are not initialized yet."""
    from millrace.train.session import session_manager

    local_init_success, msg = session_manager._ready(
      self._ready_for_local_init_op, session, "Model is not ready for SyncReplicasOptimizer local init."
    )
    if not local_init_success:
      raise RuntimeError(
        f"Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: {self._local_init_op.name}, error: {msg}"
      )
    session.run(self._local_init_op)
    self._find_tokens(session, coord)
    if self._init_tokens_op is not None:
      session.run(self._init_tokens_op)
    if self._q_runner is not None:
      self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)

  def end(self, session):
    if self._q_runner is not None:
      self._q_runner.training_has_ended = True

  def _find_tokens(self, session, coord):
    """Leaves the queue of a training that has ended: the chief takes it away, and the others wait for that."""
    optimizer = self._sync_optimizer
    if self._is_chief:
      self._q_runner.training_has_ended = False
      if session.run(optimizer._no_tokens_left):
        session.run(optimizer._forget_tokens)
      return
    end = time.monotonic() + _NEW_TOKENS_SECS
    while session.run(optimizer._no_tokens_left) and time.monotonic() < end:
      if coord.wait_for_stop(0.05):
        return
