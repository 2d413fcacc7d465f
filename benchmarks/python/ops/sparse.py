"""Sparse, ragged and looked-up values."""

import numpy as np

from ops.rows import ints, longs, op, uniform

ENTRIES = 20_000


def places(count):
  """Ascending places in a matrix of 1000 x 1000."""

  def make():
    found = np.sort(np.random.RandomState(3).choice(10**6, count, replace=False))
    return np.stack([found // 1000, found % 1000], 1).astype(np.int64)

  return make


def sparse(tf, values, indices):
  return tf.SparseTensor(tf.cast(indices, tf.int64), values, [1000, 1000])


def static_table(tf, keys):
  table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(np.arange(1000), np.arange(1000)), -1)
  return table.lookup(keys)


op(
  "sparse/dense_matmul",
  lambda tf, x, ii, y: tf.sparse.sparse_dense_matmul(sparse(tf, x, ii), y),
  uniform(ENTRIES),
  places(ENTRIES),
  uniform(1000, 64),
)
op(
  "sparse/dense_matmul_t",
  lambda tf, x, ii, y: tf.sparse.sparse_dense_matmul(sparse(tf, x, ii), y, adjoint_a=True),
  uniform(ENTRIES),
  places(ENTRIES),
  uniform(1000, 64),
)
op("sparse/to_dense", lambda tf, x, ii: tf.sparse.to_dense(sparse(tf, x, ii)), uniform(ENTRIES), places(ENTRIES))
op("sparse/add", lambda tf, x, ii: tf.sparse.add(sparse(tf, x, ii), sparse(tf, x, ii)).values, uniform(ENTRIES), places(ENTRIES))
op(
  "sparse/reorder",
  lambda tf, x, ii: tf.sparse.reorder(sparse(tf, x, tf.reverse(ii, [0]))).values,
  uniform(ENTRIES),
  places(ENTRIES),
)
op("sparse/reduce_sum", lambda tf, x, ii: tf.sparse.reduce_sum(sparse(tf, x, ii), 1), uniform(ENTRIES), places(ENTRIES))
op("sparse/softmax", lambda tf, x, ii: tf.sparse.softmax(sparse(tf, x, ii)).values, uniform(ENTRIES), places(ENTRIES))
op("sparse/concat", lambda tf, x, ii: tf.sparse.concat(0, [sparse(tf, x, ii)] * 3).values, uniform(ENTRIES), places(ENTRIES))
op("sparse/transpose", lambda tf, x, ii: tf.sparse.transpose(sparse(tf, x, ii)).values, uniform(ENTRIES), places(ENTRIES))
op(
  "sparse/slice",
  lambda tf, x, ii: tf.sparse.slice(sparse(tf, x, ii), [100, 100], [500, 500]).values,
  uniform(ENTRIES),
  places(ENTRIES),
)
op("sparse/from_dense", lambda tf, x: tf.sparse.from_dense(tf.nn.relu(x - 0.9)).values, uniform(1000, 1000))
op(
  "sparse/lookup",
  lambda tf, x, ii, t: tf.nn.embedding_lookup_sparse(
    t, tf.SparseTensor(tf.cast(ii, tf.int64), tf.cast(x * 1000, tf.int64), [1000, 1000]), None, combiner="mean"
  ),
  uniform(ENTRIES),
  places(ENTRIES),
  uniform(1000, 64),
)
op(
  "sparse/fill_empty",
  lambda tf, x, ii: tf.sparse.fill_empty_rows(sparse(tf, x, ii), 0.0)[0].values,
  uniform(ENTRIES),
  places(ENTRIES),
)
op(
  "sparse/cwise_mul", lambda tf, x, ii, y: (sparse(tf, x, ii) * y).values, uniform(ENTRIES), places(ENTRIES), uniform(1000, 1000)
)
op("sparse/sets", lambda tf, x, y: tf.sets.intersection(x, y).values, ints(1000, 100, 50), ints(1000, 100, 50))
op(
  "sparse/edit",
  lambda tf, x, ii: tf.edit_distance(
    tf.SparseTensor(ii, tf.cast(x * 9, tf.int64), [1000, 1000]), tf.SparseTensor(ii, tf.cast(x * 7, tf.int64), [1000, 1000])
  ),
  uniform(ENTRIES),
  places(ENTRIES),
)
op(
  "lookup/mutable",
  lambda tf, x: tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -1, -2).lookup(x),
  longs(1000, 10000),
)
op("lookup/embedding", lambda tf, x, y: tf.nn.embedding_lookup(x, y), uniform(10000, 128), longs(10000, 64, 50))
op(
  "lookup/nce",
  lambda tf, x, w, y: tf.nn.nce_loss(w, tf.zeros([10000]), y, x, 64, 10000),
  uniform(128, 64),
  uniform(10000, 64),
  longs(10000, 128, 1),
)
op(
  "lookup/sampled",
  lambda tf, x, w, y: tf.nn.sampled_softmax_loss(w, tf.zeros([10000]), y, x, 64, 10000),
  uniform(128, 64),
  uniform(10000, 64),
  longs(10000, 128, 1),
)
op(
  "ragged/sum",
  lambda tf, x, y: tf.reduce_sum(tf.RaggedTensor.from_value_rowids(x, tf.cast(tf.sort(y), tf.int64), nrows=1000), axis=1),
  uniform(100000),
  ints(1000, 100000),
)
op(
  "ragged/to_tensor",
  lambda tf, x, y: tf.RaggedTensor.from_value_rowids(x, tf.cast(tf.sort(y), tf.int64), nrows=1000).to_tensor(),
  uniform(100000),
  ints(1000, 100000),
)
op("ragged/range", lambda tf, x: tf.ragged.range(x).flat_values, ints(100, 1000))
op("lookup/static", static_table, longs(1000, 10000))
op(
  "grad/sparse_matmul",
  lambda tf, x, at, y: tf.gradients(tf.sparse.sparse_dense_matmul(sparse(tf, x, at), y), [x, y]),
  uniform(ENTRIES),
  places(ENTRIES),
  uniform(1000, 64),
)
