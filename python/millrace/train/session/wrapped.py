"""Sessions around sessions: with a coordinator, with recovery, with hooks."""

import millrace as tf
from millrace.framework import errors, protos
from millrace.train.session.hooks_base import SessionRunArgs, SessionRunContext, SessionRunValues

# What is recovered from: a task that was restarted, or one that can't be reached.
PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)


class WrappedSession:
  """Passes runs on to a session, which is None once it is closed."""

  def __init__(self, sess):
    self._sess = sess
    self._wrapped_is_stoppable = isinstance(self._sess, WrappedSession)

  @property
  def graph(self):
    return self._sess.graph

  @property
  def sess_str(self):
    return self._sess.sess_str

  def should_stop(self):
    """Whether this session, or one within it, is at its end."""
    if self._check_stop():
      return True
    if self._sess:
      return self._wrapped_is_stoppable and self._sess.should_stop()
    return True

  def _check_stop(self):
    return False

  def close(self):
    if self._sess:
      try:
        self._sess.close()
      except PREEMPTION_ERRORS as e:
        tf.logging.error(
          "An error occurred when attempting to close the session. This may be due to a preemption in a connected worker or "
          "parameter server. Error: %s",
          e,
        )
      finally:
        self._sess = None

  def run(self, *args, **kwargs):
    return self._sess.run(*args, **kwargs)

  def run_step_fn(self, step_fn, raw_session, run_with_hooks):
    # Sessions within run the function with their own hooks.
    run_with_hooks = run_with_hooks or self.run
    return step_fn(_StepContext(raw_session, run_with_hooks))


class _StepContext:
  """What a step function gets: the session without hooks, runs with hooks, and `request_stop()`."""

  def __init__(self, session, run_with_hooks_fn):
    self._session = session
    self._run_with_hooks_fn = run_with_hooks_fn

  @property
  def session(self):
    return self._session

  def run_with_hooks(self, *args, **kwargs):
    """Runs with the hooks of the monitored session."""
    return self._run_with_hooks_fn(*args, **kwargs)

  def request_stop(self):
    """Ends the training, as a hook's `request_stop` does."""
    raise StopIteration("step_fn has requested the iterations to stop.")


class CoordinatedSession(WrappedSession):
  """A session with a coordinator, whose threads are joined when it closes."""

  def __init__(self, sess, coord, stop_grace_period_secs=120):
    super().__init__(sess)
    self._coord = coord
    self._stop_grace_period_secs = stop_grace_period_secs

  def _check_stop(self):
    # An error of a thread is raised here, where it can be recovered from.
    self._coord.raise_requested_exception()
    return self._coord.should_stop()

  def close(self):
    self._coord.request_stop()
    try:
      self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True)
    finally:
      try:
        super().close()
      except Exception as e:  # noqa: BLE001 (the error of the join matters)
        tf.logging.vlog(1, "Closing a session failed: %s", e)

  def run(self, *args, **kwargs):
    try:
      return self._sess.run(*args, **kwargs)
    except PREEMPTION_ERRORS:
      raise
    except Exception as original:
      # A thread may have failed with the real reason.
      try:
        self._coord.raise_requested_exception()
      except PREEMPTION_ERRORS:
        raise
      except Exception:  # noqa: BLE001
        raise original from None
      raise


class RecoverableSession(WrappedSession):
  """A session that is made anew when a run ends with AbortedError or UnavailableError."""

  def __init__(self, sess_creator):
    self._sess_creator = sess_creator
    super().__init__(self._create_session())

  def _create_session(self):
    while True:
      try:
        return self._sess_creator.create_session()
      except PREEMPTION_ERRORS as e:
        tf.logging.info(
          "An error was raised while a session was being created. This may be due to a preemption of a connected worker or "
          "parameter server. A new session will be created. Error: %s",
          e,
        )

  def _check_stop(self):
    try:
      if self._sess:
        return self._sess._check_stop()
      return True
    except PREEMPTION_ERRORS as e:
      self._recover("An error was raised while considering whether the session is complete.", e)
      # A session that was only closed would count as at its end.
      self._sess = self._create_session()
      return False
    except Exception:  # noqa: BLE001
      # It is raised when the session is left, which joins the threads.
      return True

  def _recover(self, when, error):
    tf.logging.info(
      "%s This may be due to a preemption in a connected worker or parameter server. The current session will be closed and a "
      "new session will be created. Error: %s",
      when,
      error,
    )
    self.close()
    self._sess = None

  def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
    while True:
      try:
        if not self._sess:
          self._sess = self._create_session()
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
      except PREEMPTION_ERRORS as e:
        self._recover("An error was raised.", e)

  def run_step_fn(self, step_fn, raw_session, run_with_hooks):
    while True:
      try:
        if not self._sess:
          self._sess = self._create_session()
        run_with_hooks = self._sess.run
        return self._sess.run_step_fn(step_fn, self._raw(), run_with_hooks)
      except PREEMPTION_ERRORS as e:
        self._recover("An error was raised.", e)

  def _raw(self):
    sess = self._sess
    while isinstance(sess, WrappedSession):
      sess = sess._sess
    return sess


class HookedSession(WrappedSession):
  """Calls hooks around runs, and runs what they ask for with them."""

  def __init__(self, sess, hooks):
    super().__init__(sess)
    self._hooks = hooks
    self._should_stop = False

  def _check_stop(self):
    return self._should_stop

  def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
    if self.should_stop():
      raise RuntimeError("Run called even after should_stop requested.")
    actual_fetches = {"caller": fetches}
    run_context = SessionRunContext(original_args=SessionRunArgs(fetches, feed_dict), session=self._raw_session())
    options = protos.coerce(protos.RunOptions, options) if options is not None else protos.RunOptions()
    feed_dict = self._call_hook_before_run(run_context, actual_fetches, feed_dict, options)
    run_metadata = run_metadata if run_metadata is not None else protos.RunMetadata()
    outputs = self._sess.run(fetches=actual_fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
    for hook in self._hooks:
      hook.after_run(
        run_context,
        SessionRunValues(
          results=outputs.get(hook, None),
          options=options,
          run_metadata=run_metadata,
        ),
      )
    self._should_stop = self._should_stop or run_context.stop_requested
    return outputs["caller"]

  def _raw_session(self):
    sess = self._sess
    while isinstance(sess, WrappedSession):
      sess = sess._sess
    return sess

  def _call_hook_before_run(self, run_context, fetch_dict, user_feed_dict, options):
    """Asks all hooks what they add; returns the feeds of all. Raises RuntimeError if two feed the same tensor."""
    hook_feeds = {}
    for hook in self._hooks:
      request = hook.before_run(run_context)
      if request is None:
        continue
      if request.fetches is not None:
        fetch_dict[hook] = request.fetches
      if request.feed_dict:
        _raise_if_fed_twice(hook_feeds, request.feed_dict, "Same tensor is fed by two hooks.")
        hook_feeds.update(request.feed_dict)
      if request.options:
        _merge_run_options(options, protos.coerce(protos.RunOptions, request.options))
    if not hook_feeds:
      return user_feed_dict
    if not user_feed_dict:
      return hook_feeds
    _raise_if_fed_twice(user_feed_dict, hook_feeds, "Same tensor is fed by a SessionRunHook and user.")
    hook_feeds.update(user_feed_dict)
    return hook_feeds


def _raise_if_fed_twice(feeds, others, message):
  both = [key for key in others if key in feeds]
  if both:
    raise RuntimeError(f"{message} Conflict(s): {both}")


def _merge_run_options(options, incoming):
  """Takes over what is stronger: the finer trace, the longer timeout, what is asked for by either."""
  options.trace_level = max(options.trace_level, incoming.trace_level)
  options.timeout_in_ms = max(options.timeout_in_ms, incoming.timeout_in_ms)
  options.inter_op_thread_pool = max(options.inter_op_thread_pool, incoming.inter_op_thread_pool)
  options.output_partition_graphs = max(options.output_partition_graphs, incoming.output_partition_graphs)
  options.debug_options.debug_tensor_watch_opts.extend(incoming.debug_options.debug_tensor_watch_opts)
  options.debug_options.reset_disk_byte_usage = (
    options.debug_options.reset_disk_byte_usage or incoming.debug_options.reset_disk_byte_usage
  )
  options.report_tensor_allocations_upon_oom = (
    options.report_tensor_allocations_upon_oom or incoming.report_tensor_allocations_upon_oom
  )
