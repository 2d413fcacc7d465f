"""SessionManager: makes sessions whose variables are restored, initialized, or waited for."""

import time

import numpy as np

import millrace as tf
from millrace.framework import errors
from millrace.train.saver import checkpoint_state


def _maybe_name(obj):
  """A name of `obj` for messages."""
  if obj is None:
    return "None"
  return obj.name if hasattr(obj, "name") else f"<no name for {type(obj)}>"


class SessionManager:
  """Makes sessions from checkpoints, and waits for those that another task initializes.

  `ready_op` gives the names of variables that aren't initialized, so an empty one is ready; `ready_for_local_init_op` is the
  same for the moment at which `local_init_op` may run. `recovery_wait_secs` are between two looks.
  """

  def __init__(
    self,
    local_init_op=None,
    ready_op=None,
    ready_for_local_init_op=None,
    graph=None,
    recovery_wait_secs=30,
    local_init_run_options=None,
  ):
    if graph is None:
      graph = tf.get_default_graph()
    self._local_init_op = local_init_op
    self._ready_op = ready_op
    self._ready_for_local_init_op = ready_for_local_init_op
    self._graph = graph
    self._recovery_wait_secs = recovery_wait_secs
    self._target = None
    self._local_init_run_options = local_init_run_options
    if ready_for_local_init_op is not None and local_init_op is None:
      raise ValueError(
        "If you pass a ready_for_local_init_op you must also pass a local_init_op "
        f", ready_for_local_init_op [{ready_for_local_init_op}]"
      )

  def _restore_checkpoint(
    self,
    master,
    saver=None,
    checkpoint_dir=None,
    checkpoint_filename_with_path=None,
    wait_for_checkpoint=False,
    max_wait_secs=7200,
    config=None,
  ):
    """A session, and whether it was restored from a checkpoint. Raises ValueError for both a folder and a file."""
    self._target = master
    sess = tf.Session(self._target, graph=self._graph, config=config)
    if checkpoint_dir and checkpoint_filename_with_path:
      raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
    # A session without a saver isn't restored.
    if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
      return sess, False
    if checkpoint_filename_with_path:
      saver.restore(sess, checkpoint_filename_with_path)
      return sess, True
    wait_time = 0
    state = checkpoint_state.get_checkpoint_state(checkpoint_dir)
    while not state or not state.model_checkpoint_path:
      if wait_for_checkpoint and wait_time < max_wait_secs:
        tf.logging.info("Waiting for checkpoint to be available.")
        time.sleep(self._recovery_wait_secs)
        wait_time += self._recovery_wait_secs
        state = checkpoint_state.get_checkpoint_state(checkpoint_dir)
      else:
        return sess, False
    saver.restore(sess, state.model_checkpoint_path)
    saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
    return sess, True

  def prepare_session(
    self,
    master,
    init_op=None,
    saver=None,
    checkpoint_dir=None,
    checkpoint_filename_with_path=None,
    wait_for_checkpoint=False,
    max_wait_secs=7200,
    config=None,
    init_feed_dict=None,
    init_fn=None,
  ):
    """A session that is ready: restored from a checkpoint, or initialized by `init_op` and `init_fn(session)`.

    Raises RuntimeError if it can't be made ready.
    """
    sess, restored = self._restore_checkpoint(
      master,
      saver,
      checkpoint_dir=checkpoint_dir,
      checkpoint_filename_with_path=checkpoint_filename_with_path,
      wait_for_checkpoint=wait_for_checkpoint,
      max_wait_secs=max_wait_secs,
      config=config,
    )
    if not restored:
      if init_op is None and not init_fn and self._local_init_op is None:
        raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
      if init_op is not None:
        sess.run(init_op, feed_dict=init_feed_dict)
      if init_fn:
        init_fn(sess)
    local_init_success, msg = self._try_run_local_init_op(sess)
    if not local_init_success:
      raise RuntimeError(
        "Init operations did not make model ready for local_init.  "
        f"Init op: {_maybe_name(init_op)}, init fn: {init_fn}, error: {msg}"
      )
    is_ready, msg = self._model_ready(sess)
    if not is_ready:
      raise RuntimeError(
        "Init operations did not make model ready.  "
        f"Init op: {_maybe_name(init_op)}, init fn: {init_fn}, local_init_op: {self._local_init_op}, error: {msg}"
      )
    return sess

  def recover_session(
    self,
    master,
    saver=None,
    checkpoint_dir=None,
    checkpoint_filename_with_path=None,
    wait_for_checkpoint=False,
    max_wait_secs=7200,
    config=None,
  ):
    """A session, and whether it is ready, by its checkpoint or because its variables are initialized already."""
    sess, restored = self._restore_checkpoint(
      master,
      saver,
      checkpoint_dir=checkpoint_dir,
      checkpoint_filename_with_path=checkpoint_filename_with_path,
      wait_for_checkpoint=wait_for_checkpoint,
      max_wait_secs=max_wait_secs,
      config=config,
    )
    # Without a local init op the model need not be ready for it.
    local_init_success, msg = self._try_run_local_init_op(sess)
    if not restored:
      # Without a checkpoint it may still have been initialized by another client.
      return sess, False
    restoring_file = checkpoint_dir or checkpoint_filename_with_path
    if not local_init_success:
      tf.logging.info("Restoring model from %s did not make model ready for local init: %s", restoring_file, msg)
      return sess, False
    is_ready, msg = self._model_ready(sess)
    if not is_ready:
      tf.logging.info("Restoring model from %s did not make model ready: %s", restoring_file, msg)
      return sess, False
    tf.logging.info("Restored model from %s", restoring_file)
    return sess, is_ready

  def wait_for_session(self, master, config=None, max_wait_secs=float("Inf")):
    """Waits until another task has initialized the model; returns a session.

    Raises DeadlineExceededError after `max_wait_secs`.
    """
    self._target = master
    if max_wait_secs is None:
      max_wait_secs = float("Inf")
    timer = _CountDownTimer(max_wait_secs)
    while True:
      sess = tf.Session(self._target, graph=self._graph, config=config)
      not_ready_msg = None
      not_ready_local_msg = None
      local_init_success, not_ready_local_msg = self._try_run_local_init_op(sess)
      if local_init_success:
        # The local init op may need what isn't there yet, so this comes second.
        is_ready, not_ready_msg = self._model_ready(sess)
        if is_ready:
          return sess
      self._safe_close(sess)
      remaining_ms_after_wait = timer.secs_remaining() - self._recovery_wait_secs
      if remaining_ms_after_wait < 0:
        raise errors.DeadlineExceededError(None, None, f"Session was not ready after waiting {max_wait_secs} secs.")
      tf.logging.info(
        "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s", not_ready_local_msg, not_ready_msg
      )
      time.sleep(self._recovery_wait_secs)

  def _safe_close(self, sess):
    """Closes a session; its errors don't matter any more."""
    try:
      sess.close()
    except Exception:  # noqa: BLE001
      tf.logging.vlog(1, "A session could not be closed.")

  def _model_ready(self, sess):
    return _ready(self._ready_op, sess, "Model not ready")

  def _model_ready_for_local_init(self, sess):
    return _ready(self._ready_for_local_init_op, sess, "Model not ready for local init")

  def _try_run_local_init_op(self, sess):
    """Runs the local init op once the model is ready for it; returns whether it ran (or there is none), and why not."""
    if self._local_init_op is None:
      return True, None
    is_ready, msg = self._model_ready_for_local_init(sess)
    if not is_ready:
      return False, msg
    tf.logging.info("Running local_init_op.")
    sess.run(self._local_init_op, options=self._local_init_run_options)
    tf.logging.info("Done running local_init_op.")
    return True, None


def _ready(op, sess, msg):
  """Whether the model is ready by `op` (None is ready), and a text if it isn't."""
  if op is None:
    return True, None
  try:
    value = sess.run(op)
    # The op gives the names of what isn't ready.
    if value is None or getattr(value, "dtype", None) is None or value.dtype == np.int32 or value.size == 0:
      return True, None
    non_initialized = ", ".join(i.decode("utf-8") for i in value)
    return False, "Variables not initialized: " + non_initialized
  except errors.FailedPreconditionError as e:
    if "uninitialized" not in str(e):
      tf.logging.warning("%s : error [%s]", msg, str(e))
      raise
    return False, str(e)


class _CountDownTimer:
  def __init__(self, duration_secs):
    self._start = time.monotonic()
    self._duration_secs = duration_secs

  def secs_remaining(self):
    return max(0, self._duration_secs - (time.monotonic() - self._start))
