"""tf.contrib.opt: each optimizer over several steps, dense and sparse, by its formula in numpy."""

import math
import os
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from steps_of_optimizers import DENSE, ROW_VALUES, ROWS, START, check, gradient, kinds, trained

import millrace as tf


def moments(x, g, rows, state, beta1, beta2, square=None):
  """Adam's moments of the rows alone."""
  m = state.setdefault("m", np.zeros_like(x))
  v = state.setdefault("v", np.zeros_like(x))
  m[rows] = beta1 * m[rows] + (1 - beta1) * g
  v[rows] = square(v[rows], g) if square else beta2 * v[rows] + (1 - beta2) * g * g
  return m, v


def lazy_adam(rate, beta1, beta2, epsilon):
  def formula(t, x, g, rows, state):
    m, v = moments(x, g, rows, state, beta1, beta2)
    corrected = rate * math.sqrt(1 - beta2**t) / (1 - beta1**t)
    x = x.copy()
    x[rows] -= corrected * m[rows] / (np.sqrt(v[rows]) + epsilon)
    return x

  return formula


@kinds
def test_lazy_adam(sparse, resource):
  check(
    lambda _: tf.contrib.opt.LazyAdamOptimizer(0.1, beta1=0.8, beta2=0.9, epsilon=1e-3, use_locking=True, name="Lazy"),
    lazy_adam(0.1, 0.8, 0.9, 1e-3),
    sparse,
    resource,
  )
  assert "s/x/Lazy" in [v.op.name for v in tf.global_variables()]


@kinds
def test_lazy_adam_gs(sparse, resource):
  check(
    lambda step: tf.contrib.opt.LazyAdamGSOptimizer(step, 0.1, beta1=0.8, beta2=0.9, epsilon=1e-3, use_locking=True, name="GS"),
    lazy_adam(0.1, 0.8, 0.9, 1e-3),
    sparse,
    resource,
    with_step=True,
  )
  assert not [v for v in tf.global_variables() if "power" in v.op.name]


def decaying_adam(rate, beta1, beta2, epsilon, nesterov=False):
  """Adam of which sparse gradients decay the moments of all rows."""

  def formula(t, x, g, rows, state):
    full = np.zeros_like(x)
    full[rows] = g
    m, v = moments(x, full, slice(None), state, beta1, beta2)
    corrected = rate * math.sqrt(1 - beta2**t) / (1 - beta1**t)
    x = x.copy()
    if nesterov:
      x[rows] -= corrected * ((1 - beta1) * g + beta1 * m[rows]) / (np.sqrt(v[rows]) + epsilon)
    else:
      x -= corrected * m / (np.sqrt(v) + epsilon)
    return x

  return formula


@kinds
def test_adam_gs(sparse, resource):
  check(
    lambda step: tf.contrib.opt.AdamGSOptimizer(
      step, learning_rate=0.1, beta1=0.8, beta2=0.9, epsilon=1e-3, use_locking=True, name="GS"
    ),
    decaying_adam(0.1, 0.8, 0.9, 1e-3),
    sparse,
    resource,
    with_step=True,
  )


def test_adam_gs_of_a_number():
  first = trained(lambda _: tf.contrib.opt.AdamGSOptimizer(learning_rate=0.1), False, False)[0]
  tf.reset_default_graph()
  np.testing.assert_allclose(first, trained(lambda _: tf.train.AdamOptimizer(0.1), False, False)[0], rtol=1e-6)


@kinds
def test_nadam(sparse, resource):
  check(
    lambda _: tf.contrib.opt.NadamOptimizer(0.1, beta1=0.8, beta2=0.9, epsilon=1e-3, use_locking=True, name="Nadam"),
    decaying_adam(0.1, 0.8, 0.9, 1e-3, nesterov=True),
    sparse,
    resource,
  )


@kinds
def test_adamax(sparse, resource):
  def formula(t, x, g, rows, state):
    m, v = moments(x, g, rows, state, 0.8, 0.9, lambda v, g: np.maximum(0.9 * v, abs(g)))
    x = x.copy()
    x[rows] -= 0.1 / (1 - 0.8**t) * m[rows] / (v[rows] + 1e-3)
    return x

  check(
    lambda _: tf.contrib.opt.AdaMaxOptimizer(0.1, beta1=0.8, beta2=0.9, epsilon=1e-3, use_locking=True, name="Max"),
    formula,
    sparse,
    resource,
  )
  powers = [v.op.name for v in tf.global_variables() if "power" in v.op.name]
  assert len(powers) == 1 and powers[0].endswith("beta1_power")


def signs(combine, beta, decay, rate=0.3):
  def formula(t, x, g, rows, state):
    full = np.zeros_like(x)
    full[rows] = g
    m = state["m"] = beta * state.get("m", np.zeros_like(x)) + (1 - beta) * full
    x = x.copy()
    x[rows] -= rate * combine(decay(t - 1) * np.sign(g) * np.sign(m[rows])) * g
    return x

  return formula


@kinds
def test_power_sign(sparse, resource):
  from millrace.contrib.opt import sign_decay

  check(
    lambda _: tf.contrib.opt.PowerSignOptimizer(
      0.3, base=3.0, beta=0.5, sign_decay_fn=sign_decay.get_linear_decay_fn(10), use_locking=True, name="Power"
    ),
    signs(lambda agreement: 3.0**agreement, 0.5, lambda t: 1 - t / 10),
    sparse,
    resource,
    with_step=True,
  )


@kinds
def test_add_sign(sparse, resource):
  from millrace.contrib.opt import sign_decay

  check(
    lambda _: tf.contrib.opt.AddSignOptimizer(
      0.3, alpha=2.0, beta=0.5, sign_decay_fn=sign_decay.get_cosine_decay_fn(10), use_locking=True, name="Add"
    ),
    signs(lambda agreement: 2.0 + agreement, 0.5, lambda t: 0.5 * (1 + math.cos(math.pi * t / 10))),
    sparse,
    resource,
    with_step=True,
  )


def test_signs_without_decay():
  made = trained(lambda _: tf.contrib.opt.AddSignOptimizer(), False, False)
  np.testing.assert_allclose(made[0], START - 0.1 * (1 + np.sign(DENSE) ** 2) * DENSE, rtol=1e-5)
  tf.reset_default_graph()
  made = trained(lambda _: tf.contrib.opt.PowerSignOptimizer(), False, False)
  np.testing.assert_allclose(made[0], START - 0.1 * np.exp(np.sign(DENSE) ** 2) * DENSE, rtol=1e-5)


def test_sign_decays():
  from millrace.contrib.opt import sign_decay

  linear = sign_decay.get_linear_decay_fn(10)
  cosine = sign_decay.get_cosine_decay_fn(10, num_periods=1.5, zero_after=1.0)
  restart = sign_decay.get_restart_decay_fn(10, num_periods=2, zero_after=1.5)
  with tf.Session() as session:
    for t in (0, 3, 6, 9, 12):
      part = min(t, 10) / 10
      made = session.run([linear(tf.constant(t)), cosine(tf.constant(t)), restart(tf.constant(t))])
      wanted = [1 - part]
      wanted.append(0.0 if 1.5 * part >= 1.0 else 0.5 * (1 + math.cos(2 * math.pi * 1.5 * part)))
      wanted.append(0.0 if 2 * part >= 1.5 else 0.5 * (1 + math.cos(math.pi * (2 * part % 1))))
      np.testing.assert_allclose(made, wanted, atol=1e-5)
  for decay in (linear, cosine, restart):
    with pytest.raises(ValueError, match="global_step is required"):
      decay(None)


@kinds
def test_adam_with_weight_decay(sparse, resource):
  adam = decaying_adam(0.1, 0.8, 0.9, 1e-3)

  def formula(t, x, g, rows, state):
    x = x.copy()
    x[rows] -= 0.01 * x[rows]
    return adam(t, x, g, rows, state)

  check(
    lambda _: tf.contrib.opt.AdamWOptimizer(
      0.01, learning_rate=0.1, beta1=0.8, beta2=0.9, epsilon=1e-3, use_locking=True, name="W"
    ),
    formula,
    sparse,
    resource,
  )


@kinds
@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum_with_weight_decay(sparse, resource, nesterov):
  def formula(t, x, g, rows, state):
    a = state.setdefault("a", np.zeros_like(x))
    x = x.copy()
    x[rows] -= 0.01 * x[rows]
    a[rows] = 0.5 * a[rows] + g
    x[rows] -= 0.1 * (g + 0.5 * a[rows] if nesterov else a[rows])
    return x

  check(
    lambda _: tf.contrib.opt.MomentumWOptimizer(lambda: 0.01, 0.1, 0.5, use_locking=True, name="W", use_nesterov=nesterov),
    formula,
    sparse,
    resource,
  )


def test_weight_decay_of_some_variables():
  make = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
  assert issubclass(make, tf.contrib.opt.DecoupledWeightDecayExtension)
  x, y = tf.get_variable("x", initializer=[2.0]), tf.get_variable("y", initializer=[2.0])
  step = tf.train.get_or_create_global_step()
  optimizer = make(weight_decay=0.25, learning_rate=0.5, name="D")
  loss = tf.reduce_sum(x + 3 * y)
  train = optimizer.minimize(loss, global_step=step, decay_var_list=[x], name="train", grad_loss=tf.constant(2.0))
  other = make(0.5, 1.0).apply_gradients([(tf.constant([1.0]), y)], decay_var_list=[x])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    # The gradient is computed before the decay, which takes a quarter of x alone.
    assert session.run([x, y, step]) == [[2.0 * 0.75 - 1.0], [2.0 - 3.0], 1]
    session.run(other)
    assert session.run(y) == [-2.0]


def test_weight_decay_as_a_base_class():
  class AdagradW(tf.contrib.opt.DecoupledWeightDecayExtension, tf.train.AdagradOptimizer):
    def __init__(self, weight_decay, learning_rate):
      super().__init__(weight_decay, learning_rate=learning_rate, initial_accumulator_value=0.25)

  x = tf.get_variable("x", initializer=[2.0])
  train = AdagradW(0.25, 0.5).apply_gradients([(tf.constant([1.0]), x)])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_allclose(session.run(x), [2.0 * 0.75 - 0.5 / np.sqrt(1.25)], rtol=1e-6)


@kinds
def test_lars(sparse, resource):
  def formula(t, x, g, rows, state):
    a = state.setdefault("a", np.zeros_like(x))
    x = x.copy()
    if sparse:
      a[rows] = 0.5 * a[rows] + g
      x[rows] -= 0.1 * a[rows]
      return x
    w, n = np.linalg.norm(x), np.linalg.norm(g)
    rate = 0.1 * 0.02 * w / (n + 0.3 * w + 0.01)
    a[:] = 0.5 * a + rate * (g + 0.3 * x)
    return x - a

  check(
    lambda _: tf.contrib.opt.LARSOptimizer(
      0.1, momentum=0.5, weight_decay=0.3, eeta=0.02, epsilon=0.01, name="L", skip_list=["bias"]
    ),
    formula,
    sparse,
    resource,
  )


def test_lars_skips_variables():
  optimizer = tf.contrib.opt.LARSOptimizer(0.5, momentum=0.0, skip_list=["bias"], use_nesterov=True)
  bias = tf.get_variable("bias", initializer=[1.0])
  grad = tf.constant([2.0])
  assert optimizer.compute_lr(grad, bias) == (0.5, grad)
  update = optimizer.apply_gradients([(grad, bias)])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(update)
    assert session.run(bias) == [0.0]
  for arguments in ({"momentum": -1.0}, {"weight_decay": -1.0}):
    with pytest.raises(ValueError, match="should be positive"):
      tf.contrib.opt.LARSOptimizer(0.1, **arguments)


@kinds
def test_reg_adagrad(sparse, resource):
  with tf.variable_scope("s", use_resource=resource):
    x = tf.get_variable("x", initializer=START)
  optimizer = tf.contrib.opt.RegAdagradOptimizer(0.1, initial_accumulator_value=0.5, use_locking=True, name="Reg")
  update = optimizer.apply_gradients([(gradient(sparse), x)])
  with optimizer.avoid_updating_slots():
    regularize = optimizer.apply_gradients([(gradient(sparse), x)])
  again = optimizer.apply_gradients([(gradient(sparse), x)])
  value, accumulator = START.astype(np.float64), np.full_like(START, 0.5, dtype=np.float64)
  rows, g = (ROWS, ROW_VALUES) if sparse else (slice(None), DENSE)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for op, writes in ((update, True), (regularize, False), (again, True)):
      session.run(op)
      if writes:
        accumulator[rows] += g**2
      value = value.copy()
      value[rows] -= 0.1 * g / np.sqrt(accumulator[rows])
      np.testing.assert_allclose(session.run(x), value, rtol=1e-5, atol=1e-6)
      np.testing.assert_allclose(session.run(optimizer.get_slot(x, "accumulator")), accumulator, rtol=1e-5)
