"""The clock by which tasks of a cluster wait for each other; tests set another one."""

import time as _time


class Clock:
  """The machine's own time."""

  def time(self):
    """Seconds since the epoch."""
    return _time.time()

  def sleep(self, seconds):
    """Returns after so many seconds."""
    _time.sleep(seconds)


_clock = Clock()


def use(clock):
  """Lets everything here wait by another clock, which has the methods of Clock; returns the one before."""
  global _clock
  before, _clock = _clock, clock
  return before


def time():
  return _clock.time()


def sleep(seconds):
  _clock.sleep(seconds)
