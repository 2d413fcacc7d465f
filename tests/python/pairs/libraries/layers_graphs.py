"""Models of tf.layers, node by node as TensorFlow builds them, so that seeds and checkpoints are the same."""

GRAPHS = True


def _run(tf, fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches, feed)


def _images(tf, *sizes):
  import numpy as np

  return tf.constant(np.random.RandomState(1).rand(*sizes).astype(np.float32), name="images")


def program_image_classifier(tf):
  tf.set_random_seed(3)
  x = _images(tf, 2, 8, 8, 3)
  net = tf.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu)
  net = tf.layers.max_pooling2d(net, 2, 2)
  net = tf.layers.conv2d(net, 5, (3, 1), use_bias=False, name="second")
  net = tf.layers.batch_normalization(net, training=True)
  net = tf.layers.average_pooling2d(net, 2, 1)
  net = tf.layers.flatten(net)
  net = tf.layers.dense(net, 6, activation=tf.nn.tanh, kernel_regularizer=lambda v: tf.reduce_sum(v * v))
  net = tf.layers.dropout(net, 0.3, training=True)
  return _run(tf, tf.layers.dense(net, 3))


def program_asked_by_a_tensor(tf):
  tf.set_random_seed(3)
  flag = tf.placeholder_with_default(True, [])
  net = tf.layers.dense(tf.ones([4, 3]), 5)
  net = tf.layers.batch_normalization(net, training=flag)
  net = tf.layers.dropout(net, 0.5, training=flag)
  image = tf.layers.batch_normalization(_images(tf, 2, 3, 3, 2), training=flag)
  return _run(tf, [net, image])


def program_single_ops_of_batches(tf):
  tf.set_random_seed(3)
  x = tf.constant([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0], [2.0, 2.0]])
  found = [
    tf.layers.batch_normalization(x, training=True, center=False),
    tf.layers.batch_normalization(x, training=False, scale=False),
    tf.layers.batch_normalization(x, training=True, renorm=True, renorm_clipping={"rmin": 0.5, "rmax": 2.0, "dmax": 1.0}),
    tf.layers.batch_normalization(tf.reshape(x, [1, 2, 4]), axis=1, training=True),
  ]
  return _run(tf, found)


def program_other_convolutions(tf):
  tf.set_random_seed(3)
  x = _images(tf, 2, 6, 6, 3)
  series = tf.reshape(x, [4, 9, 6])
  volume = tf.reshape(x, [2, 3, 4, 3, 3])
  found = [
    tf.layers.conv1d(series, 4, 3, strides=2),
    tf.layers.conv1d(series, 4, 3, padding="causal", dilation_rate=2),
    tf.layers.conv2d(x, 4, 3, dilation_rate=2, padding="same"),
    tf.layers.conv3d(volume, 4, 2),
    tf.layers.conv3d_transpose(volume, 2, 2, strides=2, padding="same"),
    tf.layers.separable_conv1d(series, 4, 3),
    tf.layers.separable_conv2d(x, 4, 3, depth_multiplier=2, strides=2, padding="same"),
    tf.layers.max_pooling1d(series, 2, 2),
    tf.layers.average_pooling1d(series, 2, 2, padding="same"),
    tf.layers.max_pooling3d(volume, 2, 1),
    tf.layers.average_pooling3d(volume, 2, 1, padding="same"),
  ]
  return _run(tf, found)


def program_scopes(tf):
  tf.set_random_seed(3)
  x = tf.ones([2, 3])
  with tf.variable_scope("a", initializer=tf.random_normal_initializer(seed=1)):
    y = tf.layers.dense(x, 2)
    with tf.variable_scope("b", reuse=tf.AUTO_REUSE):
      found = [tf.layers.dense(x, 2, name="shared") for _ in range(2)]
  with tf.variable_scope("a", reuse=True):
    found.append(tf.layers.dense(x, 2))
  layer = tf.layers.Dense(2, name="object")
  found += [layer(x), layer(2 * x), y]
  return _run(tf, found)


program_image_classifier.rtol = 1e-5
program_asked_by_a_tensor.rtol = 1e-5
program_single_ops_of_batches.rtol = 1e-5
program_other_convolutions.rtol = 1e-4
program_other_convolutions.atol = 1e-5
program_scopes.rtol = 1e-6
