"""Runs a program on a cluster of ours and on one of stock, and compares what each of its runs gives.

def program(seen):
  queue = tf1.FIFOQueue(10, [tf.int32], [[]])
  seen.run("put", queue.enqueue(7))
  seen.run("take", queue.dequeue())

compare(clusters, program)
"""

import math
import re

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
errors = tf.errors

SOON = tf1.RunOptions(timeout_in_ms=700)
PLENTY = tf1.RunOptions(timeout_in_ms=60_000)
tf1.logging.set_verbosity("ERROR")

PREFACE = re.compile(r"Graph execution error:|Detected at node |    File |Node: '|=====|([A-Z_]+: )?From /job:|$")


def words(error):
  """What the kernel said, without the client's preface, who tells it, and numbers of private names."""
  text = next(line for line in error.message.split("\n") if not PREFACE.match(line))
  text = text.split("\t [[")[0].split("' failed with")[0]
  text = re.sub(r"; in file \S+", "", text)  # of a damaged record, which stock's error does not name
  return re.sub(r"(?<!\w)_\d+_", "_N_", text)


class Seen:
  """What a program saw: pairs of a name and a value, or an error's class and words."""

  def __init__(self, session):
    self.session = session
    self.all = []

  def run(self, name, fetches, feed=None, options=PLENTY):
    try:
      value = self.session.run(fetches, feed, options=options)
      if isinstance(value, (list, tuple)):
        value = [np.asarray(v).tolist() for v in value]
      elif value is not None:
        value = np.asarray(value).tolist()
      self.add(name, value)
    except errors.OpError as e:
      # Who ends a step at its deadline says so in words of its own.
      timed_out = isinstance(e, errors.DeadlineExceededError)
      self.add(name, (type(e).__name__, "" if timed_out else words(e)))

  def add(self, name, value):
    self.all.append((name, value))


def same(ours, stock):
  """Whether two values are the same, numbers but for the order in which their sums were made."""
  if isinstance(ours, (list, tuple)) and type(ours) is type(stock):
    return len(ours) == len(stock) and all(same(a, b) for a, b in zip(ours, stock))
  if isinstance(ours, float) and isinstance(stock, float):
    return ours == stock or math.isclose(ours, stock, rel_tol=1e-6) or math.isnan(ours) and math.isnan(stock)
  return ours == stock


def compare(clusters, program, config=None, deviations=()):
  """Runs `program(seen)` on both; entries named in `deviations` may differ."""
  results = []
  for cluster in clusters:
    with tf1.Graph().as_default():
      with tf1.Session(cluster.target("worker"), config=config) as session:
        seen = Seen(session)
        program(seen)
        results.append(seen.all)
  ours, stock = results
  assert len(ours) == len(stock)
  checked = 0
  for mine, theirs in zip(ours, stock):
    if mine[0] in deviations:
      continue
    assert same(mine, theirs), f"ours {mine}, stock's {theirs}"
    checked += 1
  print(f"{program.__name__}: {checked} checks")
  return ours
