"""Arrays of tensors, and functions over rows: TensorArray, map_fn, scan, foldl, foldr."""

import numpy as np


def _x(tf, name="x", shape=(2,)):
  return tf.placeholder(tf.float32, shape, name=name)


def _run(tf, fetches, *feeds):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(fetches, feed) for feed in feeds]


def _errors(tf, calls):
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        call()
        found.append("none")
      except Exception as error:
        found.append(error)
  return found


ROWS = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def program_array(tf):
  x = _x(tf)
  ta = tf.TensorArray(tf.float32, 3)
  ta = ta.write(0, [1.0, 2.0])
  ta = ta.write(1, x)
  ta = ta.write(2, x)
  facts = [str(ta.element_shape), str(ta.dtype), str(ta.handle.dtype), str(ta.flow.dtype), ta.dynamic_size]
  y = ta.stack()
  z = tf.TensorArray(tf.float32, 2).write(0, x).read(0)
  closed = ta.close()
  return facts + [str(y.shape), closed.type] + _run(tf, [y, z, ta.size()], {x: [3, 4]})


def program_array_options(tf):
  x, y = _x(tf, "x", [3, 2]), _x(tf, "y", [2, 2])
  ta = tf.TensorArray(
    tf.float32,
    size=tf.constant(2),
    dynamic_size=True,
    clear_after_read=False,
    tensor_array_name="nm",
    element_shape=[2],
    infer_shape=True,
    colocate_with_first_write_call=False,
    name="TA",
  )
  ta = ta.unstack(x)
  other = tf.TensorArray(tf.float32, 4, element_shape=[2], clear_after_read=False).scatter([0, 2], y)
  same = ta.identity()
  fetches = [ta.gather([0, 1]), same.stack(name="s"), ta.concat(), ta.size(), other.read(2)]
  return [ta.dynamic_size, str(fetches[0].shape)] + _run(tf, fetches, {x: ROWS, y: ROWS[:2]})


def program_array_names(tf):
  x = _x(tf)
  tf.TensorArray(tf.float32, 2).unstack(x, name="u")
  tf.TensorArray(tf.float32, 2).write(0, x, name="w")
  tf.TensorArray(tf.float32, 2).scatter([0, 1], x, name="s")
  tf.TensorArray(tf.float32, 2).split(x, [1, 1], name="sp")
  ta = tf.TensorArray(tf.float32, 2, dynamic_size=True)
  ta.read(0, name="r")
  ta.gather([0], name="g")
  ta.concat(name="c")
  ta.size(name="si")
  ta.close(name="cl")
  ta.stack(name="st")
  return []


def program_array_split(tf):
  x = _x(tf, "x", [4, 2])
  free = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 3])
  even = tf.TensorArray(tf.float32, 2, clear_after_read=False).split(x, [2, 2])
  fetches = [free.concat(), even.concat(), even.read(1), even.stack()]
  shapes = [str(t.shape) for t in fetches] + [str(free.element_shape)]
  return shapes + _run(tf, fetches, {x: np.arange(8).reshape(4, 2)})


def program_array_gradients_by_hand(tf):
  x = _x(tf, "x", [2, 2])
  ta = tf.TensorArray(tf.float32, 2).unstack(x)
  g = ta.grad("src")
  g = g.write(0, [1.0, 2.0]).write(1, [3.0, 4.0])
  return _run(tf, g.stack(), {x: [[1, 2], [3, 4]]})


def program_array_devices(tf):
  with tf.device("/job:a"):
    x = _x(tf)
  with tf.device("/job:b"):
    ta = tf.TensorArray(tf.float32, 2)
    ta = ta.write(0, x)
    ta = ta.write(1, x)
    ta.read(0)
  tf.TensorArray(tf.float32, 2).unstack(tf.stack([x, x])).stack()
  tf.TensorArray(tf.float32, 2).scatter([0], tf.stack([x]))
  tf.TensorArray(tf.float32, 2).split(x, [1, 1])
  tf.TensorArray(tf.float32, 2).read(0)
  with tf.colocate_with(tf.constant(1.0, name="k")):
    tf.TensorArray(tf.float32, 2).write(0, _x(tf))
  return []


def program_array_by_handle(tf):
  ta = tf.TensorArray(tf.float32, 2)
  tb = tf.TensorArray(tf.float32, handle=ta.handle, flow=ta.flow)
  tb = tb.write(0, 1.0)
  return _run(tf, tb.read(0), {})


def program_array_half_known(tf):
  ta = tf.TensorArray(tf.float32, size=3, element_shape=[None, 2])
  return [str(t.shape) for t in (ta.concat(), ta.stack(), ta.read(1), ta.gather([0, 1]))]


def program_array_errors(tf):
  array = lambda **options: tf.TensorArray(tf.float32, **options)

  def inconsistent():
    array(size=2).write(0, [1.0]).write(1, [1.0, 2.0])

  return _errors(
    tf,
    [
      lambda: array(),
      inconsistent,
      lambda: array(size=2).write(0, 1).flow.dtype.name + 1,
      lambda: array(handle=tf.constant(1.0), size=3),
      lambda: array(size=2, element_shape=[3]).write(0, [1.0, 2.0]),
      lambda: array(size=2).unstack(1.0),
      lambda: array(handle=array(size=2).handle),
      lambda: array(tensor_array_name="a", handle=tf.constant(1.0)),
      lambda: array(handle=3),
      lambda: array(handle=tf.constant(1.0), flow=tf.constant(1.0), element_shape=[]),
      lambda: array(size=_x(tf, "n", [])),
    ],
  )


def program_array_runtime_errors(tf):
  found = []
  ta = tf.TensorArray(tf.float32, 2)
  read = ta.read(0)
  twice = ta.write(0, 1.0).write(0, 2.0).flow
  far = ta.write(5, 1.0).flow
  with tf.Session() as session:
    for fetch in (read, twice, far):
      try:
        session.run(fetch)
      except tf.errors.OpError as error:
        found.append(type(error).__name__)
  return found


def program_map(tf):
  x, u = _x(tf, "x", [3, 2]), _x(tf, "u", [None, 2])
  a = tf.map_fn(lambda row: row * 2, x)
  b = tf.map_fn(lambda row: tf.reduce_sum(row), u)
  return [str(a.shape), str(b.shape)] + _run(tf, [a, b], {x: ROWS, u: ROWS})


def program_map_options(tf):
  x, y = _x(tf, "x", [3, 2]), _x(tf, "y", [3])
  r = tf.map_fn(
    lambda row: (row[0], tf.cast(row[1], tf.int32)),
    (x, y),
    dtype=(tf.float32, tf.int32),
    parallel_iterations=2,
    back_prop=False,
    swap_memory=True,
    infer_shape=False,
    name="mp",
  )
  return [str(r[0].shape)] + _run(tf, r, {x: ROWS, y: [1, 2, 3]})


def program_map_structures(tf):
  x = _x(tf)
  a = tf.map_fn(lambda row: {"a": row, "b": [row + 1]}, x, dtype={"a": tf.float32, "b": [tf.float32]})
  b = tf.map_fn(lambda rows: rows[0] + rows[1], (x, x), dtype=tf.float32)
  c = tf.map_fn(lambda row: row * 2, np.ones([3, 2], np.float32), dtype=tf.float32)
  return _run(tf, [a, b, c], {x: [1, 2]})


def program_map_nested(tf):
  x = _x(tf, "x", [3, 2])
  return _run(tf, tf.map_fn(lambda row: tf.map_fn(lambda e: e + 1, row), x), {x: ROWS})


def program_map_variables(tf):
  def f(row):
    v = tf.get_variable("v", [2], use_resource=False, initializer=tf.ones_initializer())
    return row * v

  def g(row):
    v = tf.get_variable("w", [2], use_resource=True, initializer=tf.ones_initializer())
    return row + v

  x = _x(tf, "x", [3, 2])
  return _run(tf, [tf.map_fn(f, x), tf.map_fn(g, x)], {x: ROWS})


def program_scan(tf):
  x, u = _x(tf, "x", [3, 2]), _x(tf, "u", [None, 2])
  a = tf.scan(lambda s, row: s + row, x)
  b = tf.scan(lambda s, row: s + row, u, initializer=tf.zeros([2]))
  c = tf.scan(lambda s, row: s * row, u, reverse=True)
  d = tf.scan(lambda s, row: s * row, u, initializer=tf.ones([2]), reverse=True)
  e = tf.scan(lambda s, row: s + row, np.ones([3, 2], np.float32))
  return [str(t.shape) for t in (a, b, c, d, e)] + _run(tf, [a, b, c, d, e], {x: ROWS, u: ROWS})


def program_scan_options(tf):
  x, y = _x(tf, "x", [3, 2]), _x(tf, "y", [3, 2])
  r = tf.scan(
    lambda a, row: (a[0] + row[0], a[1] * row[1]),
    (x, y),
    initializer=(tf.zeros([2]), tf.ones([2])),
    parallel_iterations=2,
    back_prop=False,
    swap_memory=True,
    infer_shape=False,
    reverse=True,
    name="sc",
  )
  return _run(tf, r, {x: ROWS, y: ROWS})


def program_scan_other_structure(tf):
  x = _x(tf, "x", [4])
  r = tf.scan(lambda a, n: (a[1], a[0] + a[1] + n), x, initializer=(np.float32(0), np.float32(1)))
  return _run(tf, r, {x: [0, 0, 1, 0]})


def program_folds(tf):
  x, u = _x(tf, "x", [3, 2]), _x(tf, "u", [None, 2])
  ones = np.ones([3, 2], np.float32)
  fetches = [
    tf.foldl(lambda a, row: a + row, x),
    tf.foldl(lambda a, row: a - row, u, initializer=tf.zeros([2]), name="fl"),
    tf.foldr(lambda a, row: a * row, x),
    tf.foldr(lambda a, row: a - row, u, initializer=tf.zeros([2]), name="fr", parallel_iterations=1),
    tf.foldl(lambda a, row: a + row, ones, initializer=np.zeros([2], np.float32), back_prop=False),
    tf.foldr(lambda a, row: a + row, ones, initializer=np.zeros([2], np.float32), back_prop=False, swap_memory=True),
  ]
  return _run(tf, fetches, {x: ROWS, u: ROWS})


def program_rows_errors(tf):
  return _errors(
    tf,
    [
      lambda: tf.map_fn(lambda x: x, _x(tf, "x", [])),
      lambda: tf.scan(lambda a, x: (a, x), _x(tf, "x", [3, 2])),
      lambda: tf.map_fn(lambda x: (x, x), _x(tf, "x", [3, 2])),
    ],
  )


def program_gradients(tf):
  x, w = _x(tf, "x", [3, 2]), tf.constant([2.0, 3.0])
  mapped = tf.map_fn(lambda row: row * row * w, x)
  scanned = tf.scan(lambda a, row: a * w + row, x)
  folded = tf.foldl(lambda a, row: a * row, x)
  ta = tf.TensorArray(tf.float32, 3).unstack(x)
  _, total = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + ta.read(i) * w), (0, tf.zeros([2])))
  found = []
  for y in (mapped, scanned, folded, total):
    found += [g for g in tf.gradients(y, [x, w]) if g is not None]
  return _run(tf, found, {x: ROWS})


program_gradients.rtol = 1e-5
