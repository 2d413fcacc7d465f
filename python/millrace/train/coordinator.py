"""Coordinator: several threads that stop together, and whose first error is raised where they are joined."""

import contextlib
import sys
import threading
import time

import millrace as tf
from millrace.framework import errors


class Coordinator:
  """Stops a group of threads.

  Each thread asks `should_stop()`; one that calls `request_stop(error)` ends all, and `join` raises that error. Errors of
  `clean_stop_exception_types` (by default OutOfRangeError) stop without being raised.
  """

  def __init__(self, clean_stop_exception_types=None):
    if clean_stop_exception_types is None:
      clean_stop_exception_types = (errors.OutOfRangeError,)
    self._clean_stop_exception_types = tuple(clean_stop_exception_types)
    self._lock = threading.Lock()
    self._stop_event = threading.Event()
    self._exc_info_to_raise = None
    self._joined = False
    self._registered_threads = set()

  def _filter_exception(self, ex):
    """What is to be raised for `ex`: an error or the tuple of sys.exc_info(); None for a clean stop."""
    error = ex[1] if isinstance(ex, tuple) else ex
    return None if isinstance(error, self._clean_stop_exception_types) else ex

  def request_stop(self, ex=None):
    """Asks the threads to stop; the first `ex` (an error, or a tuple of sys.exc_info()) is raised by `join`.

    Raises RuntimeError or `ex` itself after `join` has returned.
    """
    with self._lock:
      ex = self._filter_exception(ex)
      if self._joined:
        if isinstance(ex, tuple):
          raise ex[1].with_traceback(ex[2])
        if ex is not None:
          raise ex
        # Without an error it does no harm: what was asked for has happened.
        return
      if self._stop_event.is_set():
        return
      if ex and self._exc_info_to_raise is None:
        if isinstance(ex, tuple):
          tf.logging.info("Error reported to Coordinator: %s", tf.compat.as_str_any(ex[1]), exc_info=ex)
          self._exc_info_to_raise = ex
        else:
          tf.logging.info("Error reported to Coordinator: %s, %s", type(ex), tf.compat.as_str_any(ex))
          self._exc_info_to_raise = (type(ex), ex, ex.__traceback__)
      self._stop_event.set()

  def clear_stop(self):
    """Goes back to running: no stop is asked for, and no error is kept."""
    with self._lock:
      self._joined = False
      self._exc_info_to_raise = None
      self._stop_event.clear()

  def should_stop(self):
    return self._stop_event.is_set()

  @contextlib.contextmanager
  def stop_on_exception(self):
    """A block whose error becomes that of `request_stop`."""
    try:
      yield
    except:  # noqa: E722 (whatever it is, the other threads have to stop)
      self.request_stop(ex=sys.exc_info())

  def wait_for_stop(self, timeout=None):
    """Waits up to `timeout` seconds until a stop is asked for; returns whether it is."""
    return self._stop_event.wait(timeout)

  def register_thread(self, thread):
    """Adds a thread that `join` waits for."""
    with self._lock:
      self._registered_threads.add(thread)

  def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
    """Waits for the registered threads and `threads`, then raises the error that stopped them.

    They have `stop_grace_period_secs` from the stop on; then RuntimeError is raised if some still run, unless
    `ignore_live_threads`.
    """
    with self._lock:
      if threads is None:
        threads = self._registered_threads
      else:
        threads = self._registered_threads.union(set(threads))
      threads = list(threads)
    while any(t.is_alive() for t in threads) and not self.wait_for_stop(1.0):
      pass
    # A main thread that died leaves its threads a short time to come to an end, too.
    stop_wait_secs = 0.001
    deadline = time.monotonic() + stop_grace_period_secs
    while any(t.is_alive() for t in threads) and time.monotonic() < deadline:
      time.sleep(stop_wait_secs)
      stop_wait_secs = min(2 * stop_wait_secs, 0.1)
    stragglers = [t.name for t in threads if t.is_alive()]
    with self._lock:
      self._joined = True
      # Threads may be used again by another join.
      self._registered_threads = set()
      if self._exc_info_to_raise:
        _, ex, trace = self._exc_info_to_raise
        raise ex.with_traceback(trace)
      if stragglers:
        names = " ".join(stragglers)
        if not ignore_live_threads:
          raise RuntimeError(f"Coordinator stopped with threads still running: {names}")
        tf.logging.info("Coordinator stopped with threads still running: %s", names)

  @property
  def joined(self):
    return self._joined

  def raise_requested_exception(self):
    """Raises the error that was given to `request_stop`, if there is one."""
    with self._lock:
      if self._exc_info_to_raise:
        _, ex, trace = self._exc_info_to_raise
        raise ex.with_traceback(trace)


class LooperThread(threading.Thread):
  """Calls a function again and again until its coordinator stops: every `timer_interval_secs`, or at once if that is None.

  An error of the function stops the coordinator.
  """

  def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
    if not isinstance(coord, Coordinator):
      raise ValueError(f"'coord' argument must be a Coordinator: {coord}")  # noqa: TRY004 (TensorFlow's class)
    super().__init__()
    self.daemon = True
    self._coord = coord
    self._timer_interval_secs = timer_interval_secs
    self._target = target
    if self._target:
      self._args = args or ()
      self._kwargs = kwargs or {}
    elif args or kwargs:
      raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
    self._coord.register_thread(self)

  @staticmethod
  def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
    """Starts a thread that loops; returns it."""
    looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
    looper.start()
    return looper

  def getName(self):
    return self.name

  def isAlive(self):
    return self.is_alive()

  def isDaemon(self):
    return self.daemon

  def setDaemon(self, daemonic):
    self.daemon = daemonic

  def setName(self, name):
    self.name = name

  def run(self):
    with self._coord.stop_on_exception():
      self.start_loop()
      if self._timer_interval_secs is None:
        # Without an interval, as fast as possible.
        while not self._coord.should_stop():
          self.run_loop()
      else:
        next_time = time.time()
        while not self._coord.wait_for_stop(next_time - time.time()):
          next_time += self._timer_interval_secs
          self.run_loop()
      self.stop_loop()

  def start_loop(self):
    """Called before the first round; subclasses override it."""

  def stop_loop(self):
    """Called after the last round; subclasses override it."""

  def run_loop(self):
    """One round: calls the target."""
    if self._target:
      self._target(*self._args, **self._kwargs)
