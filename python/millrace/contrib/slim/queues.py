"""slim.queues: queue runners for the time of a block."""

import contextlib
import threading

import millrace as tf

_thread = threading.local()


class NestedQueueRunnerError(Exception):
  """Raised by QueueRunners within a block of QueueRunners."""


@contextlib.contextmanager
def QueueRunners(session):
  """A block in which the graph's queue runners run in a session. At its end they stop, and errors of their threads are raised.

  Raises NestedQueueRunnerError within another such block of the thread.
  """
  if getattr(_thread, "within", False):
    raise NestedQueueRunnerError("QueueRunners cannot be nested")
  _thread.within = True
  coordinator = tf.train.Coordinator()
  threads = []
  try:
    threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
    yield
  finally:
    _thread.within = False
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=120)
