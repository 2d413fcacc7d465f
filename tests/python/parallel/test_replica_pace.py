"""For whom a replica waits, for how long and what it says, in time that a test moves: the servers' table is a list here."""

import numpy as np
import pytest
from millrace import parallel
from millrace.parallel import async_replicas_hook, pace_watch, replica_pace
from millrace.parallel.replica_table import (
  ENDED,
  GONE,
  STALENESS_BOUNDS,
  TRAINS,
  UNKNOWN,
  ReplicaRecord,
  ReplicaRecords,
  StalenessSummary,
  parse,
  summarize,
)


class World:
  """Replicas by their states and clocks, which events change at their times."""

  replica, block_name, warm_up_steps = 0, "async_replicas", 0
  global_step_now, records, join, set_state = "global_step_now", "records", "join", "set_state"
  fed_replica, fed_state = "fed_replica", "fed_state"

  def __init__(self, clocks, max_ahead=2):
    self.clocks, self.states, self.step = list(clocks), [TRAINS] * len(clocks), 0
    self.max_ahead = max_ahead
    self.now, self.events, self.looks = 0.0, [], 0
    self.stops_at = None
    self.silent_until = 0.0

  def at(self, time, **changes):
    """`clock1=4` sets the clock of replica 1 at this time, `state1` its state, `step` the global step."""
    self.events.append((time, changes))

  def wait(self, seconds):
    self.now += seconds
    for time, changes in [event for event in self.events if event[0] <= self.now]:
      self.events.remove((time, changes))
      for name, value in changes.items():
        if name == "step":
          self.step = value
        else:
          (self.clocks if name.startswith("clock") else self.states)[int(name[5:])] = value

  # As a coordinator.
  def wait_for_stop(self, seconds):
    self.wait(seconds)
    return self.stops_at is not None and self.now >= self.stops_at

  # As a session.
  def run(self, fetches, feeds=None, options=None):
    assert options.timeout_in_ms > 0
    if self.now < self.silent_until:
      raise parallel.tf().errors.DeadlineExceededError(None, None, "silent")
    if fetches == "join":
      others = [c for i, (c, s) in enumerate(zip(self.clocks, self.states)) if s == TRAINS and i != self.replica]
      self.clocks[self.replica] = min(others, default=self.clocks[self.replica])
      self.states[self.replica] = TRAINS
      return np.int64(self.clocks[self.replica])
    if fetches == "set_state":
      self.states[feeds["fed_replica"]] = feeds["fed_state"]
      return None
    assert fetches == ["global_step_now", "records"]
    self.looks += 1
    rows = [[s, c, 0, 0, 0] + [0] * len(STALENESS_BOUNDS) for s, c in zip(self.states, self.clocks)]
    return np.int64(self.step), np.int64(rows)


@pytest.fixture
def said(tf, monkeypatch):
  """What is logged, as (seconds, text); and time is that of the world which a test sets as said.world."""

  class Said(list):
    world = None

  found = Said()
  monkeypatch.setattr(replica_pace, "_now", lambda: found.world.now)
  monkeypatch.setattr(replica_pace, "_sleep", lambda seconds: found.world.wait(seconds))
  for level in ("warning", "info"):
    monkeypatch.setattr(tf.logging, level, lambda text, *words: found.append((found.world.now, text % words)))
  return found


def begun(said, world, **options):
  said.world = world
  pace = replica_pace.Pace(world, **options)
  pace.begin(world)
  return pace


def step(world, pace):
  """A step of this replica."""
  pace.before_step(world)
  world.clocks[0] += 1


def test_waits_while_more_than_so_many_steps_ahead(said):
  world = World([0, 0, 0])
  pace = begun(said, world)
  world.at(0.0, clock1=9)
  for _ in range(3):
    step(world, pace)  # at clocks 0, 1 and 2
  assert world.now == 0 and world.looks == 1  # the first needs none, and the second one says how far it may go
  world.at(1.5, clock2=1)
  world.at(4.0, clock2=2)
  step(world, pace)
  assert 1.5 <= world.now < 1.5 + 0.5
  step(world, pace)
  assert 4.0 <= world.now < 4.0 + 0.5
  assert world.looks < 30  # ever more rarely
  assert pace.waited_secs == pytest.approx(world.now)
  assert said == []


def test_says_for_whom_at_longer_and_longer_intervals(said):
  world = World([0, 0, 0, 6], max_ahead=1)
  pace = begun(said, world, too_long_secs=1e9, report_secs=10)
  world.clocks[0] = 5
  pace._clock = 5
  world.at(200, clock1=7, clock2=7)
  step(world, pace)
  assert [time // 10 * 10 for time, _ in said] == [10, 20, 40, 80, 160]
  assert said[0][1] == (
    "replica 0 of 'async_replicas' has waited for 10 s for replicas 1, 2, at step 0 of their own; this one is at step 5 and may "
    "be 1 ahead"
  )


def stuck(said, **options):
  """A replica that is ahead of one that makes no progress, and of one that does until it waits as well."""
  world = World([0, 0, 0], max_ahead=0)
  pace = begun(said, world, too_long_secs=20, report_secs=1e9, **options)
  step(world, pace)
  world.at(15, clock2=1)
  return world, pace


def test_goes_on_without_a_replica_that_is_stuck(said):
  world, pace = stuck(said)
  step(world, pace)
  assert 20 <= world.now < 21
  assert world.states == [TRAINS, GONE, TRAINS]
  assert [text for _, text in said] == [
    "replica 0 of 'async_replicas' has waited for 20 s for replica 1, at step 0 of its own; this one is at step 1 and may be 0 "
    "ahead; no progress for 20 s: the training goes on without"
  ]


def test_stops_for_a_replica_that_is_stuck(said, tf):
  world, pace = stuck(said, when_stuck="stop")
  with pytest.raises(
    tf.errors.DeadlineExceededError, match="asynchronous training: replica 0 .* for replica 1, .* no progress for 20 s"
  ):
    step(world, pace)
  assert world.states == [TRAINS] * 3


def test_waits_for_a_replica_that_is_stuck(said):
  world, pace = stuck(said, when_stuck="wait")
  world.at(500, clock1=1)
  step(world, pace)
  assert 500 <= world.now < 501 and world.states == [TRAINS] * 3


def test_waits_end_when_the_training_stops(said):
  world = World([0, 0], max_ahead=0)
  pace = begun(said, world, coordinator=world, when_stuck="wait")
  step(world, pace)
  world.stops_at = 7
  pace.before_step(world)
  assert 7 <= world.now < 7.6


def test_a_server_that_is_silent_for_a_while(said):
  world = World([0, 0], max_ahead=0)
  pace = begun(said, world)
  step(world, pace)
  world.silent_until = 3
  world.at(1, clock1=1)
  step(world, pace)
  assert 3 <= world.now < 3.6


def test_who_was_taken_as_gone_joins_again(said):
  """With the clock of the slowest, within half of too_long_secs of steps."""
  world = World([0, 0], max_ahead=100)
  pace = begun(said, world, too_long_secs=20)
  step(world, pace)
  step(world, pace)  # which looks, and may then go a hundred steps without
  world.states[0], world.clocks[1] = GONE, 50
  world.wait(9)
  step(world, pace)
  assert world.states[0] == GONE
  world.wait(2)
  step(world, pace)
  assert world.states[0] == TRAINS and world.clocks[0] == 51
  assert [text for _, text in said] == ["replica 0 of 'async_replicas' was taken as gone and joins again"]


def test_says_that_it_ends(said, tf):
  world = World([4, 7])
  pace = begun(said, world)
  pace.end(world)
  assert world.states == [ENDED, TRAINS] and pace.records.replicas[0].state == ENDED
  world.silent_until = 1
  pace.end(world)  # the others find out by themselves
  assert "could not tell the others that it ends" in said[-1][1]


class WarmUp(World):
  replica, warm_up_steps = 1, 10


def test_warm_up(said):
  world = WarmUp([0, 0])
  world.states = [TRAINS, UNKNOWN]
  for time in range(1, 11):
    world.at(12 * time, step=time, clock0=time)
  begun(said, world, too_long_secs=20, report_secs=30)
  assert 120 <= world.now < 121 and world.states == [TRAINS, TRAINS] and world.clocks == [10, 10]
  assert said[0][1] == "replica 1 of 'async_replicas' waits for the warm-up: replica 0 is at step 2 of 10"


def test_warm_up_while_a_server_is_silent(said):
  world = WarmUp([0, 0])
  world.states = [TRAINS, UNKNOWN]
  world.silent_until = 3
  world.at(1, step=10, clock0=10)
  begun(said, world)
  assert 3 <= world.now < 3.6 and world.states == [TRAINS, TRAINS]


def test_warm_up_that_stops_while_a_server_is_silent(said):
  world = WarmUp([0, 0])
  world.states = [TRAINS, UNKNOWN]
  world.silent_until, world.stops_at = 600, 7
  begun(said, world, coordinator=world)
  assert 7 <= world.now < 7.6 and world.states == [TRAINS, UNKNOWN]


def test_logs_when_a_server_is_not_silent(said, tf, monkeypatch):
  """A look for the log that gets no answer is left out; the step is made."""
  world = World([0, 0])
  world.max_ahead = None
  world.make_pace = lambda **options: replica_pace.Pace(world, **options)
  monkeypatch.setattr(async_replicas_hook, "_now", lambda: world.now)
  said.world = world
  hook = async_replicas_hook.AsyncReplicasHook(world, log_every_secs=10)
  hook.begin()
  hook.after_create_session(world, world)
  for time, silent, logs in [(9, False, 0), (11, True, 0), (20, False, 0), (22, False, 1)]:
    world.now, world.silent_until = time, time + silent
    hook.before_run(tf.train.SessionRunContext(None, world))
    assert len(said) == logs


@pytest.mark.parametrize("when_stuck", ["go_on", "stop", "wait"])
def test_warm_up_that_is_stuck(said, tf, when_stuck):
  world = WarmUp([0, 0])
  world.at(5, step=3, clock0=3)
  world.at(600, step=10)
  if when_stuck == "stop":
    with pytest.raises(
      tf.errors.FailedPreconditionError, match="asynchronous training: .* at step 3 of 10; no progress for 20 s"
    ):
      begun(said, world, too_long_secs=20, when_stuck=when_stuck)
    return
  begun(said, world, too_long_secs=20, when_stuck=when_stuck)
  end = 25 if when_stuck == "go_on" else 600
  assert end <= world.now < end + 1
  assert ("goes on without" in said[-1][1]) == (when_stuck == "go_on")


def test_warm_up_of_a_replica_that_has_ended(said):
  world = WarmUp([0, 0])
  world.at(5, state0=ENDED)
  begun(said, world)
  assert 5 <= world.now < 6 and said[-1][1].endswith("replica 0 is at step 0 of 10 and has ended")


def test_time_counts_only_while_a_replica_waits():
  """Both compute steps that take longer than the limit; one ends first."""
  watch = pace_watch.PaceWatch(0, 0, 60)

  def look(clocks, now):
    return watch.look(ReplicaRecords(0, tuple(ReplicaRecord(TRAINS, clock) for clock in clocks)), now, 70).stuck

  assert look([0, 0], 0) == ()
  assert look([1, 0], 70) == look([1, 0], 129) == ()
  assert look([1, 0], 130) == (1,)


def test_a_server_that_is_silent_for_a_while(said):
  """When a replica joins, too; it says so."""
  world = World([0, 0])
  world.silent_until = 25.0
  pace = begun(said, world, when_stuck="wait")
  assert world.now >= 25 and [t for t, text in said if "silent" in text][0] >= 10
  step(world, pace)


def test_the_time_of_others_begins_when_the_slowest_have_gone():
  """They may have waited for those."""
  watch = pace_watch.PaceWatch(0, 0, 10)

  def look(clocks, now, gone=()):
    rows = [ReplicaRecord(GONE if i in gone else TRAINS, clock) for i, clock in enumerate(clocks)]
    return watch.look(ReplicaRecords(0, tuple(rows)), now)

  assert look([5, 1, 2], 0) == (1, (1,), ())
  assert look([5, 1, 2], 10) == (1, (1,), (1,))
  assert look([5, 1, 2], 11, gone=[1]) == (2, (2,), ())
  assert look([5, 1, 2], 20, gone=[1]) == (2, (2,), ())
  assert look([5, 1, 2], 21, gone=[1]) == (2, (2,), (2,))
  assert look([5, 1, 5], 22, gone=[1]) == (5, (), ())
  assert look([5, 1, 2], 23, gone=[1, 2]) == (5, (), ())


def test_summaries_are_of_what_came_between():
  before = parse(3, [[TRAINS, 2, 5, 1, 4, 2, 2, 1, 1, 1, 0, 0, 0], [UNKNOWN] + [0] * 12])
  now = parse(9, [[TRAINS, 5, 6, 1, 4, 5, 3, 1, 1, 1, 0, 0, 0], [TRAINS, 3, 45, 2, 40, 3, 3, 2, 2, 2, 1, 1, 1]])
  summary = summarize(before, now)
  assert summary == StalenessSummary(6, 2, 46 / 6, 40, (6, 4, 2, 2, 2, 1, 1, 1))
  assert (
    str(summary) == "6 gradients, staleness 7.67 on average, at most 40 so far, 2 dropped; 0: 2, 1: 2, 4 to 7: 1, 32 and more: 1"
  )
  # The table's task was lost: what is there is all there is.
  assert summarize(now, before).gradients == 2
  assert str(summarize(now, now)) == "0 gradients, staleness 0 on average, at most 40 so far, 0 dropped"
