"""Graphs and sessions that a program drops are gone: memory stays as it is."""

import package
import pytest

PROGRAM = """
import gc, os, sys
import numpy as np
import millrace as tf

PAGE = os.sysconf("SC_PAGE_SIZE")

def resident():
  gc.collect()
  with open("/proc/self/statm") as file:
    return int(file.read().split()[1]) * PAGE

def threads():
  return len(os.listdir("/proc/self/task"))

def descriptors():
  return len(os.listdir("/proc/self/fd"))

values = np.ones([64, 64], np.float32)

def one():
  with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 64])
    w = tf.get_variable("w", [64, 64], initializer=tf.zeros_initializer())
    y = tf.matmul(x, w)
    step = tf.assign_sub(w, tf.gradients(y, w)[0])
    with tf.Session() as session:
      session.run(w.initializer)
      session.run(step, {x: values})

def flat(make, before, count, bytes_each):
  for _ in range(before):
    make()
  start = resident(), threads(), descriptors()
  for _ in range(count):
    make()
  end = resident(), threads(), descriptors()
  print("%d: %d bytes each, threads %d -> %d, descriptors %d -> %d" % (
    count, (end[0] - start[0]) / count, start[1], end[1], start[2], end[2]))
  assert end[0] - start[0] < bytes_each * count, (start, end)
  assert end[1] <= start[1] + 1 and end[2] <= start[2] + 1, (start, end)
"""


@pytest.mark.parametrize("count", [2000, pytest.param(8000, marks=pytest.mark.long)])
def test_sessions_and_graphs_made_and_dropped(count):
  """With those before, 10,000 of them. A graph of this size has 50 KB, so that those that stay would show."""
  package.said(PROGRAM + "\nflat(one, 2000, %d, 1500)\n" % count, timeout=300)


def test_graphs_that_an_exception_holds():
  """What an error holds until it is dropped is given back, too."""
  body = """
def fails():
  with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [2])
    try:
      with tf.Session() as session:
        session.run(x + 1.0)
    except tf.errors.InvalidArgumentError as error:
      assert error.op.graph is x.graph

flat(fails, 2000, 2000, 4000)  # of the 20 KB that a graph with its error has
"""
  package.said(PROGRAM + body)


def test_runs_of_many_kinds_in_one_session():
  """Each set of fetches is compiled once; a session keeps a bounded number of them."""
  body = """
graph = tf.Graph()
with graph.as_default():
  xs = [tf.constant(float(i)) for i in range(100)]
  session = tf.Session()

turn = iter(range(10**9))

def run():
  i = next(turn)
  session.run([xs[i % 100], xs[(i // 100) % 100]])

flat(run, 3000, 6000, 500)
"""
  package.said(PROGRAM + body)
