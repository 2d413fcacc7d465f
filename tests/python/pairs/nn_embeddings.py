"""Lookups in tables: whole, in parts, by sparse ids."""

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _run(tf, *fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(f, feed) for f in fetches]


def _data(*shape):
  return np.random.RandomState(len(shape) * 7 + sum(shape)).randn(*shape).astype(np.float32)


def _table(tf, name, rows=10, **arguments):
  return tf.get_variable(name, initializer=tf.constant(np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)), **arguments)


def program_lookup(tf):
  v, r = _table(tf, "v"), _table(tf, "r", use_resource=True)
  ids = tf.placeholder_with_default(np.array([[3, 1], [9, 0]]), [None, 2])
  made = []
  for table in (v, r):
    made += [
      tf.nn.embedding_lookup(table, [1, 2]),
      tf.nn.embedding_lookup([table], ids, name="named"),
      tf.nn.embedding_lookup(params=table, ids=tf.constant([4], tf.int64), max_norm=2.0, validate_indices=False),
      tf.nn.embedding_lookup(table, ids, max_norm=5.0),
      tf.nn.embedding_lookup(table, 7),
    ]
  made.append(tf.nn.embedding_lookup(tf.constant([[1.0], [2.0]]), [1, 0, 1]))
  made.append(tf.nn.embedding_lookup(np.array([[1.0], [2.0]]), [1, 0, 1]))
  return [str(m.shape) for m in made] + _run(tf, *made)


program_lookup.rtol = 1e-5


def program_lookup_in_parts(tf):
  tables = [_table(tf, "a", 4), _table(tf, "b", 3), _table(tf, "c", 3)]
  resources = [
    _table(tf, "ra", 4, use_resource=True),
    _table(tf, "rb", 3, use_resource=True),
    _table(tf, "rc", 3, use_resource=True),
  ]
  ids = tf.placeholder_with_default(np.array([[3, 1], [9, 0]]), [None, 2])
  made = []
  for params in (tables, resources):
    made += [
      tf.nn.embedding_lookup(params, ids),
      tf.nn.embedding_lookup(params, [0, 5, 6], "div", "divided"),
      tf.nn.embedding_lookup(params, ids, partition_strategy="div", max_norm=3.0),
      tf.nn.embedding_lookup(params, tf.cast(ids, tf.int32), partition_strategy="mod", max_norm=3.0),
    ]
  return [str(m.shape) for m in made] + _run(tf, *made)


program_lookup_in_parts.rtol = 1e-5


def program_lookup_in_partitioned_variables(tf):
  v = _table(tf, "v", partitioner=tf.fixed_size_partitioner(3))
  r = _table(tf, "r", partitioner=tf.fixed_size_partitioner(2), use_resource=True)
  ids = [[3, 1], [9, 0]]
  made = [tf.nn.embedding_lookup(x, ids, partition_strategy=s) for x in (v, r) for s in ("mod", "div")]
  return _run(tf, *made)


def program_lookup_in_parts_of_unknown_size(tf):
  a = tf.placeholder_with_default(np.arange(8, dtype=np.float32).reshape(4, 2), [None, 2])
  b = tf.placeholder_with_default(np.arange(6, dtype=np.float32).reshape(3, 2), [None, None])
  made = [tf.nn.embedding_lookup([a, b], [[0, 6], [3, 2]], partition_strategy=s, max_norm=2.0) for s in ("mod", "div")]
  return _run(tf, *made)


program_lookup_in_parts_of_unknown_size.rtol = 1e-5


def _sparse(tf, values, dtype, feed=True):
  dense = tf.SparseTensor(
    tf.placeholder_with_default(np.array([[0, 0], [0, 2], [1, 1], [2, 0], [2, 1]], np.int64), [None, 2]),
    tf.placeholder_with_default(np.array(values, dtype), [None]),
    tf.placeholder_with_default(np.array([3, 3], np.int64), [2]),
  )
  return dense


def program_sparse_lookup(tf):
  v, r = _table(tf, "v"), _table(tf, "r", use_resource=True)
  ids = _sparse(tf, [1, 2, 3, 9, 0], np.int64)
  weights = _sparse(tf, [1.0, 2.0, 0.5, 1.0, 3.0], np.float32)
  made = []
  for table in (v, r, [v, _table(tf, "w")]):
    for combiner in ("sum", "mean", "sqrtn"):
      made.append(tf.nn.embedding_lookup_sparse(table, ids, None, combiner=combiner))
      made.append(tf.nn.embedding_lookup_sparse(table, ids, weights, combiner=combiner, name="weighted"))
    made.append(tf.nn.embedding_lookup_sparse(table, ids, weights, partition_strategy="div", max_norm=3.0))
    made.append(tf.nn.embedding_lookup_sparse(table, ids, None, max_norm=3.0))
  return [str(m.shape) for m in made] + _run(tf, *made)


program_sparse_lookup.rtol = 1e-5


def program_safe_sparse_lookup(tf):
  v = _table(tf, "v")
  ids = _sparse(tf, [1, -1, -1, 9, 0], np.int64)
  weights = _sparse(tf, [1.0, 2.0, 0.5, -1.0, 3.0], np.float32)
  cube = tf.SparseTensor(
    tf.placeholder_with_default(np.array([[0, 0, 0], [1, 0, 1], [1, 1, 0]], np.int64), [None, 3]),
    tf.placeholder_with_default(np.array([1, 2, 3], np.int64), [None]),
    tf.placeholder_with_default(np.array([2, 2, 2], np.int64), [3]),
  )
  made = [
    tf.nn.safe_embedding_lookup_sparse(v, ids),
    tf.nn.safe_embedding_lookup_sparse(v, ids, weights, combiner="sqrtn", default_id=3, name="named"),
    tf.nn.safe_embedding_lookup_sparse([v], ids, weights, "sum", partition_strategy="mod", max_norm=4.0),
    tf.nn.safe_embedding_lookup_sparse([v, _table(tf, "w")], ids, weights),
    tf.nn.safe_embedding_lookup_sparse(v, cube, default_id=2, combiner="sum"),
  ]
  return _run(tf, *made)


program_safe_sparse_lookup.rtol = 1e-5


def program_gradients(tf):
  v, r = _table(tf, "v"), _table(tf, "r", use_resource=True)
  parts = _table(tf, "p", partitioner=tf.fixed_size_partitioner(2))
  out = []
  for table, variables in ((v, [v]), (r, [r]), (parts, list(parts))):
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, [1, 4, 1])))
    for gradient in tf.gradients(loss, variables):
      out.append(tf.convert_to_tensor(gradient))
  return _run(tf, *out)


program_gradients.rtol = 1e-5


def program_errors(tf):
  v, w = _table(tf, "v"), _table(tf, "w")
  ids = tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 2])
  tries = [
    lambda: tf.nn.embedding_lookup([], [1]),
    lambda: tf.nn.embedding_lookup(None, [1]),
    lambda: tf.nn.embedding_lookup([v, w], [1], partition_strategy="x"),
    lambda: tf.nn.embedding_lookup(v, ["a"]),
    lambda: tf.nn.embedding_lookup_sparse(v, [1], None),
    lambda: tf.nn.embedding_lookup_sparse(v, ids, None, combiner="x"),
    lambda: tf.nn.embedding_lookup_sparse(v, ids, [1.0]),
    lambda: tf.nn.safe_embedding_lookup_sparse([], ids),
    lambda: tf.nn.safe_embedding_lookup_sparse(None, ids),
  ]
  return [_error(t) for t in tries]


def program_training_leaves_rows_that_no_id_names(tf):
  """Without weights, gradients of a table are those of the rows that were read: momentum does not move the others."""
  results = []
  for combiner in ("sum", "mean", "sqrtn"):
    table = _table(tf, combiner, rows=5)
    indices, values = tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.int64, [None])
    ids = tf.SparseTensor(indices, values, [2, 2])
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup_sparse(table, ids, None, combiner=combiner)))
    slices = tf.gradients(loss, table)[0]
    train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    with tf.Session() as session:
      session.run(tf.global_variables_initializer())
      for row in ([4, 1, 1], [2, 2, 3], [0, 3, 3]):
        feed = {indices: [[0, 0], [0, 1], [1, 0]], values: row}
        results.append([slices.indices.dtype.name, session.run(slices.indices, feed), session.run(slices.values, feed)])
        session.run(train, feed)
        results.append(session.run(table))
  return results


program_training_leaves_rows_that_no_id_names.rtol = 1e-5


def program_rows_stay_rows(tf):
  """Gradients of tables that were joined, cast, added or negated before the lookup are rows of each of them."""
  v, r = _table(tf, "v", rows=5), _table(tf, "r", rows=5, use_resource=True)
  parts = _table(tf, "p", rows=6, partitioner=tf.fixed_size_partitioner(2))
  pad = tf.Variable(tf.zeros([1, 3]), name="pad")
  wholes = [
    (tf.concat([pad, v], 0), [pad, v]),
    (tf.concat([r, pad, v], -2), [r, pad, v]),
    (tf.concat([v, r], 1), [v, r]),
    (tf.concat([r, v, r], -1), [v]),
    (parts, list(parts)),
    (tf.cast(v, tf.float64), [v]),
    (tf.add_n([v, r]), [v, r]),
    (tf.accumulate_n([tf.identity(v), tf.identity(r)]), [v, r]),
    (-r, [r]),
    (tf.concat([pad, -tf.add_n([v, r])], 0), [v, r]),
  ]
  losses = [
    tf.reduce_sum(tf.square(tf.gather(whole, tf.constant(ids, dtype))))
    for whole, _ in wholes
    for ids, dtype in (([1, 4, 1], tf.int32), ([0, 3], tf.int64))
  ]
  kinds, fetches = [], []
  for i, loss in enumerate(losses):
    for gradient in tf.gradients(loss, wholes[i // 2][1]):
      kinds.append((type(gradient).__name__, gradient.dtype.name))
      fetches.append((gradient.indices, gradient.values, gradient.dense_shape, tf.convert_to_tensor(gradient)))
  return kinds + _run(tf, *fetches)


program_rows_stay_rows.rtol = 1e-5


def program_training_joined_tables(tf):
  """Momentum moves only the rows that were looked up, and the norm is that of the rows as they come."""
  pad, table = tf.Variable(tf.zeros([1, 3]), name="pad"), _table(tf, "e", rows=5)
  ids = tf.placeholder(tf.int32, [None])
  loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(tf.concat([pad, table], 0), ids)))
  gradients = tf.gradients(loss, [pad, table])
  clipped, norm = tf.clip_by_global_norm(gradients, 5.0)
  train = tf.train.MomentumOptimizer(0.1, 0.9).apply_gradients(zip(clipped, [pad, table]))
  results = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for row in ([1, 1, 2], [2, 3], [5]):
      results.append(session.run([norm, train], {ids: row})[0])
      results.append(session.run([pad, table]))
  return results


program_training_joined_tables.rtol = 1e-5


def program_training_in_a_conditional(tf):
  """A branch that reads no rows has zeros for all of them: momentum moves every row there."""
  p, ids = tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [None])
  numbers = tf.reduce_sum(tf.cast(ids, tf.float32))
  results = []

  def rows(table, ids):
    return tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids)))

  for resource in (False, True):
    for i, other in enumerate((lambda table: numbers, lambda table: rows(table, ids + 1), lambda table: tf.reduce_sum(table))):
      table = _table(tf, "t%d%d" % (resource, i), rows=5, use_resource=resource)
      loss = tf.cond(p, lambda: rows(table, ids), lambda: other(table))  # noqa: B023: called at once
      train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss, var_list=[table])
      with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for feed in ({p: True, ids: [1, 3, 1]}, {p: False, ids: [2]}, {p: True, ids: [0]}):
          session.run(train, feed)
          results.append(session.run(table))
  return results


program_training_in_a_conditional.rtol = 1e-5
