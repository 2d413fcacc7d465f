"""What layers, cells and losses cost beside their formulas in plain ops, by Millrace's package alone.

`layers.py [--windows 15] [--seconds 0.3]` prints a line a network: how long a step of training takes in both forms, in windows that take
turns, and the median of the ratios. Ends with 1 if a form by layers is slower than 1.05 times the formulas. Nothing else may run
meanwhile. The package is taken from $MILLRACE_PYTHON, otherwise from build/release/python.
"""

import argparse
import os
import statistics
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.environ.get("MILLRACE_PYTHON") or os.path.join(ROOT, "build", "release", "python"))

import numpy as np

import millrace as tf

MOST = 1.05


def weights(name, shape):
  return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))


def zeros(name, size):
  return tf.get_variable(name, [size], initializer=tf.zeros_initializer())


def dense_layers(x, labels):
  for units in (300, 100):
    x = tf.layers.dense(x, units, tf.nn.relu)
  return tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(x, 10))


def dense_formulas(x, labels):
  for i, (inputs, units) in enumerate(((784, 300), (300, 100), (100, 10))):
    x = tf.nn.bias_add(tf.matmul(x, weights(f"w{i}", [inputs, units])), zeros(f"b{i}", units))
    x = tf.nn.relu(x) if units != 10 else x
  return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x))


def image_layers(x, labels):
  x = tf.reshape(x, [-1, 28, 28, 1])
  for filters in (16, 32):
    x = tf.layers.conv2d(x, filters, 3, padding="same", use_bias=False)
    x = tf.nn.relu(tf.layers.batch_normalization(x, training=True))
    x = tf.layers.max_pooling2d(x, 2, 2)
  x = tf.layers.dense(tf.layers.flatten(x), 10)
  return tf.losses.sparse_softmax_cross_entropy(labels, x)


def image_formulas(x, labels):
  x = tf.reshape(x, [-1, 28, 28, 1])
  for i, (channels, filters) in enumerate(((1, 16), (16, 32))):
    x = tf.nn.conv2d(x, weights(f"k{i}", [3, 3, channels, filters]), [1, 1, 1, 1], "SAME")
    x, mean, variance = tf.nn.fused_batch_norm(x, zeros(f"gamma{i}", filters) + 1.0, zeros(f"beta{i}", filters), epsilon=1e-3)
    for name, new in ((f"mean{i}", mean), (f"variance{i}", variance)):
      old = tf.get_variable(name, [filters], initializer=tf.zeros_initializer(), trainable=False)
      tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(old, (old - new) * 0.01))
    x = tf.nn.max_pool(tf.nn.relu(x), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
  x = tf.matmul(tf.reshape(x, [-1, 7 * 7 * 32]), weights("w", [7 * 7 * 32, 10])) + zeros("b", 10)
  return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x))


def cell_layers(x, labels):
  rows = tf.unstack(tf.reshape(x, [-1, 28, 28]), axis=1)
  outputs, _ = tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(64), rows, dtype=tf.float32)
  return tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(outputs[-1], 10))


def cell_formulas(x, labels):
  rows = tf.unstack(tf.reshape(x, [-1, 28, 28]), axis=1)
  kernel, bias = weights("kernel", [28 + 64, 4 * 64]), zeros("bias", 4 * 64)
  c = h = tf.zeros([tf.shape(x)[0], 64])
  for row in rows:
    i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([row, h], 1), kernel), bias), 4, 1)
    c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    h = tf.tanh(c) * tf.sigmoid(o)
  x = tf.matmul(h, weights("w", [64, 10])) + zeros("b", 10)
  return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x))


NETWORKS = {
  "dense": (dense_layers, dense_formulas),
  "convolution, batch norm": (image_layers, image_formulas),
  "recurrent cell": (cell_layers, cell_formulas),
}


def step_of(network, batch=50):
  """Returns a function that trains `network` by one batch."""
  random = np.random.RandomState(0)
  with tf.Graph().as_default():
    x, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
    loss = network(x, labels)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
      train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
  call = session.make_callable(train, [x, labels])
  images, classes = random.rand(batch, 784).astype(np.float32), random.randint(0, 10, batch)
  return lambda: call(images, classes)


def window(step, seconds):
  """Returns the time of a step, as the mean of a window."""
  begin = now = time.perf_counter()
  count = 0
  while now - begin < seconds:
    step()
    count += 1
    now = time.perf_counter()
  return (now - begin) / count


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--windows", type=int, default=15)
  parser.add_argument("--seconds", type=float, default=0.3, help="of a window")
  options = parser.parse_args()
  slow = []
  for name, networks in NETWORKS.items():
    steps = [step_of(network) for network in networks]
    for step in steps:
      window(step, options.seconds)
    pairs = [[window(step, options.seconds) for step in steps] for _ in range(options.windows)]
    ratio = statistics.median(layers / formulas for layers, formulas in pairs)
    layers, formulas = (1e6 * min(times) for times in zip(*pairs))
    print(f"{name:<24} layers {layers:7.0f} us   formulas {formulas:7.0f} us   {ratio:.3f} of the formulas, at most {MOST}")
    if ratio > MOST:
      slow.append(name)
  return 1 if slow else 0


if __name__ == "__main__":
  sys.exit(main())
