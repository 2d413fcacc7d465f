"""tf.layers as functions: their values, gradients, variables, losses, updates and errors."""

import numpy as np


def _data(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).randn(*shape).astype(np.float32)


def _filled(tf, scale=0.3):
  """An initializer whose values depend on the shape alone."""

  def initializer(shape, dtype=None, partition_info=None):
    sizes = [int(s) for s in shape]
    values = np.random.RandomState(sum(sizes) * 3 + len(sizes)).randn(*sizes) * scale
    return tf.constant(values, dtype or tf.float32)

  return initializer


def _sizes(value):
  return [str(value.shape), value.dtype.base_dtype.name, value.op.name]


def _results(tf, outputs, feed=None, gradients=True):
  """Values, gradients to all trained variables, variables with shapes, losses of regularizers, names of updates."""
  trained = tf.trainable_variables()
  losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
  total = tf.reduce_sum(outputs) + (tf.add_n(losses) if losses else 0.0)
  grads = tf.gradients(total, trained) if trained and gradients else []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run([outputs, grads, losses], feed)
  variables = [(v.name, v.shape.as_list(), v.dtype.base_dtype.name) for v in tf.global_variables()]
  return [
    _sizes(outputs),
    values,
    variables,
    [v.name for v in trained],
    [loss.op.name for loss in losses],
    [update.name for update in tf.get_collection(tf.GraphKeys.UPDATE_OPS)],
  ]


def _each(tf, calls, feed_of=None):
  """Results of each call, in a graph of its own; errors as they come."""
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        found.append(_results(tf, call()))
      except (ValueError, TypeError) as error:
        found.append(error)
  return found


def _square(tf):
  return lambda v: tf.reduce_sum(tf.square(v)) * 0.25


def program_dense(tf):
  x, init, square = _data(4, 3), _filled(tf), _square(tf)
  cube = _data(2, 5, 3)
  dense = tf.layers.dense
  return _each(
    tf,
    [
      lambda: dense(x, 5, kernel_initializer=init),
      lambda: dense(
        x,
        units=2,
        activation=tf.nn.tanh,
        use_bias=True,
        kernel_initializer=init,
        bias_initializer=init,
        kernel_regularizer=square,
        bias_regularizer=square,
        activity_regularizer=square,
        kernel_constraint=tf.abs,
        bias_constraint=tf.abs,
        trainable=True,
        name="named",
      ),
      lambda: dense(x, 3, use_bias=False, kernel_initializer=init, trainable=False, activation="relu") + 0.0,
      lambda: dense(cube, 4, kernel_initializer=init, bias_initializer=init),
      lambda: dense(tf.placeholder_with_default(cube, [None, None, 3]), 4, kernel_initializer=init),
      lambda: dense(dense(x, 4, kernel_initializer=init), 2, kernel_initializer=init),
      lambda: dense(x.astype(np.float64), 2, kernel_initializer=init),
      lambda: dense(tf.placeholder(tf.float32, [None, None]), 2),
      lambda: dense(tf.placeholder(tf.float32, [3]), 2),
      lambda: dense(tf.placeholder(tf.int32, [2, 3]), 2),
      lambda: dense(x, 2, name="missing", reuse=True),
      lambda: dense(x, 2, activation="nothing"),
      lambda: dense([x, x], 2),
    ],
  )


def program_reuse(tf):
  x, init = _data(4, 3), _filled(tf)
  first = tf.layers.dense(x, 2, name="shared", kernel_initializer=init, kernel_regularizer=_square(tf))
  second = tf.layers.dense(2 * x, 2, name="shared", reuse=True, kernel_regularizer=_square(tf))
  third = tf.layers.dense(x, 2, kernel_initializer=init)
  with tf.variable_scope("outer"):
    fourth = tf.layers.dense(x, 2, kernel_initializer=init)
    with tf.variable_scope("inner", reuse=tf.AUTO_REUSE):
      pairs = [tf.layers.dense(x, 2, name="auto", kernel_initializer=init) for _ in range(2)]
  with tf.variable_scope("outer", reuse=True):
    fifth = tf.layers.dense(x, 2)
  found = [first, second, third, fourth, *pairs, fifth]
  return [[t.op.name for t in found], _results(tf, tf.concat(found, 0))]


def program_scopes_that_say_what_variables_are(tf):
  x, init = _data(4, 3), _filled(tf)
  seen = []

  def getter(getter, name, *args, **kwargs):
    seen.append((name, kwargs["shape"], kwargs["trainable"]))
    return getter(name, *args, **kwargs)

  with tf.variable_scope(
    "scope",
    initializer=init,
    regularizer=_square(tf),
    custom_getter=getter,
    use_resource=True,
    partitioner=tf.fixed_size_partitioner(2),
  ):
    y = tf.layers.dense(x, 4)
    y = tf.layers.batch_normalization(y, training=True)
  kinds = [v.op.type for v in tf.global_variables()]
  return [seen, kinds, _results(tf, y)]


def program_untrained_by_the_scope(tf):
  x, init = _data(4, 3), _filled(tf)

  def getter(getter, *args, **kwargs):
    kwargs["trainable"] = False
    return getter(*args, **kwargs)

  with tf.variable_scope("scope", custom_getter=getter):
    layer = tf.layers.Dense(2, kernel_initializer=init)
    layer(x)
  return [[v.name for v in layer.trainable_weights], [v.name for v in layer.non_trainable_weights]]


def program_dropout(tf):
  x = np.ones([64, 8], np.float32)
  tf.set_random_seed(1)
  flag = tf.placeholder(tf.bool, [])
  outputs = {
    "off": tf.layers.dropout(x, 0.5),
    "undecided": tf.layers.dropout(x, 0.5, training=None),
    "none": tf.layers.dropout(x, rate=0, training=True),
    "on": tf.layers.dropout(x, rate=0.25, seed=5, training=True, name="drop"),
    "rows": tf.layers.dropout(x, 0.5, noise_shape=[None, 1], seed=7, training=True),
    "asked": tf.layers.dropout(x, 0.5, seed=3, training=flag),
  }
  names = {key: t.op.name for key, t in outputs.items()}
  with tf.Session() as session:
    on = session.run(outputs, {flag: True})
    off = session.run(outputs["asked"], {flag: False})
  kept = {key: sorted(set(np.unique(value))) for key, value in on.items()}
  rows = bool(np.all(on["rows"] == on["rows"][:, :1]))
  shares = [0.6 < np.mean(on["on"] > 0) < 0.9, 0.3 < np.mean(on["asked"] > 0) < 0.7]
  errors = _each(tf, [lambda: tf.layers.dropout(x, 1.5), lambda: tf.layers.dropout(x, -0.1)])
  return [names, kept, rows, shares, off, errors]


def program_flatten(tf):
  x = _data(2, 3, 4)
  flatten = tf.layers.flatten
  return _each(
    tf,
    [
      lambda: flatten(x),
      lambda: flatten(x, name="flat", data_format="channels_first"),
      lambda: flatten(tf.placeholder_with_default(x, [None, None, 4])),
      lambda: flatten(tf.placeholder_with_default(x, [None, 3, 4])),
      lambda: flatten(tf.placeholder_with_default(x, None)),
      lambda: flatten(x[0, 0]),
      lambda: flatten(tf.constant(1.0)),
    ],
  )


def program_conv1d(tf):
  x, init, square = _data(2, 8, 3), _filled(tf), _square(tf)
  conv1d = tf.layers.conv1d
  return _each(
    tf,
    [
      lambda: conv1d(x, 4, 3, kernel_initializer=init),
      lambda: conv1d(x, filters=4, kernel_size=[3], strides=2, padding="same", use_bias=False, kernel_initializer=init),
      lambda: conv1d(
        x,
        4,
        3,
        padding="causal",
        data_format="channels_last",
        dilation_rate=2,
        activation=tf.nn.relu,
        kernel_initializer=init,
        bias_initializer=init,
        kernel_regularizer=square,
        bias_regularizer=square,
        activity_regularizer=square,
        kernel_constraint=tf.abs,
        bias_constraint=tf.abs,
        trainable=False,
        name="causal",
        reuse=tf.AUTO_REUSE,
      ),
      lambda: conv1d(x, 4, 3, data_format="NWC"),
      lambda: conv1d(x, 4, 3, padding="other"),
      lambda: conv1d(x, 4, [3, 3]),
      lambda: conv1d(x, 0, 3),
    ],
  )


def program_conv2d(tf):
  x, init, square = _data(2, 7, 6, 3), _filled(tf), _square(tf)
  conv2d = tf.layers.conv2d
  return _each(
    tf,
    [
      lambda: conv2d(x, 4, 3, kernel_initializer=init),
      lambda: conv2d(x, filters=4, kernel_size=(3, 2), strides=(2, 1), padding="same", kernel_initializer=init),
      lambda: conv2d(x, 4, 3, dilation_rate=2, padding="SAME", kernel_initializer=init),
      lambda: conv2d(tf.placeholder_with_default(x, [None, None, 6, 3]), 4, 3, dilation_rate=(1, 2), kernel_initializer=init),
      lambda: conv2d(
        x,
        4,
        3,
        data_format="channels_last",
        activation=tf.nn.relu,
        use_bias=True,
        kernel_initializer=init,
        bias_initializer=init,
        kernel_regularizer=square,
        bias_regularizer=square,
        activity_regularizer=square,
        kernel_constraint=tf.abs,
        bias_constraint=tf.abs,
        trainable=False,
        name="conv",
        reuse=tf.AUTO_REUSE,
      ),
      lambda: conv2d(x, 4, 3, use_bias=False, kernel_initializer=init),
      lambda: conv2d(x, 4, 3, strides=2, dilation_rate=2),
      lambda: conv2d(x, 4, 3, strides=(1, 2, 3)),
      lambda: conv2d(x, 4, 3, padding="causal"),
      lambda: conv2d(x, 4, "ab"),
      lambda: conv2d(x, 4, None),
      lambda: conv2d(x[0], 4, 3),
      lambda: conv2d(tf.placeholder(tf.float32, [None, 8, 8, None]), 4, 3),
    ],
  )


def program_conv3d(tf):
  x, init, square = _data(1, 4, 5, 4, 2), _filled(tf), _square(tf)
  conv3d = tf.layers.conv3d
  return _each(
    tf,
    [
      lambda: conv3d(x, 3, 2, kernel_initializer=init),
      lambda: conv3d(x, filters=3, kernel_size=(2, 3, 2), strides=2, padding="same", kernel_initializer=init),
      lambda: conv3d(
        x,
        3,
        2,
        data_format="channels_last",
        dilation_rate=1,
        activation=tf.nn.relu,
        use_bias=True,
        kernel_initializer=init,
        bias_initializer=init,
        kernel_regularizer=square,
        bias_regularizer=square,
        activity_regularizer=square,
        kernel_constraint=tf.abs,
        bias_constraint=tf.abs,
        trainable=False,
        name="conv",
        reuse=tf.AUTO_REUSE,
      ),
      lambda: conv3d(x, 3, 2, dilation_rate=2, use_bias=False, kernel_initializer=init),
    ],
  )


def program_transposed(tf):
  x, y, init, square = _data(2, 4, 3, 3), _data(1, 2, 3, 2, 2), _filled(tf), _square(tf)
  conv2d, conv3d = tf.layers.conv2d_transpose, tf.layers.conv3d_transpose
  options = {
    "activation": tf.nn.relu,
    "use_bias": True,
    "kernel_initializer": init,
    "bias_initializer": init,
    "kernel_regularizer": square,
    "bias_regularizer": square,
    "activity_regularizer": square,
    "kernel_constraint": tf.abs,
    "bias_constraint": tf.abs,
    "trainable": False,
    "name": "up",
    "reuse": tf.AUTO_REUSE,
    "data_format": "channels_last",
  }
  return _each(
    tf,
    [
      lambda: conv2d(x, 4, 3, kernel_initializer=init),
      lambda: conv2d(x, 4, 3, strides=2, padding="same", kernel_initializer=init),
      lambda: conv2d(x, filters=4, kernel_size=(2, 3), strides=(3, 2), kernel_initializer=init, use_bias=False),
      lambda: conv2d(tf.placeholder_with_default(x, [None, None, 3, 3]), 4, 3, strides=2, kernel_initializer=init),
      lambda: conv2d(x, 4, 3, **options),
      lambda: conv3d(y, 3, 2, kernel_initializer=init),
      lambda: conv3d(y, filters=3, kernel_size=2, strides=(2, 1, 2), padding="same", kernel_initializer=init, use_bias=False),
      lambda: conv3d(y, 3, 2, **options),
      lambda: conv2d(x[0], 4, 3),
      lambda: conv2d(tf.placeholder(tf.float32, [None, 8, 8, None]), 4, 3),
    ],
  )


def program_separable(tf):
  x, y, init, square = _data(2, 6, 5, 3), _data(2, 7, 3), _filled(tf), _square(tf)
  conv2d, conv1d = tf.layers.separable_conv2d, tf.layers.separable_conv1d
  both = {"depthwise_initializer": init, "pointwise_initializer": init}
  options = {
    "activation": tf.nn.relu,
    "use_bias": True,
    "bias_initializer": init,
    "depthwise_regularizer": square,
    "pointwise_regularizer": square,
    "bias_regularizer": square,
    "activity_regularizer": square,
    "depthwise_constraint": tf.abs,
    "pointwise_constraint": tf.abs,
    "bias_constraint": tf.abs,
    "trainable": False,
    "name": "separate",
    "reuse": tf.AUTO_REUSE,
    "data_format": "channels_last",
    **both,
  }
  return _each(
    tf,
    [
      lambda: conv2d(x, 4, 3, **both),
      lambda: conv2d(x, filters=4, kernel_size=3, strides=2, padding="same", depth_multiplier=2, use_bias=False, **both),
      lambda: conv2d(x, 4, 3, dilation_rate=2, padding="same", **both),
      lambda: conv2d(x, 4, 3, **options),
      lambda: conv1d(y, 4, 3, **both),
      lambda: conv1d(y, filters=4, kernel_size=3, strides=2, padding="same", depth_multiplier=2, use_bias=False, **both),
      lambda: conv1d(y, 4, 3, padding="causal", dilation_rate=2, **both),
      lambda: conv1d(y, 4, 3, **options),
      lambda: conv2d(x, 4, 3, strides=2, dilation_rate=2),
      lambda: conv2d(tf.placeholder(tf.float32, [None, 8, 8, None]), 4, 3),
    ],
  )


def program_pooling(tf):
  x, y, z = _data(2, 7, 6, 3), _data(2, 7, 3), _data(1, 4, 5, 4, 2)
  layers = tf.layers
  return _each(
    tf,
    [
      lambda: layers.average_pooling1d(y, 2, 2),
      lambda: layers.average_pooling1d(y, 3, 2, padding="same", name="mean"),
      lambda: layers.max_pooling1d(y, 2, 2),
      lambda: layers.max_pooling1d(y, pool_size=(3,), strides=(1,), padding="SAME", data_format="channels_last", name="most"),
      lambda: layers.average_pooling2d(x, 2, 2),
      lambda: layers.average_pooling2d(x, (2, 3), (1, 2), padding="same", data_format="channels_last", name="mean"),
      lambda: layers.max_pooling2d(x, 2, 2),
      lambda: layers.max_pooling2d(x, pool_size=[2, 3], strides=[1, 2], padding="same", data_format=None, name="most"),
      lambda: layers.average_pooling3d(z, 2, 2),
      lambda: layers.average_pooling3d(z, (2, 1, 2), 1, padding="same", data_format="channels_last", name="mean"),
      lambda: layers.max_pooling3d(z, 2, 2),
      lambda: layers.max_pooling3d(z, (2, 1, 2), 1, padding="same", data_format="channels_last", name="most"),
      lambda: layers.average_pooling1d(y.transpose(0, 2, 1), 2, 2, data_format="channels_first"),
      lambda: layers.max_pooling2d(x, (2, 2, 2), 2),
      lambda: layers.max_pooling2d(x, 2, 2, padding="other"),
      lambda: layers.max_pooling2d(x[0], 2, 2),
      lambda: layers.max_pooling2d(x, 2, None),
      lambda: layers.max_pooling2d(x, 2, 2, data_format="NHWC"),
    ],
  )


program_dense.rtol = 1e-5
program_reuse.rtol = 1e-5
program_scopes_that_say_what_variables_are.rtol = 1e-5
program_conv1d.rtol = 1e-4
program_conv2d.rtol = 1e-4
program_conv3d.rtol = 1e-4
program_transposed.rtol = 1e-4
program_separable.rtol = 1e-4
