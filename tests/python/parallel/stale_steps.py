"""Steps whose staleness a test decides: each stops when it has read its parameters, until the test lets it go on.

    model = Model(tf, use_resource=True, sparse=False)
    optimizer = parallel.AsyncReplicasOptimizer(tf.train.GradientDescentOptimizer(RATE), ...)
    train = optimizer.minimize(model.loss, global_step=model.step)
    values = model.run_stale(session, [train, optimizer.staleness], 3)

The gradient of row r is (value - goal) as often as r is among the rows that the loss looks at, and nobody else changes the
variable meanwhile, so there is one answer.
"""

import threading

import numpy as np

RATE = 0.25
ROWS, WIDTH = 6, 3
IDS = [4, 1, 4]
PATIENCE_S = 60
BEGIN = np.arange(ROWS * WIDTH, dtype=np.float32).reshape(ROWS, WIDTH) / 8
GOAL = 1 - BEGIN


def gradient(value, sparse):
  """By numpy, of all rows."""
  if not sparse:
    return value - GOAL
  found = np.zeros_like(value)
  for row in IDS:
    found[row] += value[row] - GOAL[row]
  return found


class Model:
  """In the default graph; `places` are the devices of the global step, of the variable, and of all else."""

  def __init__(self, tf, use_resource, sparse, places=("", "", "")):
    self.tf = tf
    with tf.variable_scope("", use_resource=use_resource):
      with tf.device(places[0]):
        self.step = tf.train.get_or_create_global_step()
      with tf.device(places[1]):
        self.w = tf.get_variable("w", initializer=BEGIN)
    with tf.device(places[2]):
      self._make_loss(sparse)

  def _make_loss(self, sparse):
    tf = self.tf
    self._begun = tf.FIFOQueue(-1, [tf.int32], [[]], shared_name="begun")
    self._go = tf.FIFOQueue(-1, [tf.float32], [[]], shared_name="go")
    if sparse:
      distance = tf.nn.embedding_lookup(self.w, IDS) - tf.constant(GOAL[IDS])
    else:
      distance = self.w - tf.constant(GOAL)
    loss = 0.5 * tf.reduce_sum(tf.square(distance))
    with tf.control_dependencies([loss]):
      self.told = self._begun.enqueue(0)
    with tf.control_dependencies([self.told]):
      self.loss = loss * self._go.dequeue()
    self._await_begun = self._begun.dequeue()
    self._let_go = self._go.enqueue(1.0)
    self._by_others = tf.placeholder(tf.int64, [])
    self._count_others = tf.assign_add(self.step, self._by_others)

  def run_stale(self, session, fetches, staleness):
    """Runs a step during which others count so many updates."""
    return self.run_while(session, fetches, lambda: session.run(self._count_others, {self._by_others: staleness}))

  def run_while(self, session, fetches, meanwhile):
    """Runs a step that goes on from its gradients when `meanwhile` has been called."""
    found = []

    def run():
      try:
        found.append(session.run(fetches))
      except Exception as error:  # which the caller raises
        found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    session.run(self._await_begun)
    meanwhile()
    session.run(self._let_go)
    thread.join(PATIENCE_S)
    assert found, "the step does not end"
    if isinstance(found[0], Exception):
      raise found[0]
    return found[0]

  def let_go(self, session, count):
    """Lets so many steps run through."""
    for _ in range(count):
      session.run(self._let_go)
