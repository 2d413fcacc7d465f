"""Sets, fake quantization, and small programs of users that mix what is here."""

import numpy as np


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


def _sparse(tf, rows):
  indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
  values = [value for row in rows for value in row]
  return tf.SparseTensor(indices, values, [len(rows), max(len(row) for row in rows)])


def program_sets(tf):
  a = _sparse(tf, [[1, 2, 9], [3]])
  b = _sparse(tf, [[2, 3], [3, 7]])
  d = tf.constant([[1, 2, 3], [3, 4, 4]])
  e = tf.constant([[2, 2, 5], [4, 8, 9]])
  results = []
  for name in ("intersection", "difference", "union"):
    for function in (getattr(tf.sets, name), getattr(tf.sets, "set_" + name)):
      results += [function(a, b), function(d, b), function(d, e, validate_indices=False)]
  results += [tf.sets.difference(d, e, aminusb=False), tf.sets.difference(a, b, False), tf.sets.difference(d, b, aminusb=False)]
  results += [tf.sets.intersection(a, d), tf.sets.union(a, d), tf.sets.union([[1, 2]], [[2, 3]])]
  values = _run(tf, [[r.indices, r.values, r.dense_shape] for r in results])
  return values + _run(tf, [tf.sets.size(a), tf.sets.set_size(b, validate_indices=False)])


def program_sets_of_texts(tf):
  a = _sparse(tf, [["x", "y"], ["z"]])
  b = tf.constant([["y", "w"], ["z", "v"]])
  results = [tf.sets.intersection(b, a), tf.sets.union(a, b), tf.sets.difference(b, a)]
  return _run(tf, [[r.indices, r.values, r.dense_shape] for r in results])


def program_wrong_sets(tf):
  x = tf.placeholder(tf.int32, [1, 2], name="x")
  return [
    _raised(lambda: tf.sets.union(x, tf.cast(x, tf.int64))),
    type(_raised(lambda: tf.sets.size(x))).__name__,
    type(_raised(lambda: tf.sets.union(tf.to_float(x), tf.to_float(x)))).__name__,
    _raised(lambda: tf.sets.union([1, 2], [2, 3])),
  ]


def program_fake_quantization(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  g = tf.ones([2, 3])
  low, high = tf.constant([-1.0, 0.0, -0.5]), tf.constant([1.0, 2.0, 0.5])
  q = tf.quantization
  results = [
    q.fake_quant_with_min_max_args(x),
    tf.fake_quant_with_min_max_args(x, -1, 1, 4, True, "args"),
    q.fake_quant_with_min_max_args_gradient(g, x),
    tf.fake_quant_with_min_max_args_gradient(g, x, -1, 1, 4, True, "args_gradient"),
    q.fake_quant_with_min_max_vars(x, -1.0, 1.0),
    tf.fake_quant_with_min_max_vars(x, -1.0, 1.0, 4, True, "vars"),
    q.fake_quant_with_min_max_vars_gradient(g, x, -1.0, 1.0, num_bits=4),
    tf.fake_quant_with_min_max_vars_gradient(g, x, -1.0, 1.0, narrow_range=True, name="vars_gradient"),
    q.fake_quant_with_min_max_vars_per_channel(x, low, high),
    tf.fake_quant_with_min_max_vars_per_channel(x, low, high, 4, True, "channels"),
    q.fake_quant_with_min_max_vars_per_channel_gradient(g, x, low, high),
    tf.fake_quant_with_min_max_vars_per_channel_gradient(g, x, low, high, 4, True, "channels_gradient"),
  ]
  return _run(tf, results, {x: [[-2.0, 0.3, 0.1], [0.7, 1.9, 3.0]]})


program_fake_quantization.rtol = 1e-5


def program_newton(tf):
  """Square roots by Newton's method, unrolled."""
  x = tf.placeholder(tf.float64, [None], name="x")
  root = tf.ones_like(x)
  for step in range(6):
    with tf.name_scope("step"):
      root = (root + x / root) / 2
  error = tf.reduce_max(tf.abs(root * root - x))
  return _run(tf, [root, error < 1e-3], {x: [2.0, 9.0, 0.25]})


program_newton.rtol = 1e-9


def program_standardize(tf):
  x = tf.placeholder(tf.float32, [None, 4], name="x")
  mean = tf.reduce_mean(x, axis=0, keepdims=True)
  variance = tf.reduce_mean(tf.square(x - mean), axis=0, keepdims=True)
  standard = (x - mean) * tf.rsqrt(variance + 1e-6)
  covariance = tf.matmul(standard, standard, transpose_a=True) / tf.to_float(tf.shape(x)[0])
  return _run(tf, [standard, covariance], {x: np.arange(12.0).reshape(3, 4) ** 2})


program_standardize.rtol = 1e-4
program_standardize.atol = 1e-5


def program_softmax_by_hand(tf):
  logits = tf.placeholder(tf.float32, [2, 3], name="logits")
  labels = tf.placeholder(tf.int64, [2], name="labels")
  shifted = logits - tf.reduce_max(logits, 1, keep_dims=True)
  probabilities = tf.exp(shifted) / tf.reduce_sum(tf.exp(shifted), 1, keep_dims=True)
  loss = -tf.reduce_mean(tf.log(tf.reduce_sum(probabilities * tf.one_hot(labels, 3), reduction_indices=[1])))
  accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
  return _run(tf, [probabilities, loss, accuracy], {logits: [[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]], labels: [2, 0]})


program_softmax_by_hand.rtol = 1e-5


def program_linear_regression_in_closed_form(tf):
  x = tf.placeholder(tf.float64, [None, 3], name="x")
  y = tf.placeholder(tf.float64, [None, 1], name="y")
  weights = tf.matmul(tf.matrix_inverse(tf.matmul(tf.transpose(x), x)), tf.matmul(tf.transpose(x), y))
  ridge = tf.matrix_solve_ls(x, y, l2_regularizer=0.1)
  residual = tf.norm(tf.matmul(x, weights) - y)
  data = np.array([[1.0, 2.0, 0.5], [1.0, 0.0, 3.0], [1.0, -1.0, 1.0], [1.0, 4.0, 2.0]])
  return _run(tf, [weights, ridge, residual], {x: data, y: data @ [[1.0], [2.0], [-1.0]]})


program_linear_regression_in_closed_form.rtol = 1e-6
program_linear_regression_in_closed_form.atol = 1e-9


def program_principal_components(tf):
  x = tf.placeholder(tf.float64, [4, 3], name="x")
  centered = x - tf.reduce_mean(x, 0)
  singular, _, v = tf.svd(centered)
  values, _ = tf.self_adjoint_eig(tf.matmul(centered, centered, transpose_a=True))
  explained = tf.square(singular) / tf.reduce_sum(tf.square(singular))
  projected = tf.abs(tf.matmul(centered, v[:, :1]))
  data = np.array([[1.0, 2.0, 0.5], [2.0, 0.0, 3.0], [3.0, -1.0, 1.0], [0.0, 4.0, 2.0]])
  return _run(tf, [explained, values, projected], {x: data})


program_principal_components.rtol = 1e-6
program_principal_components.atol = 1e-8


def program_mandelbrot(tf):
  y, x = np.mgrid[-1.0:1.0:0.5, -1.5:0.5:0.5]
  c = tf.constant((x + 1j * y).astype(np.complex64))
  z, count = c, tf.zeros([4, 4], tf.float32)
  for _ in range(4):
    z = z * z + c
    count += tf.cast(tf.abs(z) < 4, tf.float32)
  return _run(tf, count)


def program_pairwise_distances(tf):
  a = tf.placeholder(tf.float32, [None, 2], name="a")
  b = tf.placeholder(tf.float32, [None, 2], name="b")
  squares = (
    tf.reduce_sum(a**2, 1, keepdims=True)
    - 2 * tf.matmul(a, b, transpose_b=True)
    + tf.transpose(tf.reduce_sum(b**2, 1, keepdims=True))
  )
  nearest = tf.argmin(squares, 1)
  centers = tf.unsorted_segment_mean(a, nearest, tf.shape(b)[0])
  feeds = {a: [[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], b: [[0.0, 1.0], [4.0, 4.0]]}
  return _run(tf, [tf.sqrt(tf.maximum(squares, 0.0)), nearest, centers], feeds)


program_pairwise_distances.rtol = 1e-5


def program_monte_carlo(tf):
  tf.set_random_seed(7)
  points = tf.random_uniform([1000, 2], -1.0, 1.0)
  inside = tf.reduce_sum(tf.to_int32(tf.reduce_sum(points**2, 1) < 1.0))
  return _run(tf, [inside, 4 * tf.cast(inside, tf.float64) / 1000])


def program_checked_division(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  with tf.control_dependencies([tf.assert_positive(x, message="has to be positive")]):
    y = tf.check_numerics(1 / x, "division")
  return [_run(tf, y, {x: [1.0, 2.0]}), type(_raised(lambda: _run(tf, y, {x: [0.0, 1.0]}))).__name__]


def program_gradients_of_many_functions(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  y = (
    tf.reduce_logsumexp(x, 1)
    + tf.reduce_sum(tf.sin(x) * tf.exp(-x), 1)
    + tf.reduce_max(x**2, 1) / (1 + tf.reduce_mean(x, 1) ** 2)
  )
  z = tf.reduce_sum(y) + tf.norm(x) + tf.reduce_prod(x[0])
  return _run(tf, [z, tf.gradients(z, x)[0]], {x: [[0.5, 1.0, 2.0], [0.1, 0.3, -0.2]]})


program_gradients_of_many_functions.rtol = 1e-4


def program_gradients_of_linear_algebra(tf):
  x = tf.placeholder(tf.float64, [3, 3], name="x")
  a = tf.matmul(x, x, transpose_b=True) + tf.eye(3, dtype=tf.float64)
  y = tf.linalg.logdet(a) + tf.trace(tf.matrix_inverse(a)) + tf.reduce_sum(tf.cholesky(a)) + tf.matrix_determinant(a)
  y += (
    tf.reduce_sum(tf.tensordot(x, x, [[0], [1]]))
    + tf.reduce_sum(tf.einsum("ij,kj->ik", x, a))
    + tf.reduce_sum(tf.svd(a, compute_uv=False))
  )
  value = np.array([[1.0, 2.0, 0.5], [0.0, 1.0, -1.0], [0.5, 0.25, 2.0]])
  return _run(tf, [y, tf.gradients(y, x)[0]], {x: value})


program_gradients_of_linear_algebra.rtol = 1e-6
