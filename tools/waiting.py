"""How tests and benchmarks wait for a condition."""

import time

PATIENCE_S = 180  # far above the time of any step, including an import of TensorFlow on a busy machine
POLL_S = 0.005


def wait_for(condition, what, seconds=PATIENCE_S, poll_s=POLL_S):
  """Polls until `condition` returns a true value, and returns that. After this many seconds raises TimeoutError that names the
  condition: `what`, a text or a function that returns one."""
  end = time.monotonic() + seconds
  while True:
    found = condition()
    if found:
      return found
    if time.monotonic() > end:
      raise TimeoutError("after %g s: %s" % (seconds, what() if callable(what) else what))
    time.sleep(poll_s)
