"""Stale gradients: asynchronous workers of which one takes ten times as long as the others, with what helps against it side by side.

Each training has the same time. The table compares them after that time, and after as many examples as the one with the fewest had.

Workers on this machine would only show how its cores are shared. So the network is small, and each worker has a device that takes its
time by waiting: the gradients, which are there at once, go on when it has passed.
"""

import time

import arguments
import classifier
import tensorflow.compat.v1 as tf
import training
from cluster import Cluster
from images import load
from picture import Picture
from spare_replicas import Device
from table import Figure, Table, count, percent

from millrace import parallel

SLOWER = 10  # times as long as the others takes the last worker


class Options:
  def __init__(self, is_small):
    self.workers = 3 if is_small else 5
    self.hidden = [16] if is_small else [64]
    self.batch = 32
    self.takes_s = 0.01 if is_small else 0.02
    self.lasts_s = 0.7 if is_small else 12.0
    self.every_s = 0.05 if is_small else 0.25
    self.bound = 3 if is_small else 6
    self.warm_up_steps = 10 if is_small else 60


def policies(options):
  """{name: what AsyncReplicasOptimizer is told}"""
  return {
    "applied as they are": {},
    "staler than %d are dropped" % options.bound: {"staleness": "drop", "max_staleness": options.bound},
    "scaled by 1 / (staleness + 1)": {"staleness": "scale"},
    "at most %d steps ahead" % options.bound: {"max_ahead": options.bound},
    "warm-up of %d steps" % options.warm_up_steps: {"warm_up_steps": options.warm_up_steps},
    "warm-up, and scaled": {"warm_up_steps": options.warm_up_steps, "staleness": "scale"},
  }


class Run:
  """One training by a policy, on a cluster of its own."""

  def __init__(self, options, policy, images):
    self.options, self.policy, self.images = options, policy, images
    self.network = classifier.Classifier(options.hidden)

  def train(self):
    """Returns the Watcher of (records of the replicas, values of the variables)."""
    options = self.options
    with Cluster(ps=1, worker=options.workers) as cluster:
      devices = [Device(i, options.takes_s * (SLOWER if i == options.workers - 1 else 1)) for i in range(options.workers)]
      replicas = [
        training.Replica(cluster, i, self.network, lambda i=i: self.optimizer(i), hold=device.hold)
        for i, device in enumerate(devices)
      ]
      tickers = [training.session(replica.graph, cluster.target("worker", i)) for i, replica in enumerate(replicas)]
      training.start(replicas)
      with training.Watcher(lambda: self.read(replicas[0]), options.every_s) as watcher:
        self.end = time.monotonic() + options.lasts_s
        training.together(
          cluster,
          [lambda i=i: self.steps(i, replicas[i], devices[i]) for i in range(options.workers)]
          + [lambda d=d, s=s: d.work(s) for d, s in zip(devices, tickers)],
        )
      # Before the servers end: the stock client would wait for them when the sessions are deleted.
      training.close(replicas)
      for session in tickers:
        session.close()
      return watcher

  def read(self, replica):
    with replica.graph.as_default():
      variables = tf.trainable_variables()
    return replica.optimizer.read_records(replica.session), replica.session.run(variables)

  def optimizer(self, index):
    rule = tf.train.MomentumOptimizer(0.05, 0.9)
    return parallel.AsyncReplicasOptimizer(rule, replicas=self.options.workers, replica=index, **self.policy)

  def steps(self, index, replica, device):
    pace = replica.optimizer.make_pace()
    try:
      pace.begin(replica.session)
      number = index
      while True:
        pace.before_step(replica.session)
        if time.monotonic() >= self.end:
          break
        device.begin()
        replica.session.run(replica.train, replica.feed(classifier.batch_of(self.images, number, self.options.batch)))
        number += self.options.workers
      pace.end(replica.session)
    finally:
      device.end()


def gradients_of(records):
  return sum(record.gradients for record in records.replicas)


def values_after(readings, gradients):
  """The values of the variables at the first reading with so many gradients."""
  return next(values for records, values in readings if gradients_of(records) >= gradients)


def main():
  args = arguments.parse(__doc__)
  options, images = Options(args.small), load(args.data, args.small)
  tf.logging.set_verbosity(tf.logging.ERROR)
  readings, curves = {}, {}
  for name, policy in policies(options).items():
    print(name, "...", flush=True)
    times, readings[name] = Run(options, policy, images).train().curve(lambda seen: seen)
    curves[name] = times, [classifier.accuracy(values, images.test, images.test_labels) for _, values in readings[name]]
  # At these examples all have a reading.
  fewest = min(gradients_of(seen[-1][0]) for seen in readings.values())
  table = Table(
    "Staleness policies (%s)" % images.source,
    "%d workers, one of which takes %d ms for a batch of %d examples and the others %d ms; each training has %g s. Staleness is of "
    "all gradients, applied or not: how many updates others made meanwhile."
    % (options.workers, 1000 * options.takes_s * SLOWER, options.batch, 1000 * options.takes_s, options.lasts_s),
  )
  for name, seen in readings.items():
    records, values = seen[-1]
    gradients = gradients_of(records)
    right, loss = classifier.scores(values, images.test, images.test_labels)
    table.add(
      **{
        "stale gradients": name,
        "gradients": count(gradients),
        "updates": count(records.global_step),
        "dropped": count(sum(record.dropped for record in records.replicas)),
        "mean staleness": Figure(sum(record.staleness_sum for record in records.replicas) / max(1, gradients), "%.2f"),
        "greatest": count(max(record.max_staleness for record in records.replicas)),
        "loss": Figure(loss, "%.4f"),
        "accuracy": percent(right),
        "after %s examples" % format(fewest * options.batch, ","): percent(
          classifier.accuracy(values_after(seen, fewest), images.test, images.test_labels)
        ),
      }
    )
  table.show(args.out)
  picture = Picture("Stale gradients: one of %d workers takes %d times as long" % (options.workers, SLOWER))
  picture.lines(curves, x="seconds", y="accuracy", bottom=None)
  picture.bars({row["stale gradients"]: row["mean staleness"].value for row in table.rows}, axis="mean staleness")
  picture.write(args.out, "staleness")


if __name__ == "__main__":
  main()
