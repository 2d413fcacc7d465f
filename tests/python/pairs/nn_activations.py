"""Activations, biases, softmax and what ranks: values and graphs."""

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


def program_activations(tf):
  made = []
  for dtype in (tf.float32, tf.float64):
    x = tf.constant(_data(3, 4), dtype)
    for name in ("relu", "relu6", "elu", "selu", "softplus", "softsign", "sigmoid", "tanh"):
      made += [getattr(tf.nn, name)(x), getattr(tf.nn, name)(x, name="my_" + name)]
  return _run(tf, made)


program_activations.rtol = 1e-5
program_activations.atol = 1e-6


def program_activations_of_halves(tf):
  x = tf.constant(_data(3, 4), tf.float16)
  names = ("relu", "relu6", "elu", "selu", "softplus", "softsign", "sigmoid", "tanh", "leaky_relu", "crelu")
  return _run(tf, [getattr(tf.nn, name)(x) for name in names])


program_activations_of_halves.rtol = 5e-3
program_activations_of_halves.atol = 1e-3


def program_activations_by_their_names(tf):
  x = tf.constant(_data(3, 4))
  made = [
    tf.nn.elu(features=x, name="a"),
    tf.nn.selu(features=x, name="b"),
    tf.nn.relu(x, name="c"),
    tf.nn.relu6(x, name="d"),
    tf.nn.softplus(x, name="e"),
    tf.nn.softsign(x, name="f"),
    tf.nn.sigmoid(x, name="g"),
    tf.nn.tanh(x, name="h"),
  ]
  return [m.name for m in made] + _run(tf, *made)


program_activations_by_their_names.rtol = 1e-5
program_activations_by_their_names.atol = 1e-6


def program_relu_of_integers(tf):
  x = tf.constant([[-3, 0], [2, 9]])
  return _run(tf, tf.nn.relu(x), tf.nn.relu6(x), tf.nn.relu([-1, 2]), tf.nn.relu(features=tf.cast(x, tf.int64), name="r"))


def program_leaky_relu(tf):
  x = tf.constant(_data(3, 4))
  made = [tf.nn.leaky_relu(x), tf.nn.leaky_relu(x, 0.1), tf.nn.leaky_relu(x, alpha=0.5, name="leaky")]
  made += [tf.nn.leaky_relu(tf.constant([-5, 5])), tf.nn.leaky_relu(tf.constant([-5.0], tf.float64))]
  return _run(tf, made) + [_error(lambda: tf.nn.leaky_relu(x, tf.constant(0.1)))]


def program_crelu(tf):
  x = tf.constant(_data(3, 4))
  return _run(tf, tf.nn.crelu(x), tf.nn.crelu(x, name="both", axis=0), tf.nn.crelu([[1.0, -2.0]]))


def program_swish(tf):
  x = tf.constant(_data(3, 4))
  y = tf.nn.swish(x)
  return _run(tf, y, tf.gradients(y, x))


program_swish.rtol = 1e-5


def program_bias_add(tf):
  x = tf.constant(_data(2, 3, 4, 5))
  made = [
    tf.nn.bias_add(x, tf.ones([5])),
    tf.nn.bias_add(x, [1.0, 2.0, 3.0, 4.0, 5.0], data_format="NHWC", name="bias"),
    tf.nn.bias_add(x, [1.0, 2.0, 3.0], data_format="NCHW"),
    tf.nn.bias_add(tf.constant(_data(2, 3, 4)), [1.0, 2.0, 3.0], data_format="NCW"),
    tf.nn.bias_add([[1, 2]], [3, 4]),
  ]
  return _run(tf, *made) + [
    _error(lambda: tf.nn.bias_add(x, [1.0, 2.0], data_format="X")),
    _error(lambda: tf.nn.bias_add(x, [1.0])),
  ]


def program_linear_layers(tf):
  x, w, b = _data(2, 3), _data(3, 4), _data(4)
  made = [
    tf.nn.xw_plus_b(x, w, b),
    tf.nn.xw_plus_b(tf.constant(x), tf.constant(w), tf.constant(b), name="linear"),
    tf.nn.relu_layer(x, w, b),
    tf.nn.relu_layer(tf.constant(x), tf.constant(w), tf.constant(b), name="layer"),
  ]
  return _run(tf, *made)


program_linear_layers.rtol = 1e-5


def program_softmax(tf):
  x, y = tf.constant(_data(3, 4)), tf.constant(_data(2, 3, 4))
  unknown = tf.placeholder_with_default(_data(2, 3), None)
  made = []
  for f in (tf.nn.softmax, tf.nn.log_softmax):
    made += [f(x), f(y, name="named"), f(y, axis=1), f(y, axis=-1), f(x, dim=0), f(y, axis=-2, name="second"), f(unknown)]
    made += [f([1.0, 2.0]), f(tf.cast(x, tf.float64), 0), f(tf.cast(x, tf.float16))]
  return _run(tf, *made)


program_softmax.rtol = 2e-3


def program_softmax_errors(tf):
  y = tf.placeholder(tf.float32, [2, 3, 4])
  tries = [
    lambda: tf.nn.softmax(y, axis=3),
    lambda: tf.nn.softmax(y, axis=-4),
    lambda: tf.nn.log_softmax(y, axis=1, dim=2),
    lambda: tf.nn.softmax(tf.zeros([])),
    lambda: tf.nn.softmax([1, 2]),
  ]
  return [_error(t) for t in tries]


def program_top_k(tf):
  x = tf.constant([[3.0, 1.0, 2.0, 2.0], [0.0, 5.0, 4.0, 6.0]])
  made = [
    tf.nn.top_k(x),
    tf.nn.top_k(x, 3),
    tf.nn.top_k(x, k=tf.constant(2), sorted=False, name="top"),
    tf.nn.top_k([3, 1, 2], 2),
  ]
  # Those that are not sorted have no order that one could compare.
  made[2] = made[2]._replace(values=tf.sort(made[2].values), indices=tf.sort(made[2].indices))
  found = _run(tf, *[m.values for m in made]) + _run(tf, *[m.indices for m in made])
  return found + [made[0]._fields, _error(lambda: tf.nn.top_k(x, 5))]


def program_in_top_k(tf):
  x = tf.constant([[3.0, 1.0, 2.0, 2.0], [0.0, 5.0, 4.0, 6.0]])
  made = [
    tf.nn.in_top_k(x, [0, 2], 1),
    tf.nn.in_top_k(predictions=x, targets=tf.constant([3, 2], tf.int64), k=tf.constant(2, tf.int64), name="top"),
    tf.nn.in_top_k(x, [2, 9], 2),
  ]
  return _run(tf, *made) + [_error(lambda: tf.nn.in_top_k(x, [0.0], 1))]


def program_zero_fraction(tf):
  x = tf.constant([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
  unknown = tf.placeholder_with_default([0, 1], None)
  return _run(
    tf, tf.nn.zero_fraction(x), tf.nn.zero_fraction(x, name="zeros"), tf.nn.zero_fraction(unknown), tf.nn.zero_fraction([0.0])
  )


def program_wrong_types(tf):
  x = tf.SparseTensor([[0, 0]], [1.0], [2, 2])
  tries = [lambda: tf.nn.relu("a"), lambda: tf.nn.elu([1]), lambda: tf.nn.bias_add(x, [1.0]), lambda: tf.nn.relu(x)]
  return [type(_error(t)).__name__ for t in tries] + _run(tf, tf.nn.tanh(x).values)


program_wrong_types.rtol = 1e-5


def program_names_of_math(tf):
  x = tf.constant(_data(3, 4))
  made = [
    tf.math.softmax(x, axis=0),
    tf.math.log_softmax(x),
    tf.math.softplus(x),
    tf.math.softsign(x),
    tf.math.l2_normalize(x, 1),
    tf.math.zero_fraction(x),
    tf.math.in_top_k(x, [0, 1, 2], 2),
    tf.math.top_k(x, 2).values,
  ]
  return _run(tf, *made)


program_names_of_math.rtol = 1e-5
