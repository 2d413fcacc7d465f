"""Reductions: each function with each argument by its old and new names, and over dimensions that are not known."""

import numpy as np

_VALUE = np.array([[1.0, -2.0, 3.5], [0.0, 4.0, -1.0]], dtype=np.float32)
_NAMES = "reduce_sum reduce_mean reduce_prod reduce_max reduce_min reduce_logsumexp"


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


def _all(tf, **arguments):
  x = tf.placeholder(tf.float32, [None, 3], name="x")
  results = [getattr(tf, name)(x, **arguments) for name in _NAMES.split()]
  return _run(tf, results, {x: _VALUE}) + [r.get_shape().as_list() for r in results]


def program_everything(tf):
  return _all(tf)


def program_one_axis(tf):
  return _all(tf, axis=1)


def program_negative_axis(tf):
  return _all(tf, axis=-2, keepdims=True)


def program_list_of_axes(tf):
  return _all(tf, axis=[0, 1], keepdims=False, name="named")


def program_tuple_of_axes(tf):
  return _all(tf, axis=(1,), keep_dims=True)


def program_reduction_indices(tf):
  return _all(tf, reduction_indices=[0])


def program_old_names(tf):
  return _all(tf, reduction_indices=1, keep_dims=True, name="old")


program_everything.rtol = 1e-5
program_one_axis.rtol = 1e-5
program_negative_axis.rtol = 1e-5
program_list_of_axes.rtol = 1e-5
program_tuple_of_axes.rtol = 1e-5
program_reduction_indices.rtol = 1e-5
program_old_names.rtol = 1e-5


def program_positional_arguments(tf):
  x = tf.constant(_VALUE)
  return _run(
    tf, [tf.reduce_sum(x, 1, True, "s"), tf.reduce_mean(x, [0]), tf.reduce_max(x, None, False), tf.math.reduce_sum(x, 0)]
  )


def program_unknown_rank(tf):
  x = tf.placeholder(tf.float32, name="x")
  results = [getattr(tf, name)(x) for name in _NAMES.split()] + [tf.reduce_sum(x, axis=0), tf.reduce_sum(x, keepdims=True)]
  return _run(tf, results, {x: _VALUE}) + [str(r.get_shape()) for r in results]


program_unknown_rank.rtol = 1e-5


def program_axis_as_tensor(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  axis = tf.placeholder(tf.int32, [], name="axis")
  results = [
    tf.reduce_sum(x, axis),
    tf.reduce_max(x, axis=[axis]),
    tf.reduce_mean(x, np.array([0])),
    tf.reduce_min(x, np.int64(1)),
    tf.reduce_sum(x, []),
    tf.reduce_sum(x, tf.constant([0, 1], tf.int64)),
  ]
  return _run(tf, results, {x: _VALUE, axis: 1})


def program_of_values(tf):
  results = [
    tf.reduce_sum([1.0, 2.0]),
    tf.reduce_max(3.0),
    tf.reduce_mean([[1, 2], [4, 5]]),
    tf.reduce_sum(_VALUE, 1),
    tf.reduce_prod([2, 3, 4]),
  ]
  return _run(tf, results)


def program_all_and_any(tf):
  x = tf.placeholder(tf.bool, [2, 2], name="x")
  results = []
  for function in (tf.reduce_all, tf.reduce_any, tf.math.reduce_all, tf.math.reduce_any):
    results += [
      function(x),
      function(x, 1),
      function(x, axis=[0], keepdims=True, name="n"),
      function(x, reduction_indices=0, keep_dims=True),
    ]
  return _run(tf, results, {x: [[True, False], [True, True]]})


def program_logsumexp_of_extremes(tf):
  x = tf.constant([[1000.0, 1000.0], [-1000.0, -999.0], [-np.inf, -np.inf], [np.inf, 0.0]])
  return _run(tf, [tf.reduce_logsumexp(x, axis=1), tf.reduce_logsumexp(x, axis=1, keepdims=True)])


program_logsumexp_of_extremes.rtol = 1e-5


def program_spread(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = []
  for function in (tf.math.reduce_euclidean_norm, tf.math.reduce_std, tf.math.reduce_variance):
    results += [function(x), function(x, 1), function(x, axis=[0], keepdims=True), function(x, 0, True, "named")]
  results.append(tf.math.reduce_variance([1.0, 2.0, 4.0]))
  return _run(tf, results, {x: _VALUE})


program_spread.rtol = 1e-5


def program_spread_of_complex_numbers(tf):
  z = tf.placeholder(tf.complex64, [3], name="z")
  return _run(tf, [tf.math.reduce_variance(z), tf.math.reduce_std(z)], {z: [1 + 1j, 2 - 1j, 0j]})


program_spread_of_complex_numbers.rtol = 1e-5


def program_count_nonzero(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = [
    tf.count_nonzero(x),
    tf.count_nonzero(x, 1),
    tf.count_nonzero(x, axis=[0], keepdims=True, dtype=tf.int32, name="named"),
    tf.count_nonzero(input=x, reduction_indices=1, keep_dims=True),
    tf.math.count_nonzero(input_tensor=x),
    tf.count_nonzero([True, False, True]),
    tf.count_nonzero(["a", "", "b"]),
    tf.count_nonzero([[0, 1], [2, 0]], axis=0, dtype=tf.float32),
  ]
  return _run(tf, results, {x: _VALUE})


def program_argmax_and_argmin(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = []
  for function in (tf.argmax, tf.argmin, tf.math.argmax, tf.math.argmin):
    results += [function(x), function(x, 1), function(x, axis=-1, output_type=tf.int32, name="named"), function(x, dimension=0)]
  results += [tf.arg_max(x, 1), tf.arg_min(x, 0, tf.int32, "old"), tf.argmax([3, 1, 4])]
  return _run(tf, results, {x: _VALUE})


def program_of_many_types(tf):
  results = []
  for dtype in (np.int8, np.uint8, np.int16, np.int64, np.float64, np.complex64):
    x = tf.constant(np.array([[1, 2], [3, 4]], dtype))
    results += [tf.reduce_sum(x, 0), tf.reduce_prod(x), tf.reduce_mean(x, 1)]
  return _run(tf, results)


def program_wrong_arguments(tf):
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  flags = tf.placeholder(tf.bool, [2], name="flags")
  z = tf.placeholder(tf.complex64, [2], name="z")
  return [
    _raised(lambda: tf.reduce_sum(x, axis=1, reduction_indices=1)),
    _raised(lambda: tf.reduce_mean(x, keepdims=True, keep_dims=False)),
    _raised(lambda: tf.reduce_sum(x, axis=5)),
    _raised(lambda: tf.reduce_sum(flags)),
    _raised(lambda: tf.reduce_all(x)),
    _raised(lambda: tf.reduce_max(z)),
    _raised(lambda: tf.argmax(x, axis=1, dimension=1)),
    _raised(lambda: tf.count_nonzero()),
    _raised(lambda: tf.count_nonzero(x, input=x)),
    _raised(lambda: tf.math.reduce_variance([1, 2])),
    _raised(lambda: tf.argmax(x, 2)),
  ]


def program_of_long_rows(tf):
  """Lengths at which rows are read in lanes, and as two streams; numbers that are none in every place of them."""
  random = np.random.RandomState(3)
  results, feeds = [], {}
  for dtype in (np.float32, np.float64, np.float16, np.int32, np.int64, np.uint8):
    for length in (63, 64, 65, 100, 32768, 40001):
      value = random.randint(0, 100, [3, length]).astype(dtype)
      value[0, length // 3], value[1, -1], value[2, 17] = 101, 102, 103
      x = tf.placeholder(dtype, [3, length])
      feeds[x] = value
      results += [tf.reduce_max(x, 1), tf.reduce_min(x, 1), tf.reduce_max(x)]
      if value.dtype.kind == "f":
        x = tf.placeholder(dtype, [3, length])
        feeds[x] = value = value.copy()
        value[0, length // 2], value[1, 1], value[2, length - 2] = np.nan, -np.inf, np.inf
        results += [tf.reduce_max(x, 1), tf.reduce_min(x, 1)]
  return _run(tf, results, feeds)
