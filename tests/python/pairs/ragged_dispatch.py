"""Functions of tensors whose arguments are ragged."""


def _ragged(tf, rows=((1, 2, 3), (), (4, 5)), dtype=None):
  return tf.ragged.constant([list(row) for row in rows], dtype=dtype or tf.int32)


def _deep(tf):
  return tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6], [], [7]]], dtype=tf.int32)


def _values(tf, *results):
  """What each result is: nested lists of a ragged tensor, an array of a tensor, the words of an error."""
  found = []
  with tf.Session() as session:
    for result in results:
      if isinstance(result, Exception):
        found.append((type(result).__name__, str(result)[:20]))
        continue
      value = session.run(result)
      found.append(value.to_list() if hasattr(value, "to_list") else value)
  return found


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def program_concat_and_stack(tf):
  a, b = _ragged(tf), _ragged(tf, ((7,), (8, 9), ()))
  return _values(
    tf,
    tf.concat([a, b], 0),
    tf.concat([a, b], axis=1),
    tf.concat([a, tf.constant([[1, 1]])], 0),
    tf.stack([a, b]),
    tf.stack([a, b], axis=1),
    tf.stack([a, a], axis=2),
  )


def program_gather(tf):
  a, deep = _ragged(tf), _deep(tf)
  return _values(
    tf,
    tf.gather(a, [2, 0]),
    tf.gather(a, tf.ragged.constant([[0], [2, 1]])),
    tf.gather(tf.constant([10, 20, 30, 40, 50, 60]), a),
    tf.gather_nd(a, [[0, 1], [2, 0]]),
    tf.gather_nd(deep, [[0, 1], [2, 0]]),
    tf.gather_nd(deep, [[0, 0, 1], [2, 2, 0]]),
    tf.batch_gather(a, tf.ragged.constant([[0, 2], [], [1]])),
    tf.batch_gather(tf.constant([[1, 2], [3, 4]]), tf.ragged.constant([[0, 1, 0], [1]])),
  )


def program_shapes(tf):
  a, deep = _ragged(tf), _deep(tf)
  return _values(
    tf,
    tf.rank(a),
    tf.rank(deep),
    tf.size(a),
    tf.size(deep, out_type=tf.int64),
    tf.expand_dims(a, 0),
    tf.expand_dims(a, 1),
    tf.expand_dims(a, -1),
  )


def program_tile(tf):
  a = _ragged(tf)
  return _values(tf, tf.tile(a, [2, 1]), tf.tile(a, [1, 2]), tf.tile(a, [2, 3]), tf.tile(_deep(tf), [1, 2, 2]))


def program_where(tf):
  condition = tf.ragged.constant([[True, False, True], [], [False, True]])
  a, b = _ragged(tf), _ragged(tf, ((10, 20, 30), (), (40, 50)))
  return _values(
    tf,
    tf.where(condition),
    tf.where(condition, a, b),
    tf.where(tf.constant([True, False, False]), a, b),
    tf.where(tf.ragged.constant([[[True], [False, True]], []], dtype=tf.bool)),
  )


def program_masked_and_one_hot(tf):
  a = _ragged(tf)
  return _values(
    tf,
    tf.ragged.boolean_mask(a, tf.ragged.constant([[True, False, True], [], [False, True]])),
    tf.ragged.boolean_mask(a, [True, False, True]),
    tf.one_hot(a, 4),
  )


def program_reductions(tf):
  a, deep = _ragged(tf, dtype=tf.float32), tf.cast(_deep(tf), tf.float32)
  functions = [tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_min, tf.reduce_mean]
  found = []
  for function in functions:
    found += [function(a), function(a, axis=0), function(deep, axis=2), function(deep, axis=[0, 2]), function(deep, axis=-1)]
  found += [tf.reduce_sum(a, axis=1), tf.reduce_sum(deep, axis=1), tf.reduce_sum(deep, axis=0), tf.reduce_mean(a, 0)]
  truth = tf.ragged.constant([[True, False], [True], [False, False]])
  found += [tf.reduce_any(truth, axis=1), tf.reduce_all(truth, axis=1), tf.reduce_any(truth), tf.reduce_all(truth, axis=0)]
  return _values(tf, *found)


def program_refused(tf):
  a = _ragged(tf)
  return _values(
    tf, _error(lambda: tf.reduce_sum(a, axis=5)), _error(lambda: tf.concat([a, a], 7)), _error(lambda: tf.one_hot(a, 4, axis=1))
  )


program_concat_and_stack.values_only = True
program_gather.values_only = True
program_shapes.values_only = True
program_tile.values_only = True
program_where.values_only = True
program_masked_and_one_hot.values_only = True
program_reductions.values_only = True
program_refused.values_only = True
