"""Bijectors of tf.contrib.distributions, and what is transformed by them."""

import math

import numpy as np
import package
import pytest
from distributions_parts import ds, error, run, seeds  # noqa: F401

import millrace as tf


def test_bijectors():
  b = ds.bijectors
  x = np.float32([0.3, 0.8, 1.5])
  for made in [
    b.Identity(),
    b.Exp(),
    b.Sigmoid(),
    b.Softplus(),
    b.Softplus(hinge_softness=0.5),
    b.Tanh(),
    b.Square(validate_args=True),
    b.PowerTransform(power=2.0),
    b.AffineScalar(shift=1.0, scale=-2.0, validate_args=True),
    b.Invert(b.Exp()),
    b.Chain([b.Exp(), b.AffineScalar(scale=2.0), b.Softplus()]),
    b.Inline(
      forward_fn=lambda v: v**3,
      inverse_fn=lambda v: v ** (1 / 3),
      forward_log_det_jacobian_fn=lambda v: tf.log(3 * v**2),
      forward_min_event_ndims=0,
    ),
  ]:
    step = 1e-2
    y, back, forward, backward, up, down = run(
      made.forward(x),
      made.inverse(tf.identity(made.forward(x))),
      made.forward_log_det_jacobian(x, event_ndims=0) + tf.zeros(3),
      made.inverse_log_det_jacobian(tf.identity(made.forward(x)), event_ndims=0) + tf.zeros(3),
      made.forward(x + step),
      made.forward(x - step),
    )
    np.testing.assert_allclose(back, x, rtol=1e-4, err_msg=made.name)
    np.testing.assert_allclose(forward, np.log(np.abs(up - down) / (2 * step)), rtol=2e-2, atol=2e-3, err_msg=made.name)
    np.testing.assert_allclose(backward, -forward, rtol=1e-3, atol=1e-4, err_msg=made.name)
    total = run(made.forward_log_det_jacobian(x, event_ndims=1))
    np.testing.assert_allclose(total, forward.sum(), rtol=1e-3, atol=1e-4, err_msg=made.name)
  remembered = tf.constant(x)
  sigmoid = b.Sigmoid()
  assert sigmoid.inverse(sigmoid.forward(remembered)) is remembered
  assert "must be larger than" in error(lambda: b.Affine(scale_diag=[1.0]).forward_log_det_jacobian([1.0], event_ndims=0))
  assert "Must specify at least one" in error(lambda: b.Bijector())


def test_bijectors_of_vectors():
  b = ds.bijectors
  x = np.float32([[0.3, 0.8, 1.5], [-1.0, 0.2, 0.1]])
  root = np.float32([[2, 0, 0], [1, 3, 0], [0.5, 0.2, 1]])
  factor = np.float32([[1], [2], [0.5]])
  cases = [
    (b.Affine(shift=[1.0, 2.0, 3.0]), np.eye(3)),
    (b.Affine(shift=[1.0, 2.0, 3.0], scale_identity_multiplier=2.0), 2 * np.eye(3)),
    (b.Affine(scale_diag=[1.0, 2.0, 3.0]), np.diag([1, 2, 3])),
    (b.Affine(scale_diag=[1.0, 2.0, 3.0], scale_identity_multiplier=1.0), np.diag([2, 3, 4])),
    (b.Affine(scale_tril=root, validate_args=True), root),
    (b.Affine(scale_tril=root, scale_diag=[1.0, 1.0, 1.0]), root + np.eye(3)),
    (b.Affine(scale_diag=[1.0, 2.0, 3.0], scale_perturb_factor=factor), np.diag([1, 2, 3]) + factor @ factor.T),
    (
      b.Affine(scale_identity_multiplier=2.0, scale_perturb_factor=factor, scale_perturb_diag=[0.5]),
      2 * np.eye(3) + 0.5 * factor @ factor.T,
    ),
    (b.AffineLinearOperator(shift=[1.0, 0.0, 0.0], scale=tf.linalg.LinearOperatorFullMatrix(root)), root),
    (b.Permute(permutation=[2, 0, 1]), np.eye(3)[[2, 0, 1]]),
  ]
  for made, matrix in cases:
    y, back, log_det = run(
      made.forward(x), made.inverse(tf.identity(made.forward(x))), made.forward_log_det_jacobian(x, event_ndims=1)
    )
    moved = y - x @ matrix.T
    np.testing.assert_allclose(moved, moved[:1].repeat(2, 0), atol=1e-4)
    np.testing.assert_allclose(back, x, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(log_det, np.log(abs(np.linalg.det(matrix))), rtol=1e-3, atol=1e-5)
  softmax = b.SoftmaxCentered()
  y, back, forward, backward = run(
    softmax.forward(x),
    softmax.inverse(tf.identity(softmax.forward(x))),
    softmax.forward_log_det_jacobian(x, event_ndims=1),
    softmax.inverse_log_det_jacobian(tf.identity(softmax.forward(x)), event_ndims=1),
  )
  whole = np.concatenate([x, np.zeros([2, 1])], 1)
  np.testing.assert_allclose(y, np.exp(whole) / np.exp(whole).sum(1, keepdims=True), rtol=1e-5)
  np.testing.assert_allclose(back, x, rtol=1e-4, atol=1e-5)
  np.testing.assert_allclose(forward, np.log(y).sum(1), rtol=1e-4)
  np.testing.assert_allclose(backward, -forward, rtol=1e-4)
  assert str(softmax.forward_event_shape([3])) == "(4,)" and str(softmax.inverse_event_shape([4])) == "(3,)"
  assert run(softmax.forward_event_shape_tensor([3]), softmax.inverse_event_shape_tensor([4]))[1].tolist() == [3]
  shaped = b.Reshape(event_shape_out=[2, -1], event_shape_in=[6])
  values = np.arange(12, dtype=np.float32).reshape(2, 6)
  y, back = run(shaped.forward(values), shaped.inverse(values.reshape(2, 2, 3)))
  assert y.tolist() == values.reshape(2, 2, 3).tolist() and back.tolist() == values.tolist()
  assert str(shaped.forward_event_shape([6])) == "(2, 3)" and run(shaped.forward_event_shape_tensor([6])).tolist() == [2, 3]
  assert "exactly one of each" in error(lambda: b.Permute([0, 0]))


def test_real_nvp():
  b = ds.bijectors
  made = b.RealNVP(num_masked=2, shift_and_log_scale_fn=b.real_nvp_default_template([8, 8]))
  x = np.random.RandomState(0).randn(4, 3).astype(np.float32)
  y, back, forward, backward = run(
    made.forward(x),
    made.inverse(tf.identity(made.forward(x))),
    made.forward_log_det_jacobian(x, event_ndims=1),
    made.inverse_log_det_jacobian(tf.identity(made.forward(x)), event_ndims=1),
  )
  np.testing.assert_allclose(y[:, :2], x[:, :2])
  np.testing.assert_allclose(back, x, rtol=1e-3, atol=1e-4)
  np.testing.assert_allclose(backward, -forward, rtol=1e-4, atol=1e-5)
  assert len(tf.trainable_variables()) == 6
  shifting = b.RealNVP(1, b.real_nvp_default_template([4], shift_only=True, activation=tf.tanh, name="shift"))
  assert run(shifting.forward_log_det_jacobian(x, event_ndims=1)) == 0.0
  assert "must be a positive integer" in error(lambda: b.RealNVP(0, None))


def test_transformed():
  b = ds.bijectors
  log_normal = ds.TransformedDistribution(distribution=ds.Normal(0.5, 0.7), bijector=b.Exp(), name="LogNormal")
  x = np.float32([0.3, 1.0, 4.0])
  density, below, above, quantile, drawn = run(
    log_normal.prob(x),
    log_normal.cdf(x),
    log_normal.survival_function(x),
    log_normal.cdf(log_normal.quantile([0.2, 0.9])),
    log_normal.sample(20000, seed=1),
  )
  np.testing.assert_allclose(
    density, np.exp(-0.5 * ((np.log(x) - 0.5) / 0.7) ** 2) / (x * 0.7 * math.sqrt(2 * math.pi)), rtol=1e-4
  )
  np.testing.assert_allclose(below + above, 1.0, rtol=1e-5)
  np.testing.assert_allclose(quantile, [0.2, 0.9], rtol=1e-4)
  assert np.median(drawn) == pytest.approx(math.exp(0.5), rel=0.05)
  assert "mean is not implemented" in error(log_normal.mean)
  assert "entropy is not implemented" in error(log_normal.entropy)
  assert isinstance(b.Exp()(ds.Normal(0.0, 1.0)), ds.TransformedDistribution)
  root, loc = np.float32([[2, 0], [0.5, 1.5]]), np.float32([1, -1])
  vectors = ds.TransformedDistribution(
    distribution=ds.Normal(0.0, 1.0), bijector=b.Affine(shift=loc, scale_tril=root), event_shape=[2], validate_args=True
  )
  same = ds.MultivariateNormalTriL(loc, root)
  point = np.float32([[0.5, 0.3], [2.0, 0.0]])
  found = run(vectors.log_prob(point), same.log_prob(point), vectors.entropy(), same.entropy(), vectors.mean())
  np.testing.assert_allclose(found[0], found[1], rtol=1e-4)
  assert found[2] == pytest.approx(found[3], rel=1e-4)
  np.testing.assert_allclose(found[4], loc)
  assert str(vectors.sample(5).shape) == "(5, 2)" and str(vectors.event_shape) == "(2,)"
  np.testing.assert_allclose(np.cov(run(vectors.sample(20000, seed=2)).T), root @ root.T, atol=0.2)
  batch = ds.TransformedDistribution(ds.Normal(0.0, 1.0), b.Affine(scale_diag=[[1.0, 2.0]] * 3), batch_shape=[3], event_shape=[2])
  assert run(batch.log_prob(np.zeros([3, 2], np.float32))).shape == (3,) and run(batch.sample(4, seed=1)).shape == (4, 3, 2)
  assert run(batch.mean()).shape == (3, 2)
  assert "not scalar" in error(lambda: ds.TransformedDistribution(same, b.Exp(), event_shape=[2]))


def test_numbers_and_matrices():
  x = np.float32([1e-6, 0.01, 0.5, 1.0, 20.0, 100.0])
  np.testing.assert_allclose(run(tf.nn.softplus(ds.softplus_inverse(x))), x, rtol=1e-4)
  assert run(ds.fill_triangular([1, 2, 3, 4, 5, 6])).tolist() == [[4, 0, 0], [6, 5, 0], [3, 2, 1]]
  assert run(ds.fill_triangular([[1, 2, 3]], upper=True)).tolist() == [[[1, 2], [0, 3]]]
  assert "does not correspond to a triangular" in error(lambda: ds.fill_triangular([1, 2]))
  matrix = np.float32([[1, 2], [3, 4]])
  np.testing.assert_allclose(run(ds.matrix_diag_transform(matrix, transform=tf.exp)), [[np.e, 2], [3, np.exp(4)]], rtol=1e-5)
  assert run(ds.matrix_diag_transform(matrix)).tolist() == matrix.tolist()
  values = np.float32([[3, 1, 2], [9, 7, 8]])
  assert run(ds.percentile(values, 50.0, axis=1)).tolist() == [2, 8]
  assert run(ds.percentile(values, q=30.0, axis=[1], interpolation="lower", keep_dims=True)).tolist() == [[1], [7]]
  assert run(ds.percentile(values, 30.0, axis=1, interpolation="higher", validate_args=True)).tolist() == [2, 8]
  assert run(ds.percentile(values, 100.0)) == 9
  assert "ValueError" in error(lambda: ds.percentile(values, 1.0, interpolation="linear"))


def test_percentiles_between_elements():
  """Places are counted from the greatest element, and those in the middle of two are rounded to even ones."""
  rounding = {"nearest": np.round, "lower": np.ceil, "higher": np.floor}
  found, expected = [ds.percentile([1.0, 2.0, 3.0, 4.0], 50.0)], [2.0]
  for count in (2, 3, 4, 6, 9):
    values = np.random.RandomState(count).permutation(count).astype(np.float32)
    for q in (0.0, 12.5, 25.0, 50.0, 75.0, 87.5, 100.0):
      for interpolation, function in rounding.items():
        found.append(ds.percentile(values, q, interpolation=interpolation))
        expected.append(np.sort(values)[::-1][int(function((count - 1) * (1 - q / 100)))])
  np.testing.assert_array_equal(run(*found), expected)


def test_moving_statistics():
  value = tf.placeholder(tf.float32, [])
  mean, variance = ds.moving_mean_variance(value, decay=0.9)
  names = [variable.name for variable in tf.global_variables()]
  log = tf.Variable(0.0)
  logged = ds.assign_log_moving_mean_exp(log, tf.log(value), 0.9)
  own = tf.Variable(0.0), tf.Variable(0.0)
  both = ds.assign_moving_mean_variance(*own, value, 0.9)
  expected_mean = expected_variance = 0.0
  expected_log = 1.0
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in (1.0, 3.0, 2.0):
      found, spread, log_mean, _ = session.run([mean, variance, logged, both], {value: number})
      expected_variance = 0.9 * (expected_variance + 0.1 * (number - expected_mean) ** 2)
      expected_mean = 0.9 * expected_mean + 0.1 * number
      expected_log = 0.9 * expected_log + 0.1 * number
      assert (found, spread, np.exp(log_mean)) == pytest.approx((expected_mean, expected_variance, expected_log), rel=1e-4)
    assert session.run(own[0]) == pytest.approx(expected_mean, rel=1e-4)
  assert names == ["moving_mean_variance/moving_mean:0", "moving_mean_variance/moving_variance:0"]


def test_names_of_the_core():
  assert ds.Normal is tf.distributions.Normal and ds.kl_divergence is tf.distributions.kl_divergence
  assert "not part of Millrace. Use MultivariateNormalLinearOperator" in error(lambda: ds.MultivariateNormalDiagPlusLowRank)
  assert "RealNVP" in error(lambda: ds.bijectors.MaskedAutoregressiveFlow)


SCRIPT = """
import numpy as np
import tensorflow as tf
ds = tf.contrib.distributions

# A policy that learns, by its gradients, which of three arms pays most.
tf.set_random_seed(1)
np.random.seed(1)
logits = tf.get_variable("logits", [1, 3], initializer=tf.zeros_initializer())
policy = ds.Categorical(logits=logits)
action = policy.sample(seed=2)
taken = tf.placeholder(tf.int32, [1])
reward = tf.placeholder(tf.float32, [])
loss = -tf.reduce_sum(policy.log_prob(taken)) * reward - 0.01 * tf.reduce_sum(policy.entropy())
train = tf.train.AdamOptimizer(0.05).minimize(loss)

# A variational posterior of a mean.
data = np.random.normal(3.0, 1.0, 200).astype(np.float32)
mu, rho = tf.Variable(0.0), tf.Variable(0.0)
posterior = ds.Normal(mu, tf.nn.softplus(rho))
sample = posterior.sample(8, seed=3)
likelihood = tf.reduce_sum(ds.Normal(sample[:, None], 1.0).log_prob(data[None, :]), 1)
elbo = tf.reduce_mean(likelihood) - ds.kl_divergence(posterior, ds.Normal(0.0, 10.0))
fit = tf.train.AdamOptimizer(0.05).minimize(-elbo)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  for _ in range(300):
    chosen = sess.run(action)
    sess.run(train, {taken: chosen, reward: [0.1, 0.2, 1.0][chosen[0]]})
  print(int(np.argmax(sess.run(policy.probs))))
  for _ in range(400):
    sess.run(fit)
  print(abs(sess.run(mu) - data.mean()) < 0.1, 0.03 < sess.run(posterior.scale) < 0.2)
"""


def test_a_script(tmp_path):
  ran = package.script(tmp_path, SCRIPT)
  assert ran.returncode == 0, ran.stderr
  assert ran.stdout.split() == ["2", "True", "True"]
