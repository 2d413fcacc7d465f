"""Slim's normalizations, forms and repeats."""

import re

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
  return np.random.RandomState(sum(shape) + len(shape)).randn(*shape).astype(np.float32) * 2 + 1


def _filled(tf, scale=0.3):
  def initializer(shape, dtype=None, partition_info=None):
    sizes = [int(s) for s in shape]
    values = np.random.RandomState(sum(sizes) * 3 + len(sizes)).randn(*sizes) * scale + 0.5
    return tf.constant(values, dtype or tf.float32)

  return initializer


def _named(key, tf):
  return [getattr(v, "name", str(v)) for v in tf.get_collection(key)]


def _trained(tf, y, feed=None, steps=2):
  """Outputs, gradients and variables as updates go on; names."""
  trained = tf.trainable_variables()
  grads = tf.gradients(tf.reduce_sum(y * y), trained) if trained else []
  updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) + tf.get_collection("u")
  variables = tf.global_variables()
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(steps):
      found.append(session.run([y, grads], feed))
      for update in updates:
        session.run(update, feed)
    found.append(session.run([y, variables], feed))
  names = [(v.name, v.shape.as_list(), v.dtype.base_dtype.name) for v in variables]
  keys = ("trainable_variables", "model_variables", "c", "o", "regularization_losses")
  return [
    re.sub(r"(batchnorm|Reshape)_\d", r"\1", y.op.name),
    y.shape.as_list(),
    found,
    names,
    [_named(key, tf) for key in keys],
    len(updates),
  ]


def _each(tf, calls, **arguments):
  found = []
  for call in calls:
    with tf.Graph().as_default():
      try:
        found.append(_trained(tf, call(), **arguments))
      except (ValueError, TypeError) as error:
        found.append(error)
  return found


def program_batch_norm(tf):
  slim = slim_of(tf)
  x, image, init = _data(6, 3), _data(2, 4, 3, 3), _filled(tf)
  initializers = {"beta": init, "gamma": init, "moving_mean": init, "moving_variance": tf.ones_initializer()}
  return _each(
    tf,
    [
      lambda: slim.batch_norm(x),
      lambda: slim.batch_norm(image),
      lambda: slim.batch_norm(image, scale=True, decay=0.5, epsilon=0.1, param_initializers=initializers, scope="bn"),
      lambda: slim.batch_norm(x, scale=True, decay=0.5, epsilon=0.1, param_initializers=initializers, activation_fn=tf.nn.relu),
      lambda: slim.batch_norm(image, is_training=False, param_initializers=initializers),
      lambda: slim.batch_norm(x, is_training=False, param_initializers=initializers, fused=False),
      lambda: slim.batch_norm(x, center=False, fused=False),
      lambda: slim.batch_norm(
        image,
        scale=True,
        param_regularizers={"beta": slim.l2_regularizer(0.5), "gamma": slim.l2_regularizer(0.25)},
        variables_collections=["c"],
        outputs_collections="o",
        trainable=True,
      ),
      lambda: slim.batch_norm(image, trainable=False, scale=True, variables_collections={"beta": ["c"]}),
      lambda: slim.batch_norm(image, updates_collections="u", decay=0.5),
      lambda: slim.batch_norm(image, updates_collections=None, decay=0.5),
      lambda: slim.batch_norm(image, updates_collections=None, decay=0.5, fused=False, scale=True),
      lambda: slim.batch_norm(x, updates_collections="u", decay=0.5, fused=False, scale=True),
      lambda: slim.batch_norm(x, zero_debias_moving_mean=True, decay=0.5),
      lambda: slim.batch_norm(image, zero_debias_moving_mean=True, decay=0.5, fused=False),
      lambda: slim.batch_norm(x, batch_weights=np.array([1, 2, 0, 1, 1, 3], np.float32), decay=0.5),
      lambda: slim.batch_norm(image, data_format="NCHW", fused=False, scale=True),
      lambda: slim.batch_norm(image, data_format="NCHW", fused=False, updates_collections=None, scale=True),
      lambda: slim.batch_norm(x, renorm=True, renorm_clipping={"rmax": 1.2}, renorm_decay=0.5),
      lambda: slim.batch_norm(x, adjustment=lambda shape: (tf.fill(shape, 1.5), tf.fill(shape, 0.5))),
      lambda: slim.batch_norm(_data(2, 5, 3), scale=True),
      lambda: slim.batch_norm(x, data_format="other"),
      lambda: slim.batch_norm(tf.placeholder(tf.float32, [None, None])),
      lambda: slim.batch_norm(x, renorm=True, updates_collections=None),
    ],
  )


def program_batch_norm_asked_by_a_tensor(tf):
  slim = slim_of(tf)
  found = []
  for options in (
    {},
    {"updates_collections": None},
    {"updates_collections": None, "fused": False},
    {"updates_collections": "u", "fused": False},
    {"updates_collections": "u"},
  ):
    for shape in ((6, 3), (2, 4, 3, 3)):
      for value in (True, False):
        with tf.Graph().as_default():
          flag = tf.placeholder(tf.bool, [])
          y = slim.batch_norm(_data(*shape), is_training=flag, decay=0.5, scale=True, **options)
          found.append(_trained(tf, y, {flag: value}))
  return found


def program_other_norms(tf):
  slim = slim_of(tf)
  x, image, init = _data(4, 6), _data(2, 4, 3, 6), _filled(tf)
  both = {"beta": init, "gamma": init}
  return _each(
    tf,
    [
      lambda: slim.layer_norm(x),
      lambda: slim.layer_norm(image, activation_fn=tf.nn.relu, begin_norm_axis=2, begin_params_axis=2, scope="ln"),
      lambda: slim.layer_norm(image, center=False, variables_collections=["c"], outputs_collections="o", trainable=False),
      lambda: slim.layer_norm(image, scale=False, reuse=tf.AUTO_REUSE, scope="ln"),
      lambda: slim.layer_norm(tf.placeholder(tf.float32)),
      lambda: slim.layer_norm(x, begin_norm_axis=3),
      lambda: slim.instance_norm(image),
      lambda: slim.instance_norm(image, epsilon=0.1, param_initializers=both, activation_fn=tf.nn.relu, scope="in"),
      lambda: slim.instance_norm(image, center=False, data_format="NCHW", variables_collections=["c"], outputs_collections="o"),
      lambda: slim.instance_norm(image, scale=False, trainable=False, reuse=tf.AUTO_REUSE, scope="in"),
      lambda: slim.instance_norm(image, data_format="other"),
      lambda: slim.group_norm(image, groups=2),
      lambda: slim.group_norm(image, groups=3, epsilon=0.1, param_initializers=both, activation_fn=tf.nn.relu, scope="gn"),
      lambda: slim.group_norm(
        image, 2, channels_axis=1, reduction_axes=(2, 3), variables_collections=["c"], outputs_collections="o"
      ),
      lambda: slim.group_norm(image, 2, center=False, scale=False, mean_close_to_zero=True),
      lambda: slim.group_norm(image, 2, trainable=False, reuse=tf.AUTO_REUSE, scope="gn"),
      lambda: slim.group_norm(image),
      lambda: slim.group_norm(image, 4),
      lambda: slim.group_norm(image, 2, channels_axis=-1, reduction_axes=(-1,)),
      lambda: slim.group_norm(image, 2, channels_axis=5),
      lambda: slim.unit_norm(tf.constant(x), 1),
      lambda: slim.unit_norm(tf.constant(x), dim=0, epsilon=0.1, scope="un"),
      lambda: slim.unit_norm(tf.constant(x), 2),
    ],
  )


def program_forms(tf):
  slim = slim_of(tf)
  x, image = _data(4, 6), _data(2, 4, 3, 6)
  c = tf.constant
  labels = np.array([[1, 0], [2, 2]], np.int32)
  return _each(
    tf,
    [
      lambda: slim.flatten(c(image)),
      lambda: slim.flatten(tf.placeholder_with_default(image, [None, 4, 3, 6]), outputs_collections="o", scope="flat"),
      lambda: slim.one_hot_encoding(c(labels), 3),
      lambda: slim.one_hot_encoding(c(labels), 3, on_value=2.0, off_value=-1.0, outputs_collections="o", scope="hot"),
      lambda: slim.images_to_sequence(c(image)),
      lambda: slim.images_to_sequence(c(image), data_format="NCHW", outputs_collections="o", scope="seq"),
      lambda: slim.sequence_to_images(c(_data(3, 8, 2)), 4),
      lambda: slim.sequence_to_images(
        _data(3, 8, 2), 2, output_data_format="channels_first", outputs_collections="o", scope="im"
      ),
      lambda: slim.maxout(c(x), 3),
      lambda: slim.maxout(c(image), num_units=2, axis=1, scope="most"),
      lambda: slim.maxout(c(x), 4),
      lambda: slim.softmax(c(x)),
      lambda: slim.softmax(c(image), scope="soft"),
      lambda: slim.spatial_softmax(c(image)),
      lambda: slim.spatial_softmax(c(image), temperature=2.0, name="place"),
      lambda: slim.spatial_softmax(c(image), trainable=False, data_format="NCHW"),
      lambda: slim.spatial_softmax(c(image), data_format="other"),
      lambda: slim.images_to_sequence(c(image), data_format="other"),
    ],
  )


def program_others(tf):
  slim = slim_of(tf)
  layers = tf.contrib.layers if tf.__name__.startswith("millrace") else slim.layers
  x = tf.constant(_data(3, 4))
  sparse = slim.dense_to_sparse(np.array([[1, 0, 2], [0, 3, 0]]))
  other = slim.dense_to_sparse(np.array([[1, 0, 2], [0, 3, 0]]), eos_token=2, scope="dense")
  scaled = slim.scale_gradient(x, 3.0)
  ball = layers.poincare_normalize(x)
  ball_of_rows = layers.poincare_normalize(x * 0.01, axis=0, epsilon=0.1, name="ball")
  with tf.Session() as session:
    return session.run(
      [sparse.indices, sparse.values, sparse.dense_shape, other.values, scaled, tf.gradients(scaled, x), ball, ball_of_rows]
    )


def program_gdn(tf):
  slim = slim_of(tf)
  x, image = np.abs(_data(4, 2, 3)), _data(2, 3, 4, 3)
  found = []
  for call in (
    lambda: slim.gdn(tf.constant(x)),
    lambda: slim.gdn(tf.constant(image), inverse=True, beta_min=0.01, gamma_init=0.5, reparam_offset=0.01, name="norm"),
    lambda: slim.gdn(tf.constant(image), data_format="channels_last", trainable=False, reuse=tf.AUTO_REUSE, name="norm"),
    lambda: slim.gdn(tf.constant(x), data_format="other"),
    lambda: slim.GDN(inverse=False, beta_min=0.1, gamma_init=0.2, name="norm")(tf.constant(x)),
  ):
    with tf.Graph().as_default():
      try:
        y = call()
      except ValueError as error:
        found.append(error)
        continue
      with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        names = [(v.name, v.shape.as_list()) for v in tf.global_variables()]
        found.append([session.run([y] + tf.global_variables()), names, y.shape.as_list(), len(tf.trainable_variables())])
  return found


def program_repeats(tf):
  slim = slim_of(tf)
  x, image, init = _data(4, 6), _data(2, 4, 3, 3), _filled(tf)
  return _each(
    tf,
    [
      lambda: slim.repeat(image, 2, slim.conv2d, 4, 3, weights_initializer=init),
      lambda: slim.repeat(x, 3, slim.fully_connected, 2, weights_initializer=init, scope="many"),
      lambda: slim.stack(x, slim.fully_connected, [4, 2], weights_initializer=init),
      lambda: slim.stack(image, slim.conv2d, [(4, 3), (2, [1, 1])], weights_initializer=init, scope="towers"),
      lambda: slim.stack(x, slim.fully_connected, 4),
    ],
  )


program_batch_norm.rtol = 1e-3
program_batch_norm.atol = 2e-3
program_batch_norm_asked_by_a_tensor.rtol = 1e-3
program_batch_norm_asked_by_a_tensor.atol = 2e-3
program_other_norms.rtol = 1e-3
program_other_norms.atol = 2e-3
program_forms.rtol = 1e-4
program_forms.atol = 1e-5
program_others.rtol = 1e-5
program_gdn.rtol = 1e-3
program_gdn.atol = 1e-4
program_repeats.rtol = 1e-3
program_repeats.atol = 1e-4
