"""Gradients that a program gives for the ys: of other types and shapes, as rows, and what is stopped, unconnected or gated."""

import numpy as np


def _x(tf, name="x", shape=(2,), dtype=None):
  return tf.placeholder(dtype or tf.float32, shape, name=name)


def _what(tf, grads, feed=None):
  """Types, shapes and values of gradients."""
  found = []
  with tf.Session() as session:
    for grad in grads:
      if grad is None:
        found.append(None)
      elif isinstance(grad, tf.IndexedSlices):
        shape = None if grad.dense_shape is None else session.run(grad.dense_shape, feed)
        found.append(["rows", grad.dtype.name, session.run([grad.values, grad.indices], feed), shape])
      else:
        found.append(
          [grad.dtype.name, grad.get_shape().as_list() if grad.shape.ndims is not None else None, session.run(grad, feed)]
        )
  return found


def _each(tf, calls):
  """What each call gives in a graph of its own, or the type of its error."""
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        found.append(call())
      except Exception as error:  # noqa: BLE001
        found.append(type(error).__name__)
  return found


def program_of_integers(tf):
  """A float gradient of an integer y goes through the Cast that made it."""

  def cast(to, grad, dtype=None):
    def call():
      x = _x(tf, dtype=dtype)
      y = tf.cast(x, to)
      return _what(tf, tf.gradients(y, [x], grad_ys=grad()), {x: [1, 2]})

    return call

  floats = lambda: tf.constant([3.0, 4.0])
  doubles = lambda: tf.constant([3.0, 4.0], tf.float64)
  ints = lambda: tf.constant([3, 4])
  longs = lambda: tf.constant([3, 4], tf.int64)
  return _each(
    tf,
    [
      cast(tf.int32, floats),
      cast(tf.int64, doubles),
      cast(tf.int32, ints),
      cast(tf.int32, longs),
      cast(tf.int32, lambda: None),
      cast(tf.uint8, floats),
      cast(tf.int32, floats, tf.float64),
      cast(tf.int32, lambda: [[5.0, 6.0]]),
      cast(tf.int32, lambda: [[5, 6]]),
      cast(tf.int32, floats, tf.int64),
      cast(tf.bool, floats),
      cast(tf.bool, lambda: None),
      cast(tf.bool, lambda: tf.constant([True, False])),
    ],
  )


def program_of_other_floats(tf):
  """A gradient of another float type is cast only where the gradient function does it."""

  def cast(to, grad):
    def call():
      x = _x(tf)
      y = tf.cast(x, to)
      return _what(tf, tf.gradients(y, [x], grad_ys=grad), {x: [1, 2]})

    return call

  return _each(
    tf,
    [
      cast(tf.float64, np.array([3.0, 4.0], np.float32)),
      cast(tf.float64, [3.0, 4.0]),
      cast(tf.float16, np.array([3.0, 4.0], np.float64)),
      cast(tf.float16, np.array([3, 4], np.int32)),
    ],
  )


def program_of_the_x_itself(tf):
  def itself(dtype, grad):
    def call():
      x = _x(tf, dtype=dtype)
      return _what(tf, tf.gradients(x, x, grad_ys=grad()), {x: [1, 2]})

    return call

  return _each(
    tf,
    [
      itself(tf.float32, lambda: tf.constant([3.0, 4.0])),
      itself(tf.float32, lambda: None),
      itself(tf.int32, lambda: None),
      itself(tf.int32, lambda: tf.constant([3, 4])),
      itself(tf.int32, lambda: tf.constant([3.0, 4.0])),
      itself(tf.int64, lambda: tf.constant([3, 4])),
      itself(tf.float64, lambda: tf.constant([3.0, 4.0])),
      itself(tf.float32, lambda: tf.constant([3, 4])),
      itself(tf.bool, lambda: None),
      itself(tf.string, lambda: None),
      itself(tf.string, lambda: tf.constant(["a"])),
      itself(tf.complex64, lambda: None),
      itself(tf.complex64, lambda: tf.constant([1.0 + 2.0j, 1.0], tf.complex64)),
      itself(tf.complex64, lambda: tf.constant([1.0, 2.0])),
      itself(tf.float32, lambda: tf.constant([1.0 + 2.0j], tf.complex64)),
      itself(tf.float32, lambda: tf.constant([True])),
      itself(tf.float32, lambda: tf.constant(["a"])),
      itself(tf.int32, lambda: tf.constant([1.0 + 2.0j], tf.complex64)),
    ],
  )


def program_integer_xs(tf):
  """What is made of integers has no gradient for them, whatever is given."""

  def made(f, grad=None, dtype=None):
    def call():
      x = _x(tf, dtype=dtype or tf.int32)
      return _what(tf, tf.gradients(f(x), [x], grad_ys=None if grad is None else grad()), {x: [1, 2]})

    return call

  floats = lambda: tf.constant([3.0, 4.0])
  return _each(
    tf,
    [
      made(lambda x: tf.cast(x, tf.float32)),
      made(lambda x: tf.cast(x, tf.float32), floats),
      made(lambda x: x * 2),
      made(lambda x: x * 2, lambda: tf.constant([3, 4])),
      made(lambda x: x * 2, floats),
      made(lambda x: tf.identity(x), floats),
      made(lambda x: tf.cast(tf.cast(x, tf.int32), tf.int64), floats, tf.float32),
      made(lambda x: tf.argmax(x), lambda: tf.constant(1, tf.int64), tf.float32),
      made(lambda x: tf.argmax(x), lambda: tf.constant(1.0), tf.float32),
      made(lambda x: tf.shape(x), floats, tf.float32),
      made(lambda x: tf.where(x > 0), lambda: tf.constant([[1], [2]], tf.int64), tf.float32),
      made(lambda x: tf.nn.top_k(x, 1)[1], lambda: tf.constant([1.0]), tf.float32),
      made(lambda x: tf.unique(x)[1], floats, tf.float32),
      made(lambda x: tf.to_int32(tf.round(x)), floats, tf.float32),
      made(lambda x: tf.bitcast(x, tf.int32), floats, tf.float32),
    ],
  )


def program_shapes(tf):
  """A gradient of another shape is an error where the gradient of an op says so, or of the step."""

  def given(f, grad, shape=(2,)):
    def call():
      x = _x(tf, shape=shape)
      return _what(tf, tf.gradients(f(x), [x], grad_ys=grad), {x: [1, 2]})

    return call

  return _each(
    tf,
    [
      given(lambda x: x * 2.0, [1.0, 2.0, 3.0]),
      given(lambda x: x * 2.0, 3.0),
      given(lambda x: x * 2.0, [[3.0], [4.0]]),
      given(tf.tanh, [1.0, 2.0, 3.0]),
      given(tf.tanh, 3.0),
      given(tf.identity, [1.0, 2.0, 3.0]),
      given(tf.identity, [1.0, 2.0, 3.0], None),
      given(tf.reduce_sum, [1.0, 2.0]),
      given(tf.reduce_sum, [[1.0]]),
      given(lambda x: tf.reshape(x, [2, 1]), [1.0, 2.0]),
      given(lambda x: tf.reshape(x, [2, 1]), [1.0, 2.0, 3.0]),
      given(lambda x: tf.matmul([[1.0, 2.0]], tf.reshape(x, [2, 1])), [[1.0, 2.0]]),
      given(lambda x: x * 2.0, []),
      given(lambda x: x * 2.0, [[]]),
    ],
  )


def program_rows(tf):
  """Rows are a gradient like others; their values have the type that tensors have."""

  def given(f, values, indices, shape, dtype=None):
    def call():
      x = _x(tf, shape=(3, 2), dtype=dtype)
      dense = None if shape is None else tf.constant(shape)
      rows = tf.IndexedSlices(tf.constant(values), tf.constant(indices), dense)
      return _what(tf, tf.gradients(f(x), [x], grad_ys=[rows]), {x: np.ones([3, 2])})

    return call

  return _each(
    tf,
    [
      given(tf.identity, [[1.0, 2.0]], [1], [3, 2]),
      given(tf.identity, [[1.0, 2.0]], [1], None),
      given(lambda x: x * 2.0, [[1.0, 2.0]], [1], [3, 2]),
      given(lambda x: x * 2.0, [[1.0, 2.0]], [1], None),
      given(tf.negative, [[1.0, 2.0]], [1], [3, 2]),
      given(lambda x: tf.cast(x, tf.int32), [[1.0, 2.0]], [1], [3, 2]),
      given(lambda x: tf.cast(x, tf.float64), [[1.0, 2.0]], [1], [3, 2]),
      given(tf.identity, [[1, 2]], [1], [3, 2]),
      given(tf.identity, [[True, False]], [1], [3, 2]),
      given(lambda x: x, [[1.0, 2.0], [3.0, 4.0]], [1, 1], [3, 2]),
      given(lambda x: x, [[1.0, 2.0]], [1], [3, 2], tf.complex64),
      given(lambda x: x, [["a", "b"]], [1], [3, 2]),
    ],
  )


def program_none_and_lengths(tf):
  x, y = _x(tf), _x(tf, "y")
  z, w = x * y, x + y
  feed = {x: [1, 2], y: [3, 4]}
  found = [
    _what(tf, tf.gradients([z, w], [x, y], grad_ys=[None, None]), feed),
    _what(tf, tf.gradients([z, w], [x, y], grad_ys=[None, [5.0, 6.0]]), feed),
    _what(tf, tf.gradients([z, z], [x], grad_ys=[[1.0, 2.0], None]), feed),
    _what(tf, tf.gradients(z, [x], grad_ys=[None]), feed),
    _what(tf, tf.gradients(z, [x], grad_ys=None), feed),
    _what(tf, tf.gradients([z, x], [x], grad_ys=[tf.ones([2]), tf.ones([2])]), feed),
    _what(tf, tf.gradients(z, [x, x], grad_ys=tf.Variable([1.0, 1.0]).initial_value), feed),
    tf.gradients([], [x]),
    tf.gradients(z, []),
    tf.gradients([], []),
  ]
  return found + _each(
    tf,
    [
      lambda: tf.gradients([_x(tf), _x(tf)], [_x(tf)], grad_ys=[None]),
      lambda: tf.gradients([_x(tf)], [_x(tf)], grad_ys=[]),
      lambda: tf.gradients([_x(tf)], [_x(tf)], grad_ys=[None, None]),
      lambda: tf.gradients("text", [_x(tf)]),
      lambda: tf.gradients(_x(tf), "text"),
      lambda: tf.gradients(3.0, [_x(tf)]),
      lambda: tf.gradients(_x(tf), 3.0),
    ],
  )


def program_complex(tf):
  x = tf.placeholder(tf.complex64, [2])
  r = _x(tf, "r")
  feed = {x: [1 + 2j, 3j], r: [1, 2]}
  ones = tf.constant([1.0 + 1.0j, 2.0], tf.complex64)
  return [
    _what(tf, tf.gradients(x * x, [x], grad_ys=ones), feed),
    _what(tf, tf.gradients(tf.real(x), [x]), feed),
    _what(tf, tf.gradients(tf.abs(x), [x], grad_ys=[[1.0, 2.0]]), feed),
    _what(tf, tf.gradients(tf.complex(r, r), [r], grad_ys=ones), feed),
    _what(tf, tf.gradients(tf.cast(r, tf.complex64), [r], grad_ys=ones), feed),
    _what(tf, tf.gradients(tf.cast(r, tf.complex64), [r], grad_ys=tf.cast(ones, tf.complex128)), feed),
    _what(tf, tf.gradients(tf.imag(x * x), [x], grad_ys=[[1.0, 2.0]], stop_gradients=[x]), feed),
  ]


def program_stops(tf):
  x, y = _x(tf), _x(tf, "y")
  v = tf.Variable([1.0, 2.0], use_resource=True)
  a = x * y
  b = a + x
  feed = {x: [1, 2], y: [3, 4]}
  return [
    _what(tf, tf.gradients(b, [x, y, a], stop_gradients=a), feed),
    _what(tf, tf.gradients(b, [x, y, a], stop_gradients=[a, x]), feed),
    _what(tf, tf.gradients(b, [x, y, a, b], stop_gradients=[b]), feed),
    _what(tf, tf.gradients([a, b], [x], stop_gradients=[x], grad_ys=[None, [1.0, 2.0]]), feed),
    _what(tf, tf.gradients(b, [x], stop_gradients=[]), feed),
    _what(tf, tf.gradients(b * b, [x, b], stop_gradients=[y]), feed),
    [g is None for g in tf.gradients(v * x, [v, x], stop_gradients=[v.read_value()])],
  ]


def program_unconnected(tf):
  zero = tf.UnconnectedGradients.ZERO
  x, y, z = _x(tf), _x(tf, "y"), _x(tf, "z", None)
  i = _x(tf, "i", dtype=tf.int32)
  c = _x(tf, "c", dtype=tf.complex64)
  ref = tf.Variable([1.0, 2.0], use_resource=False)
  resource = tf.Variable([1.0, 2.0], use_resource=True)
  feed = {x: [1, 2], y: [1, 2], z: [[1]], i: [1, 2], c: [1, 2]}
  xs = [y, z, i, c, ref, resource, x]
  grads = tf.gradients(x * x, xs, unconnected_gradients=zero)
  found = _what(tf, grads, feed)
  found += _what(tf, tf.gradients(tf.cast(x, tf.int32), [x], unconnected_gradients=zero), feed)
  found += _what(tf, tf.gradients(tf.stop_gradient(x), [x], grad_ys=[[1.0, 2.0]], unconnected_gradients=zero), feed)
  found += _what(tf, tf.gradients(x, [x, x[0]], unconnected_gradients="zero"), feed)
  strings = _x(tf, "s", dtype=tf.string)
  found += _each(tf, [lambda: tf.gradients(x, [strings], unconnected_gradients=zero)[0].dtype.name])
  return found


def program_aggregation_and_gates(tf):
  x = _x(tf)
  y = x * 2.0
  z = y * y + y + tf.tanh(y) + x
  feed = {x: [1, 2]}
  method = tf.AggregationMethod
  found = []
  for how in (method.ADD_N, method.DEFAULT, method.EXPERIMENTAL_TREE, method.EXPERIMENTAL_ACCUMULATE_N, None):
    for colocate in (False, True):
      for gate in (False, True):
        grads = tf.gradients(
          [z, y],
          [x, y],
          grad_ys=[[1.0, 2.0], None],
          aggregation_method=how,
          colocate_gradients_with_ops=colocate,
          gate_gradients=gate,
        )
        found.append(_what(tf, grads, feed))
  return found


program_aggregation_and_gates.rtol = 1e-5


def program_colocated(tf):
  """With colocate_gradients_with_ops the gradients of an op are on its device, also sums and the given ones' neighbours."""
  with tf.device("/job:a/task:0"):
    x = tf.placeholder(tf.float32, [2])
    y = tf.tanh(x)
  with tf.device("/job:a/task:1"):
    z = tf.exp(y) + y
  found = []
  for colocate in (False, True):
    (grad,) = tf.gradients(z, [x], colocate_gradients_with_ops=colocate)
    found.append(grad.op.colocation_groups() if colocate else grad.device)
    found.append(grad.device)
  return found


def program_of_variables(tf):
  """A y that is a variable is its value."""
  found = []
  for resource in (True, False):
    v = tf.get_variable("v%d" % resource, initializer=[1.0, 2.0], use_resource=resource)
    calls = [
      tf.gradients(v, [v]),
      tf.gradients([v, v * 2.0], v, grad_ys=[None, [3.0, 4.0]]),
      tf.gradients([v], [v], grad_ys=[[3.0, 4.0]]),
      tf.gradients(v * v, [v], stop_gradients=[v]),
    ]
    with tf.Session() as session:
      session.run(v.initializer)
      found.append(session.run(calls))
  return found
