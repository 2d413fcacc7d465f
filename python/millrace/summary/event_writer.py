"""Files of events, which TensorBoard reads: written by a thread of their own."""

import itertools
import os
import queue
import socket
import threading
import time

import millrace as tf
from millrace.framework import protos
from millrace.platform import at_exit
from millrace.summary import records


def _new_file(stem, suffix):
  """Makes a file that did not exist: two writers in one second would write over each other's events. Returns its path."""
  for number in itertools.count():
    path = f"{stem}{'.%d' % number if number else ''}{suffix}"
    try:
      os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
      continue
    except OSError:
      pass  # The writer says what is wrong.
    return path


class EventsWriter:
  """The file of one writer; it is made with its first event, which says the version. Programs know it by other names, too."""

  def __init__(self, path_prefix, filename_suffix=""):
    self._prefix = tf.compat.as_text(path_prefix)
    self._suffix = filename_suffix
    self._writer = None

  def write_event(self, event):
    """Appends an event."""
    self._open()
    self._writer.write(event.SerializeToString())

  def _open(self):
    if self._writer is None:
      now = time.time()
      stem = f"{self._prefix}.out.tfevents.{int(now):010d}.{socket.gethostname()}"
      self._path = _new_file(stem, self._suffix)
      self._writer = records.RecordWriter(self._path)
      version = protos.Event(wall_time=now, file_version="brain.Event:2")
      self._writer.write(version.SerializeToString())

  def flush(self):
    self._open()
    self._writer.flush()

  def close(self):
    writer, self._writer = self._writer, None
    if writer is not None:
      writer.close()

  WriteEvent = write_event
  Flush = flush
  Close = close

  def FileName(self):
    """The path of the file."""
    self._open()
    return tf.compat.as_bytes(self._path)


class EventFileWriter:
  """Writes events to a file in `logdir` by a thread: `add_event` waits only when `max_queue` events wait already.

  What is written becomes visible every `flush_secs` seconds, and by `flush()`.
  """

  def __init__(self, logdir, max_queue=10, flush_secs=120, filename_suffix=None):
    self._logdir = str(logdir)
    if not tf.gfile.IsDirectory(self._logdir):
      tf.gfile.MakeDirs(self._logdir)
    self._max_queue = max_queue
    self._flush_secs = flush_secs
    self._suffix = filename_suffix or ""
    self._lock = threading.Lock()
    self._closed = True
    self._error = None
    self._open()

  def _open(self):
    self._events = EventsWriter(os.path.join(self._logdir, "events"), self._suffix)
    # The file exists as soon as the writer does, so that tools can find it.
    self._events.flush()
    self._queue = queue.Queue(self._max_queue if self._max_queue > 0 else 1)
    self._closed = False
    self._worker = threading.Thread(target=self._run, args=(self._queue, self._events), daemon=True)
    self._worker.start()
    at_exit.flush_at_exit(self)

  def _run(self, waiting, events):
    next_flush = time.monotonic() + self._flush_secs
    while True:
      try:
        item = waiting.get(timeout=max(0.0, next_flush - time.monotonic()) if self._flush_secs > 0 else None)
      except queue.Empty:
        item = _Flush()
      try:
        if item is None:
          return
        if isinstance(item, _Flush):
          if not self._error:
            events.flush()
          next_flush = time.monotonic() + self._flush_secs
          item.done.set()
        elif not self._error:
          events.write_event(item)
          if self._flush_secs <= 0 or time.monotonic() > next_flush:
            events.flush()
            next_flush = time.monotonic() + self._flush_secs
      except Exception as e:  # noqa: BLE001 (it is raised where events are added)
        self._error = e
        if isinstance(item, _Flush):
          item.done.set()

  def get_logdir(self):
    return self._logdir

  def reopen(self):
    """Opens a new file after `close()`; does nothing before it."""
    with self._lock:
      if self._closed:
        self._error = None
        self._open()

  def add_event(self, event):
    """Takes an event to be written; after `close()` it is dropped. Raises the error of an earlier write."""
    if self._closed:
      return
    if self._error:
      error, self._error = self._error, None
      raise error
    self._queue.put(event)

  def flush(self):
    """Returns when all events are in the file."""
    if self._closed:
      return
    request = _Flush()
    self._queue.put(request)
    while not request.done.wait(0.1) and self._worker.is_alive():
      pass
    if self._error:
      error, self._error = self._error, None
      raise error

  def close(self):
    """Writes what waits and closes the file, also where that raises the error of a write."""
    with self._lock:
      if self._closed:
        return
      try:
        self.flush()
      finally:
        self._closed = True
        self._queue.put(None)
        self._worker.join()
        self._events.close()


class _Flush:
  """Asks the thread to flush."""

  def __init__(self):
    self.done = threading.Event()
