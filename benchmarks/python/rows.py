"""What is measured: each row prepares something and returns a Work. The same code runs on both packages, as `tf`."""

import numpy as np

ROWS = {}
FLOATS = 25_000_000  # 100 MB
OPS = 10_000
STEPS = 100  # after which a loss has fallen


class Work:
  """`call()` is measured; `amount` of `unit` is done in one call (None: its time counts). `check()` returns what both packages have to
  agree in, within `tolerance` of it."""

  def __init__(self, call, check, unit="us", amount=None, tolerance=1e-6):
    self.call, self.check, self.unit, self.amount, self.tolerance = call, check, unit, amount, tolerance

  def value(self, seconds):
    """The figure of a row from the seconds of a call."""
    return self.amount / seconds if self.amount else seconds * {"us": 1e6, "ms": 1e3, "s": 1.0}[self.unit]


def row(name):
  def register(prepare):
    ROWS[name] = prepare
    return prepare

  return register


@row("run/null")
def null_run(tf):
  op = tf.no_op()
  session = tf.Session()
  return Work(lambda: session.run(op), lambda: session.run(op) is None)


@row("run/feed_and_fetch_4kb")
def feed_and_fetch(tf):
  x = tf.placeholder(tf.float32, [1024])
  y = tf.negative(x)
  session = tf.Session()
  value = np.arange(1024, dtype=np.float32)
  return Work(lambda: session.run(y, {x: value}), lambda: float(session.run(y, {x: value}).sum()))


@row("values/feed_100mb")
def feed(tf):
  x = tf.placeholder(tf.float32, [None])
  largest = tf.reduce_max(x)
  session = tf.Session()
  value = np.random.RandomState(1).rand(FLOATS).astype(np.float32)
  return Work(lambda: session.run(largest, {x: value}), lambda: float(session.run(largest, {x: value})), "GB/s", 4e-9 * FLOATS)


def big_variable(tf):
  variable = tf.Variable(tf.fill([FLOATS], 0.5))
  session = tf.Session()
  session.run(tf.global_variables_initializer())
  return session, variable


@row("values/fetch_variable_100mb")
def fetch_variable(tf):
  session, variable = big_variable(tf)
  return Work(lambda: session.run(variable), lambda: float(session.run(variable)[::1000].sum()), "GB/s", 4e-9 * FLOATS)


@row("values/fetch_computed_100mb")
def fetch_computed(tf):
  session, variable = big_variable(tf)
  y = variable + 1.0
  return Work(lambda: session.run(y), lambda: float(session.run(y)[::1000].sum()), "GB/s", 4e-9 * FLOATS)


@row("graph/build_10000_ops")
def build(tf):
  def call():
    graph = tf.Graph()
    with graph.as_default():
      x = tf.placeholder(tf.float32, [None, 10])
      b = tf.constant(np.ones(10, np.float32))
      for _ in range((OPS - 2) // 4):
        x = tf.nn.relu(tf.add(tf.multiply(x, b), b))
        x = tf.identity(x)
    return graph

  return Work(call, lambda: len(call().get_operations()), "ops/s", OPS)


def trained(tf, loss, optimizer, feeds, examples, rate_of=0.9):
  """The work of training a loss: batches of `feeds` in turn. Agreement: that the loss falls."""
  train = optimizer.minimize(loss)
  session = tf.Session()
  session.run(tf.global_variables_initializer())
  first = session.run(loss, feeds[0])
  count = [0]

  def call():
    count[0] += 1
    session.run(train, feeds[count[0] % len(feeds)])

  def check():
    while count[0] < STEPS:
      call()
    return bool(session.run(loss, feeds[0]) < rate_of * first)

  return Work(call, check, "examples/s", examples)


def digits(batch, count=16):
  """Batches of images of ten classes, which differ in where they are bright."""
  random = np.random.RandomState(2)
  patterns = random.rand(10, 784)
  found = []
  for _ in range(count):
    labels = random.randint(0, 10, batch)
    found.append(((0.7 * patterns[labels] + 0.3 * random.rand(batch, 784)).astype(np.float32), labels.astype(np.int64)))
  return found


def weights(tf, name, shape):
  return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=0.1, seed=3))


def biases(tf, name, size):
  return tf.get_variable(name, [size], initializer=tf.constant_initializer(0.1))


@row("training/mlp")
def mlp(tf):
  """The network of benchmarks/protocol, batch 50."""
  batch = 50
  x, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
  layer = x
  for name, inputs, outputs in (("one", 784, 300), ("two", 300, 100), ("three", 100, 10)):
    layer = tf.matmul(layer, weights(tf, name, [inputs, outputs])) + biases(tf, name + "_b", outputs)
    layer = tf.nn.relu(layer) if outputs != 10 else layer
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=layer))
  feeds = [{x: images, labels: classes} for images, classes in digits(batch)]
  return trained(tf, loss, tf.train.GradientDescentOptimizer(0.1), feeds, batch)


@row("training/convolutional")
def convolutional(tf):
  """The one of TensorFlow's tutorial for MNIST, with half of its widest layer."""
  batch = 50
  x, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
  layer = tf.reshape(x, [-1, 28, 28, 1])
  for name, inputs, outputs in (("one", 1, 32), ("two", 32, 64)):
    layer = tf.nn.conv2d(layer, weights(tf, name, [5, 5, inputs, outputs]), strides=[1, 1, 1, 1], padding="SAME")
    layer = tf.nn.relu(layer + biases(tf, name + "_b", outputs))
    layer = tf.nn.max_pool(layer, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
  flat = tf.reshape(layer, [-1, 7 * 7 * 64])
  hidden = tf.nn.relu(tf.matmul(flat, weights(tf, "three", [7 * 7 * 64, 512])) + biases(tf, "three_b", 512))
  hidden = tf.nn.dropout(hidden, 0.5)
  logits = tf.matmul(hidden, weights(tf, "four", [512, 10])) + biases(tf, "four_b", 10)
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
  feeds = [{x: images, labels: classes} for images, classes in digits(batch)]
  return trained(tf, loss, tf.train.AdamOptimizer(1e-4), feeds, batch)


@row("training/word2vec")
def word2vec(tf):
  batch, words, size, sampled = 128, 50_000, 128, 64
  inputs, labels = tf.placeholder(tf.int32, [batch]), tf.placeholder(tf.int32, [batch, 1])
  embeddings = tf.Variable(tf.random_uniform([words, size], -1.0, 1.0, seed=4))
  nce_weights = tf.Variable(tf.truncated_normal([words, size], stddev=size**-0.5, seed=5))
  nce_biases = tf.Variable(tf.zeros([words]))
  embedded = tf.nn.embedding_lookup(embeddings, inputs)
  losses = tf.nn.nce_loss(
    weights=nce_weights, biases=nce_biases, labels=labels, inputs=embedded, num_sampled=sampled, num_classes=words
  )
  random = np.random.RandomState(6)
  feeds = []
  for _ in range(16):
    # As words are in texts: few of them often. What follows a word is the next one.
    found = np.minimum(random.zipf(1.3, batch), words - 1).astype(np.int32)
    feeds.append({inputs: found, labels: ((found + 1) % words).reshape(batch, 1)})
  return trained(tf, tf.reduce_mean(losses), tf.train.GradientDescentOptimizer(1.0), feeds, batch)
