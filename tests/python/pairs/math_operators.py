"""Python's operators of tensors: names of ops, scopes and constants, on both sides."""

import operator

import numpy as np


def _run(tf, tensors, feeds=None):
  with tf.Session() as session:
    return session.run(tensors, feeds)


def _raised(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001 - the other side has to raise the same
    return error


def program_arithmetic(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  results = [
    x + 1.0,
    1.0 + x,
    x - 1,
    2 - x,
    x * 2,
    3 * x,
    x / 2,
    2 / x,
    x // 2,
    7 // x,
    x % 2,
    7 % x,
    x**2,
    2**x,
    x + x,
    -x,
    abs(x),
  ]
  return _run(tf, results, {x: [1.5, -2.5]})


program_arithmetic.rtol = 1e-6


def program_of_integers(tf):
  x = tf.placeholder(tf.int32, [3], name="x")
  results = [
    x + 1,
    1 + x,
    x - 1,
    2 - x,
    x * 2,
    3 * x,
    x / 2,
    2 / x,
    x // 2,
    7 // x,
    x % 2,
    7 % x,
    x**2,
    2 ** abs(x),
    x / x,
    -x,
    abs(x),
  ]
  return _run(tf, results, {x: [3, -4, 5]})


def program_with_arrays(tf):
  x = tf.placeholder(tf.float32, [2, 2], name="x")
  a = np.array([[1.0, 2.0], [3.0, 4.0]])
  results = [
    x + a,
    a + x,
    a - x,
    x * a.tolist(),
    a / x,
    x @ a.astype(np.float32),
    a.astype(np.float32) @ x,
    x < a,
    x >= a,
    a // x,
  ]
  return _run(tf, results, {x: [[0.5, 1.0], [2.0, 4.0]]})


def program_comparisons(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  results = [x < 1, x <= 1, x > 1, x >= 1, 1 < x, 1 >= x]
  return _run(tf, results, {x: [0.5, 1.0]}) + [x == 1, x != 1, x in [x]]


def program_logic(tf):
  a = tf.placeholder(tf.bool, [2], name="a")
  b = tf.placeholder(tf.bool, [2], name="b")
  results = [a & b, a | b, a ^ b, ~a, a & True, True | b, False ^ a, a ^ True]
  return _run(tf, results, {a: [True, False], b: [True, True]})


def program_bits(tf):
  x = tf.placeholder(tf.int32, [2], name="x")
  results = [x & 3, 3 & x, x | 8, 8 | x, x ^ 5, 5 ^ x, ~x, x & x]
  return _run(tf, results, {x: [6, -9]})


def program_matmul(tf):
  a = tf.placeholder(tf.float32, [2, 3], name="a")
  b = tf.placeholder(tf.float32, [3, 2], name="b")
  batch = tf.placeholder(tf.float32, [None, 3, 2], name="batch")
  value = np.arange(6, dtype=np.float32)
  feeds = {a: value.reshape(2, 3), b: value.reshape(3, 2), batch: value.reshape(1, 3, 2)}
  return _run(tf, [a @ b, a @ batch, batch @ a, a @ [[1.0], [2.0], [3.0]]], feeds)


def program_of_complex_numbers(tf):
  z = tf.placeholder(tf.complex64, [2], name="z")
  return _run(tf, [z + 1, z * 2j, 1 / z, abs(z), -z, z**2, z - z], {z: [1 + 1j, 2 - 1j]})


program_of_complex_numbers.rtol = 1e-5


def program_of_sparse_tensors(tf):
  s = tf.SparseTensor([[0, 0], [1, 2]], [1.0, 4.0], [2, 3])
  i = tf.SparseTensor([[0, 0], [1, 2]], [1, 4], [2, 3])
  x = tf.placeholder(tf.float32, [2, 3], name="x")
  results = [s * 2.0, s * x, s / x, s / 2, x * s, i * 3, i / 2]
  values = _run(tf, [[r.indices, r.values, r.dense_shape] for r in results], {x: np.full([2, 3], 2, np.float32)})
  return values + [_raised(lambda: x / s), _raised(lambda: s // 2), _raised(lambda: -s)]


def program_wrong_operands(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  i = tf.placeholder(tf.int32, [2], name="i")
  return [
    _raised(lambda: x + "a"),
    _raised(lambda: i + 1.5),
    _raised(lambda: 1.5 + i),
    _raised(lambda: x + None),
    _raised(lambda: x & x),
    _raised(lambda: x + i),
    _raised(lambda: x @ x),
    _raised(lambda: len(x)),
    _raised(lambda: x + tf.constant(1.0, tf.float64)),
  ]


def program_in_scopes(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  with tf.name_scope("layer"):
    y = x * 2 + 1
    z = (y - 1) / 2
  with tf.name_scope("layer"):
    w = 1 / (1 + tf.exp(-z)) ** 0.5
  with tf.control_dependencies([y]):
    v = w + 1
  return [t.name for t in (y, z, w, v)] + [_run(tf, v, {x: [1.0, 2.0]})]


program_in_scopes.rtol = 1e-6


def program_of_variables(tf):
  v = tf.Variable([1.0, 2.0], name="v")
  w = tf.get_variable("w", initializer=[3.0, 4.0], use_resource=True)
  results = [v + 1, 1 + v, v * w, w - v, v / 2, 2 / w, -v, abs(w), v > 1.5, v**2, v % 2, v // 2]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(results)


def program_numbers_of_another_kind(tf):
  x = tf.placeholder(tf.int32, [2], name="x")
  y = tf.placeholder(tf.float32, [2], name="y")
  ones = np.ones([2])
  sides = [2.5, [2.5, 1.0], np.float32(2.5), ones, y, None, "a"]
  operators = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
  ]
  return [_raised(lambda f=f, side=side: f(x, side).name) for f in operators for side in sides]


def program_classes_with_operators_of_their_own(tf):
  class Scale:
    def __rmul__(self, x):
      return x * 2.0

    def __radd__(self, x):
      raise ValueError("no sum")

    def __rsub__(self, x):
      return NotImplemented

  x = tf.placeholder(tf.float32, [2], name="x")

  def kind(call):
    try:
      return call().name
    except (TypeError, ValueError) as error:
      return type(error).__name__

  return [kind(lambda: x * Scale()), kind(lambda: x + Scale()), kind(lambda: x - Scale()), kind(lambda: x / Scale())]
