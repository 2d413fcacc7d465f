"""Rows set, added to and subtracted from, in the memory of a tensor and in copies."""


def _functions(tf):
  if tf.__name__ == "millrace":
    from millrace.ops.array import in_place
  else:
    from tensorflow.python.ops import inplace_ops as in_place
  return in_place


def _run(tf, fetches):
  with tf.Session() as session:
    return session.run(fetches)


def _fresh(tf):
  return tf.fill([3, 2], tf.constant(1.0))


def program_in_copies(tf):
  f = _functions(tf)
  x = _fresh(tf)
  rows, values = tf.constant([2, 0]), [[5.0, 6.0], [7.0, 8.0]]
  found = [f.inplace_update(x, rows, values), f.inplace_add(x, rows, values), f.inplace_sub(x, [1], [[1.0, 2.0]])]
  return _run(tf, [*found, x])


def program_in_memory(tf):
  f = _functions(tf)
  found = [
    f.alias_inplace_update(_fresh(tf), 1, [3.0, 4.0]),
    f.alias_inplace_add(_fresh(tf), tf.constant(2, tf.int64), [3.0, 4.0]),
  ]
  found.append(f.alias_inplace_sub(_fresh(tf), None, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
  return _run(tf, found)


def program_zeros_like_another(tf):
  empty = _functions(tf).empty_like(tf.constant([[1, 2]]), init=True)
  return _run(tf, empty), [empty.dtype.name, empty.shape.as_list()]
