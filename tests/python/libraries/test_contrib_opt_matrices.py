"""tf.contrib.opt: GGT and Shampoo, and roots of matrices, by their formulas in numpy."""

import math
import os
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from steps_of_optimizers import check, kinds

import millrace as tf


def ggt(rate, beta1, window, eps, svd_eps, sigma_eps):
  def formula(t, x, g, rows, state):
    full = np.zeros_like(x)
    full[rows] = g
    m = state["m"] = beta1 * state.get("m", np.zeros(x.size)) + (1 - beta1) * full.ravel()
    buffer = state.setdefault("buffer", np.zeros([window, x.size]))
    buffer[(t - 1) % window] = m
    columns = buffer.T / math.sqrt(min(t, window))
    sigma, u = np.linalg.eigh(columns.T @ columns + svd_eps * np.eye(window))
    root = np.sqrt(sigma)
    inside = u.T @ (columns.T @ m)
    step = columns @ (u @ ((root + sigma_eps) ** -3 * inside))
    if root.min() > eps:
      step = step + (m - columns @ (u @ (inside / sigma))) / root.min()
    return x - rate * step.reshape(x.shape)

  return formula


@kinds
@pytest.mark.parametrize("eps", [1e-3, 10.0])
def test_ggt(sparse, resource, eps):
  check(
    lambda _: tf.contrib.opt.GGTOptimizer(
      0.01, beta1=0.5, use_locking=True, name="G", window=3, eps=eps, svd_eps=1e-2, sigma_eps=0.1
    ),
    ggt(0.01, 0.5, 3, eps, 1e-2, 0.1),
    sparse,
    resource,
    rtol=2e-3,
  )


def test_ggt_of_several_variables():
  x = tf.get_variable("x", initializer=[1.0, 2.0], constraint=lambda v: tf.maximum(v, 0.5))
  y = tf.get_variable("y", initializer=[[3.0]])
  step = tf.train.get_or_create_global_step()
  optimizer = tf.contrib.opt.GGTOptimizer(100.0)
  loss = tf.reduce_sum(x) * y
  pairs = optimizer.compute_gradients(loss, [x, y], stop_gradients=[y], gate_gradients=optimizer.GATE_GRAPH)
  assert pairs[1][0] is None or pairs[1][1] is y
  train = optimizer.minimize(
    loss,
    global_step=step,
    var_list=[x, y],
    gate_gradients=optimizer.GATE_NONE,
    aggregation_method=tf.AggregationMethod.ADD_N,
    name="train",
    grad_loss=tf.constant([[0.5]]),
    scale_loss_by_num_replicas=True,
  )
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert session.run(pairs[0][0]).tolist() == [3.0, 3.0]
    session.run(train)
    assert session.run([x, step])[0].tolist() == [0.5, 0.5]
    assert session.run(y)[0, 0] < 3.0 and session.run(step) == 1
  constant = tf.get_variable("constant", initializer=1.0)
  with pytest.raises(ValueError, match="No gradients provided"):
    optimizer.minimize(tf.constant(1.0) * 1.0, var_list=[constant])


def power(matrix, exponent):
  values, vectors = np.linalg.eigh(matrix)
  return (vectors * values**exponent) @ vectors.T


def shampoo(rate, alpha, epsilon, decay, weight, gbar_decay=0.0, largest=100, svd_interval=1, update_interval=1):
  def formula(t, x, g, rows, state):
    full = np.zeros_like(x)
    full[rows] = g
    gbar = state["gbar"] = gbar_decay * state.get("gbar", 0.0) + 0.5 * full
    direction = gbar
    for i, size in enumerate(x.shape):
      diagonal = size > largest
      fresh = (full**2).sum(1 - i) if diagonal else (full @ full.T if i == 0 else full.T @ full)
      moment = state.get(("m", i), np.zeros_like(fresh))
      if (t - 1) % update_interval == 0:
        moment = decay * moment + weight * fresh
      state["m", i] = moment
      if (t - 1) % svd_interval == 0:
        if diagonal:
          state["h", i] = (moment + epsilon) ** (-alpha / 2)
        else:
          state["h", i] = power(moment + epsilon * np.eye(size), -alpha / 2)
      h = state["h", i]
      if diagonal:
        direction = direction * (h[:, None] if i == 0 else h)
      else:
        direction = h @ direction if i == 0 else direction @ h
    return x - rate * direction

  return formula


@kinds
@pytest.mark.parametrize("iterative", [False, True])
def test_shampoo(sparse, resource, iterative):
  check(
    lambda step: tf.contrib.opt.ShampooOptimizer(
      step,
      gbar_weight=0.5,
      mat_gbar_decay=0.9,
      mat_gbar_weight=2.0,
      learning_rate=0.1,
      epsilon=1e-2,
      use_iterative_root=iterative,
      use_locking=True,
      name="S",
    ),
    shampoo(0.1, 0.5, 1e-2, 0.9, 2.0),
    sparse,
    resource,
    with_step=True,
    rtol=2e-3,
  )


@kinds
def test_shampoo_of_large_dimensions_at_intervals(sparse, resource):
  check(
    lambda step: tf.contrib.opt.ShampooOptimizer(
      step,
      max_matrix_size=3,
      gbar_weight=0.5,
      learning_rate=lambda t: 0.1,
      svd_interval=2,
      precond_update_interval=3,
      epsilon=1e-1,
      alpha=0.8,
    ),
    shampoo(0.1, 0.8, 1e-1, 1.0, 1.0, largest=3, svd_interval=2, update_interval=3),
    sparse,
    resource,
    with_step=True,
    rtol=1e-3,
  )


def test_shampoo_with_a_moving_gradient():
  check(
    lambda step: tf.contrib.opt.ShampooOptimizer(step, gbar_decay=0.5, gbar_weight=0.5, epsilon=1e-1),
    shampoo(1.0, 0.5, 1e-1, 1.0, 1.0, gbar_decay=0.5),
    True,
    False,
    with_step=True,
    rtol=1e-3,
  )


def test_roots_of_matrices():
  from millrace.contrib.opt import matrix_functions

  random = np.random.RandomState(0).randn(4, 6)
  matrix = (random @ random.T).astype(np.float32)
  with tf.Session() as session:
    root = session.run(matrix_functions.matrix_square_root(tf.constant(matrix), 4, iter_count=50, ridge_epsilon=0.0))
    np.testing.assert_allclose(root @ root, matrix, rtol=1e-3, atol=1e-3)
    for p in (1, 2, 3, 4):
      made = matrix_functions.matrix_inverse_pth_root(
        tf.constant(matrix), 4, -1.0 / p, iter_count=60, epsilon=1e-5, ridge_epsilon=0.0
      )
      np.testing.assert_allclose(session.run(made), power(matrix.astype(np.float64), -1.0 / p), rtol=5e-3, atol=1e-3)
  with pytest.raises(ValueError, match="alpha must be -1/p"):
    matrix_functions.matrix_inverse_pth_root(tf.constant(matrix), 4, 0.5)
