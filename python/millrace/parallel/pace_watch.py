"""Decides for whom a replica waits that may be only so many steps ahead of the slowest, and which of the others make no progress."""

import typing

from millrace.parallel.replica_table import TRAINS


class Verdict(typing.NamedTuple):
  """`up_to`: the clock up to which this replica may begin steps without looking again, as clocks only grow and one that joins
  comes in no lower than the slowest. `slowest`: those for whom it waits; without any it may go on. `stuck`: those of them that
  have made no progress for too long. Others that are behind may have waited for the same ones; their time begins when these have
  gone."""

  up_to: int
  slowest: tuple
  stuck: tuple


class _Seen:
  """The last that was seen of a replica, and since when its state and its clock are these."""

  def __init__(self, record, since):
    self.state, self.clock, self.since = record.state, record.clock, since


class PaceWatch:
  """Of the replica `replica`. Not for several threads."""

  def __init__(self, replica, max_ahead, too_long_secs):
    self._replica, self._max_ahead, self._too_long_secs = replica, max_ahead, too_long_secs
    self._seen = []

  def look(self, records, now, waits_since=0.0):
    """The Verdict on ReplicaRecords that were read at `now`, in seconds, by one who waits since `waits_since`: what others did not
    do before that, while this replica computed a step of its own, does not count."""
    own = records.replicas[self._replica].clock
    some_left = self._remember(records, now)
    least, slowest = own, []
    for number, record in enumerate(records.replicas):
      if number == self._replica or record.state != TRAINS:
        continue
      if record.clock < least:
        slowest = []
      if record.clock <= least and record.clock < own - self._max_ahead:
        slowest.append(number)
      least = min(least, record.clock)
    if some_left:
      for seen in self._seen:
        seen.since = now
    stuck = [number for number in slowest if now - max(self._seen[number].since, waits_since) >= self._too_long_secs]
    return Verdict(least + self._max_ahead, tuple(slowest), tuple(stuck))

  def _remember(self, records, now):
    """Returns whether a replica that trained has left."""
    if not self._seen:
      self._seen = [_Seen(record, now) for record in records.replicas]
      return False
    some_left = False
    for number, record in enumerate(records.replicas):
      seen = self._seen[number]
      some_left = some_left or (seen.state == TRAINS and record.state != TRAINS)
      if (seen.state, seen.clock) != (record.state, record.clock):
        self._seen[number] = _Seen(record, now)
    return some_left

  def describe(self, records, verdict):
    """replicas 1, 3, at step 4 of their own; this one is at step 8 and may be 3 ahead"""
    is_one = len(verdict.slowest) == 1
    return "%s %s, at step %d of %s own; this one is at step %d and may be %d ahead" % (
      "replica" if is_one else "replicas",
      ", ".join(map(str, verdict.slowest)),
      records.replicas[verdict.slowest[0]].clock,
      "its" if is_one else "their",
      records.replicas[self._replica].clock,
      self._max_ahead,
    )
