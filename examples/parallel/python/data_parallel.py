"""Four forms of data parallelism: a network on two workers, whose variables are on a parameter server.

In-graph: one client has the networks of both workers in one graph. Between-graph: each worker has a client with a graph of its own.
Synchronous: one update by the mean of both workers' gradients. Asynchronous: each updates the variables when it has a gradient.
"""

import arguments
import classifier
import tensorflow.compat.v1 as tf
import training
from cluster import Cluster
from images import load
from picture import Picture
from table import Figure, Table, count, percent, seconds

WORKERS = 2
CURVE_IMAGES = 2_000  # of the test images, for the accuracy while it trains


class InGraph:
  """One graph with a network on each worker, and one session for all."""

  def __init__(self, cluster, network, make_optimizer, workers, synchronous):
    self.graph = tf.Graph()
    with self.graph.as_default():
      with tf.device("/job:ps/task:0"):
        step = tf.train.get_or_create_global_step()
        variables = network.variables()
      optimizer = make_optimizer()
      self.batches, gradients = [], []
      for worker in range(workers):
        with tf.device("/job:worker/task:%d" % worker):
          self.batches.append(classifier.placeholders())
          pairs = optimizer.compute_gradients(classifier.loss(variables, *self.batches[-1]), variables)
          gradients.append([gradient for gradient, _ in pairs])
      with tf.device("/job:ps/task:0"):
        if synchronous:
          gradients = [[tf.add_n(of_workers) / workers for of_workers in zip(*gradients)]]
        self.trains = [optimizer.apply_gradients(zip(of_one, variables), global_step=step) for of_one in gradients]
      self.initialize = tf.global_variables_initializer()
    self.session = training.session(self.graph, cluster.target("worker"))

  def feed(self, worker, batch):
    images, labels = self.batches[worker]
    return {images: batch[0], labels: batch[1]}


def train_in_graph(cluster, form, images, batch, steps):
  """`steps` steps of each worker: in one call for all, or each by a thread of its own."""
  workers = len(form.batches)

  def feed(worker, step):
    return form.feed(worker, classifier.batch_of(images, step * workers + worker, batch))

  def all_at_once():
    for step in range(steps):
      form.session.run(form.trains[0], {key: value for w in range(workers) for key, value in feed(w, step).items()})

  def alone(worker):
    for step in range(steps):
      form.session.run(form.trains[worker], feed(worker, step))

  if len(form.trains) == 1:
    all_at_once()
  else:
    training.together(cluster, [lambda worker=worker: alone(worker) for worker in range(workers)])


class Forms:
  """Runs each form on a cluster of its own, and keeps its figures."""

  def __init__(self, args, images):
    self.images = images
    self.batch = 20 if args.small else 50
    self.steps = 100 if args.small else 3_000  # of each worker
    self.every = 0.05 if args.small else 0.25
    self.level = 0.3 if args.small else 0.85
    self.rate = 0.02
    self.network = classifier.Classifier([32] if args.small else [300, 100])
    self.table = Table(
      "Four forms of data parallelism (%s)" % images.source,
      "The synchronous forms make the values that one worker makes of batches that are as large as those of both, up to rounding; the asynchronous ones "
      "make twice as many updates, each by a gradient of half as many examples, and nobody waits for the other.",
    )
    self.curves = {}

  def optimizer(self):
    return tf.train.MomentumOptimizer(self.rate, 0.9)

  def one_worker(self, cluster):
    form = InGraph(cluster, self.network, self.optimizer, 1, synchronous=True)
    form.session.run(form.initialize)
    return lambda: train_in_graph(cluster, form, self.images, WORKERS * self.batch, self.steps)

  def in_graph(self, cluster, synchronous):
    form = InGraph(cluster, self.network, self.optimizer, WORKERS, synchronous)
    form.session.run(form.initialize)
    return lambda: train_in_graph(cluster, form, self.images, self.batch, self.steps)

  def between_graphs(self, cluster, synchronous):
    aggregate = WORKERS if synchronous else None
    replicas = [training.Replica(cluster, i, self.network, self.optimizer, aggregate) for i in range(WORKERS)]
    training.start(replicas)
    return lambda: training.train(cluster, replicas, self.images, self.batch, self.steps)

  def run(self, name, updates, prepare):
    print(name, "...", flush=True)
    with Cluster(ps=1, worker=WORKERS) as cluster:
      train = prepare(cluster)
      with training.Watcher(training.reader(cluster, self.network), self.every) as watcher:
        train()
    right, loss = classifier.scores(watcher.last, self.images.test, self.images.test_labels)
    test, labels = self.images.test[:CURVE_IMAGES], self.images.test_labels[:CURVE_IMAGES]
    self.curves[name] = watcher.curve(lambda values: classifier.accuracy(values, test, labels))
    self.table.add(
      **{
        "form": name,
        "updates": count(updates),
        "examples/s": count(WORKERS * self.batch * self.steps / watcher.seconds),
        "accuracy": percent(right),
        "loss": Figure(loss, "%.4f"),
        "to_%d_%%" % round(100 * self.level): seconds(training.time_to(self.curves[name], self.level)),
      }
    )


def main():
  args = arguments.parse(__doc__)
  forms = Forms(args, load(args.data, args.small))
  steps = forms.steps
  forms.run("one worker, batches twice as large", steps, forms.one_worker)
  forms.run("in-graph, synchronous", steps, lambda cluster: forms.in_graph(cluster, True))
  forms.run("between-graph, synchronous", steps, lambda cluster: forms.between_graphs(cluster, True))
  forms.run("in-graph, asynchronous", WORKERS * steps, lambda cluster: forms.in_graph(cluster, False))
  forms.run("between-graph, asynchronous", WORKERS * steps, lambda cluster: forms.between_graphs(cluster, False))
  forms.table.show(args.out)
  picture = Picture("Four forms of data parallelism")
  picture.lines(forms.curves, x="seconds", y="accuracy", level=forms.level, bottom=None)
  picture.bars({row["form"]: row["examples/s"].value for row in forms.table.rows}, axis="examples/s")
  picture.write(args.out, "data_parallel")


if __name__ == "__main__":
  main()
