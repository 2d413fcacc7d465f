"""tf.contrib.opt: each optimizer over several steps, dense and sparse, by its formula in numpy."""

import math
import os
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import pair_runner  # noqa: E402

sys.path.insert(0, pair_runner.package_folder())

import millrace as tf  # noqa: E402

START = np.array([[1, 2], [3, 4], [-1, 0], [0.5, 0.25]], np.float32)
DENSE = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.5], [0.0, 1.0]], np.float32)
ROWS = np.array([1, 3])
ROW_VALUES = np.array([[0.6, 0.7], [0.3, -0.4]], np.float32)  # of rows 1 and 3, summed
STEPS = 4


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()
  yield
  tf.reset_default_graph()


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


def signs(combine, beta, decay):
  def formula(t, x, g, rows, state):
    full = np.zeros_like(x)
    full[rows] = g
    m = state["m"] = beta * state.get("m", np.zeros_like(x)) + (1 - beta) * full
    x = x.copy()
    x[rows] -= 0.1 * combine(decay(t - 1) * np.sign(g) * np.sign(m[rows])) * g
    return x

  return formula


@kinds
def test_power_sign(sparse, resource):
  from millrace.contrib.opt import sign_decay

  check(
    lambda _: tf.contrib.opt.PowerSignOptimizer(
      0.1, base=3.0, beta=0.5, sign_decay_fn=sign_decay.get_linear_decay_fn(10), use_locking=True, name="Power"
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
      0.1, alpha=2.0, beta=0.5, sign_decay_fn=sign_decay.get_cosine_decay_fn(10), use_locking=True, name="Add"
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


@pytest.mark.parametrize("resource", [False, True])
def test_moving_averages_and_their_saver(tmp_path, resource):
  x = tf.get_variable("x", initializer=[1.0], use_resource=resource)
  other = tf.get_variable("other", initializer=[7.0], trainable=False)
  optimizer = tf.contrib.opt.MovingAverageOptimizer(
    tf.train.MomentumOptimizer(0.5, 0.5), average_decay=0.75, num_updates=100, sequential_update=True
  )
  with pytest.raises(RuntimeError, match="Must call apply_gradients or minimize"):
    optimizer.swapping_saver()
  step = tf.train.get_or_create_global_step()
  train = optimizer.minimize(2.0 * x[0], global_step=step)
  saver = optimizer.swapping_saver(name="swap", max_to_keep=3)
  (average,) = [v for v in tf.global_variables() if v.op.name == "x/ExponentialMovingAverage"]
  assert optimizer.get_slot_names() == ["momentum"] and optimizer.get_slot(x, "momentum") in optimizer.variables()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    value, wanted, speed = 1.0, 1.0, 0.0
    for _ in range(3):
      session.run(train)
      speed = 0.5 * speed + 2.0
      value -= 0.5 * speed
      wanted = 0.75 * wanted + 0.25 * value
    np.testing.assert_allclose(session.run([x, average]), [[value], [wanted]], rtol=1e-6)
    path = saver.save(session, str(tmp_path / "model"))
  read = tf.train.load_checkpoint(path)
  np.testing.assert_allclose(read.get_tensor("x"), [wanted], rtol=1e-6)
  np.testing.assert_allclose(read.get_tensor("x/ExponentialMovingAverage"), [value], rtol=1e-6)
  assert read.get_tensor("other") == [7.0] and read.get_tensor("global_step") == 3
  assert optimizer.swapping_saver(var_list=[other]) is not None
  with pytest.raises(ValueError, match="is not part of variables to save"):
    optimizer.swapping_saver(var_list=[x])


def test_moving_averages_at_the_same_time():
  x = tf.get_variable("x", initializer=[1.0])
  optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.0), 0.5, sequential_update=False)
  train = optimizer.apply_gradients([(tf.constant([1.0]), x)], name="train")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    assert session.run(x) == [0.0]


@kinds
def test_variable_clipping(sparse, resource):
  with tf.variable_scope("s", use_resource=resource):
    x = tf.get_variable("x", initializer=START)
    y = tf.get_variable("y", initializer=START)
  optimizer = tf.contrib.opt.VariableClippingOptimizer(
    tf.train.GradientDescentOptimizer(1.0),
    {x: [1]},
    max_norm=2.0,
    use_locking=True,
    colocate_clip_ops_with_vars=True,
    name="Clip",
  )
  step = tf.train.get_or_create_global_step()
  pairs = [(gradient(sparse), x), (gradient(sparse), y)]
  train = optimizer.apply_gradients(pairs, global_step=step, name="train")
  moved = START.copy()
  rows, g = (ROWS, ROW_VALUES) if sparse else (slice(None), DENSE)
  moved[rows] -= g
  clipped = moved.copy()
  norms = np.linalg.norm(clipped[rows], axis=1, keepdims=True)
  clipped[rows] *= np.minimum(1, 2.0 / norms)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_allclose(session.run(x), clipped, rtol=1e-5)
    np.testing.assert_allclose(session.run(y), moved, rtol=1e-5)
    assert session.run(step) == 1
  assert optimizer.get_slot_names() == [] and optimizer.get_slot(x, "a") is None and optimizer.variables() == []


def test_variable_clipping_along_the_sparse_dimension():
  x = tf.get_variable("x", initializer=START)
  optimizer = tf.contrib.opt.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(0.0), {x: [0]}, 1.0)
  pairs = optimizer.compute_gradients(tf.reduce_sum(tf.gather(x, [1])))
  train = optimizer.apply_gradients(pairs)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_allclose(session.run(x), START / np.maximum(1, np.linalg.norm(START, axis=0)), rtol=1e-5)


@kinds
def test_gradients_of_zeros_leave_state_alone(sparse, resource):
  factor = tf.placeholder(tf.float32, [])
  with tf.variable_scope("s", use_resource=resource):
    x = tf.get_variable("x", initializer=START)
  optimizer = tf.contrib.opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(0.1, 0.5))
  given = gradient(sparse)
  if sparse:
    given = tf.IndexedSlices(given.values * factor, given.indices, given.dense_shape)
  else:
    given = given * factor
  train = optimizer.apply_gradients([(given, x)])
  rows, g = (ROWS, ROW_VALUES) if sparse else (slice(None), DENSE)
  value, speed = START.copy(), np.zeros_like(START)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for fed in (1.0, 0.0, 2.0):
      session.run(train, {factor: fed})
      if fed:
        speed[rows] = 0.5 * speed[rows] + fed * g
        value[rows] -= 0.1 * speed[rows]
      np.testing.assert_allclose(session.run(x), value, rtol=1e-5)
      np.testing.assert_allclose(session.run(optimizer.get_slot(x, "momentum")), speed, rtol=1e-5)


def test_multitask_wraps_optimizers_alone():
  with pytest.raises(TypeError, match="must be an instance of"):
    tf.contrib.opt.MultitaskOptimizerWrapper(3)


def test_clipping_of_gradients_by_their_norm():
  x, y, z = (tf.get_variable(name, initializer=[1.0, 1.0]) for name in "xyz")
  pairs = [(tf.constant([3.0, 0.0]), x), (None, y), (tf.constant([0.0, 4.0]), z)]
  clipped, norm = tf.contrib.opt.clip_gradients_by_global_norm(pairs, clip_norm=1.0)
  assert [v for _, v in clipped] == [x, y, z] and clipped[1][0] is None
  with tf.Session() as session:
    assert session.run(norm) == 5.0
    np.testing.assert_allclose(session.run([clipped[0][0], clipped[2][0]]), [[0.6, 0.0], [0.0, 0.8]], rtol=1e-6)
    same, _ = tf.contrib.opt.clip_gradients_by_global_norm(pairs)
    assert session.run(same[0][0]).tolist() == [3.0, 0.0]


def test_old_gradients_are_dropped():
  step = tf.train.get_or_create_global_step()
  x = tf.get_variable("x", initializer=[10.0])
  late = tf.placeholder_with_default(np.int64(0), [])

  def loss():
    # The step goes on while the loss is computed.
    with tf.control_dependencies([tf.assign_add(step, late)]):
      return tf.identity(x[0]) * 1.0

  optimizer = tf.contrib.opt.DropStaleGradientOptimizer(tf.train.MomentumOptimizer(1.0, 0.0), 2, use_locking=True, name="Drop")
  made = loss()
  pairs = optimizer.compute_gradients(made)
  assert optimizer.get_slot_names() == []
  train = optimizer.apply_gradients(pairs, global_step=step, name="train")
  assert optimizer.get_slot_names() == ["momentum"] and optimizer.get_slot(x, "momentum") in optimizer.variables()
  counter = tf.get_default_graph().get_tensor_by_name("stale_counter:0")
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    assert session.run(train) == 0.0
    assert session.run(x) == [9.0] and session.run([step, counter]) == [1, 0.0]


def test_dropped_gradients_are_counted():
  step = tf.train.get_or_create_global_step()
  x = tf.get_variable("x", initializer=[10.0])
  late = tf.placeholder(tf.int64, [])
  optimizer = tf.contrib.opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(1.0), 2)
  pairs = optimizer.compute_gradients(x[0] * 1.0)
  # What other workers do meanwhile: the step goes on before the gradients are given.
  moved = []
  for grad, var in pairs:
    with tf.control_dependencies([grad]):
      with tf.control_dependencies([tf.assign_add(step, late)]):
        moved.append((tf.identity(grad), var))
  train = optimizer.apply_gradients(moved, global_step=step)
  summary = tf.summary.merge_all()
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    assert session.run(train, {late: 3}) == 1.0
    assert session.run([x[0], step]) == [10.0, 3]
    assert session.run(train, {late: 2}) == 0.0
    assert session.run([x[0], step]) == [9.0, 6]
    assert tf.Summary.FromString(session.run(summary)).value[0].simple_value == pytest.approx(1 / 7)


def test_staleness_needs_a_step():
  x = tf.get_variable("x", initializer=[10.0])
  optimizer = tf.contrib.opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(1.0), 0)
  with pytest.raises(ValueError, match="Global step is required"):
    optimizer.compute_gradients(x[0])


class Descent(tf.contrib.opt.ExternalOptimizerInterface):
  """A simple optimizer of the interface: descent within bounds; it keeps what it was given."""

  def _minimize(
    self,
    initial_val,
    loss_grad_func,
    equality_funcs,
    equality_grad_funcs,
    inequality_funcs,
    inequality_grad_funcs,
    packed_bounds,
    step_callback,
    optimizer_kwargs,
  ):
    self.initial = initial_val
    self.constraints = [f(initial_val) for f in equality_funcs + inequality_funcs]
    self.constraint_gradients = [f(initial_val) for f in equality_grad_funcs + inequality_grad_funcs]
    x = initial_val.astype(np.float64)
    for _ in range(optimizer_kwargs["steps"]):
      loss, grad = loss_grad_func(x)
      x = x - 0.25 * grad
      if packed_bounds is not None:
        x = np.clip(x, *np.array(packed_bounds).T)
      step_callback(x)
    return x


@pytest.mark.parametrize("resource", [False, True])
def test_external_optimizers(resource):
  with tf.variable_scope("s", use_resource=resource):
    a = tf.get_variable("a", initializer=[7.0, 7.0])
    b = tf.get_variable("b", initializer=[[1.0], [-5.0]])
    fixed = tf.get_variable("fixed", initializer=0.0)
  target = tf.placeholder(tf.float32, [])
  loss = tf.reduce_sum(tf.square(a)) + tf.reduce_sum(tf.square(b - target)) + fixed
  optimizer = Descent(
    loss,
    var_list=[a, b],
    equalities=[a[0] - 1.0],
    inequalities=[b[1, 0] * 2.0],
    var_to_bounds={a: (1.0, np.inf), b: (None, [[2.0], [np.inf]])},
    steps=40,
  )
  losses, steps = [], []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    optimizer.minimize(
      session,
      feed_dict={target: 3.0},
      fetches=[loss, target],
      step_callback=lambda x: steps.append(len(x)),
      loss_callback=lambda *values: losses.append(values),
      options=tf.RunOptions(),
    )
    np.testing.assert_allclose(session.run(a), [1.0, 1.0])
    np.testing.assert_allclose(session.run(b), [[2.0], [3.0]], rtol=1e-5)
  assert optimizer.initial.tolist() == [7.0, 7.0, 1.0, -5.0] and steps == [4] * 40
  assert optimizer.constraints == [6.0, -10.0]
  assert [g.tolist() for g in optimizer.constraint_gradients] == [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]]
  assert losses[0] == (7 * 7 * 2 + 4 + 64, 3.0) and losses[-1][0] < 10


def test_external_optimizers_are_a_base():
  x = tf.get_variable("x", initializer=[1.0])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    with pytest.raises(NotImplementedError, match="implement the _minimize"):
      tf.contrib.opt.ExternalOptimizerInterface(x[0]).minimize()


def test_scipy_gets_loss_bounds_and_constraints(monkeypatch):
  """SciPy is not needed to build this: what it would be called with is looked at."""
  import types

  calls = []

  def minimize(function, x0, **kwargs):
    calls.append((function(np.array([2.0, 3.0])), x0, kwargs))
    return DictResult(x=np.array([1.0, 2.0]), message="done", fun=5.0, nit=1, nfev=1)

  class DictResult(dict):
    __getattr__ = dict.__getitem__

  scipy = types.ModuleType("scipy")
  scipy.optimize = types.ModuleType("scipy.optimize")
  scipy.optimize.minimize = minimize
  monkeypatch.setitem(sys.modules, "scipy", scipy)
  monkeypatch.setitem(sys.modules, "scipy.optimize", scipy.optimize)
  vector = tf.get_variable("vector", initializer=[7.0, 7.0])
  loss = tf.reduce_sum(tf.square(vector))
  optimizer = tf.contrib.opt.ScipyOptimizerInterface(
    loss,
    equalities=[vector[1] - 1.0],
    inequalities=[vector[0] - 1.0],
    var_to_bounds={vector: ([1, 2], np.inf)},
    method="SLSQP",
    options={"maxiter": 9},
  )
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    optimizer.minimize(session)
    assert session.run(vector).tolist() == [1.0, 2.0]
    (value, grad), x0, kwargs = calls[0]
    assert value == 13.0 and grad.tolist() == [4.0, 6.0] and grad.dtype == np.float64 and x0.tolist() == [7.0, 7.0]
    assert kwargs["method"] == "SLSQP" and kwargs["options"] == {"maxiter": 9} and kwargs["jac"] is True
    assert kwargs["bounds"] == [(1.0, np.inf), (2.0, np.inf)]
    assert [c["type"] for c in kwargs["constraints"]] == ["eq", "ineq"]
    assert kwargs["constraints"][0]["fun"](np.array([0.0, 5.0])) == 4.0
    assert kwargs["constraints"][1]["jac"](np.array([0.0, 5.0])).tolist() == [1.0, 0.0]
    tf.contrib.opt.ScipyOptimizerInterface(loss).minimize()
    assert calls[1][2]["method"] == "L-BFGS-B" and calls[1][2]["bounds"] is None
    for arguments, words in (({"bounds": []}, "Bounds must be set"), ({"jac": True}, "cannot be injected manually")):
      with pytest.raises(ValueError, match=words):
        tf.contrib.opt.ScipyOptimizerInterface(loss, **arguments).minimize()
