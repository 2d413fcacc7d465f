"""Open files are flushed when the process ends, though its program never closes them.

TensorFlow's are C's files, whose ends the C library writes; Python doesn't write those of objects that are still referred to.
"""

import atexit
import contextlib
import os
import threading
import weakref

_writers = weakref.WeakSet()
_lock = threading.Lock()


def flush_at_exit(writer):
  """When this process ends, `writer.flush()` is called, if the writer is still there."""
  with _lock:
    _writers.add(writer)


@atexit.register
def _flush_all():
  with _lock:
    writers = list(_writers)
  with contextlib.ExitStack() as flushing:  # which goes on after an error
    for writer in writers:
      flushing.callback(writer.flush)


def _forget_all():
  """A forked process has copies of what its parent will write."""
  global _lock
  _lock = threading.Lock()
  _writers.clear()


os.register_at_fork(after_in_child=_forget_all)
