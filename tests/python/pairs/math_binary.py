"""Functions of two or three tensors, element by element, and divisions."""

import numpy as np

_A = np.array([[-4.0, 0.0, 2.5], [7.0, 1.0, -3.0]], dtype=np.float32)
_B = np.array([2.0, 3.0, -2.0], dtype=np.float32)


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


def _apply(tf, names, a, b, module=None):
  x = tf.placeholder(a.dtype, a.shape, name="a")
  y = tf.placeholder(b.dtype, [None] * b.ndim, name="b")
  results = []
  for name in names.split():
    function = getattr(module or tf, name)
    results.append(function(x, y))
    results.append(function(x, b, name="named_" + name))
    results.append(function(a.tolist(), y))
  return _run(tf, results, {x: a, y: b})


def program_arithmetic(tf):
  return _apply(tf, "add subtract multiply maximum minimum squared_difference realdiv", _A, _B)


def program_powers(tf):
  return _apply(tf, "pow", np.abs(_A) + 0.5, _B)


program_powers.rtol = 1e-5


def program_comparisons(tf):
  return _apply(tf, "equal not_equal less less_equal greater greater_equal", _A, _B)


def program_divisions_of_floats(tf):
  return _apply(tf, "div divide truediv floordiv floor_div mod floormod div_no_nan", _A, _B)


def program_divisions_of_integers(tf):
  a = np.array([[-7, 0, 5], [7, 1, -3]], dtype=np.int32)
  b = np.array([2, 3, -2], dtype=np.int32)
  return _apply(tf, "div divide truediv floordiv floor_div mod floormod truncatediv truncatemod div_no_nan", a, b)


def program_divisions_of_small_integers(tf):
  results = []
  for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int64):
    x = tf.constant(np.array([7, 9], dtype), name="x")
    results += [tf.truediv(x, x), tf.math.divide_no_nan(x, np.array([0, 2], dtype))]
  return _run(tf, results)


def program_division_by_zero(tf):
  x = tf.constant([1.0, -1.0, 0.0])
  return _run(tf, [tf.div_no_nan(x, 0.0), tf.math.divide_no_nan(x, [0.0, 2.0, 0.0], name="n"), tf.truediv(x, [0.0, 0.0, 0.0])])


def program_without_nan(tf):
  x = tf.constant([0.0, 2.0, np.inf])
  y = tf.constant([0.0, 4.0, 0.0])
  results = [
    tf.math.multiply_no_nan(x, y),
    tf.math.multiply_no_nan(x, 0.0, name="m"),
    tf.math.xlogy(y, x),
    tf.math.xlogy(y, 3.0, name="l"),
    tf.math.xdivy(y, x),
    tf.math.xdivy(y, 3.0, name="d"),
  ]
  return _run(tf, results)


program_without_nan.rtol = 1e-5


def program_logic(tf):
  a = np.array([True, True, False, False])
  b = np.array([True, False, True, False])
  return _apply(tf, "logical_and logical_or logical_xor", a, b)


def program_bits(tf):
  a = np.array([12, 7, 255], dtype=np.int32)
  b = np.array([10, 1, 3], dtype=np.int32)
  return _apply(tf, "bitwise_and bitwise_or bitwise_xor left_shift right_shift", a, b, tf.bitwise)


def program_texts(tf):
  x = tf.placeholder(tf.string, [2], name="x")
  results = [tf.add(x, "!"), tf.add("?", x, name="n"), x + "a", "b" + x, tf.equal(x, "u"), tf.not_equal(x, ["u", "v"])]
  return _run(tf, results, {x: [b"u", b"w"]})


def program_special_functions(tf):
  a = np.array([0.5, 1.0, 2.5], dtype=np.float32)
  x = np.array([0.2, 1.5, 3.0], dtype=np.float32)
  results = [
    tf.igamma(a, x),
    tf.igammac(a, x, name="upper"),
    tf.zeta(a + 1.5, x),
    tf.polygamma([1.0, 2.0, 3.0], x),
    tf.betainc(a, 2.0, [0.1, 0.5, 0.9]),
    tf.math.betainc(a, [2.0, 1.0, 3.0], [0.1, 0.5, 0.9], name="beta"),
    tf.math.zeta(3.0, 2.0, name="z"),
  ]
  return _run(tf, results)


program_special_functions.rtol = 1e-4


def program_atan2_and_nextafter(tf):
  results = [
    tf.atan2(_A, 2.0),
    tf.math.atan2([1.0], [-1.0], name="n"),
    tf.math.nextafter(_A, 2.0),
    tf.math.nextafter(1.0, [2.0, 0.0], name="m"),
  ]
  return _run(tf, results)


program_atan2_and_nextafter.rtol = 1e-5


def program_complex(tf):
  results = [
    tf.complex([1.0, 2.0], 3.0),
    tf.complex(tf.constant([1.0], tf.float64), np.array([2.0]), name="wide"),
    _raised(lambda: tf.complex(1.0, tf.constant(2.0, tf.float64))),
    _raised(lambda: tf.complex(1, 2)),
  ]
  return _run(tf, results[:2]) + results[2:]


def program_scalar_mul(tf):
  x = tf.placeholder(tf.float32, [None], name="x")
  slices = tf.scalar_mul(2, tf.IndexedSlices(x, tf.constant([0, 2])))
  results = [
    tf.scalar_mul(2.0, x),
    tf.math.scalar_mul(3, x, name="n"),
    tf.scalar_mul(tf.constant(0.5), x),
    slices.values,
    slices.indices,
  ]
  return _run(tf, results, {x: [1.0, 2.0]}) + [_raised(lambda: tf.scalar_mul([1.0, 2.0], x))]


def program_polyval(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  results = [
    tf.math.polyval([1.0, 2.0, 3.0], x),
    tf.math.polyval([1.0, tf.constant([2.0, 3.0])], 2.0, name="n"),
    tf.math.polyval([], x),
    tf.math.polyval([4.0], 2.0),
  ]
  return _run(tf, results, {x: [2.0, -1.0]}) + [_raised(lambda: tf.math.polyval((1.0, 2.0), x))]


def program_names_in_math(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  names = (
    "add subtract multiply pow atan2 equal not_equal greater greater_equal less less_equal maximum minimum squared_difference mod "
    "floormod floordiv divide truediv igamma igammac zeta"
  )
  return [getattr(tf.math, name)(x, x).name for name in names.split()]


def program_wrong_types(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  d = tf.placeholder(tf.float64, [2], name="d")
  i = tf.placeholder(tf.int32, [2], name="i")
  b = tf.placeholder(tf.bool, [2], name="b")
  return [
    _raised(lambda: tf.add(x, d)),
    _raised(lambda: tf.multiply(x, d)),
    _raised(lambda: tf.truediv(i, x)),
    _raised(lambda: tf.truediv(b, b)),
    _raised(lambda: tf.div(x, d)),
    _raised(lambda: tf.div_no_nan(b, b)),
    _raised(lambda: tf.maximum(x, i)),
    _raised(lambda: tf.logical_and(x, b)),
    _raised(lambda: tf.bitwise.bitwise_and(x, x)),
    _raised(lambda: tf.math.multiply_no_nan(x, i)),
    _raised(lambda: tf.subtract(x, "a")),
  ]


def program_wrong_shapes(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  y = tf.placeholder(tf.float32, [3], name="y")
  return [_raised(lambda: tf.add(x, y)), _raised(lambda: x * y), _raised(lambda: tf.maximum(x, y))]


def program_division_without_tensors(tf):
  return _run(
    tf, [tf.divide(1, 2), tf.truediv(1, 2), tf.floordiv(7, 2), tf.mod(-7, 3), tf.divide(1.0, 4, name="n"), tf.div(7, 2)]
  )
