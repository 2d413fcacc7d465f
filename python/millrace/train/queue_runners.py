"""Queue runners: threads that keep a queue full by running its enqueue ops."""

import threading
import weakref

import millrace as tf
from millrace.framework import errors, protos
from millrace.framework import graph as graph_lib

_DEFAULT_CLOSED = (errors.OutOfRangeError,)


class QueueRunner:
  """A queue and the ops that fill it, each of which gets a thread.

  A thread ends when its op raises one of `queue_closed_exception_types`; the last one to end so closes the queue by
  `close_op`. When the coordinator stops, `cancel_op` closes the queue and cancels what waits for it.
  """

  def __init__(
    self,
    queue=None,
    enqueue_ops=None,
    close_op=None,
    cancel_op=None,
    queue_closed_exception_types=None,
    queue_runner_def=None,
    import_scope=None,
  ):
    if queue_runner_def:
      if queue or enqueue_ops:
        raise ValueError("queue_runner_def and queue are mutually exclusive.")
      self._init_from_proto(queue_runner_def, import_scope=import_scope)
    else:
      self._init_from_args(
        queue=queue,
        enqueue_ops=enqueue_ops,
        close_op=close_op,
        cancel_op=cancel_op,
        queue_closed_exception_types=queue_closed_exception_types,
      )
    self._lock = threading.Lock()
    # The number of threads that run, by session.
    self._runs_per_session = weakref.WeakKeyDictionary()
    self._exceptions_raised = []

  def _init_from_args(self, queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types):
    if not queue or not enqueue_ops:
      raise ValueError("Must provide queue and enqueue_ops.")
    self._queue = queue
    self._enqueue_ops = enqueue_ops
    self._close_op = close_op
    self._cancel_op = cancel_op
    if queue_closed_exception_types is not None and (
      not isinstance(queue_closed_exception_types, tuple)
      or not queue_closed_exception_types
      or not all(issubclass(t, errors.OpError) for t in queue_closed_exception_types)
    ):
      raise TypeError(
        f"queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: {queue_closed_exception_types}"
      )
    self._queue_closed_exception_types = queue_closed_exception_types
    if self._close_op is None:
      self._close_op = self._queue.close()
    if self._cancel_op is None:
      self._cancel_op = self._queue.close(cancel_pending_enqueues=True)
    if not self._queue_closed_exception_types:
      self._queue_closed_exception_types = _DEFAULT_CLOSED
    else:
      self._queue_closed_exception_types = tuple(self._queue_closed_exception_types)

  def _init_from_proto(self, queue_runner_def, import_scope=None):
    queue_runner_def = protos.coerce(protos.QueueRunnerDef, queue_runner_def)
    graph = graph_lib.get_default_graph()

    def element(name):
      return graph.as_graph_element(graph_lib.prepend_name_scope(name, import_scope))

    self._queue = element(queue_runner_def.queue_name)
    self._enqueue_ops = [element(name) for name in queue_runner_def.enqueue_op_name]
    self._close_op = element(queue_runner_def.close_op_name)
    self._cancel_op = element(queue_runner_def.cancel_op_name)
    self._queue_closed_exception_types = tuple(
      errors.exception_type_from_error_code(code) for code in queue_runner_def.queue_closed_exception_types
    )
    if not self._queue_closed_exception_types:
      self._queue_closed_exception_types = _DEFAULT_CLOSED

  @property
  def queue(self):
    return self._queue

  @property
  def enqueue_ops(self):
    return self._enqueue_ops

  @property
  def close_op(self):
    return self._close_op

  @property
  def cancel_op(self):
    return self._cancel_op

  @property
  def queue_closed_exception_types(self):
    return self._queue_closed_exception_types

  @property
  def exceptions_raised(self):
    """Errors of threads that ran without a coordinator."""
    return self._exceptions_raised

  @property
  def name(self):
    return self._queue.name

  def _run(self, sess, enqueue_op, coord=None):
    """What a thread does: runs `enqueue_op` until it fails or the coordinator stops."""
    decremented = False
    try:
      # One callable, so that a run costs little.
      enqueue_callable = sess.make_callable(enqueue_op)
      while True:
        if coord and coord.should_stop():
          break
        try:
          enqueue_callable()
        except self._queue_closed_exception_types:
          # The queue was closed, or the input is at its end.
          with self._lock:
            self._runs_per_session[sess] -= 1
            decremented = True
            if self._runs_per_session[sess] == 0:
              try:
                sess.run(self._close_op)
              except Exception as e:  # noqa: BLE001
                # The queue may be closed already.
                tf.logging.vlog(1, "Ignored exception: %s", str(e))
            return
    except Exception as e:
      if coord and coord.joined:
        # Nobody waits for this thread any more, and the session may be closed.
        tf.logging.vlog(1, "Ignored exception: %s", str(e))
      elif coord:
        coord.request_stop(e)
      else:
        tf.logging.error("Exception in QueueRunner: %s", str(e))
        with self._lock:
          self._exceptions_raised.append(e)
        raise
    finally:
      if not decremented:
        with self._lock:
          self._runs_per_session[sess] -= 1

  def _close_on_stop(self, sess, cancel_op, coord):
    """What the thread does that closes the queue when the coordinator stops."""
    coord.wait_for_stop()
    try:
      sess.run(cancel_op)
    except Exception as e:  # noqa: BLE001
      # The session may be closed already.
      tf.logging.vlog(1, "Ignored exception: %s", str(e))

  def create_threads(self, sess, coord=None, daemon=False, start=False):
    """The threads that run the ops in `sess`, started if asked for; none if those of an earlier call still run."""
    with self._lock:
      try:
        if self._runs_per_session[sess] > 0:
          # Somebody else has started them for this session.
          return []
      except KeyError:
        # A session that wasn't seen yet.
        pass
      self._runs_per_session[sess] = len(self._enqueue_ops)
      self._exceptions_raised = []
    threads = []
    for op in self._enqueue_ops:
      name = f"QueueRunnerThread-{self.name}-{op.name}"
      threads.append(threading.Thread(target=self._run, args=(sess, op, coord), name=name))
    if coord:
      name = f"QueueRunnerThread-{self.name}-close_on_stop"
      threads.append(threading.Thread(target=self._close_on_stop, args=(sess, self._cancel_op, coord), name=name))
    for t in threads:
      if coord:
        coord.register_thread(t)
      if daemon:
        t.daemon = True
      if start:
        t.start()
    return threads

  def to_proto(self, export_scope=None):
    """The QueueRunnerDef with names below `export_scope`, or None if the queue isn't there."""
    if export_scope is not None and not self.queue.name.startswith(export_scope):
      return None
    strip = graph_lib.strip_name_scope
    result = protos.QueueRunnerDef()
    result.queue_name = strip(self.queue.name, export_scope)
    for op in self.enqueue_ops:
      result.enqueue_op_name.append(strip(op.name, export_scope))
    result.close_op_name = strip(self.close_op.name, export_scope)
    result.cancel_op_name = strip(self.cancel_op.name, export_scope)
    result.queue_closed_exception_types.extend(
      [errors.error_code_from_exception_type(cls) for cls in self._queue_closed_exception_types]
    )
    return result

  @staticmethod
  def from_proto(queue_runner_def, import_scope=None):
    return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(qr, collection="queue_runners"):
  """Adds a queue runner to a collection of the graph, whose runners `start_queue_runners` starts."""
  tf.add_to_collection(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection="queue_runners"):
  """Starts all queue runners of the graph; returns their threads, none for a monitored session, which has started them.

  Raises ValueError if there is no session, RuntimeError if the graph is another than the default one.
  """
  if sess is None:
    sess = tf.get_default_session()
    if not sess:
      raise ValueError(
        "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an explicit "
        "session to tf.start_queue_runners(sess=sess)"
      )
  from millrace.train.session import monitored

  if isinstance(sess, monitored._MonitoredSession):
    # It has started them itself.
    return []
  # A session of another kind can't be told from a wrong argument by its class.
  if not hasattr(sess, "run") or not hasattr(sess, "graph"):
    raise TypeError(f"sess must be a `tf.Session` object. Given class: {sess.__class__}")
  runners = tf.get_collection(collection)
  if not runners:
    tf.logging.warning(
      "`tf.train.start_queue_runners()` was called when no queue runners were defined. You can safely remove the call to this "
      "deprecated function."
    )
  with sess.graph.as_default():
    threads = []
    for qr in tf.get_collection(collection):
      threads.extend(qr.create_threads(sess, coord=coord, daemon=daemon, start=start))
  return threads
