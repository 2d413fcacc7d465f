"""What the programs of this folder train with: replicas between graphs, threads that end together, and somebody who watches."""

import threading
import time

import classifier
import cluster as clusters
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

# Of a single call: a step that takes longer waits for somebody who is gone.
RUN_LIMIT_MS = 60_000
POLL_SECONDS = 0.0005
HOLD_SECONDS = 0.02


def session(graph, target, tasks=()):
  """A session of a client, closed before its cluster ends. `tasks`, such as ["/job:ps"], are those that its graph is for; none: all of
  the cluster."""
  config = tf.ConfigProto(operation_timeout_in_ms=RUN_LIMIT_MS)
  config.device_filters.extend(tasks)
  made = tf.Session(target, graph=graph, config=config)
  clusters.closes_before(target, made)
  return made


def together(cluster, works):
  """Calls each function on a thread of its own; returns what they return when all have. An error in one of them is raised; it ends
  the cluster, so that no other waits for what will not come."""
  results, errors = [None] * len(works), []
  lock = threading.Lock()

  def call(i):
    try:
      results[i] = works[i]()
    except BaseException as error:
      with lock:
        errors.append(error)
        if len(errors) == 1:
          cluster.stop()

  threads = [threading.Thread(target=call, args=[i], daemon=True) for i in range(len(works))]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  if errors:
    raise errors[0]
  return results


class OneGradientAStep:
  """Lets a synchronous replica give one gradient a step.

  There is a token of a step for each replica. One that is fast may take a second of the same step: that of a slow replica, which is then
  of no use, or that of one which comes a little later, and has to have it. Here the replica keeps such a token until the next step, or
  gives it back if that does not begin soon, and computes nothing for it.
  """

  def __init__(self, replica):
    kind = replica.step.dtype.base_dtype
    with replica.graph.as_default(), tf.device(replica.step.device):
      # The queue of SyncReplicasOptimizer, by its name.
      tokens = tf.FIFOQueue(-1, kind, [()], shared_name="sync_token_q")
      self._last = tf.placeholder(kind, [])
      self._give_back = tokens.enqueue(self._last)
      token = tf.cond(tf.greater(replica.step, self._last), tokens.dequeue, lambda: tf.identity(self._last))
      own = next(v for v in tf.local_variables() if v.op.name.endswith("sync_rep_local_step"))
      with tf.device(own.device):
        # A token, or that of the last step if there was no update since.
        self._take = tf.assign(own, token)
    self._replica = replica
    self._step = 0  # of the last gradient

  def next_step(self, token):
    """With the token that the replica has now; returns when it has one of a later step than its last gradient."""
    run = self._replica.session.run
    begin = time.monotonic()
    may_be_missed = token == self._step
    while token <= self._step:
      waited = time.monotonic() - begin
      if may_be_missed and waited > HOLD_SECONDS:
        run(self._give_back, {self._last: self._step})
        may_be_missed = False
      if waited > RUN_LIMIT_MS / 1000:
        raise TimeoutError("step %d has had no update for %d s" % (self._step, waited))
      time.sleep(POLL_SECONDS)
      token = run(self._take, {self._last: self._step})
    self._step = token


class Replica:
  """A client of one worker, with a graph of its own: between-graph replication. Variables are on the parameter servers.

  With `aggregate` the training is synchronous: the chief, which is replica 0, applies the mean of as many gradients. `hold` gets the
  pairs of gradients and variables, and returns what is applied in their place.
  """

  def __init__(self, cluster, index, network, make_optimizer, aggregate=None, hold=None):
    worker = "/job:worker/task:%d" % index
    self.graph = tf.Graph()
    setter = tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster.spec), worker_device=worker)
    with self.graph.as_default(), tf.device(setter):
      self.step = tf.train.get_or_create_global_step()
      self.images, self.labels = classifier.placeholders()
      variables = network.variables()
      loss = classifier.loss(variables, self.images, self.labels)
      self.optimizer = make_optimizer()
      if aggregate:
        self.optimizer = tf.train.SyncReplicasOptimizer(self.optimizer, aggregate, len(cluster.spec["worker"]))
      pairs = self.optimizer.compute_gradients(loss, variables)
      self.train = self.optimizer.apply_gradients(hold(pairs) if hold else pairs, global_step=self.step)
      self.initialize = tf.global_variables_initializer()
      if aggregate:
        # What the optimizer's hook does by a queue runner. Here it is run as often as there are updates, so that the end is one.
        self.update = self.optimizer.get_chief_queue_runner().enqueue_ops[0]
    self.once = OneGradientAStep(self) if aggregate else None
    self.session = session(self.graph, cluster.target("worker", index), ["/job:ps", worker])

  def run_step(self, batch):
    """A step; a synchronous one ends when the replica may begin the next."""
    token = self.session.run(self.train, self.feed(batch))
    if self.once:
      self.once.next_step(token)

  def feed(self, batch):
    return {self.images: batch[0], self.labels: batch[1]}


def start(replicas):
  """Gives the variables their initial values, and synchronous replicas the step that their gradients belong to."""
  for replica in replicas:
    if replica is replicas[0]:
      replica.session.run(replica.initialize)
    if isinstance(replica.optimizer, tf.train.SyncReplicasOptimizer):
      first = replica.optimizer.chief_init_op if replica is replicas[0] else replica.optimizer.local_step_init_op
      replica.session.run(first)


def train(cluster, replicas, images, batch, steps):
  """`steps` steps of each replica, whose batches lie in turn. Synchronous replicas make as many updates together."""

  def work(index):
    replica = replicas[index]
    for step in range(steps):
      replica.run_step(classifier.batch_of(images, step * len(replicas) + index, batch))

  def update():
    for _ in range(steps):
      replicas[0].session.run(replicas[0].update)

  works = [lambda index=index: work(index) for index in range(len(replicas))]
  if isinstance(replicas[0].optimizer, tf.train.SyncReplicasOptimizer):
    works.append(update)
  together(cluster, works)


def close(replicas):
  for replica in replicas:
    replica.session.close()


class Watcher:
  """Calls `read` from time to time while others train, and once more at the end; keeps what it returns: the variables' values.

  with Watcher(read, every=0.25) as watcher:
    train(...)
  times, accuracies = watcher.curve(score)
  """

  def __init__(self, read, every):
    self._read, self._every = read, every
    self._seen = []
    self._error = None
    self._end = threading.Event()
    self._thread = threading.Thread(target=self._watch, daemon=True)

  def __enter__(self):
    self._begin = time.monotonic()
    self._seen.append((0.0, self._read()))
    self._thread.start()
    return self

  def __exit__(self, kind, *unused):
    self.seconds = time.monotonic() - self._begin
    self._end.set()
    self._thread.join()
    if kind is None:
      if self._error:
        raise self._error
      self._seen.append((self.seconds, self._read()))

  def _watch(self):
    try:
      while not self._end.wait(self._every):
        at = time.monotonic() - self._begin
        self._seen.append((at, self._read()))
    except Exception as error:
      self._error = error

  @property
  def last(self):
    """The values of the end."""
    return self._seen[-1][1]

  def curve(self, score):
    """(seconds, scores) of all readings."""
    return [at for at, _ in self._seen], [score(values) for _, values in self._seen]


def reader(cluster, network):
  """A function that returns the values of the classifier's variables, which are on one parameter server."""
  graph = tf.Graph()
  with graph.as_default(), tf.device("/job:ps/task:0"):
    variables = network.variables()
  reads = session(graph, cluster.target("ps"), ["/job:ps"])
  return lambda: reads.run(variables)


def time_to(curve, level):
  """When a curve of Watcher first reached the level, or None."""
  return next((at for at, score in zip(*curve) if score >= level), None)


def median(numbers):
  return float(np.median(numbers)) if len(numbers) else None
