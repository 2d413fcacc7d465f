"""Steps of an optimizer on one variable, dense and sparse, and what a formula in numpy makes of the same gradients."""

import numpy as np
import pytest

import millrace as tf

START = np.array([[1, 2], [3, 4], [-1, 0], [0.5, 0.25]], np.float32)
DENSE = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.5], [0.0, 1.0]], np.float32)
ROWS = np.array([1, 3])
ROW_VALUES = np.array([[0.6, 0.7], [0.3, -0.4]], np.float32)  # of rows 1 and 3, summed
STEPS = 4


def gradient(sparse):
  if not sparse:
    return tf.constant(DENSE)
  values = tf.constant(np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.5]], np.float32))
  return tf.IndexedSlices(values, tf.constant([1, 3, 1]), tf.constant([4, 2]))


def trained(optimizer, sparse, resource, with_step=False):
  """The values of a variable after each step."""
  with tf.variable_scope("s", use_resource=resource):
    x = tf.get_variable("x", initializer=START)
  step = tf.train.get_or_create_global_step() if with_step else None
  update = optimizer(step).apply_gradients([(gradient(sparse), x)], global_step=step)
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(STEPS):
      session.run(update)
      found.append(session.run(x))
  return found


def by_formula(formula, sparse):
  """What a formula gives: formula(rows or None, gradient) returns a function (t, x, state) -> x."""
  x = START.astype(np.float64)
  state = {}
  found = []
  for t in range(1, STEPS + 1):
    if sparse:
      x = x.copy()
      x = formula(t, x, ROW_VALUES.astype(np.float64), ROWS, state)
    else:
      x = formula(t, x, DENSE.astype(np.float64), slice(None), state)
    found.append(x)
  return found


KINDS = [(False, False), (False, True), (True, False), (True, True)]
kinds = pytest.mark.parametrize("sparse,resource", KINDS)


def check(optimizer, formula, sparse, resource, with_step=False, rtol=1e-5):
  for made, wanted in zip(trained(optimizer, sparse, resource, with_step), by_formula(formula, sparse)):
    np.testing.assert_allclose(made, wanted, rtol=rtol, atol=1e-6)
