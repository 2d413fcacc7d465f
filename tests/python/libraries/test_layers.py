"""tf.layers where TensorFlow's package of today has no word: channels first, weights as arrays, masks, layers in layers."""

import copy

import numpy as np
import pytest

import millrace as tf


def data(*shape):
  return np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32)


def filled(shape, dtype=None, partition_info=None):
  sizes = [int(s) for s in shape]
  return tf.constant(np.random.RandomState(sum(sizes)).randn(*sizes), dtype or tf.float32)


def run(fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches, feed)


def first(x):
  """Channels moved before the other dimensions."""
  return np.moveaxis(x, -1, 1)


IMAGE, SERIES, VOLUME = data(2, 6, 5, 3), data(2, 7, 3), data(1, 4, 3, 5, 2)
KERNEL = {"kernel_initializer": filled, "bias_initializer": filled}
STEPS = {"depthwise_initializer": filled, "pointwise_initializer": filled, "bias_initializer": filled}


@pytest.mark.parametrize(
  "function, x, arguments",
  [
    (tf.layers.conv1d, SERIES, {"filters": 4, "kernel_size": 3, "padding": "causal", **KERNEL}),
    (tf.layers.conv2d, IMAGE, {"filters": 4, "kernel_size": 3, "strides": 2, **KERNEL}),
    (tf.layers.conv2d, IMAGE, {"filters": 4, "kernel_size": 3, "dilation_rate": 2, "padding": "same", **KERNEL}),
    (tf.layers.conv3d, VOLUME, {"filters": 3, "kernel_size": 2, **KERNEL}),
    (tf.layers.conv2d_transpose, IMAGE, {"filters": 4, "kernel_size": 3, "strides": 2, **KERNEL}),
    (tf.layers.conv3d_transpose, VOLUME, {"filters": 3, "kernel_size": 2, "padding": "same", **KERNEL}),
    (tf.layers.separable_conv1d, SERIES, {"filters": 4, "kernel_size": 3, **STEPS}),
    (tf.layers.separable_conv2d, IMAGE, {"filters": 4, "kernel_size": 3, "depth_multiplier": 2, **STEPS}),
    (tf.layers.max_pooling1d, SERIES, {"pool_size": 2, "strides": 2}),
    (tf.layers.average_pooling1d, SERIES, {"pool_size": 3, "strides": 1, "padding": "same"}),
    (tf.layers.max_pooling2d, IMAGE, {"pool_size": 2, "strides": 2}),
    (tf.layers.average_pooling2d, IMAGE, {"pool_size": (2, 3), "strides": 1}),
    (tf.layers.max_pooling3d, VOLUME, {"pool_size": 2, "strides": 1}),
    (tf.layers.average_pooling3d, VOLUME, {"pool_size": 2, "strides": 2, "padding": "same"}),
    (tf.contrib.layers.conv2d, IMAGE, {"num_outputs": 4, "kernel_size": 3, "weights_initializer": filled}),
    (tf.contrib.layers.conv2d_transpose, IMAGE, {"num_outputs": 4, "kernel_size": 3, "weights_initializer": filled}),
    (tf.contrib.layers.conv3d_transpose, VOLUME, {"num_outputs": 4, "kernel_size": 2, "weights_initializer": filled}),
    (tf.contrib.layers.separable_conv2d, IMAGE, {"num_outputs": 4, "kernel_size": 3, "weights_initializer": filled}),
    (tf.contrib.layers.separable_conv2d, IMAGE, {"num_outputs": None, "kernel_size": 3, "weights_initializer": filled}),
    (tf.contrib.layers.max_pool2d, IMAGE, {"kernel_size": 2}),
    (tf.contrib.layers.avg_pool2d, IMAGE, {"kernel_size": 2}),
    (tf.contrib.layers.max_pool3d, VOLUME, {"kernel_size": 2}),
    (tf.contrib.layers.avg_pool3d, VOLUME, {"kernel_size": 2}),
    (tf.contrib.layers.batch_norm, IMAGE, {"scale": True, "fused": False}),
    (tf.contrib.layers.batch_norm, IMAGE, {"scale": True, "updates_collections": None}),
    (tf.contrib.layers.instance_norm, IMAGE, {}),
    (tf.contrib.layers.bias_add, IMAGE, {"initializer": filled}),
    (tf.contrib.layers.spatial_softmax, IMAGE, None),
  ],
)
def test_channels_first_is_the_same_elsewhere(function, x, arguments):
  own = function.__module__.startswith("millrace.layers")
  n = x.ndim - 2
  formats = ("channels_last", "channels_first") if own else {2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[n]
  with tf.variable_scope("one"):
    last = function(tf.constant(x), data_format=formats[0], **(arguments or {}))
  with tf.variable_scope("two"):
    before = function(tf.constant(first(x)), data_format=formats[1], **(arguments or {}))
  one, two = run([last, before])
  assert np.isfinite(one).all() and one.std() > 0
  np.testing.assert_allclose(two, first(one) if arguments is not None else one, rtol=1e-4, atol=1e-4)


def test_batch_normalization_over_channels_first():
  one = tf.layers.batch_normalization(IMAGE, training=True)
  two = tf.layers.batch_normalization(first(IMAGE), axis=1, training=True)
  values = run([one, two])
  np.testing.assert_allclose(values[1], first(values[0]), rtol=1e-4, atol=1e-4)


def test_channels_first_by_formula():
  x = first(IMAGE)
  conv = tf.layers.conv2d(x, 4, 1, data_format="channels_first", kernel_initializer=filled)
  pool = tf.layers.average_pooling2d(x, 2, 2, data_format="channels_first")
  kernel, one, two = run([tf.global_variables()[0], conv, pool])
  np.testing.assert_allclose(one, np.einsum("nchw,cf->nfhw", x, kernel[0, 0]), rtol=1e-4, atol=1e-5)
  np.testing.assert_allclose(two, x[:, :, :6, :4].reshape(2, 3, 3, 2, 2, 2).mean((3, 5)), rtol=1e-5, atol=1e-6)


def test_batch_normalization_with_an_adjustment():
  layer = tf.layers.BatchNormalization(adjustment=lambda shape: (2.0 * tf.ones(shape), 3.0 * tf.ones(shape)))
  x = data(6, 3)
  value = run(layer(x, training=True))
  np.testing.assert_allclose(value, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3) * 2 + 3, rtol=1e-4, atol=1e-4)


def test_batch_normalization_of_volumes_is_that_of_single_ops():
  x = data(4, 2, 3, 2, 3)
  y = tf.layers.batch_normalization(x, training=True, momentum=0.5)
  updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  variance = tf.global_variables("batch_normalization/moving_variance")[0]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    value = session.run(y)
    session.run(updates)
    moved = session.run(variance)
  mean, var = x.mean((0, 1, 2, 3)), x.var((0, 1, 2, 3))
  np.testing.assert_allclose(value, (x - mean) / np.sqrt(var + 1e-3), rtol=1e-3, atol=1e-4)
  np.testing.assert_allclose(moved, 0.5 + 0.5 * var, rtol=1e-5)


def test_batch_normalization_with_resources():
  with tf.variable_scope("s", use_resource=True):
    y = tf.layers.batch_normalization(data(6, 3), training=True, momentum=0.0)
  updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  assert [update.type for update in updates] == ["AssignSubVariableOp", "AssignSubVariableOp"]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run([y] + updates)
    moved = session.run(tf.global_variables("s/batch_normalization/moving_mean")[0])
  np.testing.assert_allclose(moved, data(6, 3).mean(0), rtol=1e-5)


def test_weights_as_arrays():
  layer = tf.layers.Dense(2, weights=[np.ones([3, 2]), np.array([1.0, 2.0])])
  with tf.Session() as session:
    y = layer(np.ones([1, 3], np.float32))
    np.testing.assert_array_equal(session.run(y), [[4.0, 5.0]])
    layer.set_weights([np.zeros([3, 2]), np.array([5.0, 6.0])])
    np.testing.assert_array_equal(session.run(y), [[5.0, 6.0]])
    values = layer.get_weights()
    np.testing.assert_array_equal(values[0], np.zeros([3, 2]))
    np.testing.assert_array_equal(values[1], [5.0, 6.0])
    with pytest.raises(ValueError, match="not compatible with provided weight shape"):
      layer.set_weights([np.zeros([2, 2]), np.zeros(2)])
  with pytest.raises(ValueError, match="without a default session"):
    layer.get_weights()


def test_calls_are_known():
  layer = tf.layers.Dense(2)
  x = tf.placeholder(tf.float32, [None, 3])
  y = layer(x)
  assert layer.input is x and layer.output is y
  assert layer.input_shape == (None, 3) and layer.output_shape == (None, 2)
  assert layer.get_input_at(0) is x and layer.get_output_at(0) is y
  assert layer.input_mask is None and layer.output_mask is None
  z = layer(tf.placeholder(tf.float32, [4, 3]))
  assert layer.get_output_at(1) is z
  assert layer.get_input_shape_at(1) == (4, 3) and layer.get_output_shape_at(1) == (4, 2)
  assert layer.get_input_mask_at(1) is None and layer.get_output_mask_at(1) is None
  assert [call.output_tensors for call in layer.inbound_nodes] == [y, z] and layer.outbound_nodes == []
  for wrong, words in [
    ("input", "multiple inbound nodes"),
    ("output", "multiple inbound"),
    ("input_shape", "different input shapes"),
  ]:
    with pytest.raises(AttributeError, match=words):
      getattr(layer, wrong)
  with pytest.raises(ValueError, match="has only 2"):
    layer.get_output_at(2)
  assert layer.graph is tf.get_default_graph()


def test_a_layer_of_several_inputs():
  class Both(tf.layers.Layer):
    def build(self, input_shape):
      self.shapes = [shape.as_list() for shape in input_shape]

    def call(self, inputs, mask=None):
      return [inputs[0] + inputs[1], inputs[0] - inputs[1]]

  layer = Both()
  y = layer([tf.ones([2]), np.array([1.0, 2.0], np.float32)])
  assert layer.shapes == [[2], [2]] and layer.built and layer.input_shape == [(2,), (2,)]
  np.testing.assert_array_equal(run(y), [[2.0, 3.0], [0.0, -1.0]])


def test_masks_go_from_layer_to_layer():
  seen = []

  class Masking(tf.layers.Layer):
    def call(self, inputs):
      return inputs + 1.0

    def compute_mask(self, inputs, mask=None):
      return tf.not_equal(inputs, 0.0)

  class Taking(tf.layers.Layer):
    def __init__(self, **kwargs):
      super().__init__(**kwargs)
      self.supports_masking = True

    def call(self, inputs, mask=None):
      seen.append(mask)
      return inputs * 2.0

  masking, taking = Masking(), Taking()
  y = masking(tf.constant([0.0, 1.0]))
  z = taking(y)
  assert seen == [y._keras_mask] and masking.output_mask is y._keras_mask
  assert taking.input_mask is y._keras_mask and z._keras_mask is y._keras_mask
  np.testing.assert_array_equal(run(z._keras_mask), [False, True])
  with pytest.raises(TypeError, match="does not support masking"):
    tf.layers.MaxPooling1D(2, 2).compute_mask(y, y._keras_mask)


class Net(tf.layers.Layer):
  def __init__(self, **kwargs):
    super().__init__(**kwargs)
    self.parts = [
      tf.layers.Dense(4, name="a"),
      tf.layers.Dense(2, name="b", kernel_regularizer=tf.contrib.layers.l2_regularizer(1.0)),
    ]
    self.norm = tf.layers.BatchNormalization(name="norm")
    self.factor = tf.Variable(2.0, name="factor")

  def call(self, inputs, training=None):
    for part in self.parts:
      inputs = part(inputs)
    return self.norm(inputs) * self.factor


def test_layers_in_layers():
  net = Net()
  y = net(data(6, 3), training=True)
  kinds = ["factor:0", "net/a/kernel:0", "net/a/bias:0", "net/b/kernel:0", "net/b/bias:0", "net/norm/gamma:0", "net/norm/beta:0"]
  assert [v.name for v in net.trainable_weights] == kinds
  assert [v.name for v in net.non_trainable_weights] == ["net/norm/moving_mean:0", "net/norm/moving_variance:0"]
  assert net.count_params() == 1 + 12 + 4 + 8 + 2 + 4 + 4
  assert len(net.losses) == 1 and len(net.updates) == 2
  assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == net.updates
  assert {m.name for m in net.submodules} == {"a", "b", "norm"}
  # What the owner was told of training its layers are told, too.
  value = run(y)
  np.testing.assert_allclose(value.mean(0), [0, 0], atol=1e-5)
  net.trainable = False
  assert not net.norm.trainable and net.trainable_weights == [] and net.updates == []
  assert len(net.non_trainable_weights) == 9
  inference = Net()(data(6, 3), training=False)
  assert abs(run(inference).mean()) > 1e-3


def test_copies_have_variables_of_their_own():
  layer = tf.layers.Dense(2, kernel_initializer="ones", name="one")
  other = copy.deepcopy(layer)
  y = [layer(np.ones([1, 3], np.float32)), other(np.ones([1, 3], np.float32))]
  assert [v.name for v in layer.weights + other.weights] == ["one/kernel:0", "one/bias:0", "one_1/kernel:0", "one_1/bias:0"]
  np.testing.assert_array_equal(run(y), [[[3.0, 3.0]]] * 2)


def test_a_layer_serves_several_graphs():
  found = []
  for _ in range(2):
    with tf.Graph().as_default():
      y = tf.layers.Dense(2, kernel_initializer="ones")(np.ones([1, 3], np.float32))
      found.append((y.op.name, run(y).tolist()))
  assert found == [("dense/BiasAdd", [[3.0, 3.0]])] * 2


def test_updates_say_on_what_they_depend():
  class Own(tf.layers.Layer):
    def call(self, inputs):
      count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
      self.add_update(lambda: tf.assign_add(count, 1.0), inputs=None)
      self.add_update(tf.assign(count, tf.reduce_sum(inputs)), inputs=inputs)
      self.add_loss([None, lambda: tf.reduce_sum(count), tf.reduce_sum(inputs)], inputs=inputs)
      return inputs

  layer = Own()
  x = tf.placeholder(tf.float32, [2])
  layer(x)
  assert [u.name for u in layer.get_updates_for(None)] == ["own/AssignAdd"]
  assert [u.name for u in layer.get_updates_for(x)] == ["own/Assign"]
  assert layer.get_updates_for(tf.placeholder(tf.float32)) == []
  assert layer.get_losses_for(None) == [] and len(layer.get_losses_for(x)) == 1 and len(layer.losses) == 2


def test_constraints_hold_after_each_step():
  layer = tf.layers.Dense(1, use_bias=False, kernel_initializer="ones", kernel_constraint=lambda v: tf.clip_by_value(v, 0.5, 2.0))
  loss = tf.reduce_sum(layer(np.ones([1, 2], np.float32)))
  train = tf.train.GradientDescentOptimizer(10.0).minimize(loss)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_array_equal(session.run(layer.kernel), [[0.5], [0.5]])


def test_what_is_not_offered_says_so():
  layer = tf.layers.Layer()
  with pytest.raises(NotImplementedError, match="Use tf.metrics.mean"):
    layer.add_metric(tf.constant(1.0), aggregation="mean", name="m")
  assert layer.metrics == [] and layer.dynamic is False and layer.inbound_nodes == []
  with pytest.raises(NotImplementedError, match="compute_output_shape"):
    layer.compute_output_shape([1])
  with pytest.raises(ValueError, match="not None"):
    type("None_", (tf.layers.Layer,), {"call": lambda self, x: None})()(1.0)


def test_all_arguments_of_the_classes():
  square = lambda v: tf.reduce_sum(tf.square(v))
  dense = tf.layers.Dense(
    units=2,
    activation=tf.nn.relu,
    use_bias=False,
    kernel_initializer=filled,
    bias_initializer=filled,
    kernel_regularizer=square,
    bias_regularizer=square,
    activity_regularizer=square,
    kernel_constraint=tf.abs,
    bias_constraint=tf.abs,
    trainable=False,
    name="dense",
  )
  conv = tf.layers.Conv2D(
    filters=2,
    kernel_size=3,
    strides=2,
    padding="same",
    data_format="channels_first",
    dilation_rate=1,
    activation=tf.nn.relu,
    use_bias=False,
    kernel_initializer=filled,
    bias_initializer=filled,
    kernel_regularizer=square,
    bias_regularizer=square,
    activity_regularizer=square,
    kernel_constraint=tf.abs,
    bias_constraint=tf.abs,
    trainable=False,
    name="conv",
  )
  norm = tf.layers.BatchNormalization(
    axis=1,
    momentum=0.5,
    epsilon=0.1,
    center=False,
    scale=False,
    beta_initializer=filled,
    gamma_initializer=filled,
    moving_mean_initializer=tf.ones_initializer(),
    moving_variance_initializer="ones",
    beta_regularizer=square,
    gamma_regularizer=square,
    beta_constraint=tf.abs,
    gamma_constraint=tf.abs,
    renorm=True,
    renorm_clipping={"dmax": 1.0},
    renorm_momentum=0.5,
    fused=False,
    trainable=False,
    virtual_batch_size=2,
    adjustment=None,
    name="norm",
  )
  pool = tf.layers.MaxPooling2D(pool_size=2, strides=1, padding="same", data_format="channels_first", name="pool")
  x = data(2, 3, 6, 4)
  y = [dense(x), conv(x), norm(x), pool(x)]
  values = run(y + [dense.kernel, conv.kernel])
  np.testing.assert_allclose(values[0], np.maximum(x @ values[4], 0), rtol=1e-4, atol=1e-5)
  assert values[1].shape == (2, 2, 3, 2) and (values[1] >= 0).all()
  np.testing.assert_allclose(values[2], (x - 1.0) / np.sqrt(1.1), rtol=1e-5, atol=1e-6)
  assert values[3].shape == x.shape and (values[3] >= x).all()
  assert dense.bias is None and conv.use_bias is False and norm.gamma is None and tf.trainable_variables() == []
  assert len(dense.losses) == 2 and len(conv.losses) == 2


def test_all_arguments_of_the_functions():
  square = lambda v: tf.reduce_sum(tf.square(v))
  x = data(4, 3)
  y = tf.layers.batch_normalization(
    x,
    axis=0,
    momentum=0.5,
    epsilon=0.1,
    center=False,
    scale=False,
    beta_initializer=filled,
    gamma_initializer=filled,
    moving_mean_initializer=tf.ones_initializer(),
    moving_variance_initializer=tf.zeros_initializer(),
    beta_regularizer=square,
    gamma_regularizer=square,
    beta_constraint=tf.abs,
    gamma_constraint=tf.abs,
    training=True,
    trainable=False,
    name="norm",
    reuse=tf.AUTO_REUSE,
    renorm=True,
    renorm_clipping={"rmax": 2.0},
    renorm_momentum=0.5,
    fused=False,
    adjustment=lambda shape: (tf.ones(shape), tf.ones(shape)),
  )
  z = tf.layers.batch_normalization(data(4, 2), training=True, virtual_batch_size=2, scale=False, center=False, epsilon=0.0)
  values = run([y, z])
  mean, var = x.mean(1, keepdims=True), x.var(1, keepdims=True)
  r = np.minimum(np.sqrt(var + 0.1) / np.sqrt(0.1), 2.0)
  d = (mean - 1.0) / np.sqrt(0.1)
  np.testing.assert_allclose(values[0], (x - mean) / np.sqrt(var + 0.1) * r + d + 1, rtol=1e-3, atol=1e-3)
  # Examples 0 and 2 are one batch, 1 and 3 the other.
  parts = data(4, 2).reshape(2, 2, 2)
  np.testing.assert_allclose(values[1], ((parts - parts.mean(0)) / parts.std(0)).reshape(4, 2), rtol=1e-3)


def test_layers_are_no_parts_of_programs_that_run_at_once():
  assert tf.layers.Layer(dynamic=False).dynamic is False
  with pytest.raises(NotImplementedError, match="parts of graphs"):
    tf.layers.Layer(dynamic=True)


def test_whether_it_trains_may_be_a_variable():
  """Programs switch it between runs."""
  for use_resource in (False, True):
    with tf.Graph().as_default():
      training = tf.Variable(True, trainable=False, use_resource=use_resource)
      x = tf.constant(np.float32([[1, 2], [3, 6]]))
      y = tf.layers.batch_normalization(tf.layers.dropout(x, 0.5, training=training), training=training, momentum=0.5)
      z = tf.contrib.layers.batch_norm(tf.contrib.layers.dropout(x, 0.5, is_training=training), is_training=training)
      updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
      with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([y, z, updates])
        session.run(training.assign(False))
        session.run([v.initializer for v in tf.global_variables() if "moving" in v.name])
        np.testing.assert_allclose(session.run(y), session.run(x) / np.sqrt(1.001), rtol=1e-5)
        np.testing.assert_allclose(session.run(z), session.run(x) / np.sqrt(1.001), rtol=1e-5)


def test_a_dense_layer_casts_to_its_type():
  layer = tf.layers.Dense(2, dtype=tf.float32, kernel_initializer=tf.ones_initializer())
  results = [layer(tf.constant(rows)) for rows in ([[1.0, 2.0]], np.float64([[3, 4]]), [[5, 6]])]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found = session.run(results)
  assert [value.dtype for value in found] == [np.float32] * 3
  np.testing.assert_array_equal(np.concatenate(found), [[3, 3], [7, 7], [11, 11]])
