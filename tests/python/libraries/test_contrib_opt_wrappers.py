"""tf.contrib.opt: optimizers around others, and those of other libraries."""

import os
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from steps_of_optimizers import DENSE, ROW_VALUES, ROWS, START, gradient, kinds

import millrace as tf


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
    # Methods of SciPy in C take nothing but doubles.
    made = [c[name](np.array([0.0, 5.0])) for c in kwargs["constraints"] for name in ("fun", "jac")]
    assert {value.dtype for value in [x0, *made]} == {np.dtype(np.float64)}
    tf.contrib.opt.ScipyOptimizerInterface(loss).minimize()
    assert calls[1][2]["method"] == "L-BFGS-B" and calls[1][2]["bounds"] is None
    for arguments, words in (({"bounds": []}, "Bounds must be set"), ({"jac": True}, "cannot be injected manually")):
      with pytest.raises(ValueError, match=words):
        tf.contrib.opt.ScipyOptimizerInterface(loss, **arguments).minimize()
