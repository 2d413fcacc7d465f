"""One network that answers queries on all devices while it trains.

The variables are on a parameter server. Each worker trains the network, and has a copy of its variables by which it answers: a query is
one image, and the copy is taken anew several times a second, so the answers get better while the training goes on.
"""

import threading
import time

import arguments
import classifier
import numpy as np
import tensorflow.compat.v1 as tf
import training
from cluster import Cluster
from images import PIXELS, load
from picture import Picture
from table import Table, count, percent, seconds

WORKERS = 2
WINDOW = 25  # points of the curve of accuracy


class Answers:
  """A client that asks one worker: a graph with a copy of the variables on that worker, and a session."""

  def __init__(self, cluster, worker, network):
    self.graph = tf.Graph()
    with self.graph.as_default():
      with tf.device("/job:ps/task:0"):
        variables = network.variables()
      with tf.device("/job:worker/task:%d" % worker):
        copies = [
          tf.get_variable(
            "copy/" + v.op.name, v.shape, initializer=tf.zeros_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES]
          )
          for v in variables
        ]
        self.refresh = tf.group(*[tf.assign(copy, variable) for copy, variable in zip(copies, variables)])
        self.image = tf.placeholder(tf.uint8, [1, PIXELS])
        self.answer = tf.argmax(classifier.logits(copies, self.image), 1)
    self.session = training.session(self.graph, cluster.target("worker", worker))


class Served:
  """What the clients of one phase saw: of each query when it was answered, how long it took, and whether the answer was right."""

  def __init__(self, lasted_s):
    self.lasted_s = lasted_s
    self.at, self.took, self.right = [], [], []
    self.examples = 0  # trained on
    self._lock = threading.Lock()

  def add(self, at, took, right):
    with self._lock:
      self.at += at
      self.took += took
      self.right += right

  def add_examples(self, number):
    with self._lock:
      self.examples += number

  def curve(self):
    """(seconds, share of right answers) of WINDOW parts of the time."""
    at, right = np.array(self.at), np.array(self.right)
    edges = np.linspace(0, self.lasted_s, WINDOW + 1)
    windows = [(begin, right[(at >= begin) & (at < end)]) for begin, end in zip(edges, edges[1:])]
    full = [(begin, of_window.mean()) for begin, of_window in windows if len(of_window)]
    return [begin for begin, _ in full], [share for _, share in full]


class Phases:
  """The cluster, on which one phase follows the other."""

  def __init__(self, cluster, args, images):
    self.cluster, self.images = cluster, images
    self.lasts_s = 1.0 if args.small else 10.0
    self.refresh_s = 0.05 if args.small else 0.25
    self.batch = 20 if args.small else 50
    self.network = classifier.Classifier([32] if args.small else [300, 100])
    self.replicas = [
      training.Replica(cluster, i, self.network, lambda: tf.train.MomentumOptimizer(0.02, 0.9)) for i in range(WORKERS)
    ]
    self.clients = [Answers(cluster, i, self.network) for i in range(WORKERS)]

  def begin_anew(self):
    training.start(self.replicas)

  def run(self, serves, trains):
    """A phase; returns what was Served."""
    served, begin = Served(self.lasts_s), time.monotonic()
    works = []
    if serves:
      works += [lambda i=i: self._ask(i, served, begin) for i in range(WORKERS)]
    if trains:
      works += [lambda i=i: self._train(i, served, begin) for i in range(WORKERS)]
    training.together(self.cluster, works)
    return served

  def _ask(self, index, served, begin):
    client = self.clients[index]
    at, took, right = [], [], []
    refreshed = -self.refresh_s
    number = index
    while (now := time.monotonic() - begin) < self.lasts_s:
      if now - refreshed >= self.refresh_s:
        client.session.run(client.refresh)
        refreshed, now = now, time.monotonic() - begin
      row = number % len(self.images.test)
      (answer,) = client.session.run(client.answer, {client.image: self.images.test[row : row + 1]})
      at.append(time.monotonic() - begin)
      took.append(at[-1] - now)
      right.append(bool(answer == self.images.test_labels[row]))
      number += WORKERS
    served.add(at, took, right)

  def _train(self, index, served, begin):
    replica = self.replicas[index]
    step = 0
    while time.monotonic() - begin < self.lasts_s:
      batch = classifier.batch_of(self.images, step * WORKERS + index, self.batch)
      replica.session.run(replica.train, replica.feed(batch))
      step += 1
    served.add_examples(step * self.batch)


def main():
  args = arguments.parse(__doc__)
  images = load(args.data, args.small)
  with Cluster(ps=1, worker=WORKERS) as cluster:
    phases = Phases(cluster, args, images)
    phases.begin_anew()
    print("training alone ...", flush=True)
    trained = phases.run(serves=False, trains=True)
    print("answering alone ...", flush=True)
    answered = phases.run(serves=True, trains=False)
    phases.begin_anew()
    print("both ...", flush=True)
    both = phases.run(serves=True, trains=True)
  table = Table(
    "Answering while training (%s)" % images.source,
    "Queries of one image each, on %d workers, one after the other on each; the variables are copied every %g s. Both: the training begins "
    "anew, so the answers are those of a network that learns. The last tenth is the share of right answers at the end."
    % (WORKERS, phases.refresh_s),
  )
  for name, served in (("training alone", trained), ("answering alone", answered), ("both", both)):
    last = [right for at, right in zip(served.at, served.right) if at > 0.9 * served.lasted_s]
    table.add(
      what=name,
      **{"queries/s": count(len(served.at) / served.lasted_s if served.at else None)},
      median=seconds(training.median(served.took)),
      of_99_in_100=seconds(float(np.percentile(served.took, 99)) if served.took else None),
      **{"examples/s": count(served.examples / served.lasted_s if served.examples else None)},
      right=percent(np.mean(served.right) if served.right else None),
      last_tenth=percent(np.mean(last) if last else None),
    )
  table.show(args.out)
  picture = Picture("One network that answers while it trains")
  picture.lines({"trained": answered.curve(), "while it trains": both.curve()}, x="seconds", y="right answers", bottom=None)
  picture.bars(
    {"answering alone": len(answered.at) / answered.lasted_s, "and training": len(both.at) / both.lasted_s}, axis="queries/s"
  )
  picture.bars(
    {"training alone": trained.examples / trained.lasted_s, "and answering": both.examples / both.lasted_s}, axis="examples/s"
  )
  picture.write(args.out, "serving_while_training")


if __name__ == "__main__":
  main()
