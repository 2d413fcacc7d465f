"""Layers that are cut over devices: values, gradients, names and checkpoints are those of the layers that are not cut."""

import numpy as np
import pytest
from millrace import parallel

DEVICES = ["/cpu:0", "/cpu:1", "/cpu:2"]
RANDOM = np.random.RandomState(7)
X = RANDOM.standard_normal([4, 8]).astype(np.float32)
KERNEL = RANDOM.standard_normal([8, 7]).astype(np.float32)
BIAS = RANDOM.standard_normal([7]).astype(np.float32)
IMAGES = RANDOM.standard_normal([2, 6, 6, 5]).astype(np.float32)
FILTERS = RANDOM.standard_normal([3, 3, 5, 7]).astype(np.float32)
CLOSE = dict(rtol=1e-5, atol=1e-5)


def session_of(tf):
  """Of a process with three devices."""
  return tf.Session(config=tf.ConfigProto(device_count={"CPU": 3}))


def constant(value):
  """An initializer that gives each part of a variable its part of the value."""

  def initialize(shape, dtype=None, partition_info=None):
    offset = partition_info.var_offset if partition_info is not None else [0] * len(shape)
    return value[tuple(slice(o, o + int(n)) for o, n in zip(offset, shape))]

  return initialize


def unsplit_dense(tf, x, activation=None):
  """The names and values of the layer that is not cut, by plain ops: the stock client has no tf.layers any more."""
  with tf.variable_scope("dense"):
    kernel = tf.get_variable("kernel", initializer=KERNEL)
    bias = tf.get_variable("bias", initializer=BIAS)
  y = tf.nn.bias_add(tf.matmul(x, kernel), bias)
  return activation(y) if activation else y


def split_dense(tf, x, by, **options):
  return parallel.split_dense(
    x, 7, DEVICES, by=by, kernel_initializer=constant(KERNEL), bias_initializer=constant(BIAS), **options
  )


def split_conv2d(tf, x, by, **options):
  return parallel.split_conv2d(
    x, 7, 3, DEVICES, by=by, kernel_initializer=constant(FILTERS), bias_initializer=constant(BIAS), **options
  )


def parts_of(tf, name):
  return sorted((v for v in tf.trainable_variables() if v.op.name.startswith(name + "/part_")), key=lambda v: v.op.name)


def check_gradients(tf, session, loss, name, axis, expected):
  """The gradients of the parts, put together, are those of the whole."""
  found = session.run([tf.convert_to_tensor(g) for g in tf.gradients(loss, parts_of(tf, name))])
  np.testing.assert_allclose(np.concatenate(found, axis), expected, **CLOSE)


@pytest.mark.parametrize("by", ["outputs", "inputs"])
def test_dense_is_the_layer_that_is_not_cut(tf, use_resource, by):
  with tf.variable_scope("", use_resource=use_resource):
    x = tf.constant(X)
    y = split_dense(tf, x, by, activation=tf.nn.relu)
    loss = tf.reduce_sum(tf.square(y))
    product = X @ KERNEL + BIAS
    expected = np.maximum(product, 0)
    back = 2 * expected
    with session_of(tf) as session:
      session.run(tf.global_variables_initializer())
      np.testing.assert_allclose(session.run(y), expected, **CLOSE)
      check_gradients(tf, session, loss, "dense/kernel", 1 if by == "outputs" else 0, X.T @ back)
      (to_x,) = tf.gradients(loss, x)
      np.testing.assert_allclose(session.run(to_x), back @ KERNEL.T, **CLOSE)
      if by == "outputs":
        check_gradients(tf, session, loss, "dense/bias", 0, back.sum(0))
    kernels = parts_of(tf, "dense/kernel")
    assert [v.op.name for v in kernels] == ["dense/kernel/part_%d" % i for i in range(3)]
    assert [v.device[-5:].upper() for v in kernels] == ["CPU:0", "CPU:1", "CPU:2"]
    assert [v.shape.as_list() for v in kernels] == ([[8, 3], [8, 2], [8, 2]] if by == "outputs" else [[3, 7], [3, 7], [2, 7]])
    products = [op for op in tf.get_default_graph().get_operations() if op.type == "MatMul" and "gradients" not in op.name]
    assert [op.device[-5:].upper() for op in products] == ["CPU:0", "CPU:1", "CPU:2"]


def numpy_convolution(images, filters, stride):
  """Without padding: images [n, h, w, c], filters [kh, kw, c, f]."""
  kh, kw = filters.shape[:2]
  rows = range(0, images.shape[1] - kh + 1, stride)
  columns = range(0, images.shape[2] - kw + 1, stride)
  return np.stack([np.stack([np.tensordot(images[:, r : r + kh, c : c + kw], filters, 3) for c in columns], 1) for r in rows], 1)


@pytest.mark.parametrize("by", ["outputs", "inputs"])
def test_conv2d_is_the_layer_that_is_not_cut(tf, use_resource, by):
  with tf.variable_scope("", use_resource=use_resource):
    x = tf.constant(IMAGES)
    y = split_conv2d(tf, x, by, strides=2, activation=tf.nn.tanh)
    loss = tf.reduce_sum(y)
    expected = np.tanh(numpy_convolution(IMAGES, FILTERS, 2) + BIAS)
    whole = tf.get_variable("whole", initializer=FILTERS)
    not_cut = tf.reduce_sum(tf.tanh(tf.nn.bias_add(tf.nn.conv2d(x, whole, [1, 2, 2, 1], "VALID"), BIAS)))
    with session_of(tf) as session:
      session.run(tf.global_variables_initializer())
      np.testing.assert_allclose(session.run(y), expected, **CLOSE)
      of_whole = session.run(tf.gradients(not_cut, whole)[0])
      check_gradients(tf, session, loss, "conv2d/kernel", 3 if by == "outputs" else 2, of_whole)


def test_slices_of_two_layers_need_nothing_between_them(tf):
  """By outputs and then by inputs: each device takes its own part on."""
  second = RANDOM.standard_normal([7, 4]).astype(np.float32)
  parts = split_dense(tf, tf.constant(X), "outputs", activation=tf.nn.relu, join=False)
  assert [part.shape.as_list() for part in parts] == [[4, 3], [4, 2], [4, 2]]
  y = parallel.split_dense(parts, 4, DEVICES, by="inputs", kernel_initializer=constant(second), name="second")
  assert not [op for op in tf.get_default_graph().get_operations() if op.type in ("ConcatV2", "Split", "SplitV")]
  with session_of(tf) as session:
    session.run(tf.global_variables_initializer())
    np.testing.assert_allclose(session.run(y), np.maximum(X @ KERNEL + BIAS, 0) @ second, **CLOSE)


def test_dense_of_sequences(tf):
  x = RANDOM.standard_normal([2, 3, 8]).astype(np.float32)
  for by in ("outputs", "inputs"):
    y = split_dense(tf, tf.constant(x), by, name="of_" + by)
    with session_of(tf) as session:
      session.run(tf.global_variables_initializer())
      np.testing.assert_allclose(session.run(y), x @ KERNEL + BIAS, **CLOSE)


@pytest.mark.parametrize("by", ["outputs", "inputs"])
def test_checkpoints_are_those_of_the_layer_that_is_not_cut(tf, tmp_path, by):
  """In both directions, with the slots of an optimizer."""
  path = str(tmp_path / "model")

  def training(y):
    return tf.train.MomentumOptimizer(0.01, 0.9).minimize(tf.reduce_sum(tf.square(y)))

  step = training(unsplit_dense(tf, tf.constant(X)))
  with session_of(tf) as session:
    session.run(tf.global_variables_initializer())
    session.run(step)
    tf.train.Saver().save(session, path, write_meta_graph=False)
    session.run(step)
    expected = session.run([v for v in tf.global_variables() if v.op.name == "dense/kernel"])[0]
    saved = {name: shape for name, shape in tf.train.list_variables(path)}
  with tf.Graph().as_default():
    y = parallel.split_dense(tf.constant(X), 7, DEVICES, by=by)
    step = training(y)
    back = str(tmp_path / "back")
    with session_of(tf) as session:
      tf.train.Saver().restore(session, path)
      session.run(step)
      found = session.run(parts_of(tf, "dense/kernel"))
      np.testing.assert_allclose(np.concatenate(found, 1 if by == "outputs" else 0), expected, **CLOSE)
      tf.train.Saver().save(session, back, write_meta_graph=False)
  assert {name: shape for name, shape in tf.train.list_variables(back)} == saved
  assert sorted(saved) == ["dense/bias", "dense/bias/Momentum", "dense/kernel", "dense/kernel/Momentum"]
  np.testing.assert_allclose(tf.train.load_variable(back, "dense/kernel"), expected, **CLOSE)


def test_default_names_and_reuse(tf):
  x = tf.constant(X)
  parallel.split_dense(x, 7, DEVICES)
  parallel.split_dense(x, 7, DEVICES)
  parallel.split_dense(x, 7, DEVICES, name="own")
  count = len(tf.trainable_variables())
  parallel.split_dense(x, 7, DEVICES, name="own", reuse=True)
  assert len(tf.trainable_variables()) == count == 18
  assert {v.op.name.split("/")[0] for v in tf.trainable_variables()} == {"dense", "dense_1", "own"}


def test_variables_may_lie_elsewhere(tf):
  """As on parameter servers, while the workers compute."""
  parallel.split_dense(tf.constant(X), 7, ["/job:worker/task:0", "/job:worker/task:1"], variable_devices=["/job:ps"] * 2)
  assert all(v.device.startswith("/job:ps") for v in tf.trainable_variables())
  products = [op for op in tf.get_default_graph().get_operations() if op.type == "MatMul"]
  assert [op.device for op in products] == ["/job:worker/task:0", "/job:worker/task:1"]


def test_regularizers_are_of_the_whole(tf):
  y = parallel.split_dense(
    tf.constant(X), 7, DEVICES, kernel_initializer=constant(KERNEL), kernel_regularizer=lambda v: tf.reduce_sum(tf.square(v))
  )
  with session_of(tf) as session:
    session.run(tf.global_variables_initializer())
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert len(losses) == 3 and y is not None
    np.testing.assert_allclose(session.run(tf.add_n([tf.convert_to_tensor(loss) for loss in losses])), np.sum(KERNEL**2), **CLOSE)


def test_what_cannot_be_cut_is_refused(tf):
  x = tf.constant(X)
  images = tf.constant(IMAGES)
  unknown = tf.placeholder(tf.float32, [None, None])
  for make, words in [
    (lambda: parallel.split_dense(x, 7, []), "split_dense: devices is a list of one device or more"),
    (lambda: parallel.split_dense(x, 7, "/cpu:0"), "split_dense: devices is a list of one device or more"),
    (lambda: parallel.split_dense(x, 2, DEVICES), "split_dense: 2 units cannot be cut over 3 devices"),
    (lambda: parallel.split_dense(x, 7, DEVICES, by="rows"), 'split_dense: by is "outputs" or "inputs", not \'rows\''),
    (lambda: parallel.split_dense(unknown, 7, DEVICES), "split_dense: dimension -1 of the inputs has to be known"),
    (lambda: parallel.split_dense(x, 7, DEVICES, activation=tf.nn.softmax), "split_dense: each part of the outputs"),
    (lambda: parallel.split_dense(x, 7, DEVICES, variable_devices=["/cpu:0"]), "split_dense: variable_devices are as many"),
    (lambda: parallel.split_dense([x, x], 7, DEVICES[:2] * 2, by="inputs"), "split_dense: the inputs come in parts of"),
    (lambda: parallel.split_conv2d(images, 2, 3, DEVICES), "split_conv2d: 2 filters cannot be cut over 3 devices"),
    (lambda: parallel.split_conv2d(images, 7, [3], DEVICES), "split_conv2d: kernel_size is a positive integer or two"),
    (lambda: parallel.split_conv2d(images, 7, 3, DEVICES, padding="full"), 'split_conv2d: padding is "valid" or "same"'),
    (lambda: parallel.split_conv2d(images, 7, 3, DEVICES, data_format="NHWC"), "split_conv2d: data_format is"),
  ]:
    with pytest.raises(ValueError) as raised:
      make()
    assert str(raised.value).startswith(words), raised.value
