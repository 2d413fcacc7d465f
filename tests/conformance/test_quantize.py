"""Quantized networks by the stock client: trained as if they were quantized, and run with integers; the same on servers of ours and of
stock."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import task_servers  # noqa: E402
import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops

PS0, PS1, WORKER1 = "/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:1"
RANDOM = np.random.RandomState(7)
IMAGES = RANDOM.uniform(-1, 1, [4, 8, 8, 3]).astype(np.float32)
FILTER = RANDOM.uniform(-0.5, 0.4, [3, 3, 3, 6]).astype(np.float32)
MATRIX = RANDOM.uniform(-0.3, 0.5, [96, 10]).astype(np.float32)


@pytest.fixture(scope="module")
def stock_cluster():
  """Without oneDNN's ops in the place of quantized ones: these lack kernels, and round otherwise."""
  with task_servers.Cluster(
    {"ps": 2, "worker": 2}, kind="stock", together=True, environment={"TF_ENABLE_ONEDNN_OPTS": "0"}
  ) as made:
    yield made


def quantized(values, low, high, **attributes):
  """(numbers, min, max) as bytes."""
  return tf.quantization.quantize(values, low, high, tf.quint8, **attributes)


def back(numbers, **attributes):
  return tf.quantization.dequantize(*numbers, **attributes)


@pytest.mark.parametrize("per_channel", [False, True])
def test_training_with_rounded_weights_and_activations(on_both, era, per_channel):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 8, 8, 3])
    y = tf1.placeholder(tf.int64, [None])
    with tf.device(PS0):
      filters = tf1.get_variable("filters", initializer=FILTER)
      low = tf1.get_variable("low", initializer=np.full([6], -0.5, np.float32))
      high = tf1.get_variable("high", initializer=np.full([6], 0.5, np.float32))
    with tf.device(PS1):
      weights = tf1.get_variable("weights", initializer=MATRIX)
      bias = tf1.get_variable("bias", initializer=np.zeros([10], np.float32))
      top = tf1.get_variable("top", initializer=1.0, trainable=False)  # a moving average of the largest pixel
      follow = top.assign(top * 0.9 + tf.reduce_max(tf.abs(x)) * 0.1)
    with tf.device(WORKER1):
      if per_channel:
        filters = tf.quantization.fake_quant_with_min_max_vars_per_channel(filters, low, high, num_bits=6)
      else:
        filters = tf.quantization.fake_quant_with_min_max_vars(filters, low[0], high[0], narrow_range=True)
      images = tf.quantization.fake_quant_with_min_max_vars(x, -top, top)
      hidden = tf.nn.relu(tf.nn.conv2d(images, filters, strides=2, padding="SAME"))
      hidden = tf.quantization.fake_quant_with_min_max_args(hidden, 0.0, 6.0)
      rounded = tf.quantization.quantize_and_dequantize_v2(weights, -0.4, 0.6, num_bits=8)
      logits = tf.matmul(tf.reshape(hidden, [-1, 96]), rounded) + bias
      loss = tf1.losses.sparse_softmax_cross_entropy(y, logits)
    train = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    gradients = tf1.gradients(loss, tf1.trainable_variables())
    feeds = {x: IMAGES, y: [1, 0, 7, 3]}
    with tf1.Session(cluster.target("worker")) as session:
      session.run(tf1.global_variables_initializer())
      first = session.run([loss, logits] + [g for g in gradients if g is not None], feeds)
      losses = []
      for _ in range(5):
        losses.append(session.run([loss, train], feeds)[0])
        session.run(follow, feeds)
      assert losses[-1] < losses[0]
      return [first, losses, session.run(tf1.global_variables())]

  on_both(program, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("transpose", [False, True])
def test_a_dense_layer_of_bytes(on_both, era, transpose):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 96])
    with tf.device(PS0):
      weights = quantized(MATRIX.T if transpose else MATRIX, -0.4, 0.6)
      bias = quantized(np.linspace(-1, 2, 10, dtype=np.float32), -1.0, 2.0)
    with tf.device(WORKER1):
      a = quantized(x, -1.0, 1.0)
      product = raw.QuantizedMatMul(
        a=a[0], b=weights[0], min_a=a[1], max_a=a[2], min_b=weights[1], max_b=weights[2], transpose_b=transpose
      )
      used = raw.RequantizationRange(input=product[0], input_min=product[1], input_max=product[2])
      byte = raw.Requantize(
        input=product[0],
        input_min=product[1],
        input_max=product[2],
        requested_output_min=used[0],
        requested_output_max=used[1],
        out_type=tf.quint8,
      )
      added = raw.QuantizedBiasAdd(
        input=byte[0], bias=bias[0], min_input=byte[1], max_input=byte[2], min_bias=bias[1], max_bias=bias[2], out_type=tf.qint32
      )
      small = raw.QuantizeDownAndShrinkRange(input=added[0], input_min=added[1], input_max=added[2], out_type=tf.quint8)
      relu = raw.QuantizedRelu6(features=small[0], min_features=small[1], max_features=small[2])
    exact = tf.nn.relu6(tf.matmul(x, MATRIX) + np.linspace(-1, 2, 10, dtype=np.float32))
    fetches = [back(relu), relu[1], relu[2], tf.bitcast(product[0], tf.int32), tf.bitcast(relu[0], tf.uint8), list(used)]
    with tf1.Session(cluster.target("worker")) as session:
      result, real = session.run([fetches, exact], {x: IMAGES.reshape(-1, 96)})
    np.testing.assert_allclose(result[0], real, atol=0.15)
    return result

  on_both(program)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_a_convolution_of_bytes(on_both, era, padding):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 8, 8, 3])
    with tf.device(PS1):
      filters = quantized(FILTER, -0.5, 0.5)
    with tf.device(WORKER1):
      images = quantized(x, -1.0, 1.0)
      sums = raw.QuantizedConv2D(
        input=images[0],
        filter=filters[0],
        min_input=images[1],
        max_input=images[2],
        min_filter=filters[1],
        max_filter=filters[2],
        strides=[1, 1, 1, 1],
        padding=padding,
      )
      byte = raw.QuantizeDownAndShrinkRange(input=sums[0], input_min=sums[1], input_max=sums[2], out_type=tf.quint8)
    relu = raw.QuantizedRelu(features=byte[0], min_features=byte[1], max_features=byte[2])
    pooled = raw.QuantizedMaxPool(
      input=relu[0], min_input=relu[1], max_input=relu[2], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"
    )
    means = raw.QuantizedAvgPool(
      input=relu[0], min_input=relu[1], max_input=relu[2], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"
    )
    both = raw.QuantizedConcat(
      concat_dim=3, values=[pooled[0], means[0]], input_mins=[pooled[1], means[1]], input_maxes=[pooled[2], means[2]]
    )
    flat = raw.QuantizedReshape(tensor=both[0], shape=[4, -1], input_min=both[1], input_max=both[2])
    exact = tf1.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, FILTER, strides=1, padding=padding)), 2, 2, "SAME")
    fetches = [tf.bitcast(t[0], tf.uint8) for t in (pooled, means, both, flat)]
    fetches += [back(pooled), list(flat[1:]), tf.bitcast(sums[0], tf.int32)]
    with tf1.Session(cluster.target("worker")) as session:
      result, real = session.run([fetches, exact], {x: IMAGES})
    np.testing.assert_allclose(result[4], real, atol=0.08)
    return result

  on_both(program)


def test_quantized_numbers_go_between_tasks(on_both, era):
  """Of every type and mode, a range for each slice too."""

  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 3])
    fetches = []
    for dtype in (tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32):
      for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        with tf.device(PS0):
          numbers = tf.quantization.quantize(x, -2.0, 3.0, dtype, mode=mode)
        with tf.device(WORKER1):
          fetches.append(back(numbers, mode=mode))
          fetches.append(list(numbers[1:]))
    with tf.device(PS0):
      sliced = tf.quantization.quantize(x, [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0], tf.qint8, mode="SCALED", axis=1)
    with tf.device(WORKER1):
      fetches += [back(sliced, mode="SCALED", axis=1), list(sliced[1:])]
    with tf1.Session(cluster.target("worker")) as session:
      return session.run(fetches, {x: np.linspace(-4, 4, 30, dtype=np.float32).reshape(10, 3)})

  on_both(program)


def test_ranges_that_are_none(on_both, era):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None])
    low, high = tf1.placeholder(tf.float32, None), tf1.placeholder(tf.float32, None)
    numbers = quantized(x, low, high)
    product = raw.QuantizedMatMul(
      a=tf.reshape(numbers[0], [1, -1]), b=tf.reshape(numbers[0], [-1, 1]), min_a=low, max_a=high, min_b=low, max_b=high
    )
    rounded = tf.quantization.fake_quant_with_min_max_vars(x, low, high)
    found = []
    for feeds in ({low: 1.0, high: -1.0}, {low: [1.0], high: 2.0}, {low: 3.0, high: 3.0}, {low: np.nan, high: 1.0}):
      for fetch in (list(numbers[1:]), list(product[1:]), rounded):
        with tf1.Session(cluster.target("worker")) as session:
          found.append(outcome(lambda: session.run(fetch, {x: [0.5, 1.5], **feeds})))
    return found

  on_both(program)
