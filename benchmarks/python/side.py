"""One of the two packages, in a process that does as it is told: side.py stock|millrace.

Lines on standard input, answers as JSON on standard output: `row NAME` prepares a row and answers what it is; `calls N` makes N
calls, after one that brings its data into the caches, and answers the seconds of a call; `check` answers what the row checks.
`list` in the place of standard input prints the names of the rows.
"""

import json
import os
import sys
import time
import traceback


def package(name):
  if name == "millrace":
    import millrace as tf

    return tf
  os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
  os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
  import tensorflow.compat.v1 as tf

  tf.disable_v2_behavior()
  tf.logging.set_verbosity(tf.logging.ERROR)
  return tf


class Side:
  def __init__(self, tf, rows):
    self._tf, self._rows, self._work = tf, rows, None

  def row(self, name):
    self._work = None  # the former row's tensors go first
    self._tf.reset_default_graph()
    self._work = work = self._rows[name](self._tf)
    return dict(unit=work.unit, amount=work.amount, tolerance=work.tolerance)

  def calls(self, count):
    call = self._work.call
    call()
    start = time.perf_counter()
    for _ in range(int(count)):
      call()
    return dict(seconds=(time.perf_counter() - start) / int(count))

  def check(self):
    return dict(check=self._work.check())


def every_row():
  """Returns what prepares each row: those of rows.py, and single ops under "ops/"."""
  import op_rows
  import rows

  return {**rows.ROWS, **op_rows.rows()}


def main():
  import rows

  if sys.argv[2:] == ["list"]:
    print("\n".join(rows.ROWS))
    return
  answers = os.fdopen(os.dup(1), "w")
  os.dup2(2, 1)  # what a package prints is no answer
  side = Side(package(sys.argv[1]), every_row())
  print(json.dumps(dict(ready=True)), file=answers, flush=True)
  for line in sys.stdin:
    verb, *words = line.split()
    try:
      answer = getattr(side, verb)(*words)
    except Exception as error:
      answer = dict(error="%s: %s" % (type(error).__name__, error), trace=traceback.format_exc())
    print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
  main()
