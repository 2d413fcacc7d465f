"""Loops that go on after errors which pass."""

import contextlib
import time

import millrace as tf


class FailureTolerator:
  """Forgives errors of `handled_exceptions` (AbortedError by default), at most `limit`, with longer and longer waits.

  After an error the next `forgive()` waits init_delay * backoff_factor^(errors - 1) seconds. Errors that are older than
  `forgive_after_seconds`, without the waits, do not count any more.
  """

  def __init__(self, limit=5, init_delay=5.0, backoff_factor=2.0, forgive_after_seconds=6000, handled_exceptions=None):
    self.limit = limit
    self.backoff = backoff_factor
    self.delay = init_delay
    self.forgive_after = forgive_after_seconds
    self.exceptions = []  # the moments of errors
    self.time_in_delay = 0.0
    self._handled = (tf.errors.AbortedError,) if handled_exceptions is None else tuple(handled_exceptions)

  def _now(self):
    """The seconds so far, without those of waits."""
    return time.time() - self.time_in_delay

  def _recent(self):
    self.exceptions = [moment for moment in self.exceptions if moment > self._now() - self.forgive_after]
    return len(self.exceptions)

  @contextlib.contextmanager
  def forgive(self):
    """A scope whose errors are logged and end it, as long as there are not too many."""
    if self._recent():
      wait = self.delay * self.backoff ** (self._recent() - 1)
      tf.logging.warning("Sleeping for %f seconds before resuming", wait)
      time.sleep(wait)
      self.time_in_delay += wait
    try:
      yield
    except self._handled as error:
      if self._recent() >= self.limit:
        tf.logging.error("Already caught %d exceptions; raising: %s", len(self.exceptions), error)
        raise
      self.exceptions.append(self._now())
      tf.logging.warning("Caught exception of %d allowed: %s", self.limit, error)
