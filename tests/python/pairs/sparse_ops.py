"""Sparse tensors: made, changed, multiplied and reduced."""

import numpy as np


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def first(tf, dtype=np.float32):
  return tf.SparseTensor([[0, 1], [1, 0], [2, 3]], np.array([1, 2, 3], dtype), [3, 4])


def second(tf):
  return tf.SparseTensor([[0, 1], [1, 2]], [10.0, 20.0], [3, 4])


def program_dense_and_back(tf):
  x = first(tf)
  p = tf.placeholder(tf.float32, [None, 2])
  results = [
    tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5, 6]),
    tf.sparse_to_dense([1, 3], [5], 1.0, default_value=-1.0, validate_indices=False, name="vector"),
    tf.sparse_tensor_to_dense(x),
    tf.sparse.to_dense(x, default_value=7.0, validate_indices=False, name="sevens"),
    tf.sparse.to_dense(tf.SparseTensor([[0]], ["a"], [2])),
    tf.sparse.from_dense(p),
    tf.sparse.from_dense([[0, 3], [4, 0]], name="found"),
    tf.sparse.eye(3),
    tf.sparse.eye(2, num_columns=4, dtype=tf.int32, name="wide"),
    tf.sparse_to_indicator(tf.SparseTensor([[0, 0], [1, 1]], tf.constant([2, 0], tf.int64), [2, 3]), 4),
    tf.sparse.to_indicator(first(tf, np.int32), vocab_size=5, name="words"),
  ]
  wrong = caught(lambda: run(tf, tf.sparse_to_dense([[1, 0], [0, 0]], [2, 2], [5, 6])))
  return type(wrong).__name__, run(tf, results, {p: [[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]]})


def program_add(tf):
  x, y = first(tf), second(tf)
  p = tf.sparse_placeholder(tf.float32)
  value = tf.SparseTensorValue([[0, 0], [0, 2]], [1.0, -1.0], [1, 3])
  results = [
    tf.sparse_add(x, y),
    tf.sparse.add(x, y, threshold=15.0),
    tf.sparse_add(x, y, thresh=2.5),
    tf.sparse_add(x, tf.ones([3, 4])),
    tf.sparse.add(tf.ones([3, 4]), y),
    tf.sparse.add(p, p),
    tf.sparse.add(tf.SparseTensorValue([[0]], [1.0], [2]), tf.SparseTensorValue([[1]], [2.0], [2])),
  ]
  errors = [
    caught(lambda: tf.sparse_add(tf.ones([2]), tf.ones([2]))),
    caught(lambda: tf.sparse_add(x, y, 1.0, 2.0)),
  ]
  return errors, run(tf, results, {p: value})


def program_multiply(tf):
  x = first(tf)
  dense = tf.constant(np.arange(8, dtype=np.float32).reshape(4, 2))
  results = [
    tf.sparse_tensor_dense_matmul(x, dense),
    tf.sparse.matmul(x, tf.ones([3, 2]), adjoint_a=True, name="adjoint"),
    tf.sparse.sparse_dense_matmul(x, tf.ones([2, 4]), adjoint_b=True),
    tf.sparse.sparse_dense_matmul(tf.ones([2, 3]), x),
    tf.sparse.sparse_dense_matmul(tf.ones([4, 2]), x, adjoint_a=True, adjoint_b=True),
    x * tf.constant([[1.0], [2.0], [3.0]]),
    x / 2.0,
    tf.sparse.softmax(x, name="soft"),
    tf.sparse_softmax(x),
    tf.sparse.maximum(x, second(tf), name="larger"),
    tf.sparse_minimum(x, second(tf), name="smaller"),
    tf.sparse_maximum(x, x),
    tf.sparse.minimum(x, x),
  ]
  error = caught(lambda: tf.sparse_tensor_dense_matmul(tf.ones([2, 2]), tf.ones([2, 2])))
  return error, run(tf, results)


program_multiply.rtol = 1e-6


def program_reduce(tf):
  x = first(tf)
  p = tf.sparse_placeholder(tf.float32)
  value = tf.SparseTensorValue([[0, 0], [0, 2]], [1.0, -1.0], [1, 3])
  results = [
    tf.sparse_reduce_sum(x),
    tf.sparse.reduce_sum(x, axis=1, keepdims=True),
    tf.sparse_reduce_sum(x, reduction_axes=[0], keep_dims=True),
    tf.sparse_reduce_max(x, 0),
    tf.sparse.reduce_max(x, [0, 1]),
    tf.sparse_reduce_sum(p),
    tf.sparse.reduce_sum_sparse(x, 1),
    tf.sparse_reduce_sum_sparse(x, axis=0, keepdims=True),
    tf.sparse_reduce_max_sparse(x, 1),
    tf.sparse.reduce_max_sparse(x, reduction_axes=0, keep_dims=True),
  ]
  errors = [
    caught(lambda: tf.sparse_reduce_sum(x, 0, reduction_axes=0)),
    caught(lambda: tf.sparse_reduce_max(x, 0, keepdims=True, keep_dims=True)),
  ]
  return errors, run(tf, results, {p: value})


def program_reorder_and_reshape(tf):
  unordered = tf.SparseTensor([[1, 0], [0, 1]], [1.0, 2.0], [2, 3])
  p = tf.sparse_placeholder(tf.float32)
  shape = tf.placeholder(tf.int64, [2])
  value = tf.SparseTensorValue([[1, 0], [0, 1]], [1.0, 2.0], [2, 3])
  results = [
    tf.sparse_reorder(unordered),
    tf.sparse.reorder(p, name="ordered"),
    tf.sparse_reshape(unordered, [3, 2]),
    tf.sparse.reshape(unordered, [-1], name="flat"),
    tf.sparse.reshape(p, shape),
    tf.sparse_transpose(unordered),
    tf.sparse.transpose(unordered, [0, 1], name="same"),
    tf.sparse.transpose(p),
    tf.sparse.expand_dims(unordered, axis=0, name="one"),
    tf.sparse.expand_dims(unordered),
  ]
  error = caught(lambda: tf.sparse_reshape(unordered, [4, 2]))
  return error, run(tf, results, {p: value, shape: [1, 6]})


def program_concat_and_split(tf):
  x, y = first(tf), second(tf)
  small = tf.SparseTensor([[0, 0]], [5.0], [1, 2])
  parts = tf.sparse_split(sp_input=x, num_split=2, axis=1, name="halves")
  results = [
    tf.sparse_concat(0, [x, y]),
    tf.sparse.concat(axis=-1, sp_inputs=[x, y], name="wide"),
    tf.sparse_concat(0, [x, small], expand_nonconcat_dim=True),
    tf.sparse.concat(axis=-1, sp_inputs=[x, small], expand_nonconcat_dim=True, name="uneven"),
    tf.sparse.concat(0, [x]),
    parts,
    tf.sparse.split(sp_input=x, num_split=3, axis=0),
    tf.sparse_slice(x, [0, 1], [2, 3]),
    tf.sparse.slice(x, start=[1, 0], size=tf.constant([2, 2], tf.int64), name="part"),
  ]
  errors = [
    caught(lambda: tf.sparse_concat(0, x)),
    caught(lambda: tf.sparse_concat(0, [x, 1])),
    caught(lambda: tf.sparse_split(1, x)),
    caught(lambda: tf.sparse_split(sp_input=x, axis=1)),
    caught(lambda: tf.sparse_split(num_split=2, axis=1)),
  ]
  return errors, run(tf, results)


def program_retain_and_reset(tf):
  x = first(tf)
  p = tf.sparse_placeholder(tf.float32)
  keep = tf.placeholder(tf.bool, [None])
  new_shape = tf.placeholder(tf.int64, [2])
  value = tf.SparseTensorValue([[0, 0], [0, 2]], [1.0, -1.0], [1, 3])
  results = [
    tf.sparse_retain(x, [True, False, True]),
    tf.sparse.retain(p, keep),
    tf.sparse_reset_shape(x),
    tf.sparse_reset_shape(x, [5, 5]),
    tf.sparse.reset_shape(p, new_shape),
  ]
  feed = {p: value, keep: [False, True], new_shape: [4, 4]}
  errors = [
    caught(lambda: tf.sparse_reset_shape(x, [2, 2])),
    caught(lambda: tf.sparse_retain(x, [True])),
    caught(lambda: run(tf, results[4], {p: value, new_shape: [1, 1]})),
  ]
  return errors, run(tf, results, feed)


def program_fill_and_merge(tf):
  x = tf.SparseTensor([[0, 1], [2, 0]], ["a", "b"], [4, 3])
  ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([2, 0, 1], tf.int64), [2, 2])
  values = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0.5, 1.5, 2.5], [2, 2])
  results = [
    tf.sparse_fill_empty_rows(x, "none"),
    tf.sparse.fill_empty_rows(first(tf), default_value=-1.0, name="filled"),
    tf.sparse_merge(ids, values, 4),
    tf.sparse.merge([ids, ids], values, vocab_size=[4, 5], name="pairs", already_sorted=True),
  ]
  errors = [
    caught(lambda: tf.sparse_merge(ids, values, [4])),
    caught(lambda: tf.sparse_merge([ids, ids], values, [4])),
  ]
  return errors, run(tf, results)


def program_mask(tf):
  slices = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant([4, 1, 7]), tf.constant([9, 2]))
  left = tf.sparse_mask(slices, [1])
  named = tf.sparse.mask(slices, tf.constant([4, 7]), name="left")
  return run(tf, [left.values, left.indices, left.dense_shape, named.values, named.indices])


def program_cross(tf):
  """The op of TensorFlow 1.15 makes them."""
  one = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2])
  two = tf.constant([["d"], ["e"]])
  results = [
    tf.sparse.cross([one, two], name="crossed"),
    tf.sparse.cross_hashed([one, two], num_buckets=100),
    tf.sparse.cross_hashed([one, tf.constant([[1], [2]])], num_buckets=50, hash_key=7, name="hashed"),
    tf.sparse.cross_hashed([one]),
  ]
  return run(tf, results)


program_cross.values_only = True


def program_segments(tf):
  x = tf.constant(np.arange(8, dtype=np.float32).reshape(4, 2))
  results = [
    tf.sparse_segment_sum(x, [0, 2, 3], [0, 0, 1]),
    tf.sparse.segment_sum(x, [0, 2], [0, 2], name="sums", num_segments=4),
    tf.sparse_segment_mean(x, [0, 2, 3], [0, 0, 1], num_segments=3),
    tf.sparse.segment_mean(x, indices=[1], segment_ids=[0]),
    tf.sparse_segment_sqrt_n(x, [0, 2, 3], [0, 0, 1], name="roots"),
    tf.sparse.segment_sqrt_n(x, [0, 1], [0, 0], num_segments=2),
  ]
  return run(tf, results)


def program_values_and_feeds(tf):
  x = first(tf)
  p = tf.sparse_placeholder(tf.float32, [None, 4])
  y = tf.SparseTensor.from_value(tf.SparseTensorValue([[0]], [1], [2]))
  facts = [str(x), x.dtype.name, str(x.get_shape()), str(p.get_shape()), str(y.shape), x.op.name, x.indices.name]
  errors = [
    caught(lambda: tf.SparseTensor([[0, 1]], [1.0, 2.0], [2, 2])),
    caught(lambda: tf.SparseTensor([[0, 1]], [1.0], [2])),
    caught(lambda: tf.SparseTensor.from_value(5)),
  ]
  value = tf.SparseTensorValue(np.array([[0, 1]]), np.array([3.0], np.float32), np.array([2, 4]))
  with tf.Session() as session:
    fetched = session.run([p, p.values, x], {p: value})
    evaluated = x.eval()
  return facts, errors, fetched, evaluated, type(fetched[0]).__name__


def program_logistic_regression_on_bags(tf):
  """Scores bags of words by a sparse product, as linear models do."""
  bags = tf.sparse_placeholder(tf.float32, [None, 5])
  weights = tf.constant([[0.1], [-0.2], [0.3], [0.4], [-0.5]])
  scores = tf.sigmoid(tf.sparse_tensor_dense_matmul(bags, weights) + 0.1)
  length = tf.sparse_reduce_sum(bags, 1)
  value = tf.SparseTensorValue([[0, 1], [0, 4], [2, 2]], [1.0, 2.0, 3.0], [3, 5])
  return run(tf, [scores, length], {bags: value})


program_logistic_regression_on_bags.rtol = 1e-6
