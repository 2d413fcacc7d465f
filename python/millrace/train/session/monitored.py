"""Monitored sessions: they initialize or restore themselves, call hooks, and recover from lost tasks."""

import millrace as tf
from millrace.framework import errors
from millrace.train.coordinator import Coordinator
from millrace.train.session import creators, saving_hooks, wrapped
from millrace.train.session import scaffold as scaffold_lib

# Parameters that weren't given, where None means something.
USE_DEFAULT = object()


class _CoordinatedSessionCreator(creators.SessionCreator):
  """Makes a session with a coordinator, its queue runners and hooks."""

  def __init__(self, session_creator, hooks, stop_grace_period_secs):
    self._session_creator = session_creator
    self._hooks = hooks
    self.coord = None
    self.tf_sess = None
    self._stop_grace_period_secs = stop_grace_period_secs

  def create_session(self):
    self.tf_sess = self._session_creator.create_session()
    self.coord = Coordinator(clean_stop_exception_types=[])
    if tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
      tf.train.start_queue_runners(sess=self.tf_sess, coord=self.coord)
    for hook in self._hooks:
      hook.after_create_session(self.tf_sess, self.coord)
    return wrapped.CoordinatedSession(wrapped.HookedSession(self.tf_sess, self._hooks), self.coord, self._stop_grace_period_secs)


class _MonitoredSession:
  """What MonitoredSession and SingularMonitoredSession share."""

  StepContext = wrapped._StepContext

  def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
    self._graph_was_finalized = tf.get_default_graph().finalized
    self._hooks = hooks or []
    for h in self._hooks:
      h.begin()
    worker_creator = session_creator or creators.ChiefSessionCreator()
    self._coordinated_creator = _CoordinatedSessionCreator(
      session_creator=worker_creator, hooks=self._hooks, stop_grace_period_secs=stop_grace_period_secs
    )
    if should_recover:
      self._sess = wrapped.RecoverableSession(self._coordinated_creator)
    else:
      self._sess = self._coordinated_creator.create_session()

  @property
  def graph(self):
    """The graph of the session, or None once it is closed."""
    if self._tf_sess() is None:
      return None
    return self._tf_sess().graph

  def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
    """Runs as a session does, with the hooks.

    Raises RuntimeError after a hook asked to stop, and AttributeError once the session is closed, as TensorFlow's does.
    """
    return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

  def run_step_fn(self, step_fn):
    """Calls `step_fn(step_context)`, or `step_fn(self, step_context)` of a method; returns its result.

    Raises ValueError for functions of other arguments. StopIteration of the function ends the training.
    """
    import inspect

    arguments = tuple(inspect.signature(step_fn).parameters)
    if arguments not in (("step_context",), ("self", "step_context")):
      raise ValueError(
        "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's an instance "
        f"method. Got {arguments} instead."
      )
    # The function may run several times: after a recovery it begins anew.
    return self._sess.run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

  def should_stop(self):
    return self._sess is None or self._sess.should_stop()

  def close(self):
    self._close_internal()

  def __enter__(self):
    return self

  def __exit__(self, exception_type, exception_value, traceback):
    if exception_type in [errors.OutOfRangeError, StopIteration]:
      # The input is at its end: the training is done.
      exception_type = None
    self._close_internal(exception_type)
    # Errors go on, ends of input don't.
    return exception_type is None

  def _close_internal(self, exception_type=None):
    try:
      if not exception_type:
        for h in self._hooks:
          h.end(self._coordinated_creator.tf_sess)
    finally:
      try:
        if self._sess is None:
          raise RuntimeError("Session is already closed.")
        self._sess.close()
      finally:
        self._sess = None
        self._coordinated_creator.tf_sess = None
        self._coordinated_creator.coord = None
        if not self._graph_was_finalized:
          tf.get_default_graph()._unsafe_unfinalize()

  def _is_closed(self):
    """Whether the session is closed."""
    return self._coordinated_creator.tf_sess is None

  def _tf_sess(self):
    """The session within that belongs to the graph."""
    return self._coordinated_creator.tf_sess


class MonitoredSession(_MonitoredSession):
  """A session with hooks that recovers: after AbortedError and UnavailableError a new one is made and the run repeated.

  `session_creator` is ChiefSessionCreator() if it isn't given.
  """

  def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
    super().__init__(session_creator, hooks, should_recover=True, stop_grace_period_secs=stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
  """A session with hooks that doesn't recover, and shows the session within: `raw_session()`."""

  def __init__(
    self,
    hooks=None,
    scaffold=None,
    master="",
    config=None,
    checkpoint_dir=None,
    stop_grace_period_secs=120,
    checkpoint_filename_with_path=None,
  ):
    session_creator = creators.ChiefSessionCreator(
      scaffold=scaffold,
      master=master,
      config=config,
      checkpoint_dir=checkpoint_dir,
      checkpoint_filename_with_path=checkpoint_filename_with_path,
    )
    super().__init__(session_creator, hooks, should_recover=False, stop_grace_period_secs=stop_grace_period_secs)

  def raw_session(self):
    return self._tf_sess()


def MonitoredTrainingSession(
  master="",
  is_chief=True,
  checkpoint_dir=None,
  scaffold=None,
  hooks=None,
  chief_only_hooks=None,
  save_checkpoint_secs=USE_DEFAULT,
  save_summaries_steps=USE_DEFAULT,
  save_summaries_secs=USE_DEFAULT,
  config=None,
  stop_grace_period_secs=120,
  log_step_count_steps=100,
  max_wait_secs=7200,
  save_checkpoint_steps=USE_DEFAULT,
  summary_dir=None,
):
  """A MonitoredSession for training.

  The chief restores from `checkpoint_dir` or initializes, and saves checkpoints (every 600 seconds), summaries (every 100
  steps) and steps a second; workers wait for it. None for both times of a kind switches it off.
  """
  if save_summaries_steps is USE_DEFAULT and save_summaries_secs is USE_DEFAULT:
    save_summaries_steps = 100
    save_summaries_secs = None
  elif save_summaries_secs is USE_DEFAULT:
    save_summaries_secs = None
  elif save_summaries_steps is USE_DEFAULT:
    save_summaries_steps = None
  if save_checkpoint_steps is USE_DEFAULT and save_checkpoint_secs is USE_DEFAULT:
    save_checkpoint_steps = None
    save_checkpoint_secs = 600
  elif save_checkpoint_secs is USE_DEFAULT:
    save_checkpoint_secs = None
  elif save_checkpoint_steps is USE_DEFAULT:
    save_checkpoint_steps = None
  scaffold = scaffold or scaffold_lib.Scaffold()
  if not is_chief:
    session_creator = creators.WorkerSessionCreator(scaffold=scaffold, master=master, config=config, max_wait_secs=max_wait_secs)
    return MonitoredSession(session_creator=session_creator, hooks=hooks or [], stop_grace_period_secs=stop_grace_period_secs)
  all_hooks = []
  if chief_only_hooks:
    all_hooks.extend(chief_only_hooks)
  session_creator = creators.ChiefSessionCreator(scaffold=scaffold, checkpoint_dir=checkpoint_dir, master=master, config=config)
  summary_dir = summary_dir or checkpoint_dir
  if summary_dir:
    if log_step_count_steps and log_step_count_steps > 0:
      all_hooks.append(saving_hooks.StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
    if (save_summaries_steps and save_summaries_steps > 0) or (save_summaries_secs and save_summaries_secs > 0):
      all_hooks.append(
        saving_hooks.SummarySaverHook(
          scaffold=scaffold,
          save_steps=save_summaries_steps,
          save_secs=save_summaries_secs,
          output_dir=summary_dir,
        )
      )
  if checkpoint_dir and (
    (save_checkpoint_secs and save_checkpoint_secs > 0) or (save_checkpoint_steps and save_checkpoint_steps > 0)
  ):
    all_hooks.append(
      saving_hooks.CheckpointSaverHook(
        checkpoint_dir, save_steps=save_checkpoint_steps, save_secs=save_checkpoint_secs, scaffold=scaffold
      )
    )
  if hooks:
    all_hooks.extend(hooks)
  return MonitoredSession(session_creator=session_creator, hooks=all_hooks, stop_grace_period_secs=stop_grace_period_secs)
