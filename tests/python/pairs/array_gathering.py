"""Elements picked by index or by mask, and put at indices."""

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


def program_gather(tf):
  x = tf.constant(np.arange(24).reshape(4, 6))
  p = tf.placeholder(tf.int32, [None])
  axis = tf.placeholder(tf.int32, [])
  results = [
    tf.gather(x, [0, 3]),
    tf.gather(x, [[1], [2]], name="pairs"),
    tf.gather(x, p, axis=1),
    tf.gather(x, [5], axis=-1),
    tf.gather(x, 2),
    tf.gather(x, [[0, 1], [2, 3], [4, 5], [0, 0]], batch_dims=1),
    tf.gather(x, [[0, 1], [2, 3], [4, 5], [0, 0]], axis=1, batch_dims=1),
    tf.gather(x, [[0], [1], [2], [3]], batch_dims=-1),
    tf.gather(x, [0], validate_indices=True),
    tf.gather(x, [0], axis=axis),
    tf.gather(x, [0], axis=tf.constant(1)),
    tf.gather(["a", "b"], [1, 0]),
  ]
  wrong = caught(lambda: run(tf, tf.gather(x, p), {p: [7]}))
  return [str(result.shape) for result in results], wrong, run(tf, results, {p: [2, 4], axis: 1})


def program_gather_of_variables(tf):
  v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
  r = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
  results = [
    tf.gather(v, [2, 0]),
    tf.gather(r, [2, 0], name="rows"),
    tf.gather(r, [1], axis=1),
    tf.gather_nd(r, [[0, 1]], name="elements"),
    tf.gather_nd(v, [[0, 1]]),
  ]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(results)


def program_gather_nd(tf):
  x = tf.constant(np.arange(24).reshape(2, 3, 4))
  p = tf.placeholder(tf.float32, [None, 3, 2])
  results = [
    tf.gather_nd(x, [[0, 1], [1, 2]]),
    tf.gather_nd(x, [[[1, 2, 3]]], name="scalars"),
    tf.gather_nd(x, [[[1], [0]], [[2], [2]]], batch_dims=1),
    tf.gather_nd(p, [[[0], [2]], [[1], [1]]], name="batch", batch_dims=1),
    tf.manip.gather_nd(x, [0]),
  ]
  return run(tf, results, {p: np.arange(12).reshape(2, 3, 2)})


def program_batch_gather(tf):
  x = tf.constant(np.arange(12).reshape(3, 4))
  p = tf.placeholder(tf.float32, [None, 2, 3])
  results = [
    tf.batch_gather(x, [[0], [1], [3]]),
    tf.batch_gather(p, [[[0, 2], [1, 1]]], name="inner"),
    tf.batch_gather(tf.constant(np.arange(12).reshape(2, 3, 2)), [[2, 0], [1, 1]]),
  ]
  error = caught(lambda: tf.batch_gather(x, tf.placeholder(tf.int32)))
  return error, run(tf, results, {p: np.arange(6).reshape(1, 2, 3)})


def program_where(tf):
  condition = tf.constant([True, False, True])
  p = tf.placeholder(tf.bool, [None, 2])
  x = tf.constant([1.0, 2.0, 3.0])
  results = [
    tf.where(condition),
    tf.where(p, name="places"),
    tf.where(condition, x, -x, name="chosen"),
    tf.where(condition, tf.ones([3, 2]), tf.zeros([3, 2])),
    tf.where([[0, 1], [2, 0]]),
    tf.where(x > 1.5),
    tf.where_v2(condition, x, 0.0),
    tf.where_v2([[True], [False]], x, [7.0, 8.0, 9.0], name="broadcast"),
    tf.where_v2(condition),
  ]
  errors = [
    caught(lambda: tf.where(condition, x)),
    caught(lambda: tf.where(condition, x, [1.0])),
    caught(lambda: tf.where(x, x, x)),
  ]
  return errors, run(tf, results, {p: [[True, False], [True, True]]})


def program_shapes_of_chosen_rows(tf):
  """A condition for rows says nothing of how many there are, so that loops take the result in place of what it was chosen from."""
  u, v, rows = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None]), tf.constant([True, False])
  chosen = [tf.where(rows, u, u), tf.where(rows, v, v), tf.where(tf.placeholder(tf.bool, [2, 3]), u, u)]
  looped = tf.while_loop(lambda x: tf.reduce_all(x > 0.0), lambda x: [tf.concat([x[:1], x[1:]], 0)], [tf.where(rows, u, u)])
  return [t.shape.as_list() for t in [*chosen, looped]]


def program_boolean_mask(tf):
  x = tf.constant(np.arange(12).reshape(4, 3))
  mask = tf.placeholder(tf.bool, [None])
  p = tf.placeholder(tf.float32, [None, 3])
  results = [
    tf.boolean_mask(x, [True, False, True, True]),
    tf.boolean_mask(x, x > 4),
    tf.boolean_mask(x, [True, False, True], axis=1, name="columns"),
    tf.boolean_mask(p, mask),
    tf.boolean_mask([1, 2, 3], np.array([False, True, True])),
    tf.boolean_mask(x, mask, axis=tf.constant(0)),
  ]
  errors = [
    caught(lambda: tf.boolean_mask(x, True)),
    caught(lambda: tf.boolean_mask(x, tf.placeholder(tf.bool))),
    caught(lambda: tf.boolean_mask(x, [True, False])),
  ]
  feed = {mask: [True, False, False, True], p: np.arange(12).reshape(4, 3)}
  return [str(result.shape) for result in results], errors, run(tf, results, feed)


def program_scatter(tf):
  results = [
    tf.scatter_nd([[1], [3], [1]], [1.0, 2.0, 5.0], [5]),
    tf.scatter_nd([[0, 1]], [[7, 8]], [2, 2, 2], name="rows"),
    tf.manip.scatter_nd(tf.constant([[2]], tf.int64), ["a"], tf.constant([3], tf.int64)),
    tf.tensor_scatter_update([1, 2, 3], [[0], [2]], [7, 8]),
    tf.tensor_scatter_nd_update([[1, 2], [3, 4]], [[1]], [[9, 9]], name="row"),
    tf.tensor_scatter_add([1.0, 2.0], [[0], [0]], [1.0, 1.0]),
    tf.tensor_scatter_nd_add([1.0, 2.0], [[1]], [1.0], name="plus"),
    tf.tensor_scatter_sub([1.0, 2.0], [[0]], [4.0]),
    tf.tensor_scatter_nd_sub([1.0, 2.0], [[1]], [4.0], name="minus"),
  ]
  wrong = caught(lambda: run(tf, tf.scatter_nd([[5]], [1.0], [2])))
  return wrong, run(tf, results)


def program_unravel_index(tf):
  results = [tf.unravel_index([5, 7], [3, 4]), tf.unravel_index(6, [2, 4], name="one")]
  return run(tf, results)


def program_unique(tf):
  x = tf.constant([4, 1, 4, 2, 1])
  results = [
    tf.unique(x),
    tf.unique(x, tf.int64, name="long"),
    tf.unique_with_counts(["a", "b", "a"]),
    tf.unique_with_counts(x, out_idx=tf.int64, name="counted"),
    tf.setdiff1d(x, [1]),
    tf.setdiff1d([1.0, 2.0], [2.0], tf.int64, name="left"),
    tf.invert_permutation([2, 0, 1], name="back"),
  ]
  return [tuple(result._fields) for result in results[:6]], run(tf, [list(result) for result in results[:6]] + results[6:])


def program_searchsorted(tf):
  x = tf.constant([1.0, 3.0, 5.0, 5.0])
  p = tf.placeholder(tf.int32, [None, 2, 3])
  results = [
    tf.searchsorted(x, [0.0, 3.0, 5.0, 9.0]),
    tf.searchsorted(x, [0.0, 3.0, 5.0, 9.0], side="right", out_type=tf.int64, name="right"),
    tf.searchsorted(p, [[[2], [4]]]),
    tf.searchsorted([1, 2, 3], [[2]][0]),
  ]
  error = caught(lambda: tf.searchsorted(x, x, side="middle"))
  return error, run(tf, results, {p: [[[1, 2, 3], [4, 4, 6]]]})


def program_edit_distance(tf):
  one = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])
  two = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [1, 2]], ["a", "c", "d", "e"], [2, 3])
  results = [tf.edit_distance(one, two), tf.edit_distance(one, two, normalize=False, name="count")]
  errors = [caught(lambda: tf.edit_distance(1, two)), caught(lambda: tf.edit_distance(one, 2))]
  return errors, run(tf, results)


def program_embedding_by_hand(tf):
  """Looks up embeddings of words, leaves out padding and averages, without the functions of tf.nn."""
  table = tf.constant(np.arange(10, dtype=np.float32).reshape(5, 2))
  words = tf.placeholder(tf.int32, [None, None])
  flat = tf.reshape(words, [-1])
  present = tf.not_equal(flat, 0)
  kept = tf.boolean_mask(flat, present)
  rows = tf.gather(table, kept)
  places = tf.cast(tf.where(present), tf.int32)
  spread = tf.scatter_nd(places, rows, tf.stack([tf.size(flat), 2]))
  sums = tf.reduce_sum(tf.reshape(spread, tf.concat([tf.shape(words), [2]], 0)), 1)
  return run(tf, [kept, rows, sums], {words: [[1, 0, 4], [2, 2, 0]]})
