"""Five workers, of which one takes ten times as long as the others: synchronous training with 0, 1 and 2 spares, and asynchronous.

With a spare, a step takes the gradients of the four workers that have theirs first, and nobody waits for the slow one.

Five workers on this machine would only show how its cores are shared. So the network is small, and each worker has a device that takes
its time by waiting: the gradients, which are there at once, go on when it has passed.
"""

import contextlib
import statistics
import threading
import time

import arguments
import classifier
import numpy as np
import tensorflow.compat.v1 as tf
import training
from cluster import Cluster
from images import load
from picture import Picture
from table import Figure, Table, count, percent, seconds


class Device:
  """Stands for a device that takes some seconds for the gradients of a batch. The graph waits for them on a queue, into which the client
  puts an element when the time has passed."""

  def __init__(self, index, takes_s):
    self.takes_s = takes_s
    self._worker = "/job:worker/task:%d" % index
    self._begun = threading.Semaphore(0)
    self._is_over = False

  def hold(self, pairs):
    """The gradients, computed of the values that the variables have when a step begins, and given when the device is ready."""
    with tf.device(self._worker):
      queue = tf.FIFOQueue(1, tf.bool, [()], shared_name="device")
      self._ready = queue.enqueue(True)
      with tf.control_dependencies([gradient for gradient, _ in pairs]):
        waits = queue.dequeue()
      with tf.control_dependencies([waits]):
        return [(tf.identity(gradient), variable) for gradient, variable in pairs]

  def begin(self):
    """A step begins."""
    self._begun.release()

  def end(self):
    self._is_over = True
    self._begun.release()

  def work(self, session):
    """Until `end`: an element for each step that begins."""
    while True:
      self._begun.acquire()
      if self._is_over:
        return
      time.sleep(self.takes_s)
      session.run(self._ready)


class Way:
  """A way to train: how many workers there are, whether one of them is slow, and how many gradients a step takes, or None for
  asynchronous training. Without `once` a worker may give several gradients a step."""

  def __init__(self, name, workers, has_slow, aggregate, once=True):
    self.name, self.workers, self.has_slow, self.aggregate = name, workers, has_slow, aggregate
    self.once = once and aggregate is not None


class Run:
  """One training for some seconds, on a cluster of its own."""

  def __init__(self, way, options, images, seed):
    self.way, self.options, self.images = way, options, images
    self.network = classifier.Classifier(options.hidden, seed)
    self.first_batch = 1_000_003 * seed
    self.is_over = False
    self.times = []  # of updates

  def train(self):
    """(seconds of each step, accuracy at the end, updates)"""
    with Cluster(ps=1, worker=self.way.workers) as cluster:
      takes = [self.options.takes_s] * self.way.workers
      if self.way.has_slow:
        takes[-1] *= self.options.slower
      devices = [Device(i, takes_s) for i, takes_s in enumerate(takes)]
      replicas = [
        training.Replica(cluster, i, self.network, self.optimizer, self.way.aggregate, devices[i].hold)
        for i in range(self.way.workers)
      ]
      tickers = [training.session(r.graph, cluster.target("worker", i)) for i, r in enumerate(replicas)]
      for replica in replicas:
        replica.once = replica.once if self.way.once else None
      read, read_step = training.reader(cluster, self.network), _step_reader(cluster)
      training.start(replicas)
      works = [lambda i=i: self.steps(replicas[i], i, devices[i]) for i in range(self.way.workers)]
      works += [lambda d=d, s=s: self.quietly(d.work, s) for d, s in zip(devices, tickers)]
      works.append(lambda: self.watch(read, read_step, devices, replicas, tickers))
      if self.way.aggregate:
        works.append(lambda: self.quietly(self.update, replicas[0]))
      values, updates = training.together(cluster, works)[2 * self.way.workers]
    has_steps = self.way.aggregate and len(self.times) > 1
    steps = np.diff(self.times) if has_steps else [self.options.lasts_s / max(1, updates)]
    return list(steps), classifier.accuracy(values, self.images.test, self.images.test_labels), updates

  def optimizer(self):
    return tf.train.GradientDescentOptimizer(0.1)

  def steps(self, replica, index, device):
    def work():
      number = self.first_batch + index
      while not self.is_over:
        device.begin()
        replica.run_step(classifier.batch_of(self.images, number, self.options.batch))
        number += self.way.workers

    try:
      self.quietly(work)
    finally:
      device.end()

  def update(self, chief):
    while not self.is_over:
      chief.session.run(chief.update)
      self.times.append(time.monotonic())

  def watch(self, read, read_step, devices, replicas, tickers):
    """(values of the variables, updates) after the time that all ways have; ends what waits then."""
    time.sleep(self.options.lasts_s)
    found = read(), read_step()
    self.is_over = True
    for device in devices:
      device.end()
    # This ends steps that wait for gradients or tokens, which will not come.
    for session in [replica.session for replica in replicas] + tickers:
      session.close()
    return found

  def quietly(self, work, *arguments):
    """Calls `work`; at the end its session is closed, and that is no error."""
    with contextlib.ExitStack() as stack:
      stack.push(lambda kind, error, trace: self.is_over and isinstance(error, (tf.errors.OpError, RuntimeError)))
      work(*arguments)


class Options:
  def __init__(self, is_small):
    self.hidden = [16] if is_small else [32]
    self.batch = 32
    self.takes_s = 0.01 if is_small else 0.025
    self.slower = 10
    self.lasts_s = 0.4 if is_small else 4.0
    self.seeds = 1 if is_small else 3
    self.fast = 2 if is_small else 4  # workers, beside the slow one


def _step_reader(cluster):
  graph = tf.Graph()
  with graph.as_default(), tf.device("/job:ps/task:0"):
    step = tf.train.get_or_create_global_step()
  session = training.session(graph, cluster.target("ps"), ["/job:ps"])
  return lambda: int(session.run(step))


def ways(fast):
  return [
    Way("synchronous, without the slow one", fast, False, fast),
    Way("synchronous, no spare", fast + 1, True, fast + 1),
    Way("synchronous, 1 spare", fast + 1, True, fast),
    Way("synchronous, 2 spares", fast + 1, True, fast - 1),
    Way("synchronous, 1 spare, any token", fast + 1, True, fast, once=False),
    Way("asynchronous", fast + 1, True, None),
  ]


def main():
  args = arguments.parse(__doc__)
  options = Options(args.small)
  images = load(args.data, args.small)
  table = Table(
    "Spare replicas (%s)" % images.source,
    "%d workers, one of which takes %d ms for a batch and the others %d ms; each training has %g s, with %s. A step without spares takes "
    "as long as the slow worker, with one as long as the others. Any token: as SyncReplicasOptimizer hands them out, so that fast "
    "workers also compute what nobody waits for."
    % (
      options.fast + 1,
      1000 * options.takes_s * options.slower,
      1000 * options.takes_s,
      options.lasts_s,
      "%d seeds" % options.seeds if options.seeds > 1 else "one seed",
    ),
  )
  medians, accuracies, spread, first = {}, {}, {}, None
  for way in ways(options.fast):
    print(way.name, "...", flush=True)
    steps, found, updates = zip(*(Run(way, options, images, seed).train() for seed in range(1, options.seeds + 1)))
    # The first steps of a session are slower: graphs are sent and made ready.
    medians[way.name] = statistics.median([s for of_run in steps for s in (of_run[2:] or of_run)])
    first = first or medians[way.name]
    accuracies[way.name] = statistics.mean(found)
    spread[way.name] = (max(found) - min(found)) / 2
    table.add(
      training=way.name,
      gradients_a_step=Figure(way.aggregate or 1, "%d"),
      median_step=seconds(medians[way.name]),
      of_the_first=Figure(medians[way.name] / first, "%.2f"),
      updates=count(statistics.mean(updates)),
      accuracy=percent(accuracies[way.name]),
      lowest=percent(min(found)),
      highest=percent(max(found)),
    )
  table.show(args.out)
  picture = Picture("Spare replicas: one of %d workers takes %d times as long" % (options.fast + 1, options.slower))
  picture.bars({name: 1000 * value for name, value in medians.items()}, axis="median step, ms")
  picture.bars(
    {name: 100 * value for name, value in accuracies.items()},
    axis="%% right after %g s" % options.lasts_s,
    errors={name: 100 * value for name, value in spread.items()},
  )
  picture.write(args.out, "spare_replicas")


if __name__ == "__main__":
  main()
