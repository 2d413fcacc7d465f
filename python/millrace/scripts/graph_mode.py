"""tensorflow.python.eager: answers of a world in which all are graphs."""

import contextlib
import sys


def executing_eagerly():
  """False: everything is a graph."""
  return False


def in_eager_mode():
  return False


def in_graph_mode():
  return True


@contextlib.contextmanager
def graph_mode():
  yield


context = sys.modules[__name__]
