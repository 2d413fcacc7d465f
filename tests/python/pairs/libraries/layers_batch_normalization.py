"""tf.layers.batch_normalization: values of training and inference, moving statistics, gradients, options and errors."""

import numpy as np


def _data(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).randn(*shape).astype(np.float32) * 2 + 1


def _filled(tf, base):
  def initializer(shape, dtype=None, partition_info=None):
    sizes = [int(s) for s in shape]
    return tf.constant(base + 0.1 * np.arange(np.prod(sizes)).reshape(sizes), dtype or tf.float32)

  return initializer


def _initializers(tf):
  return {
    "beta_initializer": _filled(tf, 0.5),
    "gamma_initializer": _filled(tf, 1.5),
    "moving_mean_initializer": _filled(tf, 0.2),
    "moving_variance_initializer": _filled(tf, 0.8),
  }


def _trained(tf, x, training=True, feed=None, steps=2, **options):
  """Outputs and gradients before and after updates, all variables then, and their names."""
  y = tf.layers.batch_normalization(x, training=training, **{**_initializers(tf), **options})
  grads = tf.gradients(tf.reduce_sum(y * y), tf.trainable_variables())
  updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  variables = tf.global_variables()
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(steps):
      found.append(session.run([y, grads], feed))
      for update in updates:
        session.run(update, feed)
    found.append(session.run([y, variables], feed))
  losses = [loss.op.name for loss in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)]
  names = [(v.name, v.shape.as_list(), v.dtype.base_dtype.name) for v in variables]
  return [found, names, [v.name for v in tf.trainable_variables()], y.op.name, y.shape.as_list(), len(updates), losses]


def _each(tf, calls):
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        found.append(call())
      except (ValueError, TypeError) as error:
        found.append(error)
  return found


def program_single_ops(tf):
  x, image = _data(6, 3), _data(2, 4, 3, 3)
  square = lambda v: tf.reduce_sum(tf.square(v))
  return _each(
    tf,
    [
      lambda: _trained(tf, x),
      lambda: _trained(tf, x, training=False),
      lambda: _trained(tf, x, momentum=0.5, epsilon=0.1, name="named"),
      lambda: _trained(tf, x, center=False),
      lambda: _trained(tf, x, scale=False),
      lambda: _trained(tf, x, beta_regularizer=square, gamma_regularizer=square),
      lambda: _trained(tf, x, beta_constraint=tf.abs, gamma_constraint=tf.abs),
      lambda: _trained(tf, x, trainable=False),
      lambda: _trained(tf, image, fused=False),
      lambda: _trained(tf, image, axis=2),
      lambda: _trained(tf, image, axis=[1, 3]),
      lambda: _trained(tf, _data(2, 4, 5), axis=1),
      lambda: _trained(tf, x.astype(np.float64)),
      lambda: _trained(tf, x.astype(np.float16), training=False),
    ],
  )


def program_fused(tf):
  image = _data(2, 4, 3, 3)
  return _each(
    tf,
    [
      lambda: _trained(tf, image),
      lambda: _trained(tf, image, training=False),
      lambda: _trained(tf, image, fused=True, momentum=0.5, epsilon=0.1),
      lambda: _trained(tf, image, center=False, scale=False),
      lambda: _trained(tf, image, axis=-1, center=False),
    ],
  )


def program_asked_by_a_tensor(tf):
  found = []
  for shape, options in [((6, 3), {}), ((2, 4, 3, 3), {}), ((6, 3), {"renorm": True}), ((8, 3), {"virtual_batch_size": 2})]:
    for value in (True, False):
      with tf.Graph().as_default():
        flag = tf.placeholder(tf.bool, [])
        found.append(_trained(tf, _data(*shape), training=flag, feed={flag: value}, **options))
  return found


def program_renorm(tf):
  x = _data(6, 3)
  clipping = {"rmin": 0.8, "rmax": 1.1, "dmax": 0.2}
  return _each(
    tf,
    [
      lambda: _trained(tf, x, renorm=True),
      lambda: _trained(tf, x, renorm=True, renorm_momentum=0.5),
      lambda: _trained(tf, x, renorm=True, renorm_clipping=clipping),
      lambda: _trained(tf, _data(2, 4, 3, 3), renorm=True, training=False),
      lambda: _trained(tf, _data(2, 4, 3, 3), renorm=True, center=False, scale=False),
      lambda: _trained(tf, x, renorm=True, renorm_clipping={"max": 1.0}),
    ],
  )


def program_virtual_batches(tf):
  x = _data(8, 3)
  return _each(
    tf,
    [
      lambda: _trained(tf, x, virtual_batch_size=4),
      lambda: _trained(tf, _data(4, 2, 3, 2), virtual_batch_size=2, axis=1),
      lambda: _trained(tf, x, virtual_batch_size=2, training=False),
      lambda: _trained(tf, x, virtual_batch_size=2, axis=0),
      lambda: _trained(tf, x, virtual_batch_size=-1),
      lambda: _trained(tf, x, virtual_batch_size=2, adjustment=lambda shape: (1.0, 1.0)),
    ],
  )


def program_adjustment(tf):
  x = _data(6, 3)
  flag = tf.placeholder(tf.bool, [])

  def adjustment(shape):
    return tf.fill(shape, 1.5), tf.fill(shape, -0.5)

  found = []
  for value in (True, False):
    with tf.Graph().as_default():
      flag = tf.placeholder(tf.bool, [])
      found.append(_trained(tf, x, training=flag, feed={flag: value}, adjustment=adjustment))
  with tf.Graph().as_default():
    found.append(_trained(tf, x, adjustment=adjustment, training=True))
  return found


def program_reuse(tf):
  x = _data(6, 3)
  first = tf.layers.batch_normalization(x, training=True, name="norm", **_initializers(tf))
  second = tf.layers.batch_normalization(x, training=False, name="norm", reuse=True)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run([first, second])
  return [values, [v.name for v in tf.global_variables()], len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))]


def program_errors(tf):
  batch_normalization = tf.layers.batch_normalization
  x = _data(6, 3)
  return _each(
    tf,
    [
      lambda: batch_normalization(x, axis=3),
      lambda: batch_normalization(x, axis="a"),
      lambda: batch_normalization(_data(2, 3, 4), axis=[1, 1]),
      lambda: batch_normalization(tf.placeholder(tf.float32)),
      lambda: batch_normalization(tf.placeholder(tf.float32, [None, None])),
    ],
  )


def program_training_of_layers(tf):
  """Steps that run the updates beside the optimizer, then inference."""
  x = tf.placeholder(tf.float32, [None, 4])
  flag = tf.placeholder_with_default(False, [])
  h = tf.layers.dense(x, 5, kernel_initializer=_filled(tf, 0.1), use_bias=False)
  h = tf.nn.relu(tf.layers.batch_normalization(h, training=flag, momentum=0.8))
  y = tf.layers.dense(h, 1, kernel_initializer=_filled(tf, -0.2))
  loss = tf.reduce_mean(tf.square(y - tf.reduce_sum(x, 1, keepdims=True)))
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
  losses = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(5):
      losses.append(session.run([loss, train], {x: _data(8, 4) + step, flag: True})[0])
    return [losses, session.run([y] + tf.global_variables(), {x: _data(8, 4)})]


program_single_ops.rtol = 1e-3
program_single_ops.atol = 1e-3
program_fused.rtol = 1e-3
program_fused.atol = 1e-3
program_asked_by_a_tensor.rtol = 1e-3
program_asked_by_a_tensor.atol = 1e-3
program_renorm.rtol = 1e-3
program_renorm.atol = 1e-3
program_virtual_batches.rtol = 1e-3
program_virtual_batches.atol = 1e-3
program_adjustment.rtol = 1e-3
program_adjustment.atol = 1e-3
program_reuse.rtol = 1e-5
program_training_of_layers.rtol = 1e-3


def program_training_that_is_not_decided(tf):
  return _each(
    tf,
    [
      lambda: _trained(tf, _data(6, 3), training=None),
      lambda: _trained(tf, _data(2, 4, 3, 3), training=None),
      lambda: _trained(tf, _data(6, 3), training=None, feed={"keras_learning_phase:0": True}),
    ],
  )
