"""The layers of slim as functions: values, gradients, variables, collections and errors."""

import numpy as np


def slim_of(tf):
  """slim: ours in tf.contrib, TensorFlow's in a package of its own, with the names that it misses in TensorFlow 2.15."""
  if tf.__name__.startswith("millrace"):
    return tf.contrib.slim
  import tf_slim
  from tensorflow.python.framework import ops
  from tensorflow.python.layers import normalization
  from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope

  ops.Tensor, ops.IndexedSlices = tf.Tensor, tf.IndexedSlices
  array_ops.stack, array_ops.unstack = tf.stack, tf.unstack
  control_flow_ops.cond, variable_scope.variable = tf.cond, tf.Variable
  normalization.normalization = tf.layers
  return tf_slim


def _data(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).randn(*shape).astype(np.float32)


def _filled(tf, scale=0.3):
  def initializer(shape, dtype=None, partition_info=None):
    sizes = [int(s) for s in shape]
    values = np.random.RandomState(sum(sizes) * 3 + len(sizes)).randn(*sizes) * scale
    return tf.constant(values, dtype or tf.float32)

  return initializer


_KEYS = (
  "trainable_variables",
  "model_variables",
  "update_ops",
  "regularization_losses",
  "activations",
  "weights",
  "biases",
  "c",
  "o",
)


def _results(tf, outputs, feed=None):
  trained = tf.trainable_variables()
  losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
  total = tf.reduce_sum(tf.square(outputs)) + (tf.add_n(losses) if losses else 0.0)
  grads = [g for g in (tf.gradients(total, trained) if trained else [])]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run([outputs, grads, losses], feed)
  return [
    outputs.op.name,
    str(outputs.shape),
    values,
    [(v.name, v.shape.as_list(), v.dtype.base_dtype.name) for v in tf.global_variables()],
    {key: [getattr(v, "name", str(v)) for v in tf.get_collection(key)] for key in _KEYS},
  ]


def _each(tf, calls):
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        found.append(_results(tf, call()))
      except (ValueError, TypeError) as error:
        found.append(error)
  return found


def program_fully_connected(tf):
  slim = slim_of(tf)
  x, init = _data(4, 3), _filled(tf)
  return _each(
    tf,
    [
      lambda: slim.fully_connected(x, 5, weights_initializer=init),
      lambda: slim.fully_connected(
        x,
        num_outputs=2,
        activation_fn=tf.nn.tanh,
        weights_initializer=init,
        weights_regularizer=slim.l2_regularizer(0.5),
        biases_initializer=init,
        biases_regularizer=slim.l1_regularizer(0.25),
        variables_collections={"weights": ["c"], "biases": ["biases"]},
        outputs_collections=["o"],
        scope="fc",
      ),
      lambda: slim.fully_connected(x, 2, biases_initializer=None, weights_initializer=init, trainable=False) * 1.0,
      lambda: slim.fully_connected(
        x,
        4,
        weights_initializer=init,
        normalizer_fn=slim.batch_norm,
        normalizer_params={"scale": True, "decay": 0.9},
        variables_collections=["c"],
      ),
      lambda: slim.fully_connected(_data(2, 3, 4), 2, weights_initializer=init, activation_fn=None),
      lambda: slim.fully_connected(slim.fully_connected(x, 2, weights_initializer=init), 3, weights_initializer=init),
      lambda: slim.relu(x, 2, weights_initializer=init),
      lambda: slim.relu6(x, 2, weights_initializer=init),
      lambda: slim.elu(x, 2, weights_initializer=init),
      lambda: slim.linear(x, 2, weights_initializer=init),
      lambda: slim.fully_connected(x, 2.5),
      lambda: slim.fully_connected(tf.placeholder(tf.float32, [None, None]), 2),
      lambda: slim.fully_connected(x, 2, scope="missing", reuse=True),
    ],
  )


def program_reuse(tf):
  slim = slim_of(tf)
  x, init = _data(4, 3), _filled(tf)
  one = slim.fully_connected(x, 2, weights_initializer=init, scope="fc")
  two = slim.fully_connected(2 * x, 2, scope="fc", reuse=True)
  with tf.variable_scope("outer", reuse=tf.AUTO_REUSE):
    three = [slim.fully_connected(x, 2, weights_initializer=init, scope="fc") for _ in range(2)]
  return _results(tf, tf.concat([one, two, *three], 0))


def program_bias_add(tf):
  slim = slim_of(tf)
  x, init = _data(2, 3, 4, 2), _filled(tf)
  return _each(
    tf,
    [
      lambda: slim.bias_add(x, initializer=init),
      lambda: slim.bias_add(
        x,
        activation_fn=tf.nn.relu,
        initializer=init,
        regularizer=slim.l2_regularizer(0.5),
        variables_collections=["c"],
        outputs_collections=["o"],
        data_format="NCHW",
        scope="b",
      ),
      lambda: slim.bias_add(_data(3, 2), initializer=init, trainable=False, reuse=tf.AUTO_REUSE, scope="b"),
      lambda: slim.bias_add(x, data_format="other"),
      lambda: slim.bias_add(_data(3, 2), data_format="NCHW"),
    ],
  )


def program_legacy_fully_connected(tf):
  slim = slim_of(tf)
  x, init = _data(4, 3), _filled(tf)
  return _each(
    tf,
    [
      lambda: slim.legacy_fully_connected(x, 2, weight_init=init),
      lambda: slim.legacy_fully_connected(
        _data(2, 3, 4),
        num_output_units=2,
        activation_fn=tf.nn.relu,
        weight_init=init,
        bias_init=init,
        name="old",
        weight_collections=("c",),
        bias_collections=("c",),
        output_collections=("o",),
        trainable=True,
        weight_regularizer=slim.l2_regularizer(0.5),
        bias_regularizer=slim.l2_regularizer(0.5),
      ),
      lambda: slim.legacy_fully_connected(x, 2, weight_init=init, bias_init=None),
      lambda: slim.legacy_relu(x, 2, weight_init=init),
      lambda: slim.legacy_linear(x, 2, weight_init=init),
    ],
  )


def program_convolutions(tf):
  slim = slim_of(tf)
  image, series, volume, init = _data(2, 6, 5, 3), _data(2, 7, 3), _data(1, 4, 3, 4, 2), _filled(tf)
  options = {
    "activation_fn": tf.nn.tanh,
    "weights_initializer": init,
    "weights_regularizer": slim.l2_regularizer(0.5),
    "biases_initializer": init,
    "biases_regularizer": slim.l2_regularizer(0.5),
    "reuse": tf.AUTO_REUSE,
    "variables_collections": ["c"],
    "outputs_collections": "o",
    "trainable": True,
    "scope": "conv",
  }
  return _each(
    tf,
    [
      lambda: slim.conv2d(image, 4, [3, 3], weights_initializer=init),
      lambda: slim.conv2d(image, 4, 3, stride=2, padding="VALID", data_format="NHWC", **options),
      lambda: slim.conv2d(image, 4, [3, 2], rate=2, weights_initializer=init, normalizer_fn=slim.batch_norm),
      lambda: slim.convolution(
        image, 4, 3, weights_initializer=init, normalizer_fn=slim.batch_norm, normalizer_params={"scale": True}, conv_dims=2
      ),
      lambda: slim.convolution(image, 4, 3, stride=(2, 1), padding="VALID", rate=1, **options),
      lambda: slim.conv1d(series, 4, 3, stride=2, padding="VALID", rate=1, data_format="NWC", **options),
      lambda: slim.conv3d(volume, 3, 2, stride=2, padding="VALID", rate=1, data_format="NDHWC", **options),
      lambda: slim.convolution2d(image, 4, 3, weights_initializer=init, biases_initializer=None, activation_fn=None),
      lambda: slim.convolution1d(series, 4, 3, weights_initializer=init),
      lambda: slim.convolution3d(volume, 4, 2, weights_initializer=init),
      lambda: slim.conv2d_in_plane(tf.constant(image), 3, weights_initializer=init),
      lambda: slim.convolution2d_in_plane(tf.constant(image), [3, 2], stride=2, padding="VALID", **options),
      lambda: slim.conv2d_in_plane(
        tf.constant(image), 3, weights_initializer=init, normalizer_fn=slim.layer_norm, normalizer_params={"scale": False}
      ),
      lambda: slim.conv2d(image, 4, 3, data_format="other"),
      lambda: slim.conv2d(series, 4, 3),
      lambda: slim.convolution(image[0, 0], 4, 3),
    ],
  )


def program_transposed(tf):
  slim = slim_of(tf)
  image, volume, init = _data(2, 3, 4, 3), _data(1, 2, 3, 2, 2), _filled(tf)
  options = {
    "stride": 2,
    "padding": "VALID",
    "activation_fn": tf.nn.tanh,
    "weights_initializer": init,
    "weights_regularizer": slim.l2_regularizer(0.5),
    "biases_initializer": init,
    "biases_regularizer": slim.l2_regularizer(0.5),
    "reuse": tf.AUTO_REUSE,
    "variables_collections": ["c"],
    "outputs_collections": "o",
    "trainable": True,
    "scope": "up",
  }
  return _each(
    tf,
    [
      lambda: slim.conv2d_transpose(image, 4, 3, weights_initializer=init),
      lambda: slim.conv2d_transpose(image, 4, [3, 2], data_format="NHWC", **options),
      lambda: slim.convolution2d_transpose(
        image, 4, 3, stride=2, weights_initializer=init, normalizer_fn=slim.batch_norm, normalizer_params={"scale": True}
      ),
      lambda: slim.conv3d_transpose(volume, 3, 2, weights_initializer=init),
      lambda: slim.conv3d_transpose(volume, 3, 2, data_format="NDHWC", **options),
      lambda: slim.convolution3d_transpose(
        volume, 3, 2, weights_initializer=init, normalizer_fn=slim.bias_add, normalizer_params={"scope": "b"}
      ),
      lambda: slim.conv2d_transpose(image, 4, 3, data_format="other"),
    ],
  )


def program_separable(tf):
  slim = slim_of(tf)
  image, init = _data(2, 6, 5, 3), _filled(tf)
  options = {
    "depth_multiplier": 2,
    "stride": 2,
    "padding": "VALID",
    "data_format": "NHWC",
    "activation_fn": tf.nn.tanh,
    "weights_initializer": init,
    "pointwise_initializer": tf.ones_initializer(),
    "weights_regularizer": slim.l2_regularizer(0.5),
    "biases_initializer": init,
    "biases_regularizer": slim.l2_regularizer(0.5),
    "reuse": tf.AUTO_REUSE,
    "variables_collections": ["c"],
    "outputs_collections": "o",
    "trainable": True,
    "scope": "apart",
  }
  return _each(
    tf,
    [
      lambda: slim.separable_conv2d(image, 4, 3, weights_initializer=init),
      lambda: slim.separable_conv2d(image, 4, [3, 2], **options),
      lambda: slim.separable_convolution2d(
        image,
        4,
        3,
        rate=2,
        weights_initializer=init,
        normalizer_fn=slim.batch_norm,
        normalizer_params={"scale": True},
      ),
      lambda: slim.separable_conv2d(image, None, 3, weights_initializer=init),
      lambda: slim.separable_conv2d(image, None, 3, rate=2, weights_initializer=init, normalizer_fn=slim.batch_norm),
      lambda: slim.separable_conv2d(image, None, [3, 2], **options),
      lambda: slim.separable_conv2d(image, 4, 3, data_format="other"),
    ],
  )


def program_pooling(tf):
  slim = slim_of(tf)
  image, volume = _data(2, 6, 5, 3), _data(1, 4, 3, 4, 2)
  return _each(
    tf,
    [
      lambda: slim.max_pool2d(image, 2),
      lambda: slim.max_pool2d(image, [3, 2], stride=1, padding="SAME", data_format="NHWC", outputs_collections="o", scope="p"),
      lambda: slim.avg_pool2d(image, [2, 2]),
      lambda: slim.avg_pool2d(image, 3, stride=1, padding="SAME", data_format="NHWC", outputs_collections="o", scope="p"),
      lambda: slim.max_pool3d(volume, 2),
      lambda: slim.max_pool3d(volume, 2, stride=1, padding="SAME", data_format="NDHWC", outputs_collections="o", scope="p"),
      lambda: slim.avg_pool3d(volume, 2),
      lambda: slim.avg_pool3d(volume, 2, stride=1, padding="SAME", data_format="NDHWC", outputs_collections="o", scope="p"),
      lambda: slim.pool(image, [2, 2], "MAX"),
      lambda: slim.pool(image, 2, pooling_type="AVG", padding="SAME", stride=2, outputs_collections="o", scope="p"),
      lambda: slim.pool(image, [2, 2], "AVG", dilation_rate=2, data_format="NHWC"),
      lambda: slim.max_pool2d(image, 2, data_format="other"),
      lambda: slim.avg_pool3d(volume, 2, data_format="other"),
      lambda: slim.pool(image[0, 0], 2, "MAX"),
    ],
  )


def program_dropout(tf):
  slim = slim_of(tf)
  x = np.ones([64, 8], np.float32)
  flag = tf.placeholder(tf.bool, [])
  outputs = {
    "off": slim.dropout(x, 0.5, is_training=False),
    "on": slim.dropout(x, keep_prob=0.75, seed=3, outputs_collections="o", scope="drop"),
    "rows": slim.dropout(x, 0.5, noise_shape=[None, 1], seed=7),
    "asked": slim.dropout(x, 0.5, is_training=flag, seed=3),
  }
  with tf.Session() as session:
    on = session.run(outputs, {flag: True})
    off = session.run(outputs["asked"], {flag: False})
  return [
    {key: t.op.name for key, t in outputs.items()},
    {key: sorted(set(np.unique(np.round(value, 4)))) for key, value in on.items()},
    bool(np.all(on["rows"] == on["rows"][:, :1])),
    off,
    [t.op.name for t in tf.get_collection("o")],
  ]


program_fully_connected.rtol = 1e-3
program_fully_connected.atol = 1e-4
program_reuse.rtol = 1e-4
program_legacy_fully_connected.rtol = 1e-4
program_convolutions.rtol = 1e-3
program_convolutions.atol = 1e-4
program_transposed.rtol = 1e-3
program_transposed.atol = 1e-4
program_separable.rtol = 1e-3
program_separable.atol = 1e-4
program_bias_add.rtol = 1e-4


def program_reversible(tf):
  slim = slim_of(tf)
  found = []
  for training in (True, False):
    with tf.Graph().as_default():
      x1, x2, init = tf.constant(_data(2, 3)), tf.constant(_data(2, 3) * 2), _filled(tf)
      side = tf.constant(_data(1, 3))

      def f(x):
        return slim.fully_connected(x, 3, activation_fn=tf.nn.tanh, weights_initializer=init)

      def g(x, sides):
        return slim.fully_connected(x + sides[0], 3, activation_fn=tf.nn.sigmoid, weights_initializer=init)

      y = slim.rev_block(x1, x2, f, g, num_layers=3, g_side_input=[side], is_training=training)
      variables = tf.trainable_variables()
      grads = tf.gradients(tf.reduce_sum(y[0] * y[1]), [x1, x2, side] + variables)
      with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found.append([session.run([y, grads]), [v.name for v in variables]])
  with tf.Graph().as_default():
    x1, x2, init = tf.constant(_data(2, 3)), tf.constant(_data(2, 3) * 2), _filled(tf)

    def h(x):
      return slim.fully_connected(x, 3, activation_fn=tf.nn.tanh, weights_initializer=init)

    block = slim.RevBlock([h, h], [h, h], num_layers=2, use_efficient_backprop=False, name="own")
    y = block.forward(x1, x2)
    with tf.Session() as session:
      session.run(tf.global_variables_initializer())
      found.append([session.run(y), [v.name for v in tf.trainable_variables()]])
  return found


program_reversible.rtol = 1e-3
program_reversible.atol = 1e-4
