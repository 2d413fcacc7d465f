"""Gradients on the wire of a cluster: the bytes that servers say they have sent, and how well networks learn all the same."""

import json

import numpy as np
import pytest
import task_servers
from millrace import parallel

SIZES = [784, 300, 100, 10]
PARAMETERS = sum(n * m + m for n, m in zip(SIZES, SIZES[1:]))
CLASSES, BATCH = 10, 50


@pytest.fixture(scope="module")
def cluster():
  with task_servers.Cluster({"ps": 2, "worker": 2}) as servers:
    yield servers


@pytest.fixture
def millrace():
  """The package, whose client is enough to train by."""
  import millrace

  parallel.use(millrace)
  yield millrace
  parallel.use(None)


def network(tf, optimizer, sizes=SIZES):
  """The placeholders, the logits and the train op of a network of dense layers."""
  x, labels = tf.placeholder(tf.float32, [None, sizes[0]]), tf.placeholder(tf.int32, [None])
  h = x
  for i, (inputs, units) in enumerate(zip(sizes, sizes[1:])):
    kernel = tf.Variable(tf.truncated_normal([inputs, units], stddev=np.sqrt(2 / inputs), seed=i))
    h = tf.matmul(h if i == 0 else tf.nn.relu(h), kernel) + tf.Variable(tf.zeros([units]))
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h))
  return x, labels, h, optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())


def sent_by_worker(cluster):
  return json.loads(cluster.status("worker", 0, ["--json"]))["bytes_sent"]


def bytes_a_step(tf, cluster, wire, steps=4):
  """The bytes that a worker sends to the parameter servers in one step."""
  with tf.Graph().as_default():
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0")):
      optimizer = parallel.WiredOptimizer(tf.train.GradientDescentOptimizer(0.01), wire)
      x, labels, _, train = network(tf, optimizer)
    feed = {x: np.random.RandomState(1).rand(BATCH, SIZES[0]), labels: np.arange(BATCH) % CLASSES}
    with tf.Session(cluster.target("worker", 0)) as session:
      session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
      session.run(train, feed)
      before = sent_by_worker(cluster)
      for _ in range(steps):
        session.run(train, feed)
      sent = sent_by_worker(cluster) - before
    tf.Session.reset(cluster.target("worker", 0))
  assert sent % steps == 0
  return sent // steps


def test_bytes_between_tasks(tf, cluster):
  whole = bytes_a_step(tf, cluster, parallel.GradientWire())
  half = bytes_a_step(tf, cluster, parallel.GradientWire("bfloat16"))
  few = bytes_a_step(tf, cluster, parallel.GradientWire("top_k", fraction=0.01))
  print("bytes a step: float %d, bfloat16 %d (%.4f), top_k of 1 %% %d (%.4f)" % (whole, half, half / whole, few, few / whole))
  assert 4 * PARAMETERS <= whole <= 4 * PARAMETERS + 1000
  assert 0.5 * whole <= half <= 0.52 * whole
  assert 0.015 * whole <= few <= 0.03 * whole


def images(count, seed):
  """Images of 784 pixels in ten classes, each between two patterns of its own and one of another class."""
  patterns = np.random.RandomState(11).rand(3, CLASSES, SIZES[0]).astype(np.float32)
  random = np.random.RandomState(seed)
  labels = random.randint(CLASSES, size=count)
  others = random.randint(CLASSES, size=count)
  share = random.rand(count, 1).astype(np.float32)
  mixed = share * patterns[0, labels] + (1 - share) * patterns[1, labels] + 0.9 * random.rand(count, 1) * patterns[2, others]
  return (mixed + 1.5 * random.standard_normal(mixed.shape) - 1.0).astype(np.float32), labels.astype(np.int32)


def accuracy(tf, wire, train_set, test_set, epochs=2):
  """The share of the test set that is right after so many passes over the training set."""
  with tf.Graph().as_default():
    optimizer = parallel.WiredOptimizer(tf.train.GradientDescentOptimizer(0.1), wire)
    x, labels, logits, train = network(tf, optimizer, [SIZES[0], 100, CLASSES])
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels), tf.float32))
    with tf.Session() as session:
      session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
      for epoch in range(epochs):
        order = np.random.RandomState(epoch).permutation(len(train_set[1]))
        for rows in order.reshape(-1, BATCH):
          session.run(train, {x: train_set[0][rows], labels: train_set[1][rows]})
      return session.run(right, {x: test_set[0], labels: test_set[1]})


def test_accuracy_after_as_many_examples(millrace):
  train_set, test_set = images(12_000, 1), images(4_000, 2)
  wires = [parallel.GradientWire(), parallel.GradientWire("bfloat16"), parallel.GradientWire("top_k", fraction=0.01)]
  floats, halves, few = [accuracy(millrace, wire, train_set, test_set) for wire in wires]
  print("accuracy: float %.4f, bfloat16 %.4f, top_k of 1 %% %.4f" % (floats, halves, few))
  assert 0.85 < floats < 0.97
  assert halves > floats - 0.01 and few > floats - 0.01
