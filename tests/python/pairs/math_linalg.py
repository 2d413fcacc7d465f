"""Linear algebra: decompositions, equations, norms, identity matrices, the exponential."""

import numpy as np


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


_SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], dtype=np.float32)
_TALL = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]], dtype=np.float32)


def program_cholesky(tf):
  x = tf.placeholder(tf.float32, [3, 3], name="x")
  root = tf.cholesky(x)
  results = [
    root,
    tf.linalg.cholesky(x, name="named"),
    tf.cholesky_solve(root, _TALL),
    tf.linalg.cholesky_solve(root, tf.constant(_TALL), name="solved"),
    tf.linalg.logdet(x),
    tf.linalg.logdet(_SPD, name="l"),
  ]
  return _run(tf, results, {x: _SPD})


program_cholesky.rtol = 1e-4


def program_determinants_and_inverses(tf):
  x = tf.placeholder(tf.float64, [None, None], name="x")
  sign, log = tf.linalg.slogdet(x)
  results = [
    tf.matrix_determinant(x),
    tf.linalg.det(x, name="named"),
    sign,
    log,
    tf.matrix_inverse(x),
    tf.linalg.inv(x, adjoint=True, name="adjoint_inverse"),
    tf.linalg.adjoint(x),
    tf.linalg.adjoint(tf.constant([[1 + 2j, 3j]], tf.complex64), name="a"),
    tf.cross([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]),
    tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], name="c"),
  ]
  return _run(tf, results, {x: _SPD.astype(np.float64)})


program_determinants_and_inverses.rtol = 1e-6


def program_solving(tf):
  x = tf.placeholder(tf.float32, [3, 3], name="x")
  lower = np.tril(_SPD)
  results = [
    tf.matrix_solve(x, _TALL),
    tf.linalg.solve(x, _TALL, adjoint=True, name="named"),
    tf.matrix_triangular_solve(lower, _TALL),
    tf.linalg.triangular_solve(lower.T, _TALL, lower=False, adjoint=True, name="upper"),
    tf.matrix_triangular_solve(tf.constant(lower), tf.constant(_TALL), True, True),
  ]
  return _run(tf, results, {x: _SPD})


program_solving.rtol = 1e-4


def program_least_squares(tf):
  x = tf.placeholder(tf.float64, [3, 2], name="x")
  y = tf.placeholder(tf.float64, [3, 1], name="y")
  wide = tf.placeholder(tf.float64, [2, 3], name="wide")
  results = [
    tf.matrix_solve_ls(x, y),
    tf.matrix_solve_ls(x, y, l2_regularizer=0.5),
    tf.linalg.lstsq(x, y, fast=False, name="named"),
    tf.matrix_solve_ls(wide, y[:2], 0.25),
    tf.matrix_solve_ls(wide, y[:2]),
    tf.linalg.lstsq(tf.stack([x, x]), tf.stack([y, y]), l2_regularizer=0.5),
  ]
  return _run(tf, results, {x: _TALL, y: [[1.0], [2.0], [3.0]], wide: _TALL.T})


program_least_squares.rtol = 1e-6


def program_least_squares_of_unknown_shapes(tf):
  x = tf.placeholder(tf.float64, [None, None], name="x")
  result = tf.matrix_solve_ls(x, tf.ones([tf.shape(x)[0], 1], tf.float64), l2_regularizer=0.125)
  return [_run(tf, result, {x: value}) for value in (_TALL, _TALL.T)]


program_least_squares_of_unknown_shapes.rtol = 1e-6


def program_qr(tf):
  x = tf.placeholder(tf.float64, [3, 2], name="x")
  results = []
  for q, r in (tf.qr(x), tf.linalg.qr(x, full_matrices=True, name="named")):
    results += [tf.abs(r), tf.matmul(q, r), q.get_shape().as_list(), r.get_shape().as_list()]
  return _run(tf, results[0:2] + results[4:6], {x: _TALL}) + results[2:4] + results[6:8]


program_qr.rtol = 1e-6


def program_svd(tf):
  x = tf.placeholder(tf.float64, [3, 2], name="x")
  s, u, v = tf.svd(x)
  full_s, full_u, _ = tf.linalg.svd(x, full_matrices=True, name="named")
  values = tf.svd(x, compute_uv=False)
  again = tf.matmul(u, tf.matmul(tf.matrix_diag(s), v, adjoint_b=True))
  return _run(tf, [s, again, full_s, tf.shape(full_u), values], {x: _TALL})


program_svd.rtol = 1e-6
program_svd.atol = 1e-9


def program_svd_of_complex_numbers(tf):
  z = tf.placeholder(tf.complex128, [2, 2], name="z")
  s, _, _ = tf.svd(z)
  return _run(tf, [s, tf.svd(z, compute_uv=False)], {z: [[1 + 1j, 2], [0, 3j]]})


program_svd_of_complex_numbers.rtol = 1e-6


def program_eigenvalues(tf):
  x = tf.placeholder(tf.float64, [3, 3], name="x")
  e, v = tf.self_adjoint_eig(x)
  named, _ = tf.linalg.eigh(x, name="named")
  again = tf.matmul(v, tf.matmul(tf.matrix_diag(e), v, adjoint_b=True))
  results = [e, again, named, tf.self_adjoint_eigvals(x), tf.linalg.eigvalsh(x, name="values")]
  return _run(tf, results, {x: _SPD})


program_eigenvalues.rtol = 1e-6


def program_lu_and_square_root(tf):
  x = tf.placeholder(tf.float64, [3, 3], name="x")
  lu, p = tf.linalg.lu(x)
  named, q = tf.linalg.lu(x, output_idx_type=tf.int64, name="named")
  results = [lu, p, named, q, tf.linalg.sqrtm(x), tf.linalg.sqrtm(x, name="s"), tf.matrix_square_root(x)]
  results.append(tf.linalg.logm(tf.cast(x, tf.complex128), name="l"))
  return _run(tf, results, {x: _SPD})


program_lu_and_square_root.rtol = 1e-6
program_lu_and_square_root.atol = 1e-9


def program_rank_and_pseudo_inverse(tf):
  x = tf.placeholder(tf.float32, [3, 2], name="x")
  u = tf.placeholder(tf.float32, [None, None], name="u")
  results = [
    tf.linalg.matrix_rank(x),
    tf.linalg.matrix_rank(u, tol=0.5, validate_args=True, name="named"),
    tf.linalg.matrix_rank(u),
    tf.linalg.pinv(x),
    tf.linalg.pinv(u, rcond=0.01, validate_args=True, name="inverse"),
    tf.linalg.pinv(u),
  ]
  return _run(tf, results, {x: _TALL, u: [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]})


program_rank_and_pseudo_inverse.rtol = 1e-3
program_rank_and_pseudo_inverse.atol = 1e-5


def program_matrix_exponential(tf):
  x = tf.placeholder(tf.float32, [2, 2], name="x")
  results = [tf.linalg.expm(x), tf.linalg.expm([[0.0, 1.0], [-1.0, 0.0]], name="named")]
  return [
    _run(tf, results, {x: np.array(value)})
    for value in ([[0.1, 0.2], [0.0, 0.1]], [[1.0, 2.0], [3.0, 4.0]], [[0.0, 9.0], [-9.0, 1.0]])
  ]


program_matrix_exponential.rtol = 1e-4


def program_matrix_exponential_of_doubles(tf):
  x = tf.placeholder(tf.float64, [None, 2, 2], name="x")
  value = np.array([[[0.001, 0.0], [0.0, 0.002]], [[1.0, 2.0], [0.5, -1.0]], [[0.0, 30.0], [-30.0, 0.0]]])
  return _run(tf, tf.linalg.expm(x), {x: value})


program_matrix_exponential_of_doubles.rtol = 1e-8
program_matrix_exponential_of_doubles.atol = 1e-10


def program_eye(tf):
  n = tf.placeholder(tf.int32, [], name="n")
  batch = tf.placeholder(tf.int32, [1], name="batch")
  results = [
    tf.eye(3),
    tf.eye(2, 3, [2], dtype=tf.float64),
    tf.linalg.eye(3, num_columns=2, batch_shape=[1], dtype=tf.int32, name="named"),
    tf.eye(n),
    tf.eye(n, 2),
    tf.eye(2, n, batch_shape=batch),
    tf.eye(2, batch_shape=batch),
    tf.eye(2, num_columns=2),
    tf.eye(2, batch_shape=tf.constant([2, 1])),
  ]
  return _run(tf, results, {n: 3, batch: [2]}) + [r.get_shape().as_list() for r in results[:3]]


def program_tridiagonal(tf):
  compact = np.array([[1.0, 2.0, 3.0, 0.0], [5.0, 6.0, 7.0, 8.0], [0.0, 1.0, 2.0, 3.0]])
  matrix = np.diag(compact[1]) + np.diag(compact[0][:3], 1) + np.diag(compact[2][1:], -1)
  rhs = np.arange(8.0).reshape(4, 2)
  d = tf.placeholder(tf.float64, [3, 4], name="d")
  r = tf.placeholder(tf.float64, [4, 2], name="r")
  sequence = (tf.constant(compact[0]), tf.constant(compact[1]), tf.constant(compact[2]))
  short = (tf.constant(compact[0][:3]), tf.constant(compact[1]), tf.constant(compact[2][1:]))
  results = [
    tf.linalg.tridiagonal_matmul(d, r),
    tf.linalg.tridiagonal_matmul(sequence, r, "sequence", name="named"),
    tf.linalg.tridiagonal_matmul(tf.constant(matrix), r, diagonals_format="matrix"),
    tf.linalg.tridiagonal_solve(d, r),
    tf.linalg.tridiagonal_solve(d, r[:, 0], name="vector"),
    tf.linalg.tridiagonal_solve(sequence, r, "sequence"),
    tf.linalg.tridiagonal_solve(short, r, "sequence", partial_pivoting=False),
    tf.linalg.tridiagonal_solve(tf.constant(matrix), r, diagonals_format="matrix"),
    tf.linalg.tridiagonal_solve(d, tf.transpose(r), transpose_rhs=True, conjugate_rhs=True),
  ]
  return _run(tf, results, {d: compact, r: rhs}) + [_raised(lambda: tf.linalg.tridiagonal_solve(d, r, "other"))]


program_tridiagonal.rtol = 1e-9


def program_norms_of_vectors(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = [tf.norm(x, ord=order) for order in ("euclidean", 1, 2, 3, 2.5, np.inf)]
  results += [tf.norm(x, ord=order, axis=1) for order in ("euclidean", 1, 2, 3, np.inf)]
  results += [tf.linalg.norm(x, 1, -1, True, "named"), tf.norm(x, axis=0, keep_dims=True), tf.norm([3.0, 4.0])]
  return _run(tf, results, {x: [[1.0, -2.0, 3.0], [0.0, 4.0, -1.0]]})


program_norms_of_vectors.rtol = 1e-5


def program_norms_of_matrices(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = [tf.norm(x, ord=order, axis=[0, 1]) for order in ("euclidean", "fro", 1, np.inf)]
  results += [tf.norm(x, ord="fro", axis=(0, 1), keepdims=True, name="named"), tf.norm(x, ord=1, axis=[-2, -1], keepdims=True)]
  return _run(tf, results, {x: [[1.0, -2.0, 3.0], [0.0, 4.0, -1.0]]})


program_norms_of_matrices.rtol = 1e-5


def program_largest_singular_value(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = [tf.norm(x, ord=2, axis=[0, 1]), tf.norm(x, ord=2, axis=[-1, 0], keepdims=True)]
  return _run(tf, results, {x: [[1.0, -2.0, 3.0], [0.0, 4.0, -1.0]]})


program_largest_singular_value.rtol = 1e-5


def program_norms_of_complex_numbers(tf):
  z = tf.placeholder(tf.complex64, [2], name="z")
  return _run(tf, [tf.norm(z), tf.norm(z, axis=0), tf.norm(z, ord=1)], {z: [1 + 1j, 2 - 1j]})


program_norms_of_complex_numbers.rtol = 1e-5


def program_normalize(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = [
    tf.linalg.normalize(x),
    tf.linalg.normalize(x, ord=1, axis=1, name="named"),
  ]
  return _run(tf, results, {x: [[1.0, -2.0, 3.0], [0.0, 4.0, -1.0]]})


program_normalize.rtol = 1e-5


def program_wrong_norms(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  calls = [
    {"ord": "other"},
    {"ord": -1},
    {"ord": 0},
    {"ord": "fro", "axis": 0},
    {"ord": 3, "axis": [0, 1]},
    {"axis": [0, 0]},
    {"axis": [0, 1, 2]},
    {"axis": "a"},
    {"axis": 1.5},
    {"keepdims": True, "keep_dims": True},
  ]
  return [_raised(lambda call=call: tf.norm(x, **call)) for call in calls]


def program_wrong_matrices(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  i = tf.placeholder(tf.int32, [2, 2], name="i")
  return [
    _raised(lambda: tf.cholesky(x)),
    _raised(lambda: tf.matrix_inverse(x)),
    _raised(lambda: tf.linalg.logm(tf.constant([[1.0]]))),
    _raised(lambda: tf.matrix_solve(x, x)),
    _raised(lambda: tf.linalg.pinv(i)),
    _raised(lambda: tf.linalg.matrix_rank(tf.constant([1.0]))),
    _raised(lambda: tf.svd(i)),
  ]


def program_wrong_tridiagonal_systems(tf):
  def of(*shape):
    return tf.placeholder(tf.float32, shape)

  calls = [
    (of(3, 4), of(3, 2)),
    (of(3, 4), of(3)),
    (of(3, 4), of(2, 4)),
    (of(2, 4), of(4, 2)),
    (of(4), of(4, 2)),
    (of(3, 4), of(4, 2, 1)),
    (of(5, 3, 4), of(6, 4, 1)),
    ((of(2), of(4), of(4)), of(4, 2), "sequence"),
    ((of(4), of(4)), of(4, 2), "sequence"),
    ((of(2, 4), of(4), of(4)), of(4, 2), "sequence"),
    (of(4, 3), of(4, 2), "matrix"),
    (of(4, 4), of(4, 2), "other"),
  ]
  return [_raised(lambda call=call: tf.linalg.tridiagonal_solve(*call)) for call in calls]


def program_least_squares_of_lists(tf):
  rhs = tf.placeholder(tf.float32, [3, 1], name="rhs")
  matrix = [[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]
  results = [
    tf.matrix_solve_ls(matrix, rhs),
    tf.matrix_solve_ls(matrix, rhs, 0.5, fast=False),
    tf.matrix_solve_ls(matrix, rhs, name="named"),
  ]
  return _run(tf, results, {rhs: [[1.0], [2.0], [4.0]]})


program_least_squares_of_lists.rtol = 1e-4
