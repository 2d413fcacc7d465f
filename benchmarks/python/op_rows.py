"""Rows of single ops: what a step with nothing but the op takes, and whether both packages compute the same."""

import numpy as np

from ops import OPS
from rows import Work

PREFIX = "ops/"
# Rows whose values are random.
RANDOM = ("random/", "nn/dropout", "lookup/nce", "lookup/sampled", "data/shuffle")
TOLERANCE = 2e-3


def rows():
  return {PREFIX + name: _prepared(name) for name in OPS}


def is_random(name):
  return name.startswith(RANDOM)


def size_of(value):
  """A number that tells values apart: of strings their letters, else the sum of absolute values."""
  value = np.asarray(value)
  if value.dtype.kind in "SUO":
    return float(sum(len(x) for x in value.ravel()))
  return float(np.nansum(np.abs(value.astype(np.complex128))))


def _tensors(tf, found):
  """The tensors and ops of what a row builds."""
  parts = found if isinstance(found, (list, tuple)) else [found]
  return [x.values if type(x).__name__ in ("IndexedSlices", "SparseTensor") else x for x in parts if x is not None]


def _prepared(name):
  row = OPS[name]

  def prepare(tf):
    tf.set_random_seed(1)
    variables, feeds = [], {}
    for make in row.inputs:
      value = make()
      kind = "string" if value.dtype == object else value.dtype
      given = tf.placeholder(tf.as_dtype(kind), value.shape)
      feeds[given] = value
      variables.append(tf.Variable(given, trainable=False, use_resource=True))
    # Read in each step: a constant would be computed with once.
    results = _tensors(tf, row.build(tf, *[v.read_value() for v in variables]))
    session = tf.Session()
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()], feeds)
    session.run(tf.tables_initializer())
    step = session.make_callable([getattr(x, "op", x) for x in results])

    def check():
      if is_random(name):
        step()
        return 0.0
      return sum(size_of(value) for value in session.run(results) if value is not None)

    return Work(step, check, "us", tolerance=TOLERANCE)

  return prepare
