"""Casts, sums of tensors, sequences and running sums."""

import numpy as np


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


def program_cast(tf):
  x = tf.placeholder(tf.float32, [3], name="x")
  same = tf.cast(x, tf.float32)
  s = tf.cast(tf.SparseTensor([[0]], [1.7], [3]), tf.int32)
  results = [
    tf.cast(x, tf.int32),
    tf.cast(x, "float64", name="named"),
    tf.cast([1, 2], tf.float32),
    tf.cast([1.5, 2], tf.float32, name="values"),
    tf.cast(x, np.int64),
    tf.cast(x, tf.bool),
    tf.cast([True, False], tf.float32),
    tf.cast(x, tf.complex64),
    tf.cast(tf.cast(x, tf.complex64), tf.float32),
    s.values,
    tf.dtypes.cast(x, tf.uint8),
  ]
  return [same is x] + _run(tf, results, {x: [0.0, 1.5, 2.9]})


def program_cast_of_slices(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  slices = tf.cast(tf.IndexedSlices(x, tf.constant([0, 1])), tf.int32, name="n")
  return _run(tf, [slices.values, slices.indices], {x: [1.0, 2.5]})


def program_old_casts(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  i = tf.placeholder(tf.int32, [2], name="i")
  results = [
    tf.to_float(i),
    tf.to_double(x),
    tf.to_int32(x),
    tf.to_int64(x),
    tf.to_complex64(x),
    tf.to_complex128(x, name="wide"),
    tf.to_float(3),
    tf.to_float(i, name="named"),
    tf.to_float(x),
    tf.cast(tf.to_bfloat16(x), tf.float32),
  ]
  return _run(tf, results, {x: [1.25, -2.5], i: [3, 4]})


def program_saturate_cast(tf):
  x = tf.placeholder(tf.float32, [4], name="x")
  types = (tf.uint8, tf.int8, tf.uint16, tf.int16, tf.int32, tf.int64, tf.float16, tf.float64)
  results = [tf.saturate_cast(x, dtype) for dtype in types] + [tf.saturate_cast(x, tf.uint8, name="named")]
  results += [tf.saturate_cast([300, -5, 7], tf.uint8), tf.dtypes.saturate_cast([300.5, 1.0], tf.int8)]
  return _run(tf, results, {x: [-1e20, -1.5, 260.7, 1e20]})


def program_saturate_cast_of_integers(tf):
  results = []
  for source in (np.int8, np.uint8, np.int32, np.uint16):
    x = tf.constant(np.array([np.iinfo(source).min, 3, np.iinfo(source).max], source))
    results += [tf.saturate_cast(x, dtype) for dtype in (tf.int8, tf.uint8, tf.int32, tf.float32, tf.int64)]
  return _run(tf, results)


def program_add_n(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  results = [
    tf.add_n([x, x, [1.0, 2.0]]),
    tf.add_n((x, x), name="named"),
    tf.add_n([x]),
    tf.add_n([x], name="one"),
    tf.math.add_n([x, 2 * x]),
    tf.add_n([tf.IndexedSlices(x, tf.constant([0, 2]), tf.constant([3]))]),
  ]
  return _run(tf, results, {x: [1.0, 2.0]}) + [tf.add_n([x]) is x]


def program_accumulate_n(tf):
  x = tf.placeholder(tf.float32, [None], name="x")
  results = [
    tf.accumulate_n([x, x]),
    tf.accumulate_n([x, x, x], shape=[2], tensor_dtype=tf.float32, name="named"),
    tf.accumulate_n([x]),
    tf.accumulate_n([x], name="one"),
  ]
  return _run(tf, results, {x: [1.0, 2.0]})


def program_wrong_sums(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  i = tf.placeholder(tf.int32, [2], name="i")
  y = tf.placeholder(tf.float32, [3], name="y")
  return [
    _raised(lambda: tf.add_n([])),
    _raised(lambda: tf.add_n([x, y])),
    _raised(lambda: tf.add_n([x, i])),
    _raised(lambda: tf.accumulate_n([])),
    _raised(lambda: tf.accumulate_n([x, i])),
    _raised(lambda: tf.accumulate_n([x, y])),
    _raised(lambda: tf.accumulate_n([x, x], tensor_dtype=tf.int32)),
  ]


def program_range(tf):
  n = tf.placeholder(tf.int32, [], name="n")
  m = tf.placeholder(tf.int64, [], name="m")
  results = [
    tf.range(5),
    tf.range(5.0),
    tf.range(1, 9, 3),
    tf.range(1, limit=5),
    tf.range(1.0, 5, 2),
    tf.range(1, 5.5, 2),
    tf.range(5, dtype=tf.int64),
    tf.range(1, 5, dtype=tf.float32, name="named"),
    tf.range(n),
    tf.range(m),
    tf.range(n, m),
    tf.range(1, 7, delta=n),
    tf.range(9, 0, -2),
    tf.range(limit=5, start=2),
    tf.range(np.float64(3.0)),
  ]
  return _run(tf, results, {n: 3, m: 6}) + [r.get_shape().as_list() for r in results if r.dtype.is_integer]


def program_wrong_ranges(tf):
  return [
    _raised(lambda: tf.range([1, 2])),
    type(_raised(lambda: tf.range(0, 5, 0))).__name__,
    _raised(lambda: tf.range(tf.placeholder(tf.bool, []))),
    _raised(lambda: tf.range("a")),
  ]


def program_linspace(tf):
  start = tf.placeholder(tf.float64, [], name="start")
  count = tf.placeholder(tf.int32, [], name="count")
  results = [
    tf.linspace(0.0, 1.0, 5),
    tf.lin_space(0.0, 10.0, num=3, name="named"),
    tf.linspace(2, 8, 4),
    tf.linspace(start, 1.0, count),
    tf.linspace(1.0, 1.0, 1),
    tf.linspace([0.0, 1.0], [1.0, 2.0], 3),
  ]
  return _run(tf, results, {start: -1.0, count: 4})


program_linspace.rtol = 1e-6


def program_cumsum(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = []
  for function in (tf.cumsum, tf.cumprod, tf.math.cumsum, tf.math.cumprod, tf.math.cumulative_logsumexp):
    results += [function(x), function(x, 1), function(x, axis=-1, exclusive=True), function(x, 0, False, True, "named")]
  results += [tf.cumsum([1, 2, 3], reverse=True), tf.cumsum(x, tf.constant(1), exclusive=True, reverse=True)]
  return _run(tf, results, {x: [[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]})


program_cumsum.rtol = 1e-5


def program_order(tf):
  x = tf.placeholder(tf.float32, [None], name="x")
  results = [
    tf.is_non_decreasing(x),
    tf.is_strictly_increasing(x),
    tf.is_non_decreasing([[1, 2], [2, 3]], name="named"),
    tf.math.is_strictly_increasing([[1, 2], [2, 3]]),
    tf.debugging.is_strictly_increasing([1]),
    tf.debugging.is_non_decreasing(np.zeros([0], np.float32)),
  ]
  return [_run(tf, results, {x: value}) for value in ([1.0, 1.0, 2.0], [2.0, 1.0], [], [0.0, 1.0])] + [
    _raised(lambda: tf.is_non_decreasing(["a", "b"]))
  ]
