"""Progress lines, one per task, and the repository's root."""

import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def say(text):
  print(text, flush=True)


def fail(text):
  """Exits with a message."""
  print("./dev: " + text, file=sys.stderr, flush=True)
  raise SystemExit(1)


def seconds(s):
  return "%.1f s" % s if s < 100 else "%d min %02d s" % divmod(round(s), 60)


class Line:
  """`with Line("installing x") as line:` shows the text while it lasts, then the time.

  On a terminal the line is shown at once and completed in place; elsewhere it
  is printed when it begins and when it ends, and every few seconds if it makes
  progress.
  """

  def __init__(self, text):
    self.text, self.result = text, "done"

  def progress(self, how_far):
    """Shows how far it is; may be called often."""
    now = time.monotonic()
    terminal = sys.stdout.isatty()
    if now - self.shown < (0.2 if terminal else 5):
      return
    self.shown = now
    if terminal:
      print("\r\033[K%s ... %s " % (self.text, how_far), end="", flush=True)
    else:
      say("  %s %s" % (self.text, how_far))

  def __enter__(self):
    self.start = self.shown = time.monotonic()
    print(self.text + " ... ", end="" if sys.stdout.isatty() else "\n", flush=True)
    return self

  def __exit__(self, kind, value, trace):
    result = self.result if kind is None else "failed"
    took = seconds(time.monotonic() - self.start)
    if sys.stdout.isatty():
      say("\r\033[K%s ... %s (%s)" % (self.text, result, took))
    else:
      say("%s: %s (%s)" % (self.text, result, took))
    return False
