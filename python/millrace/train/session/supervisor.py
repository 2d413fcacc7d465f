"""Supervisor: the older way to train with checkpoints, summaries and recovery, by threads beside the loop."""

import contextlib
import os

import millrace as tf
from millrace.framework import protos
from millrace.train import coordinator
from millrace.train.session import session_manager as session_manager_lib
from millrace.train.session import supervisor_threads


class Supervisor:
  """Prepares sessions and runs services: a chief saves checkpoints and summaries, others wait for it.

  Ops that aren't given (USE_DEFAULT) are those of the graph's collections, or are made. None switches one off; so do
  zeros of `save_summaries_secs` and `save_model_secs`.
  """

  # What a parameter is that wasn't given.
  USE_DEFAULT = 0

  def __init__(
    self,
    graph=None,
    ready_op=USE_DEFAULT,
    ready_for_local_init_op=USE_DEFAULT,
    is_chief=True,
    init_op=USE_DEFAULT,
    init_feed_dict=None,
    local_init_op=USE_DEFAULT,
    logdir=None,
    summary_op=USE_DEFAULT,
    saver=USE_DEFAULT,
    global_step=USE_DEFAULT,
    save_summaries_secs=120,
    save_model_secs=600,
    recovery_wait_secs=30,
    stop_grace_secs=120,
    checkpoint_basename="model.ckpt",
    session_manager=None,
    summary_writer=USE_DEFAULT,
    init_fn=None,
    local_init_run_options=None,
  ):
    if graph is None:
      graph = tf.get_default_graph()
    with graph.as_default():
      self._init_ready_op(ready_op=ready_op, ready_for_local_init_op=ready_for_local_init_op)
      self._init_init_op(init_op=init_op, init_feed_dict=init_feed_dict)
      self._init_local_init_op(local_init_op=local_init_op)
      self._init_saver(saver=saver)
      self._init_summary_op(summary_op=summary_op)
      self._init_global_step(global_step=global_step)
    self._graph = graph
    self._meta_graph_def = tf.train.export_meta_graph(
      graph_def=graph.as_graph_def(add_shapes=True), graph=graph, saver_def=self._saver.saver_def if self._saver else None
    )
    self._is_chief = is_chief
    self._coord = coordinator.Coordinator()
    self._recovery_wait_secs = recovery_wait_secs
    self._stop_grace_secs = stop_grace_secs
    self._init_fn = init_fn
    self._local_init_run_options = local_init_run_options
    # Only the chief has a folder to write to.
    self._logdir = None
    self._save_summaries_secs = None
    self._save_model_secs = None
    self._save_path = None
    self._summary_writer = None
    if self._is_chief:
      self._logdir = logdir
      self._save_summaries_secs = save_summaries_secs
      self._save_model_secs = save_model_secs
      if self._logdir:
        self._save_path = os.path.join(self._logdir, checkpoint_basename)
        if summary_writer is Supervisor.USE_DEFAULT:
          self._summary_writer = tf.summary.FileWriter(self._logdir)
        else:
          self._summary_writer = summary_writer
        self._graph_added_to_summary = False
    self._init_session_manager(session_manager=session_manager)
    self._verify_setup()
    # The graph may not change once it is in use.
    graph.finalize()

  def _get_first_op_from_collection(self, key):
    found = tf.get_collection(key)
    return found[0] if found else None

  def _init_session_manager(self, session_manager=None):
    if session_manager is None:
      self._session_manager = session_manager_lib.SessionManager(
        local_init_op=self._local_init_op,
        ready_op=self._ready_op,
        ready_for_local_init_op=self._ready_for_local_init_op,
        graph=self._graph,
        recovery_wait_secs=self._recovery_wait_secs,
        local_init_run_options=self._local_init_run_options,
      )
    else:
      self._session_manager = session_manager

  def _init_ready_op(self, ready_op, ready_for_local_init_op):
    keys = tf.GraphKeys
    if ready_op is Supervisor.USE_DEFAULT:
      ready_op = self._get_first_op_from_collection(keys.READY_OP)
      if ready_op is None:
        ready_op = tf.report_uninitialized_variables()
        tf.add_to_collection(keys.READY_OP, ready_op)
    self._ready_op = ready_op
    if ready_for_local_init_op is Supervisor.USE_DEFAULT:
      ready_for_local_init_op = self._get_first_op_from_collection(keys.READY_FOR_LOCAL_INIT_OP)
    self._ready_for_local_init_op = ready_for_local_init_op

  def _init_init_op(self, init_op, init_feed_dict):
    if init_op is Supervisor.USE_DEFAULT:
      init_op = self._get_first_op_from_collection(tf.GraphKeys.INIT_OP)
      if init_op is None:
        init_op = tf.global_variables_initializer()
        tf.add_to_collection(tf.GraphKeys.INIT_OP, init_op)
    self._init_op = init_op
    self._init_feed_dict = init_feed_dict

  def _init_local_init_op(self, local_init_op):
    if local_init_op is Supervisor.USE_DEFAULT:
      local_init_op = self._get_first_op_from_collection(tf.GraphKeys.LOCAL_INIT_OP)
      if local_init_op is None:
        ops = [tf.local_variables_initializer(), tf.tables_initializer()]
        if ops:
          local_init_op = tf.group(*ops)
          tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, local_init_op)
    self._local_init_op = local_init_op

  def _init_saver(self, saver):
    if saver is Supervisor.USE_DEFAULT:
      saver = self._get_first_op_from_collection(tf.GraphKeys.SAVERS)
      if saver is None and tf.global_variables():
        saver = tf.train.Saver()
        tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    self._saver = saver

  def _init_summary_op(self, summary_op):
    if summary_op is Supervisor.USE_DEFAULT:
      summary_op = self._get_first_op_from_collection(tf.GraphKeys.SUMMARY_OP)
      if summary_op is None:
        summary_op = tf.summary.merge_all()
        if summary_op is not None:
          tf.add_to_collection(tf.GraphKeys.SUMMARY_OP, summary_op)
    self._summary_op = summary_op

  def _init_global_step(self, global_step):
    if global_step is Supervisor.USE_DEFAULT:
      global_step = self._get_first_op_from_collection(tf.GraphKeys.GLOBAL_STEP)
      if global_step is None:
        global_step = self._default_global_step_tensor()
        if global_step is not None:
          tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, global_step)
    self._global_step = global_step

  def _default_global_step_tensor(self):
    """The tensor called "global_step:0" if it is a scalar integer, or None."""
    try:
      step = tf.get_default_graph().get_tensor_by_name("global_step:0")
    except KeyError:
      return None
    if step.dtype.base_dtype in (tf.int32, tf.int64):
      return step
    tf.logging.warning("Found 'global_step' but is not an int type: %s", step.dtype)
    return None

  def _verify_setup(self):
    # A replica that isn't the chief must not hold variables, which the chief couldn't reach.
    if not self._is_chief:
      for op in self._graph.get_operations():
        if op.type in ("Variable", "VariableV2") and not op.device:
          raise ValueError(f"When using replicas, all Variables must have their device set: {op}")

  @property
  def is_chief(self):
    return self._is_chief

  @property
  def session_manager(self):
    return self._session_manager

  @property
  def coord(self):
    return self._coord

  @property
  def init_op(self):
    return self._init_op

  @property
  def init_feed_dict(self):
    return self._init_feed_dict

  @property
  def ready_op(self):
    return self._ready_op

  @property
  def ready_for_local_init_op(self):
    return self._ready_for_local_init_op

  @property
  def summary_writer(self):
    return self._summary_writer

  @property
  def summary_op(self):
    return self._summary_op

  @property
  def save_summaries_secs(self):
    return self._save_summaries_secs

  @property
  def global_step(self):
    return self._global_step

  @property
  def saver(self):
    return self._saver

  @property
  def save_model_secs(self):
    return self._save_model_secs

  @property
  def save_path(self):
    return self._save_path

  def _write_graph(self):
    """Writes the graph as text, and as event."""
    assert self._is_chief
    if self._logdir:
      tf.train.write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
    if self._summary_writer and not self._graph_added_to_summary:
      self._summary_writer.add_graph(self._graph)
      self._summary_writer.add_meta_graph(self._meta_graph_def)
      self._graph_added_to_summary = True

  def start_standard_services(self, sess):
    """Starts the chief's threads for summaries, steps per second and checkpoints; returns them.

    Raises RuntimeError on another worker; ValueError without a folder is only a warning.
    """
    if not self._is_chief:
      raise RuntimeError("Only chief supervisor can start standard services. Because only chief supervisors can write events.")
    if not self._logdir:
      tf.logging.warning("Standard services need a 'logdir' passed to the SessionManager")
      return None
    if self._global_step is not None and self._summary_writer:
      # Where the training begins.
      current_step = tf.train.global_step(sess, self._global_step)
      self._summary_writer.add_session_log(protos.SessionLog(status=protos.SessionLog.START), current_step)
    threads = []
    if self._save_summaries_secs and self._summary_writer:
      if self._summary_op is not None:
        threads.append(supervisor_threads.SummaryThread(self, sess))
      if self._global_step is not None:
        threads.append(supervisor_threads.StepCounterThread(self, sess))
    if self.saver and self._save_model_secs:
      threads.append(supervisor_threads.CheckpointThread(self, sess))
    for t in threads:
      t.start()
    return threads

  def prepare_or_wait_for_session(
    self, master="", config=None, wait_for_checkpoint=False, max_wait_secs=7200, start_standard_services=True
  ):
    """A session that is ready: the chief makes it so, others wait for it. Queue runners are started."""
    # A supervisor can be used again after its stop.
    self._coord.clear_stop()
    if self._summary_writer:
      self._summary_writer.reopen()
    if self._is_chief:
      sess = self._session_manager.prepare_session(
        master,
        init_op=self.init_op,
        saver=self.saver,
        checkpoint_dir=self._logdir,
        wait_for_checkpoint=wait_for_checkpoint,
        max_wait_secs=max_wait_secs,
        config=config,
        init_feed_dict=self._init_feed_dict,
        init_fn=self._init_fn,
      )
      self._write_graph()
      if start_standard_services:
        tf.logging.info("Starting standard services.")
        self.start_standard_services(sess)
    else:
      sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
    if start_standard_services:
      tf.logging.info("Starting queue runners.")
      self.start_queue_runners(sess)
    return sess

  def start_queue_runners(self, sess, queue_runners=None):
    """Starts queue runners, by default those of the graph; returns their threads."""
    if queue_runners is None:
      queue_runners = self._graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    threads = []
    for qr in queue_runners:
      threads.extend(qr.create_threads(sess, coord=self._coord, daemon=True, start=True))
    return threads

  def loop(self, timer_interval_secs, target, args=None, kwargs=None):
    """Starts a LooperThread that calls `target`; returns it."""
    looper = coordinator.LooperThread(self._coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
    looper.start()
    return looper

  def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
    """Stops the services and the coordinator, and waits for the threads; raises their error if there was one."""
    self._coord.request_stop()
    try:
      # Threads that the coordinator doesn't know are those that the program made.
      self._coord.join(threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads)
    finally:
      # The events are written also after an error.
      if close_summary_writer and self._summary_writer:
        self._summary_writer.add_session_log(protos.SessionLog(status=protos.SessionLog.STOP))
        self._summary_writer.close()
        self._graph_added_to_summary = False

  def request_stop(self, ex=None):
    self._coord.request_stop(ex=ex)

  def should_stop(self):
    return self._coord.should_stop()

  def stop_on_exception(self):
    return self._coord.stop_on_exception()

  def wait_for_stop(self):
    self._coord.wait_for_stop()

  def summary_computed(self, sess, summary, global_step=None):
    """Writes a summary that the program has run. Raises TypeError without a summary writer."""
    if not self._summary_writer:
      raise RuntimeError("Writing a summary requires a summary writer.")
    if global_step is None and self.global_step is not None:
      global_step = tf.train.global_step(sess, self.global_step)
    self._summary_writer.add_summary(summary, global_step)

  @contextlib.contextmanager
  def managed_session(self, master="", config=None, start_standard_services=True, close_summary_writer=True):
    """A block with a session that is ready; at its end the supervisor stops, and errors of threads are raised."""
    try:
      sess = self.prepare_or_wait_for_session(master=master, config=config, start_standard_services=start_standard_services)
      yield sess
    except Exception as e:  # noqa: BLE001 (join raises it)
      self.request_stop(e)
    finally:
      try:
        # Threads may wait for the session, which is closed only then: their errors don't matter if the block had one.
        self.stop(close_summary_writer=close_summary_writer)
      finally:
        # Calls under way have ended or will with an error.
        try:
          sess.close()
        except Exception:  # noqa: BLE001
          tf.logging.vlog(1, "A session could not be closed.")

  # Older names of the same.
  PrepareSession = prepare_or_wait_for_session
  StartQueueRunners = start_queue_runners
  StartStandardServices = start_standard_services
  Stop = stop
  RequestStop = request_stop
  Loop = loop
  ShouldStop = should_stop
  StopOnException = stop_on_exception
  WaitForStop = wait_for_stop
  SummaryComputed = summary_computed


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=""):
  """Calls `train_step_fn(session, *args, **kwargs)` until the supervisor stops; begins anew after AbortedError."""
  args = args or []
  kwargs = kwargs or {}
  should_retry = True
  while should_retry:
    try:
      should_retry = False
      with supervisor.managed_session(master) as sess:
        while not supervisor.should_stop():
          train_step_fn(sess, *args, **kwargs)
    except tf.errors.AbortedError:
      # A task was restarted: the session is made anew.
      should_retry = True
