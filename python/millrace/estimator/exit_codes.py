"""The codes with which tasks of a cluster end.

Schedulers start a task again whose code is above 127, as after a kill, and give up the job for others. A task that ends because
others were lost can go on later.
"""

import sys

import millrace as tf

RETRY = 138
_LOST = (tf.errors.AbortedError, tf.errors.UnavailableError, tf.errors.DeadlineExceededError)


class worth_a_retry:
  """A block whose errors of lost tasks end the process, if nobody handles them, with a code that asks for another start."""

  def __enter__(self):
    return self

  def __exit__(self, kind, error, trace):
    if isinstance(error, _LOST):
      _end_by(error)
    return False


def _end_by(error):
  before = sys.excepthook

  def hook(kind, value, trace):
    before(kind, value, trace)
    if value is error:
      raise SystemExit(RETRY)

  sys.excepthook = hook
