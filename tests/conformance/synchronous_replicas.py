"""Synchronous training by the stock client, a replica a worker: what is trained, and the three ways to drive it.

    case = Case(workers=3, aggregate=2, resources=False, sparse=True)
    step, values = train(cluster, case, monitored, updates=6)
    assert_equal(values, expected(case, step))

The gradient of each variable depends on this variable alone, so it is that of one global step whatever other variables
are read; and is the same for all replicas unless `Case.apart`. So after a number of updates there is one answer.
"""

import collections
import functools
import threading
import time

import numpy as np
import tensorflow as tf
from tensorflow.python.training import session_manager

tf1 = tf.compat.v1

# aggregate: replicas_to_aggregate. apart: the gradients of replicas differ by a factor, so all have to take part.
Case = collections.namedtuple("Case", "workers aggregate resources sparse optimizer apart", defaults=("sgd", False))
OPTIMIZERS = {
  "sgd": lambda: tf1.train.GradientDescentOptimizer(0.1),
  "momentum": lambda: tf1.train.MomentumOptimizer(0.1, 0.9),
  "adam": lambda: tf1.train.AdamOptimizer(0.05),
}
PATIENCE_S = 120
OPERATION_MS = 60_000
# For the chief's update, which waits for gradients when all have ended; then its session is closed.
GRACE_S = 0.2
ROWS, WIDTH = 20, 5
IDS = ([3, 1, 7, 3], [0, 19, 4])  # of the two tables


def share(case, index):
  """The factor of a replica's gradients. Their mean is that of `expected`."""
  return 0.5 + index if case.apart else 1.0


def mean_share(case):
  return sum(share(case, i) for i in range(case.workers)) / case.workers


def make_loss(case, factor):
  losses = []
  for i in range(2):
    numbers = np.random.RandomState(i)
    shape = [ROWS, WIDTH] if case.sparse else [6, WIDTH]
    variable = tf1.get_variable(f"v{i}", initializer=numbers.uniform(-2, 2, shape).astype(np.float32))
    read = tf1.nn.embedding_lookup(variable, IDS[i]) if case.sparse else variable
    goal = numbers.uniform(-2, 2, read.shape.as_list()).astype(np.float32)
    losses.append(0.5 * factor * tf.reduce_sum(tf.square(read - goal)))
  return tf.add_n(losses)


@functools.lru_cache(maxsize=None)
def _expected(sparse, optimizer, factor, updates):
  with tf1.Graph().as_default(), tf1.variable_scope("", use_resource=True):
    loss = make_loss(Case(1, 1, True, sparse), factor)
    variables = tf1.trainable_variables()
    update = OPTIMIZERS[optimizer]().minimize(loss)
    with tf1.Session() as session:
      session.run(tf1.global_variables_initializer())
      for _ in range(updates):
        session.run(update)
      return session.run(variables)


def expected(case, updates):
  """The variables after that many updates, by a session of stock without servers and with an optimizer that knows no
  replicas."""
  return _expected(case.sparse, case.optimizer, mean_share(case), int(updates))


class Replica:
  """One worker's graph."""

  def __init__(self, cluster, case, index):
    self.cluster, self.case, self.index = cluster, case, index
    self.is_chief = index == 0
    self.target = cluster.target("worker", index)
    self.graph = tf1.Graph()
    setter = tf1.train.replica_device_setter(
      cluster=tf.train.ClusterSpec(cluster.spec()), worker_device=f"/job:worker/task:{index}"
    )
    with self.graph.as_default(), tf1.device(setter), tf1.variable_scope("", use_resource=case.resources):
      self.step = tf1.train.get_or_create_global_step()
      self.loss = make_loss(case, share(case, index))
      self.optimizer = tf1.train.SyncReplicasOptimizer(
        OPTIMIZERS[case.optimizer](), replicas_to_aggregate=case.aggregate, total_num_replicas=case.workers
      )
      self.update = self.optimizer.minimize(self.loss, global_step=self.step)
      self.variables = tf1.trainable_variables()
      # One for each replica that is in a step when the chief ends.
      self.last_tokens = self.optimizer.get_init_tokens_op(max(case.workers, case.aggregate)) if self.is_chief else None

  def config(self, timeout_ms=OPERATION_MS):
    config = tf1.ConfigProto(operation_timeout_in_ms=timeout_ms)
    config.device_filters.extend(["/job:ps", f"/job:worker/task:{self.index}"])
    return config


class Together:
  """What the threads of one training share."""

  def __init__(self, case, updates, batches=None):
    self.case, self.updates = case, updates
    self.batches = batches or [None] * case.workers  # by worker: steps of its data, None: no end
    self.ready = threading.Event()  # the chief's session
    self.last = threading.Barrier(case.workers)
    self.failed = []
    self.result = None

  def await_ready(self):
    assert self.ready.wait(PATIENCE_S), "the chief has no session"

  def finish(self, replica, session):
    """Until all replicas have ended; the chief then has the values, when the updates that were under way are over.

    A step tells the global step of its beginning, so on a busy machine a replica may begin one more when the chief makes no
    update any more. It ends with one of the chief's last tokens."""
    if replica.is_chief:
      session.run(replica.last_tokens)
    self.last.wait(PATIENCE_S)
    if replica.is_chief:
      self.result = settle(replica, session)
    self.last.wait(PATIENCE_S)


def settle(replica, session):
  """The global step and the variables, which fit each other as soon as no update is under way."""
  end = time.monotonic() + PATIENCE_S
  while True:
    step, values = session.run([replica.step, replica.variables])
    try:
      assert_equal(values, expected(replica.case, step))
      return step, values
    except AssertionError:
      if time.monotonic() > end:
        raise


def assert_equal(values, wanted):
  for got, want in zip(values, wanted):
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


class _Ends(tf1.train.SessionRunHook):
  """Tells when the session is made, and finishes before it is closed."""

  def __init__(self, together, replica):
    self.together, self.replica = together, replica

  def after_create_session(self, session, coord):
    self.together.ready.set()

  def end(self, session):
    self.together.finish(self.replica, session)


def steps_of(together, index):
  """Counts a worker's own steps as its data lasts."""
  batches = together.batches[index]
  return range(1 << 40 if batches is None else batches)


def monitored(replica, together):
  """By MonitoredTrainingSession with the optimizer's hook."""
  if not replica.is_chief:
    together.await_ready()
  hooks = [
    replica.optimizer.make_session_run_hook(replica.is_chief),
    tf1.train.StopAtStepHook(last_step=together.updates),
    _Ends(together, replica),
  ]
  with tf1.train.MonitoredTrainingSession(
    replica.target,
    is_chief=replica.is_chief,
    hooks=hooks,
    config=replica.config(),
    save_summaries_steps=None,
    save_summaries_secs=None,
    log_step_count_steps=None,
    stop_grace_period_secs=GRACE_S,
  ) as session:
    for _ in steps_of(together, replica.index):
      if session.should_stop():
        break
      session.run(replica.update)


def supervised(replica, together):
  """By Supervisor, with the chief's queue runner and tokens."""
  if not replica.is_chief:
    together.await_ready()
  optimizer = replica.optimizer
  tokens = optimizer.get_init_tokens_op() if replica.is_chief else None
  runner = optimizer.get_chief_queue_runner()
  supervisor = tf1.train.Supervisor(
    graph=replica.graph,
    is_chief=replica.is_chief,
    init_op=tf1.global_variables_initializer(),
    saver=None,
    summary_op=None,
    local_init_op=optimizer.chief_init_op if replica.is_chief else optimizer.local_step_init_op,
    ready_for_local_init_op=optimizer.ready_for_local_init_op,
    global_step=replica.step,
    recovery_wait_secs=1,
    stop_grace_secs=GRACE_S,
  )
  session = supervisor.prepare_or_wait_for_session(replica.target, config=replica.config())
  try:
    if replica.is_chief:
      session.run(tokens)
      supervisor.start_queue_runners(session, [runner])
      together.ready.set()
    for _ in steps_of(together, replica.index):
      session.run(replica.update)
      if session.run(replica.step) >= together.updates:
        break
    together.finish(replica, session)
  finally:
    supervisor.stop(close_summary_writer=False, ignore_live_threads=True)
    session.close()


def by_hand(replica, together):
  """By sessions and threads of one's own, in rounds, a step of each replica. So the gradients may differ (where all are
  aggregated)."""
  case, optimizer = replica.case, replica.optimizer
  of_each = max(1, case.aggregate // case.workers)
  tokens = optimizer.get_init_tokens_op(max(0, case.aggregate - case.workers)) if replica.is_chief else None
  runner = optimizer.get_chief_queue_runner()
  initialize = tf1.global_variables_initializer()
  if not replica.is_chief:
    together.await_ready()
  with tf1.Session(replica.target, config=replica.config()) as session:
    if replica.is_chief:
      session.run(initialize)
    assert session.run(optimizer.ready_for_local_init_op).size == 0
    session.run(optimizer.chief_init_op if replica.is_chief else optimizer.local_step_init_op)
    if replica.is_chief:
      session.run(tokens)
      coordinator = tf1.train.Coordinator()
      runner.create_threads(session, coordinator, daemon=True, start=True)
      together.ready.set()
    for _ in range(together.updates * of_each):
      together.last.wait(PATIENCE_S)  # or one would take two of the tokens, and an other none
      session.run(replica.update)
    together.finish(replica, session)
    if replica.is_chief:
      coordinator.request_stop()


def run(cluster, together, drive):
  """A thread a worker; until all have ended."""
  tf1.Session.reset(cluster.target("worker", 0))

  def work(index):
    try:
      replica = Replica(cluster, together.case, index)
      with replica.graph.as_default():
        drive(replica, together)
    except BaseException as e:  # pylint: disable=broad-except
      together.failed.append(e)
      together.last.abort()

  threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(together.case.workers)]
  for thread in threads:
    thread.start()
  end = time.monotonic() + 2 * PATIENCE_S
  for thread in threads:
    thread.join(max(0, end - time.monotonic()))
  others = [e for e in together.failed if not isinstance(e, threading.BrokenBarrierError)]
  if others:
    raise others[0]
  assert not any(thread.is_alive() for thread in threads), "the training does not end"
  assert not together.failed, together.failed


def train(cluster, case, drive, updates, batches=None):
  """Trains; gives the global step of the end and the variables."""
  together = Together(case, updates, batches)
  run(cluster, together, drive)
  return together.result


class Step:
  """A run by a thread of its own."""

  def __init__(self, session, fetch):
    self.error = self.ended = None
    self._thread = threading.Thread(target=self._run, args=(session, fetch), daemon=True)
    self._thread.start()

  def _run(self, session, fetch):
    try:
      session.run(fetch)
    except tf.errors.OpError as e:
      self.error = e
    self.ended = time.monotonic()

  def join(self):
    self._thread.join(PATIENCE_S)
    assert self.ended is not None, "the step does not end"
    return self


class Stuck:
  """Replicas by hand, with a session each, whose steps and updates a test begins."""

  def __init__(self, cluster, case, timeouts_ms):
    tf1.Session.reset(cluster.target("worker", 0))
    self.replicas = [Replica(cluster, case, i) for i in range(case.workers)]
    self.sessions, self.begun = [], []
    self.coordinator = tf1.train.Coordinator()
    for replica, timeout_ms in zip(self.replicas, timeouts_ms):
      with replica.graph.as_default():
        session = tf1.Session(replica.target, config=replica.config(timeout_ms))
        self.sessions.append(session)
        optimizer = replica.optimizer
        if replica.is_chief:
          session.run(tf1.global_variables_initializer())
        assert session.run(optimizer.ready_for_local_init_op).size == 0
        session.run(optimizer.chief_init_op if replica.is_chief else optimizer.local_step_init_op)

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    self.coordinator.request_stop()
    for session in self.sessions:
      try:
        session.close()
      except tf.errors.OpError:
        pass  # its master is lost

  def make_updates(self):
    """The chief's, by its queue runner."""
    replica = self.replicas[0]
    with replica.graph.as_default():
      replica.optimizer.get_chief_queue_runner().create_threads(self.sessions[0], self.coordinator, daemon=True, start=True)

  def begin_one_update(self):
    return self._begin(0, self.replicas[0].optimizer.get_chief_queue_runner().enqueue_ops[0])

  def begin_step(self, index):
    """The worker's, which waits for its token."""
    return self._begin(index, self.replicas[index].update)

  def _begin(self, index, fetch):
    self.begun.append(Step(self.sessions[index], fetch))
    return self.begun[-1]


def look_often():
  """The client's sessions look each 30 s whether the chief has initialized the variables; in tests they do it each 0.2 s."""
  make = session_manager.SessionManager.__init__
  session_manager.SessionManager.__init__ = functools.partialmethod(make, recovery_wait_secs=0.2)
  return lambda: setattr(session_manager.SessionManager, "__init__", make)
