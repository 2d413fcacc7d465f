"""What an asynchronous replica waits for between its steps: the end of the warm-up, and slower replicas."""

import threading
import time

from millrace.parallel import pace_watch, replica_table
from millrace.parallel.tensorflow_in_use import tf

WHEN_STUCK = ("go_on", "wait", "stop")
# Of the small runs beside the steps; their servers may be gone.
_LOOK_MS = 30_000


class Pace:
  """Waits for one replica of an AsyncReplicasOptimizer, whose hook it is the inside of.

  A wait looks at first often, then ever more rarely, every `least_poll_secs` to `most_poll_secs`. It says for whom, after
  `report_secs` and then at longer and longer intervals. A replica that makes no progress for `too_long_secs` while this one waits
  for it is taken as gone, and `when_stuck` tells what happens then: with "go_on" nobody waits for it any more, which is said;
  with "wait" this goes on waiting; with "stop" it raises DeadlineExceededError, in the warm-up FailedPreconditionError, which end the
  training of this replica. One that was taken as gone and lives finds that out within half of too_long_secs of steps, and joins
  again.

  With a `coordinator` waits end when it is asked to stop. Not for several threads.
  """

  def __init__(
    self,
    optimizer,
    coordinator=None,
    when_stuck="go_on",
    too_long_secs=60.0,
    report_secs=10.0,
    least_poll_secs=0.002,
    most_poll_secs=0.5,
  ):
    """Raises ValueError for an unknown `when_stuck`, or before the gradients of `optimizer` are applied."""
    if when_stuck not in WHEN_STUCK:
      raise ValueError('AsyncReplicasOptimizer: when_stuck is "go_on", "wait" or "stop", not %r' % (when_stuck,))
    self._optimizer = optimizer
    self._coordinator = coordinator
    self._when_stuck = when_stuck
    self._too_long_secs, self._report_secs = too_long_secs, report_secs
    self._least_poll_secs, self._most_poll_secs = least_poll_secs, most_poll_secs
    self._self = "replica %d of '%s'" % (optimizer.replica, optimizer.block_name)
    self._watch = pace_watch.PaceWatch(optimizer.replica, optimizer.max_ahead or 0, too_long_secs)
    # Steps that begin at a clock up to `up_to` need no look at the others.
    self._clock = self._up_to = 0
    self._next_look = 0.0
    self.records = replica_table.ReplicaRecords()  # the newest that was looked at
    self.waited_secs = 0.0  # for slower replicas, so far

  def begin(self, session):
    """Waits for the end of the warm-up, unless this is replica 0, and joins the replicas that train, with the clock of the
    slowest of them. Called with each session, also where the one before was lost."""
    if self._optimizer.replica == 0 or self._wait_for_warm_up(session):
      self._join(session)

  def before_step(self, session):
    """Waits while this replica is more than max_ahead steps ahead of the slowest one that trains."""
    if self._optimizer.max_ahead is None:
      return
    if self._clock > self._up_to or _now() >= self._next_look:
      begun = _now()
      try:
        self._wait_for_others(session, begun)
      finally:
        self.waited_secs += _now() - begun
    self._clock += 1

  def end(self, session):
    """Tells the others that this replica has ended, so that none waits for it. Where that fails, they find out by themselves."""
    try:
      self._set_state(session, self._optimizer.replica, replica_table.ENDED)
      self.look(session)
    except tf().errors.OpError as error:
      tf().logging.warning("%s could not tell the others that it ends: %s", self._self, error)

  def look(self, session):
    """Reads and returns the records of all replicas."""
    optimizer = self._optimizer
    self.records = replica_table.parse(*self._run(session, [optimizer.global_step_now, optimizer.records]))
    return self.records

  def _run(self, session, fetches, feeds=None):
    return session.run(fetches, feeds, options=tf().RunOptions(timeout_in_ms=_LOOK_MS))

  def _set_state(self, session, replica, state):
    optimizer = self._optimizer
    self._run(session, optimizer.set_state, {optimizer.fed_replica: replica, optimizer.fed_state: state})

  def _join(self, session):
    """Also waits for a server that is silent for a while. Raises DeadlineExceededError where the training is to stop meanwhile."""
    patience, begun = self._patience(), _now()
    while True:
      try:
        self._clock = self._up_to = int(self._run(session, self._optimizer.join))
        break
      except tf().errors.DeadlineExceededError:
        self._report_silence(patience, begun)
        if self._stops_after(patience.next_poll()):
          raise
    # The first step goes without a look: nobody is slower.
    self._plan_look()

  def _plan_look(self):
    """A replica that others took as gone finds that out in time."""
    self._next_look = _now() + self._too_long_secs / 2

  def _stops_after(self, seconds):
    """Waits; returns whether the training is to stop."""
    if self._coordinator is None:
      _sleep(seconds)
      return False
    return self._coordinator.wait_for_stop(seconds)

  def _report_silence(self, patience, begun):
    if patience.reports(_now() - begun):
      tf().logging.warning(
        "%s waits for the server of the global step, which has been silent for %d s", self._self, _now() - begun
      )

  def _patience(self):
    return _Patience(self._least_poll_secs, self._most_poll_secs, self._report_secs)

  def _wait_for_others(self, session, begun):
    patience = self._patience()
    while True:
      try:
        records = self.look(session)
      except tf().errors.DeadlineExceededError:
        self._report_silence(patience, begun)
      else:
        if self._may_go_on(session, records, patience, begun):
          return
      if self._stops_after(patience.next_poll()):
        return

  def _may_go_on(self, session, records, patience, begun):
    own = records.replicas[self._optimizer.replica]
    if own.state != replica_table.TRAINS:
      tf().logging.info("%s was taken as gone and joins again", self._self)
      self._join(session)
      return True
    verdict = self._watch.look(records, _now(), begun)
    self._clock, self._up_to = own.clock, verdict.up_to
    self._plan_look()
    if not verdict.slowest:
      return True
    text = "%s has waited for %d s for %s" % (self._self, _now() - begun, self._watch.describe(records, verdict))
    if patience.reports(_now() - begun):
      tf().logging.warning("%s", text)
    if not verdict.stuck or self._when_stuck == "wait":
      return False
    text += "; no progress for %g s" % self._too_long_secs
    if self._when_stuck == "stop":
      raise tf().errors.DeadlineExceededError(None, None, "asynchronous training: " + text)
    tf().logging.warning("%s: the training goes on without", text)
    try:
      for replica in verdict.stuck:
        self._set_state(session, replica, replica_table.GONE)
    except tf().errors.DeadlineExceededError:
      self._report_silence(patience, begun)  # and tried again after the next look
    return False

  def _wait_for_warm_up(self, session):
    """Returns False if the training is to stop meanwhile."""
    patience, begun = self._patience(), _now()
    since, last = begun, None
    while True:
      try:
        records = self.look(session)
      except tf().errors.DeadlineExceededError:
        self._report_silence(patience, begun)
        if self._stops_after(patience.next_poll()):
          return False
        continue
      first = records.replicas[0]
      steps = self._optimizer.warm_up_steps
      if records.global_step >= steps:
        return True
      text = "%s waits for the warm-up: replica 0 is at step %d of %d" % (self._self, records.global_step, steps)
      if first.state == replica_table.ENDED:
        tf().logging.warning("%s and has ended", text)
        return True
      if last != (records.global_step, first):
        since, last = _now(), (records.global_step, first)
      if patience.reports(_now() - begun):
        tf().logging.warning("%s", text)
      if _now() - since >= self._too_long_secs and self._when_stuck != "wait":
        text += "; no progress for %g s" % self._too_long_secs
        if self._when_stuck == "stop":
          raise tf().errors.FailedPreconditionError(None, None, "asynchronous training: " + text)
        tf().logging.warning("%s: the training goes on without", text)
        return True
      if self._stops_after(patience.next_poll()):
        return False


class _Patience:
  """When a wait looks again and when it says for whom it waits: soon at first, then ever more rarely."""

  def __init__(self, least_poll_secs, most_poll_secs, report_secs):
    self._poll_secs, self._most_poll_secs, self._report_secs = least_poll_secs, most_poll_secs, report_secs

  def next_poll(self):
    seconds = self._poll_secs
    self._poll_secs = min(2 * seconds + 0.001, self._most_poll_secs)
    return seconds

  def reports(self, waited_secs):
    """Whether it is time to report; then the next time is twice as far."""
    if waited_secs < self._report_secs:
      return False
    self._report_secs = 2 * self._report_secs + 0.001
    return True


def _now():
  return time.monotonic()


def _sleep(seconds):
  threading.Event().wait(seconds)
