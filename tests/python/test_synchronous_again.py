"""Synchronous replicas on servers that stay: one training after another, after one that failed, and replicas that the chief leaves."""

import threading

import pytest

PATIENCE_S = 60


@pytest.fixture
def tf():
  """The package, with an empty graph as the default one."""
  import millrace

  with millrace.Graph().as_default():
    yield millrace


@pytest.fixture
def target(tf):
  server = tf.train.Server.create_local_server()
  yield server.target
  server.stop()


class Replica:
  """A graph of its own, as a process of its own has."""

  def __init__(self, tf, target, replicas=1, is_chief=True):
    self._tf, self._target, self._is_chief = tf, target, is_chief
    self.steps, self.begun = [], threading.Event()
    self.graph = tf.Graph()
    with self.graph.as_default():
      step = tf.train.get_or_create_global_step()
      w = tf.get_variable("w", initializer=4.0)
      optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), replicas, replicas)
      self.train = optimizer.minimize(tf.square(w), global_step=step)
      self._hook = optimizer.make_session_run_hook(is_chief)
      self._step = step

  def run(self, steps, fails_at=None):
    """As many steps, or until the data ends."""
    tf = self._tf
    with (
      self.graph.as_default(),
      tf.train.MonitoredTrainingSession(
        self._target, is_chief=self._is_chief, hooks=[self._hook], stop_grace_period_secs=1
      ) as session,
    ):
      self.begun.set()
      for number in range(steps):
        if number == fails_at:
          raise ZeroDivisionError
        session.run(self.train)
        self.steps.append(session.run(self._step))


def test_one_training_after_another(tf, target):
  """The variables stay on the servers, so the global step goes on."""
  first = Replica(tf, target)
  first.run(3)
  again = Replica(tf, target)
  again.run(3)
  assert len(first.steps) == len(again.steps) == 3


def test_after_a_training_that_failed(tf, target):
  with pytest.raises(ZeroDivisionError):
    Replica(tf, target).run(5, fails_at=2)
  again = Replica(tf, target)
  again.run(3)
  assert len(again.steps) == 3


def test_who_waits_for_tokens_ends_with_the_chief(tf, target):
  """The other replica would need a gradient of the chief for each further step."""
  chief, other = Replica(tf, target, replicas=2), Replica(tf, target, replicas=2, is_chief=False)
  ends = []

  def work():
    try:
      assert chief.begun.wait(PATIENCE_S)  # who looks before that looks again after 30 s
      other.run(1000)
      ends.append(None)
    except Exception as error:  # noqa: BLE001
      ends.append(error)

  thread = threading.Thread(target=work, daemon=True)
  thread.start()
  chief.run(4)
  thread.join(PATIENCE_S)
  # An error of the end of the data ends the `with` as if the program had.
  assert ends == [None], ends
  assert len(chief.steps) == 4 and len(other.steps) < 1000
