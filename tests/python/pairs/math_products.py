"""Products of matrices, sums over indices, segments, counts."""

import numpy as np


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


def program_matmul(tf):
  a = tf.placeholder(tf.float32, [2, 3], name="a")
  b = tf.placeholder(tf.float32, [3, 2], name="b")
  results = [
    tf.matmul(a, b),
    tf.matmul(a, b, transpose_a=True, transpose_b=True, name="named"),
    tf.matmul(a, a, adjoint_b=True),
    tf.matmul(a, a, adjoint_a=True),
    tf.matmul(a, np.ones([3, 2])),
    tf.matmul([[1.0, 2.0]], [[1.0], [2.0]]),
    tf.linalg.matmul(a, b, a_is_sparse=True),
    tf.matmul(a, a, transpose_b=True, b_is_sparse=True, a_is_sparse=True, name="sparse"),
    tf.sparse_matmul(a, a, True, False, True, True, "older"),
    tf.sparse_matmul(a, b),
  ]
  value = np.arange(6, dtype=np.float32)
  return _run(tf, results, {a: value.reshape(2, 3), b: value.reshape(3, 2)})


def program_matmul_of_batches(tf):
  a = tf.placeholder(tf.float32, [None, 2, 3], name="a")
  b = tf.placeholder(tf.float32, name="b")
  results = [
    tf.matmul(a, b),
    tf.matmul(a, a, transpose_b=True),
    tf.matmul(a, a, transpose_a=True, name="named"),
    tf.matmul(a, a, adjoint_a=True),
    tf.matmul(b, a),
  ]
  value = np.arange(12, dtype=np.float32)
  return _run(tf, results, {a: value.reshape(2, 2, 3), b: value.reshape(2, 3, 2)})


def program_matmul_of_complex_numbers(tf):
  a = tf.placeholder(tf.complex64, [2, 2], name="a")
  b = tf.placeholder(tf.complex64, [1, 2, 2], name="b")
  results = [
    tf.matmul(a, a, adjoint_a=True),
    tf.matmul(a, a, adjoint_b=True),
    tf.matmul(b, b, transpose_a=True),
    tf.matmul(b, b, transpose_b=True),
    tf.matmul(b, b, adjoint_a=True),
  ]
  value = np.array([[1 + 1j, 2], [3j, 4 - 1j]], np.complex64)
  return _run(tf, results, {a: value, b: value[np.newaxis]})


def program_matmul_of_other_types(tf):
  i = tf.constant([[1, 2], [3, 4]])
  d = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
  h = tf.cast(d, tf.bfloat16)
  results = [tf.matmul(i, i), tf.matmul(d, d), tf.matmul(d, d, a_is_sparse=True), tf.matmul(h, tf.cast(d, tf.float32))]
  return _run(tf, results + [tf.cast(tf.matmul(h, h, a_is_sparse=True), tf.float32)])


def program_matvec(tf):
  a = tf.placeholder(tf.float32, [2, 3], name="a")
  v = tf.placeholder(tf.float32, [3], name="v")
  results = [
    tf.linalg.matvec(a, v),
    tf.linalg.matvec(a, [1.0, 2.0], transpose_a=True, name="named"),
    tf.linalg.matvec(a, [1.0, 2.0], adjoint_a=True),
    tf.linalg.matvec(a, v, a_is_sparse=True),
    tf.linalg.matvec(a, v, b_is_sparse=True),
  ]
  return _run(tf, results, {a: np.arange(6).reshape(2, 3), v: [1.0, 0.0, 2.0]})


def program_wrong_products(tf):
  a = tf.placeholder(tf.float32, [2, 3], name="a")
  d = tf.placeholder(tf.float64, [3, 2], name="d")
  batch = tf.placeholder(tf.float32, [4, 2, 3], name="batch")
  return [
    _raised(lambda: tf.matmul(a, a)),
    _raised(lambda: tf.matmul(a, d)),
    _raised(lambda: tf.matmul(a, a, transpose_a=True, adjoint_a=True)),
    _raised(lambda: tf.matmul(a, a, transpose_b=True, adjoint_b=True)),
    _raised(lambda: tf.matmul([1.0], [2.0])),
    _raised(lambda: tf.matmul(batch, batch, a_is_sparse=True)),
    _raised(lambda: tf.matmul(a, tf.SparseTensor([[0, 0]], [1.0], [3, 2]))),
  ]


def program_trace_and_diagonals(tf):
  x = tf.placeholder(tf.float32, [None, 3, 3], name="x")
  y = tf.placeholder(tf.float32, [2, 2], name="y")
  results = [tf.trace(x), tf.linalg.trace(y, name="named"), tf.trace([[1.0, 2.0], [3.0, 4.0]])]
  return _run(tf, results, {x: np.arange(18).reshape(2, 3, 3), y: [[1, 2], [3, 4]]})


def program_tensordot(tf):
  a = tf.placeholder(tf.float32, [2, 3, 4], name="a")
  b = tf.placeholder(tf.float32, [4, 3, 5], name="b")
  m = tf.placeholder(tf.float32, [3, 4], name="m")
  results = [
    tf.tensordot(a, b, 1),
    tf.tensordot(a, b, [[1, 2], [1, 0]], name="named"),
    tf.tensordot(a, m, [1, 0]),
    tf.linalg.tensordot(a, m, [[-2, -1], [0, 1]]),
    tf.tensordot(m, m, 2),
    tf.tensordot(m, m, 0),
    tf.tensordot([1.0, 2.0], [3.0, 4.0], 1),
    tf.tensordot(m, m, ((0,), (0,))),
    tf.tensordot(m, a, tf.constant([[1], [2]])),
  ]
  feeds = {a: np.arange(24).reshape(2, 3, 4), b: np.arange(60).reshape(4, 3, 5), m: np.arange(12).reshape(3, 4)}
  return _run(tf, results, feeds)


def program_tensordot_of_unknown_shapes(tf):
  a = tf.placeholder(tf.float32, [None, 3, 4], name="a")
  m = tf.placeholder(tf.float32, [4, 5], name="m")
  u = tf.placeholder(tf.float32, name="u")
  axes = tf.placeholder(tf.int32, [2, 1], name="axes")
  results = [tf.tensordot(a, m, 1), tf.tensordot(m, a, [[0], [2]]), tf.tensordot(u, m, 1), tf.tensordot(a, m, axes)]
  value = np.arange(24).reshape(2, 3, 4)
  values = _run(tf, results, {a: value, m: np.arange(20).reshape(4, 5), u: value, axes: [[2], [0]]})
  return values + [str(r.get_shape()) for r in results]


def program_wrong_tensordots(tf):
  a = tf.placeholder(tf.float32, [2, 3], name="a")
  b = tf.placeholder(tf.float32, [3, 4], name="b")
  return [
    _raised(lambda: tf.tensordot(a, b, -1)),
    _raised(lambda: tf.tensordot(a, b, 3)),
    _raised(lambda: tf.tensordot(a, b, [1, 2, 3])),
    _raised(lambda: tf.tensordot(a, b, [[0, 1], [0]])),
    _raised(lambda: tf.tensordot(a, b, [[0], [0]])),
  ]


def program_einsum(tf):
  a = tf.placeholder(tf.float32, [2, 3], name="a")
  b = tf.placeholder(tf.float32, [3, 4], name="b")
  c = tf.placeholder(tf.float32, [None, 2, 3], name="c")
  results = [
    tf.einsum("ij,jk->ik", a, b),
    tf.einsum("ij,jk", a, b),
    tf.einsum("ij->ji", a, name="named"),
    tf.einsum("ij->", a),
    tf.einsum(" bij , jk -> bik ", c, b),
    tf.linalg.einsum("bij,bij->b", c, c),
    tf.einsum("...ij,...jk->...ik", c, b),
    tf.einsum("ij,ij->ij", a, np.ones([2, 3])),
    tf.einsum("i,j->ij", np.float32([1, 2]), np.float32([3, 4])),
    tf.einsum("ij,jk->ik", a, b, optimize="optimal"),
  ]
  feeds = {a: np.arange(6).reshape(2, 3), b: np.arange(12).reshape(3, 4), c: np.arange(12).reshape(2, 2, 3)}
  return _run(tf, results, feeds)


def program_einsum_of_many(tf):
  a, b, c, d = (tf.placeholder(tf.float32, shape, name="m") for shape in ([2, 3], [3, 4], [4, 5], [5, 6]))
  large, small = tf.placeholder(tf.float32, [2, 50], name="large"), tf.placeholder(tf.float32, [50, 4], name="small")
  unknown = tf.placeholder(tf.float32, name="unknown")
  results = [
    tf.einsum("ij,jk,kl->il", a, b, c),
    tf.einsum("ij,jk,kl,lm->im", a, b, c, d, name="named"),
    tf.einsum("ij,jk,kl->il", large, small, c),
    tf.einsum("ab,cd,ef->abcdef", a, b, c),
    tf.einsum("ab,ab,ab->ab", a, a, a),
    tf.einsum("ab,bc,ac->", a, b, tf.ones([2, 4])),
    tf.einsum("a,b,c->abc", np.float32([1, 2]), np.float32([3]), np.float32([4, 5])),
    tf.einsum("ij,jk,kl->il", unknown, b, c),
    tf.einsum("...ab,...bc,...cd->...ad", a, b, c),
  ]
  feeds = {t: np.ones([size or 1 for size in t.get_shape().as_list()]) for t in (a, b, c, d, large, small)}
  feeds[unknown] = np.ones([2, 3])
  return _run(tf, results, feeds)


program_einsum_of_many.rtol = 1e-5


def program_wrong_einsums(tf):
  a = tf.placeholder(tf.float32, [2, 3], name="a")
  b = tf.placeholder(tf.float32, [3, 4], name="b")
  return [
    _raised(lambda: tf.einsum("ij,jk->ik", a)),
    _raised(lambda: tf.einsum("ij,jk->ik", a, b, a)),
    _raised(lambda: tf.einsum("ij,jk->im", a, b)),
    _raised(lambda: tf.einsum("i!j->ij", a)),
    _raised(lambda: tf.einsum("ij,jk->ik", a, b, other=1)),
    _raised(lambda: tf.einsum("ij,jk->ik", a, a)),
  ]


def program_segments(tf):
  x = tf.placeholder(tf.float32, [4, 2], name="x")
  ids = tf.placeholder(tf.int32, [4], name="ids")
  results = []
  for name in ["segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum"]:
    results += [getattr(tf, name)(x, [0, 0, 1, 3]), getattr(tf.math, name)(x, ids, name="named_" + name)]
  return _run(tf, results, {x: [[1, 2], [3, 4], [5, 6], [7, 8]], ids: [0, 1, 1, 2]})


def program_unsorted_segments(tf):
  x = tf.placeholder(tf.float32, [4, 2], name="x")
  ids = tf.placeholder(tf.int64, [4], name="ids")
  count = tf.placeholder(tf.int32, [], name="count")
  results = []
  for name in ["max", "mean", "min", "prod", "sqrt_n", "sum"]:
    function = getattr(tf, "unsorted_segment_" + name)
    results += [function(x, [1, 0, 1, 3], 4), function(x, ids, count, name="named_" + name)]
    results.append(getattr(tf.math, "unsorted_segment_" + name)(x, ids, num_segments=3))
  return _run(tf, results, {x: [[1, 2], [3, 4], [5, 6], [7, 8]], ids: [2, 0, -1, 2], count: 3})


program_unsorted_segments.rtol = 1e-5


def program_unsorted_segments_of_unknown_shapes(tf):
  x = tf.placeholder(tf.float32, name="x")
  ids = tf.placeholder(tf.int32, name="ids")
  results = [tf.unsorted_segment_mean(x, ids, 3), tf.unsorted_segment_sqrt_n(x, ids, 3)]
  return _run(tf, results, {x: [[1.0, 2.0], [3.0, 4.0]], ids: [1, 1]})


program_unsorted_segments_of_unknown_shapes.rtol = 1e-5


def program_sparse_segments(tf):
  x = tf.placeholder(tf.float32, [4, 2], name="x")
  results = []
  for name in ["sum", "mean", "sqrt_n"]:
    function = getattr(tf, "sparse_segment_" + name)
    results += [function(x, [0, 3, 1], [0, 0, 1]), function(x, [0, 3], [0, 2], num_segments=4, name="named_" + name)]
    results.append(getattr(tf.sparse, "segment_" + name)(x, [0, 3], [0, 2], num_segments=tf.constant(3)))
  return _run(tf, results, {x: [[1, 2], [3, 4], [5, 6], [7, 8]]})


program_sparse_segments.rtol = 1e-6


def program_bincount(tf):
  x = tf.placeholder(tf.int32, [5], name="x")
  wide = tf.placeholder(tf.int64, [None], name="wide")
  results = [
    tf.bincount(x),
    tf.bincount(x, weights=[0.5, 1.0, 1.5, 2.0, 2.5]),
    tf.bincount(x, minlength=7, maxlength=9),
    tf.bincount(x, maxlength=2, dtype=tf.float32),
    tf.math.bincount([1, 2, 2], dtype=tf.int64),
    tf.bincount([[1, 2], [2, 3]], minlength=tf.constant(6)),
    tf.bincount(wide),
  ]
  return _run(tf, results, {x: [1, 1, 3, 0, 3], wide: [2, 0]})


def program_histograms(tf):
  x = tf.placeholder(tf.float32, [6], name="x")
  results = [
    tf.histogram_fixed_width(x, [0.0, 5.0]),
    tf.histogram_fixed_width(x, [0.0, 5.0], nbins=5, dtype=tf.int64, name="named"),
    tf.histogram_fixed_width_bins(x, [0.0, 5.0]),
    tf.histogram_fixed_width_bins(x, [0.0, 5.0], nbins=5, name="bins"),
    tf.histogram_fixed_width_bins([[1.0], [2.0]], tf.constant([0.0, 4.0]), 4),
  ]
  return _run(tf, results, {x: [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]})


def program_confusion_matrix(tf):
  labels = tf.placeholder(tf.int32, [4], name="labels")
  predictions = tf.placeholder(tf.int32, [4], name="predictions")
  results = [
    tf.confusion_matrix(labels, predictions),
    tf.confusion_matrix(labels, predictions, num_classes=4, dtype=tf.float32, name="named", weights=[0.5, 1.0, 1.5, 2.0]),
    tf.math.confusion_matrix([0, 1], [[1], [1]], 3),
    tf.confusion_matrix(tf.cast(labels, tf.int64), predictions, 3, tf.int64),
  ]
  return _run(tf, results, {labels: [0, 1, 2, 2], predictions: [0, 2, 2, 1]})


def program_wrong_confusion_matrix(tf):
  labels = tf.placeholder(tf.int32, [2], name="labels")
  matrix = tf.confusion_matrix(labels, [0, 1], num_classes=2)
  return [_raised(lambda value=value: _run(tf, matrix, {labels: value})) for value in ([0, 1], [0, 2], [-1, 1])]


def program_sort(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  u = tf.placeholder(tf.float32, name="u")
  results = []
  for function in (tf.sort, tf.argsort):
    results += [
      function(x),
      function(x, direction="DESCENDING", name="named"),
      function(x, axis=0),
      function(x, 0, "DESCENDING"),
      function(np.array([[3, -1], [-(2**31), 7]], np.int32), axis=-1),
      function(np.array([3, 0, 255], np.uint8)),
      function(tf.ones([2, 3, 4]) * [4.0, 2.0, 3.0, 1.0], axis=-2),
      function(u, axis=0),
    ]
  results.append(tf.argsort(x, stable=True))
  value = np.array([[3.0, 1.0, 2.0], [0.5, 7.0, -1.0]])
  values = _run(tf, results, {x: value, u: value})
  return values + [_raised(lambda: tf.sort(x, direction="UP")), _raised(lambda: tf.argsort(x, axis=tf.placeholder(tf.int32, [])))]
