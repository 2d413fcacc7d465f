"""The demo's network as a user of the stock client writes it: one graph a worker, variables on the ps.

with Replicas(cluster, "adam", resources=False) as replicas:
  replicas.initialize()
  losses = replicas.train(100)
  replicas.save(folder / "model.ckpt")
"""

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

BATCH = 50
LAYERS = (784, 300, 100, 10)
OPTIMIZERS = {
  "adam": lambda: tf1.train.AdamOptimizer(0.001),
  "momentum": lambda: tf1.train.MomentumOptimizer(0.05, 0.9),
  "nesterov": lambda: tf1.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
}


def batch(step):
  """Noisy images of ten prototypes and their labels, one in five wrong; the same for each step's number."""
  prototypes = np.random.RandomState(7).uniform(size=(10, 784))
  random = np.random.RandomState(1000 + step)
  labels = random.randint(10, size=BATCH)
  images = prototypes[labels] + random.normal(scale=0.8, size=(BATCH, 784))
  labels = np.where(random.uniform(size=BATCH) < 0.2, random.randint(10, size=BATCH), labels)
  return images.astype(np.float32), labels.astype(np.int64)


class Replica:
  """One worker's graph; variables go round robin over the ps."""

  def __init__(self, cluster, worker, optimizer, resources):
    self.graph = tf1.Graph()
    setter = tf1.train.replica_device_setter(
      cluster=tf.train.ClusterSpec(cluster.spec()), worker_device=f"/job:worker/task:{worker}"
    )
    with self.graph.as_default(), tf1.device(setter):
      tf1.set_random_seed(1234)
      self.images = tf1.placeholder(tf.float32, [None, LAYERS[0]], name="images")
      self.labels = tf1.placeholder(tf.int64, [None], name="labels")
      net = self.images
      for i, (inputs, outputs) in enumerate(zip(LAYERS, LAYERS[1:])):
        with tf1.variable_scope(f"layer{i}", use_resource=resources):
          weights = tf1.get_variable(
            "weights", [inputs, outputs], initializer=tf1.truncated_normal_initializer(stddev=0.05, seed=i)
          )
          biases = tf1.get_variable("biases", [outputs], initializer=tf1.zeros_initializer())
        net = tf.matmul(net, weights) + biases
        if i + 2 < len(LAYERS):
          net = tf.nn.relu(net)
      self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=net))
      self.accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(net, 1), self.labels), tf.float32))
      with tf1.variable_scope("", use_resource=resources):
        self.global_step = tf1.train.get_or_create_global_step()
        self.train = OPTIMIZERS[optimizer]().minimize(self.loss, global_step=self.global_step)
      self.saver = tf1.train.Saver(sharded=True)
      self.initialize = tf1.global_variables_initializer()
      self.uninitialized = tf.identity(tf1.report_uninitialized_variables())
      self.variables = tf1.global_variables()


class Replicas:
  """Both workers' replicas with a session each at the worker's own server."""

  def __init__(self, cluster, optimizer, resources=False):
    tf1.Session.reset(cluster.target("worker", 0))
    self.replicas = [Replica(cluster, i, optimizer, resources) for i in (0, 1)]
    self.sessions = [tf1.Session(cluster.target("worker", i), graph=r.graph) for i, r in enumerate(self.replicas)]
    self.step = 0

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    for session in self.sessions:
      session.close()

  def initialize(self):
    self.sessions[0].run(self.replicas[0].initialize)
    assert self.sessions[1].run(self.replicas[1].uninitialized).size == 0

  def train(self, steps):
    """The workers take turns; returns the loss of each step."""
    losses = []
    for _ in range(steps):
      worker = self.step % 2
      replica, session = self.replicas[worker], self.sessions[worker]
      images, labels = batch(self.step)
      loss, _ = session.run([replica.loss, replica.train], {replica.images: images, replica.labels: labels})
      losses.append(loss)
      self.step += 1
    return np.array(losses)

  def test_accuracy(self):
    replica, session = self.replicas[0], self.sessions[0]
    images, labels = batch(1000000)
    return session.run(replica.accuracy, {replica.images: images, replica.labels: labels})

  def save(self, path):
    replica = self.replicas[0]
    with replica.graph.as_default():
      return replica.saver.save(self.sessions[0], str(path), global_step=replica.global_step)

  def restore(self, prefix):
    with self.replicas[0].graph.as_default():
      self.replicas[0].saver.restore(self.sessions[0], prefix)
    self.step = int(self.sessions[0].run(self.replicas[0].global_step))

  def values(self):
    """Every variable's value by its name, read by the second worker."""
    variables = self.replicas[1].variables
    return dict(zip([v.op.name for v in variables], self.sessions[1].run(variables)))
