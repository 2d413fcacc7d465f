"""Exercise 10 of the chapter "Distributing TensorFlow Across Devices and Servers" of "Hands-On Machine Learning": one parameter server
and two workers train a network asynchronously, then synchronously, then split into vertical slices, a half of each layer a worker.
Which is faster, and which is better?
"""

import arguments
import classifier
import numpy as np
import tensorflow.compat.v1 as tf
import training
from cluster import Cluster
from images import load
from picture import Picture
from table import Figure, Table, count, percent, seconds, size

WORKERS = 2
# The accuracy that is asked for; generated images take about as long to that of theirs.
LEVELS = {"Fashion-MNIST": 0.88, "generated images": 0.92}


class VerticalSlices:
  """Each worker has its share of the units of each hidden layer, with their variables. What goes between workers are the outputs of
  the units and, on the way back, their gradients. The first worker has the layer of the classes."""

  def __init__(self, cluster, network, make_optimizer):
    self.network = network
    self.graph = tf.Graph()
    self.parts = [[] for _ in range(WORKERS)]  # the variables of each worker
    with self.graph.as_default():
      with tf.device(_worker(0)):
        step = tf.train.get_or_create_global_step()
        self.images, self.labels = classifier.placeholders()
      inputs = []  # of the next layer, as each worker has them
      for worker in range(WORKERS):
        with tf.device(_worker(worker)):
          inputs.append(tf.cast(self.images, tf.float32) / 255.0)
      for layer in range(len(network.hidden)):
        inputs = self._hidden(layer, inputs)
      with tf.device(_worker(0)):
        weights, biases = (self._variable(0, 2 * len(network.hidden) + i, slice(None)) for i in range(2))
        loss = classifier.cross_entropy(tf.matmul(inputs[0], weights) + biases, self.labels)
        self.train = make_optimizer().minimize(loss, global_step=step, colocate_gradients_with_ops=True)
      self.initialize = tf.global_variables_initializer()
    self.session = training.session(self.graph, cluster.target("worker"))
    self._readers = [training.session(self.graph, cluster.target("worker", w)) for w in range(WORKERS)]

  def _variable(self, worker, index, units):
    """The share of a worker in a variable of the unsplit network: some of its last dimension."""
    value = self.network.initial[index][..., units]
    variable = tf.get_variable("variable%d/worker%d" % (index, worker), initializer=np.ascontiguousarray(value))
    self.parts[worker].append(variable)
    return variable

  def _hidden(self, layer, inputs):
    outputs = []
    units = self.network.hidden[layer]
    for worker in range(WORKERS):
      mine = slice(worker * units // WORKERS, (worker + 1) * units // WORKERS)
      with tf.device(_worker(worker)):
        weights, biases = (self._variable(worker, 2 * layer + i, mine) for i in range(2))
        outputs.append(tf.nn.relu(tf.matmul(inputs[worker], weights) + biases))
    whole = []
    for worker in range(WORKERS):
      with tf.device(_worker(worker)):
        whole.append(tf.concat(outputs, 1))
    return whole

  def read(self):
    """The values of the variables of the unsplit network. Each worker is asked for its own, so that none goes between them."""
    parts = [reader.run(variables) for reader, variables in zip(self._readers, self.parts)]
    split = 2 * len(self.network.hidden)
    return [np.concatenate(values, -1) for values in zip(*(part[:split] for part in parts))] + parts[0][split:]

  def feed(self, batch):
    return {self.images: batch[0], self.labels: batch[1]}


def _worker(index):
  return "/job:worker/task:%d" % index


class Trainings:
  """Runs each training on a cluster of its own, and keeps its figures."""

  def __init__(self, args, images):
    self.images = images
    self.batch = 20 if args.small else 50
    self.steps = 100 if args.small else 4_800  # of each of two workers
    self.every = 0.05 if args.small else 0.5
    self.level = 0.3 if args.small else LEVELS[images.source]
    self.rate = 0.02
    self.network = classifier.Classifier([32, 16] if args.small else [300, 100])
    self.table = Table(
      "Exercise 10: asynchronous, synchronous, vertical slices (%s)" % images.source,
      "Data parallelism moves all variables and gradients with each step of a worker, here %s each way; vertical slices move what the "
      "units say, which grows with the batch and not with the network. Synchronous training and vertical slices make the values of one "
      "worker, up to rounding." % size(self.network.bytes),
    )
    self.curves = {}

  def optimizer(self, updates):
    """The rate falls to a tenth when two thirds of the updates are made."""
    rate = tf.train.piecewise_constant(tf.train.get_global_step(), [2 * updates // 3], [self.rate, self.rate / 10])
    return tf.train.MomentumOptimizer(rate, 0.9)

  def one_worker(self, cluster):
    replica = training.Replica(cluster, 0, self.network, lambda: self.optimizer(self.steps))
    training.start([replica])
    return self.reader(cluster), lambda: training.train(cluster, [replica], self.images, WORKERS * self.batch, self.steps)

  def replicas(self, cluster, aggregate=None):
    updates = self.steps if aggregate else WORKERS * self.steps
    replicas = [training.Replica(cluster, i, self.network, lambda: self.optimizer(updates), aggregate) for i in range(WORKERS)]
    training.start(replicas)
    return self.reader(cluster), lambda: training.train(cluster, replicas, self.images, self.batch, self.steps)

  def vertical_slices(self, cluster):
    slices = VerticalSlices(cluster, self.network, lambda: self.optimizer(self.steps))
    slices.session.run(slices.initialize)

    def train():
      for step in range(self.steps):
        slices.session.run(slices.train, slices.feed(classifier.batch_of(self.images, step, WORKERS * self.batch)))

    return slices.read, train

  def reader(self, cluster):
    return training.reader(cluster, self.network)

  def run(self, name, updates, prepare, **tasks):
    print(name, "...", flush=True)
    with Cluster(**tasks) as cluster:
      read, train = prepare(cluster)
      before = cluster.bytes_between_tasks()
      with training.Watcher(read, self.every) as watcher:
        train()
      moved = cluster.bytes_between_tasks() - before
    right, loss = classifier.scores(watcher.last, self.images.test, self.images.test_labels)
    self.curves[name] = watcher.curve(lambda values: classifier.accuracy(values, self.images.test, self.images.test_labels))
    self.table.add(
      **{
        "training": name,
        "updates": count(updates),
        "examples/s": count(WORKERS * self.batch * self.steps / watcher.seconds),
        "bytes_an_update": size(moved / updates),
        "accuracy": percent(right),
        "loss": Figure(loss, "%.4f"),
        "to_%d_%%" % round(100 * self.level): seconds(training.time_to(self.curves[name], self.level)),
      }
    )


def main():
  args = arguments.parse(__doc__)
  trainings = Trainings(args, load(args.data, args.small))
  steps = trainings.steps
  trainings.run("one worker", steps, trainings.one_worker, ps=1, worker=1)
  trainings.run("asynchronous", WORKERS * steps, trainings.replicas, ps=1, worker=WORKERS)
  trainings.run("synchronous", steps, lambda cluster: trainings.replicas(cluster, WORKERS), ps=1, worker=WORKERS)
  trainings.run("vertical slices", steps, trainings.vertical_slices, worker=WORKERS)
  trainings.table.show(args.out)
  picture = Picture("Exercise 10")
  picture.lines(trainings.curves, x="seconds", y="accuracy", level=trainings.level, bottom=None)
  picture.bars(
    {row["training"]: row["bytes_an_update"].value / 1e6 for row in trainings.table.rows}, axis="MB between tasks an update"
  )
  picture.write(args.out, "exercise_10")


if __name__ == "__main__":
  main()
