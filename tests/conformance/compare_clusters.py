"""Runs one program on a cluster of ours and on one of stock, and compares what it returns.

def program(cluster):
  with tf1.Session(cluster.target("worker")) as session:
    return {"sum": session.run(x), "error": outcome(lambda: session.run(bad))}

compare_clusters.run(program, our_cluster, stock_cluster)
"""

import numpy as np
import pytest
import tensorflow as tf
from error_words import first_words

tf1 = tf.compat.v1


def outcome(action):
  """What a call returns, or the code, op and first words of its error."""
  try:
    return action()
  except tf.errors.OpError as e:
    return type(e).__name__, e.op.name if e.op is not None else None, first_words(e.message)


def attempts(cluster):
  """How often to ask for what stock tells by chance only; ours has to tell it at once."""
  return 1 if cluster.kind == "millrace" else 20


def outcome_of_failure(cluster, action):
  """The outcome of what fails, and can be asked again: of stock's, the failure cancels the step's fetch, which is sometimes
  what is told (CANCELLED, of no op)."""
  for _ in range(attempts(cluster)):
    result = outcome(action)
    if result[0] != "CancelledError":
      break
  return result


def assert_same(ours, stock, path="result", rtol=1e-5, atol=1e-6):
  if isinstance(stock, dict):
    assert isinstance(ours, dict) and sorted(ours) == sorted(stock), f"{path}: {ours}, stock: {stock}"
    for key in stock:
      assert_same(ours[key], stock[key], f"{path}[{key!r}]", rtol, atol)
  elif isinstance(stock, (list, tuple)) and not (stock and isinstance(stock[0], str)):
    assert isinstance(ours, (list, tuple)) and len(ours) == len(stock), f"{path}: {ours}, stock: {stock}"
    for i, (a, b) in enumerate(zip(ours, stock)):
      assert_same(a, b, f"{path}[{i}]", rtol, atol)
  elif isinstance(stock, (np.ndarray, np.generic, float)):
    assert isinstance(ours, (np.ndarray, np.generic, float)), f"{path}: {ours}, stock: {stock!r}"
    a, b = np.asarray(ours), np.asarray(stock)
    assert a.dtype == b.dtype and a.shape == b.shape, f"{path}: {a!r}, stock: {b!r}"
    if np.issubdtype(b.dtype, np.inexact):
      np.testing.assert_allclose(a, b, rtol, atol, err_msg=path)
    else:
      np.testing.assert_array_equal(a, b, err_msg=path)
  else:
    assert ours == stock, f"{path}: {ours}, stock: {stock}"


def _results(program, cluster):
  tf1.Session.reset(cluster.target("worker"))
  with tf1.Graph().as_default():
    tf1.set_random_seed(87654321)
    return program(cluster)


def run(program, ours, stock, missing="", **tolerances):
  """Compares the results; `missing` names what a server of ours has no kernel for yet, and skips."""
  expected = _results(program, stock)
  if missing:
    pytest.skip(f"needs {missing}")
  assert_same(_results(program, ours), expected, **tolerances)
  return expected
