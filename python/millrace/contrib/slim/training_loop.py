"""slim.learning.train: a whole training, by a Supervisor."""

import time

import millrace as tf
from millrace.contrib.slim import train_step as steps

# What a parameter is that was not given, where None means that there is none.
_USE_DEFAULT = 0


def train(
  train_op,
  logdir,
  train_step_fn=steps.train_step,
  train_step_kwargs=_USE_DEFAULT,
  log_every_n_steps=1,
  graph=None,
  master="",
  is_chief=True,
  global_step=None,
  number_of_steps=None,
  init_op=_USE_DEFAULT,
  init_feed_dict=None,
  local_init_op=_USE_DEFAULT,
  init_fn=None,
  ready_op=_USE_DEFAULT,
  summary_op=_USE_DEFAULT,
  save_summaries_secs=600,
  summary_writer=_USE_DEFAULT,
  startup_delay_steps=0,
  saver=None,
  save_interval_secs=600,
  sync_optimizer=None,
  session_config=None,
  session_wrapper=None,
  trace_every_n_steps=None,
  ignore_live_threads=False,
):
  """Runs `train_op` until `number_of_steps` or the end of the input, and returns the last loss.

  The chief restores from the newest checkpoint of `logdir` or initializes (`init_op`, then `init_fn(session)`), saves checkpoints and
  summaries there every so many seconds, and a checkpoint at the end; without `logdir` nothing is saved. Others wait for the chief, and for
  step `startup_delay_steps`. A step is `train_step_fn(session, train_op, global_step, train_step_kwargs)`, which returns the loss and whether
  to stop. `sync_optimizer` is the SyncReplicasOptimizer that made the train op, or a list of them. `session_wrapper(session)` may give another
  session for the steps. After AbortedError the training goes on with a new session.
  """
  if train_op is None:
    raise ValueError("train_op cannot be None.")
  if logdir is None:
    given = {"summary_op": summary_op != _USE_DEFAULT, "saver": saver is not None}
    given["trace_every_n_steps"] = trace_every_n_steps is not None
    for name in given:
      if given[name]:
        raise ValueError(f"Cannot provide {name} because logdir=None")
  if isinstance(sync_optimizer, tf.train.SyncReplicasOptimizer):
    sync_optimizer = [sync_optimizer]
  if sync_optimizer is not None and startup_delay_steps > 0:
    raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
  if number_of_steps is not None and number_of_steps <= 0:
    raise ValueError("`number_of_steps` must be either None or a positive number.")
  graph = graph or tf.get_default_graph()
  with graph.as_default():
    if global_step is None:
      global_step = tf.train.get_or_create_global_step()
    saver = saver or tf.train.Saver()
    replicas = None if sync_optimizer is None else _Replicas(sync_optimizer, is_chief)
    with tf.name_scope("init_ops"):
      if init_op == _USE_DEFAULT:
        init_op = tf.global_variables_initializer()
      if ready_op == _USE_DEFAULT:
        ready_op = tf.report_uninitialized_variables()
      if local_init_op == _USE_DEFAULT:
        local_init_op = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
      if replicas is not None:
        local_init_op = replicas.local_init_op(local_init_op)
    if summary_op == _USE_DEFAULT:
      summary_op = tf.summary.merge_all()
    if summary_writer == _USE_DEFAULT:
      summary_writer = tf.train.Supervisor.USE_DEFAULT
    if replicas is not None:
      replicas.prepare()
    if train_step_kwargs == _USE_DEFAULT:
      train_step_kwargs = steps.step_kwargs(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir)
  supervisor = tf.train.Supervisor(
    graph=graph,
    is_chief=is_chief,
    logdir=logdir,
    init_op=init_op,
    init_feed_dict=init_feed_dict,
    local_init_op=local_init_op,
    ready_for_local_init_op=None if replicas is None else replicas.ready_for_local_init_op,
    ready_op=ready_op,
    summary_op=summary_op,
    summary_writer=summary_writer,
    global_step=global_step,
    saver=saver,
    save_summaries_secs=save_summaries_secs,
    save_model_secs=save_interval_secs,
    init_fn=init_fn,
  )
  if summary_writer is not None:
    train_step_kwargs["summary_writer"] = supervisor.summary_writer

  def start(session):
    """Starts what runs beside the steps; returns the session for them and the threads."""
    tf.logging.info("Starting Session.")
    if session_wrapper is not None:
      tf.logging.info("Wrapping session with wrapper function: %s", session_wrapper)
      session = session_wrapper(session)
    if is_chief:
      if logdir:
        supervisor.start_standard_services(session)
    elif startup_delay_steps > 0:
      _wait_for_step(session, global_step, min(startup_delay_steps, number_of_steps or startup_delay_steps))
    threads = supervisor.start_queue_runners(session)
    tf.logging.info("Starting Queues.")
    if replicas is not None:
      replicas.start(supervisor, session)
    return session, threads

  total_loss = None
  while True:
    try:
      with supervisor.managed_session(master, start_standard_services=False, config=session_config) as session:
        session, threads = start(session)
        try:
          while not supervisor.should_stop():
            total_loss, should_stop = train_step_fn(session, train_op, global_step, train_step_kwargs)
            if should_stop:
              tf.logging.info("Stopping Training.")
              supervisor.request_stop()
        except tf.errors.OutOfRangeError as error:
          # The input is at its end.
          tf.logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
        if logdir and supervisor.is_chief:
          tf.logging.info("Finished training! Saving model to disk.")
          supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
        if replicas is not None:
          replicas.end(supervisor, session)
        if logdir and supervisor.is_chief:
          supervisor.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
      return total_loss
    except tf.errors.AbortedError:
      # A task was restarted: its variables come from the newest checkpoint.
      tf.logging.info("Retrying training!")


def _wait_for_step(session, global_step, step):
  """Waits until the global step is at least `step`."""
  while True:
    now = tf.train.global_step(session, global_step)
    if now >= step:
      return
    tf.logging.info("Waiting for step %d before starting training. Current step: %d", step, now)
    time.sleep(1)


class _Replicas:
  """What training with optimizers that wait for all replicas needs besides. Raises ValueError for other optimizers."""

  def __init__(self, optimizers, is_chief):
    self._optimizers = list(optimizers)
    self._is_chief = is_chief
    self._queue_runners = []
    self._init_tokens = None
    self.ready_for_local_init_op = None
    for optimizer in self._optimizers:
      if not isinstance(optimizer, tf.train.SyncReplicasOptimizer):
        raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")  # noqa: TRY004 (TensorFlow's class)

  def local_init_op(self, before):
    """The op that initializes the local steps, after `before`; makes `ready_for_local_init_op`."""
    ops = []
    with tf.control_dependencies([before] if before is not None else []):
      for optimizer in self._optimizers:
        ops.append(optimizer.chief_init_op if self._is_chief else optimizer.local_step_init_op)
    if len(self._optimizers) == 1:
      self.ready_for_local_init_op = self._optimizers[0].ready_for_local_init_op
    else:
      self.ready_for_local_init_op = tf.concat([optimizer.ready_for_local_init_op for optimizer in self._optimizers], 0)
    return tf.group(*([before] if before is not None else []), *ops)

  def prepare(self):
    """Makes the ops of the chief, before the graph is finished."""
    if self._is_chief:
      self._init_tokens = [optimizer.get_init_tokens_op() for optimizer in self._optimizers]
      self._queue_runners = [optimizer.get_chief_queue_runner() for optimizer in self._optimizers]

  def start(self, supervisor, session):
    if self._is_chief:
      supervisor.start_queue_runners(session, self._queue_runners)
      session.run(self._init_tokens)

  def end(self, supervisor, session):
    """Ends the chief's waiting for gradients, of which no more come."""
    if self._is_chief:
      supervisor.request_stop()
      session.close()
