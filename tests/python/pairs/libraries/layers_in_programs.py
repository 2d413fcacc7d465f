"""tf.layers among other constructs: templates, conditionals, loops, devices, sparse inputs, optimizers and checkpoints."""

import os

import numpy as np


def _data(*shape):
  return np.random.RandomState(sum(shape) + len(shape)).randn(*shape).astype(np.float32)


def _filled(tf, scale=0.3):
  def initializer(shape, dtype=None, partition_info=None):
    sizes = [int(s) for s in shape]
    values = np.random.RandomState(sum(sizes) * 3 + len(sizes)).randn(*sizes) * scale
    return tf.constant(values, dtype or tf.float32)

  return initializer


def _run(tf, fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches, feed)


def _names(tf):
  return [v.name for v in tf.global_variables()]


def program_templates(tf):
  x = _data(4, 3)
  square = lambda v: tf.reduce_sum(tf.square(v))
  model = tf.make_template(
    "model", lambda t: tf.layers.dense(tf.layers.dense(t, 3, kernel_initializer=_filled(tf)), 2, kernel_regularizer=square)
  )
  y = [model(tf.constant(x)), model(tf.constant(2 * x))]
  return [_names(tf), [t.op.name for t in y], len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))]


def program_conditionals(tf):
  x = tf.constant(_data(4, 3))
  flag = tf.placeholder(tf.bool, [])
  square = lambda v: tf.reduce_sum(tf.square(v))

  def one():
    return tf.layers.dense(x, 2, name="one", kernel_initializer=_filled(tf), kernel_regularizer=square)

  def two():
    h = tf.layers.batch_normalization(x, training=True, name="norm")
    return tf.layers.dense(h, 2, name="two", kernel_initializer=_filled(tf))

  y = tf.cond(flag, one, two)
  grads = tf.gradients(y, tf.trainable_variables())
  return [_names(tf), _run(tf, [y], {flag: True}), _run(tf, [y] + grads[-2:], {flag: False})]


def program_loops(tf):
  x = tf.constant(_data(4, 3))
  layer = tf.layers.Dense(3, kernel_initializer=_filled(tf), name="inside")
  found = [
    tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, layer(h)), [0, x])[1],
    tf.map_fn(lambda row: layer(tf.expand_dims(row, 0)), x),
    tf.while_loop(
      lambda i, h: i < 2,
      lambda i, h: (i + 1, tf.layers.dense(h, 3, name="made", kernel_initializer=_filled(tf), reuse=tf.AUTO_REUSE)),
      [0, x],
    )[1],
  ]
  grads = tf.gradients(found, layer.trainable_weights)
  return [_names(tf), _run(tf, found + grads)]


def program_devices(tf):
  with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
    y = tf.layers.dense(tf.ones([2, 3]), 2)
    y = tf.layers.batch_normalization(y, training=True)
  return [(v.name, v.device) for v in tf.global_variables()], y.device


def program_sparse_inputs(tf):
  x = tf.SparseTensor([[0, 1], [2, 0]], [2.0, 3.0], [3, 4])
  y = tf.layers.dense(x, 2, kernel_initializer=_filled(tf))
  grads = [tf.convert_to_tensor(grad) for grad in tf.gradients(y, tf.trainable_variables())]
  return [_run(tf, [y, grads]), y.shape.as_list()[1:]]


def program_types_of_scopes(tf):
  found = []
  with tf.variable_scope("wide", dtype=tf.float64):
    found.append(tf.layers.dense(tf.ones([2, 3]), 2))
  found.append(tf.layers.dense(tf.ones([2, 3], tf.float16), 2))
  layer = tf.layers.Dense(2, dtype=tf.float64)
  found.append(layer(tf.ones([2, 3], tf.float64)))
  return [(v.name, v.dtype.base_dtype.name) for v in tf.global_variables()], [t.dtype.name for t in found]


def program_trained_and_restored(tf):
  x, target = _data(8, 3), _data(8, 1)
  h = tf.layers.dense(x, 4, tf.nn.tanh, kernel_initializer=_filled(tf), kernel_regularizer=lambda v: 0.01 * tf.nn.l2_loss(v))
  y = tf.layers.dense(h, 1, kernel_initializer=_filled(tf), kernel_constraint=lambda v: tf.clip_by_norm(v, 0.5))
  loss = tf.losses.mean_squared_error(target, y)
  total = tf.losses.get_total_loss()
  train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(total)
  folder = os.path.join(os.getcwd(), "layers_trained")
  os.makedirs(folder, exist_ok=True)
  saver = tf.train.Saver()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    losses = [session.run([train, loss, total])[1:] for _ in range(5)]
    path = saver.save(session, os.path.join(folder, "model"))
    values = session.run(tf.trainable_variables())
  with tf.Session() as session:
    saver.restore(session, path)
    again = session.run(tf.trainable_variables())
  return [losses, values, all((a == b).all() for a, b in zip(values, again)), tf.train.list_variables(path)]


program_conditionals.rtol = 1e-4
program_conditionals.atol = 1e-5
program_loops.rtol = 1e-4
program_loops.atol = 1e-5
program_trained_and_restored.rtol = 1e-4
program_trained_and_restored.atol = 1e-6
