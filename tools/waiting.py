"""How tests and benchmarks wait for something to be so."""

import time

PATIENCE_S = 180  # far above what anything should take, also an import of TensorFlow on a busy machine
POLL_S = 0.005


def wait_for(condition, what, seconds=PATIENCE_S, poll_s=POLL_S):
  """Polls until `condition` gives something true, and returns that. After so many seconds TimeoutError says what was waited
  for: `what`, a text or a function that gives one then."""
  end = time.monotonic() + seconds
  while True:
    found = condition()
    if found:
      return found
    if time.monotonic() > end:
      raise TimeoutError("after %g s: %s" % (seconds, what() if callable(what) else what))
    time.sleep(poll_s)
