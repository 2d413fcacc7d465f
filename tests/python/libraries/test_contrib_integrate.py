"""tf.contrib.integrate beside solutions in closed form."""

import numpy as np
import package
import pytest

import millrace as tf

integrate = tf.contrib.integrate


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()


def run(fetches):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches)


def test_exponentials():
  t = np.linspace(0.0, 3.0, 7)
  made = integrate.odeint(lambda y, t: -0.5 * y, np.float64([1.0, 2.0]), t)
  assert str(made.shape) == "(7, 2)" and made.dtype == tf.float64
  np.testing.assert_allclose(run(made), np.exp(-0.5 * t)[:, None] * [1.0, 2.0], rtol=1e-6)
  coarse = integrate.odeint(lambda y, t: -0.5 * y, tf.constant(1.0), t.astype(np.float32), rtol=1e-3, atol=1e-3, name="coarse")
  np.testing.assert_allclose(run(coarse), np.exp(-0.5 * t), atol=2e-3)
  assert coarse.dtype == tf.float32


def test_of_time_and_matrices():
  t = np.float64([0.0, 0.1, 0.5, 2.0])
  made = integrate.odeint(lambda y, at: tf.cos(at) * tf.ones([2, 3], tf.float64), np.zeros([2, 3]), t)
  np.testing.assert_allclose(run(made), np.sin(t)[:, None, None] * np.ones([2, 3]), atol=1e-5)
  oscillating = integrate.odeint(lambda y, at: tf.stack([y[1], -y[0]]), np.float64([0.0, 1.0]), np.linspace(0, 20, 50))
  np.testing.assert_allclose(run(oscillating)[:, 0], np.sin(np.linspace(0, 20, 50)), atol=1e-4)
  turning = integrate.odeint(lambda y, at: 1j * y, tf.constant(1.0 + 0j, tf.complex128), np.float64([0.0, 1.0, 2.0]))
  np.testing.assert_allclose(run(turning), np.exp(1j * np.arange(3)), atol=1e-5)


def test_full_output():
  calls = []

  def function(y, t):
    calls.append(1)
    return -y

  options = {"first_step": 2.0, "safety": 0.8, "ifactor": 5.0, "dfactor": 0.3, "max_num_steps": 200}
  y, info = integrate.odeint(
    function, tf.constant(1.0, tf.float64), np.float64([0, 1, 4]), rtol=1e-8, method="dopri5", options=options, full_output=True
  )
  values, info = run([y, info])
  np.testing.assert_allclose(values, np.exp([0.0, -1.0, -4.0]), rtol=1e-6)
  assert sorted(info) == ["error_ratio", "integrate_points", "num_func_evals"]
  tried = len(info["error_ratio"])
  assert info["integrate_points"].shape == (tried,) and info["num_func_evals"] == 1 + 6 * tried
  # The first step is too large; steps that are taken have errors that are allowed, and the last one reaches the end.
  assert info["integrate_points"][0] == 2.0 and info["error_ratio"][0] > 1
  taken = info["integrate_points"][info["error_ratio"] <= 1]
  assert (np.diff(taken) > 0).all() and taken[-1] >= 4.0


def test_gradients_and_training():
  rate = tf.Variable(0.1, dtype=tf.float64)
  t = np.linspace(0.0, 2.0, 5)
  y = integrate.odeint(lambda y, t: -rate * y, tf.constant(1.0, tf.float64), t)
  gradient = tf.gradients(y[-1], rate)[0]
  assert run(gradient) == pytest.approx(-2 * np.exp(-0.2), rel=1e-4)
  loss = tf.reduce_mean(tf.square(y - np.exp(-0.7 * t)))
  train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(60):
      session.run(train)
    assert session.run(rate) == pytest.approx(0.7, abs=0.02)


def test_fixed_steps():
  t = np.linspace(0.0, 1.0, 11)
  exact = np.exp(-t)
  fine = integrate.odeint_fixed(lambda y, t: -y, tf.constant(1.0, tf.float64), t)
  half = integrate.odeint_fixed(lambda y, t: -y, tf.constant(1.0, tf.float64), t, method="midpoint", name="half")
  np.testing.assert_allclose(run(fine), exact, rtol=1e-6)
  np.testing.assert_allclose(run(half), (1 - 0.1 + 0.005) ** np.arange(11), rtol=1e-9)
  asked = np.float64([0.0, 0.25, 0.6, 1.0])
  for dt in (0.05, np.full(20, 0.05)):
    found = run(integrate.odeint_fixed(lambda y, t: -y, tf.constant(1.0, tf.float64), asked, dt=dt))
    np.testing.assert_allclose(found, np.exp(-asked), rtol=1e-6)
  between = run(integrate.odeint_fixed(lambda y, t: -y, tf.constant(1.0, tf.float64), [0.0, 0.25, 1.0], dt=0.5))
  np.testing.assert_allclose(between[1], (1 + np.exp(-0.5)) / 2, rtol=1e-3)


def test_errors():
  one = tf.constant(1.0)
  for call, kind, words in [
    (lambda: integrate.odeint(lambda y, t: y, one, [0.0, 1.0], method="rk4"), ValueError, "invalid method"),
    (lambda: integrate.odeint(lambda y, t: y, one, [0.0, 1.0], options={"safety": 1}), ValueError, "cannot supply `options`"),
    (lambda: integrate.odeint(lambda y, t: y, one, [0.0], method="dopri5", options={"x": 1}), TypeError, "unexpected options"),
    (lambda: integrate.odeint(lambda y, t: y, tf.constant(1), [0.0, 1.0]), TypeError, "floating point"),
    (lambda: integrate.odeint(lambda y, t: y, one, [[0.0, 1.0]]), ValueError, "t must be a 1D tensor"),
    (lambda: integrate.odeint_fixed(lambda y, t: y, one, [0.0, 1.0], method="x"), ValueError, "method not supported"),
    (lambda: integrate.odeint_fixed(lambda y, t: y, one, [0.0, 1.0], dt=[[0.1]]), ValueError, "dt must be"),
  ]:
    with pytest.raises(kind, match=words):
      call()
  with pytest.raises(tf.errors.InvalidArgumentError, match="monotonic increasing"):
    run(integrate.odeint(lambda y, t: y, one, [0.0, 1.0, 0.5]))
  with pytest.raises(tf.errors.InvalidArgumentError, match="max_num_steps exceeded"):
    run(integrate.odeint(lambda y, t: -1e4 * y, one, [0.0, 10.0], method="dopri5", options={"max_num_steps": 5}))


SCRIPT = """
import numpy as np
import tensorflow as tf

rho, sigma, beta = 28.0, 10.0, 8.0 / 3.0

def lorenz_equation(state, t):
  x, y, z = tf.unstack(state)
  return tf.stack([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

init_state = tf.constant([0, 2, 20], dtype=tf.float64)
t = np.linspace(0, 5, num=500)
tensor_state, tensor_info = tf.contrib.integrate.odeint(lorenz_equation, init_state, t, full_output=True)
with tf.Session() as sess:
  state, info = sess.run([tensor_state, tensor_info])
print(state.shape, np.abs(state).max() < 60, info['num_func_evals'] > 500)
"""


def test_a_script(tmp_path):
  ran = package.script(tmp_path, SCRIPT)
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.strip() == "(500, 3) True True"
