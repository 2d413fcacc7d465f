"""What asynchronous replicas tell each other, and the programs that watch them: a table on the global step's task, with a record
for each replica.

It is the table of the C++ library (millrace/train/replicas/replica_table.h), so that replicas of both train together: a
MutableHashTable, empty when its task begins, which no checkpoint has. A record is written by the steps of its replica, by a few
small ops on the table's task; only its state is written by others, too.
"""

import typing

import numpy as np

from millrace.parallel.tensorflow_in_use import tf

# States of a replica: it has not joined since the table's task began; it trains; it has said that it has ended; another one has
# waited for it in vain.
UNKNOWN, TRAINS, ENDED, GONE = range(4)
# Gradients are counted by their staleness: those of at least each of these.
STALENESS_BOUNDS = (0, 1, 2, 3, 4, 8, 16, 32)

# The fields of a record. The key of a field is the replica's number times _FIELDS and the field's. The state comes first: steps
# write all others.
_STATE, _CLOCK, _SUM, _DROPPED, _GREATEST, _AT_LEAST = range(6)
_FIELDS = _AT_LEAST + len(STALENESS_BOUNDS)
_WRITTEN = range(_CLOCK, _FIELDS)
_MOST = np.iinfo(np.int64).max


class ReplicaRecord(typing.NamedTuple):
  """What is known of a replica. `clock` is its steps, and as many more as it was behind when it joined."""

  state: int = UNKNOWN
  clock: int = 0
  staleness_sum: int = 0
  dropped: int = 0
  max_staleness: int = 0
  at_least: tuple = (0,) * len(STALENESS_BOUNDS)

  @property
  def gradients(self):
    return self.at_least[0]


class ReplicaRecords(typing.NamedTuple):
  global_step: int = 0
  replicas: tuple = ()


class StalenessSummary(typing.NamedTuple):
  """What the gradients of all replicas were between two moments; `greatest` is up to the second one."""

  gradients: int
  dropped: int
  mean: float  # 0 without gradients
  greatest: int
  at_least: tuple

  def __str__(self):
    """12 gradients, staleness 1.5 on average, at most 4 so far, 2 dropped; 0: 3, 1: 4, 2: 4, 4 to 7: 1"""
    text = "%d gradients, staleness %.3g on average, at most %d so far, %d dropped" % (
      self.gradients,
      self.mean,
      self.greatest,
      self.dropped,
    )
    counts = []
    for i, bound in enumerate(STALENESS_BOUNDS):
      is_last = i + 1 == len(STALENESS_BOUNDS)
      count = self.at_least[i] - (0 if is_last else self.at_least[i + 1])
      if is_last:
        span = "%d and more" % bound
      else:
        last = STALENESS_BOUNDS[i + 1] - 1
        span = str(bound) if last == bound else "%d to %d" % (bound, last)
      if count:
        counts.append("%s: %d" % (span, count))
    return text + "; " * bool(counts) + ", ".join(counts)


def parse(global_step, records):
  """The records from the values of the two tensors that read them."""
  rows = np.asarray(records).tolist()
  return ReplicaRecords(int(global_step), tuple(ReplicaRecord(*row[:_AT_LEAST], at_least=tuple(row[_AT_LEAST:])) for row in rows))


def summarize(before, now):
  """A StalenessSummary of what came between two ReplicaRecords. What was counted before the table was lost counts as nothing."""
  sum_of_all, dropped, greatest = 0, 0, 0
  at_least = [0] * len(STALENESS_BOUNDS)
  for i, record in enumerate(now.replicas):
    since = before.replicas[i] if i < len(before.replicas) else ReplicaRecord()
    if since.gradients > record.gradients:
      since = ReplicaRecord()
    sum_of_all += record.staleness_sum - since.staleness_sum
    dropped += record.dropped - since.dropped
    greatest = max(greatest, record.max_staleness)
    at_least = [n + new - old for n, new, old in zip(at_least, record.at_least, since.at_least)]
  mean = sum_of_all / at_least[0] if at_least[0] else 0.0
  return StalenessSummary(at_least[0], dropped, mean, greatest, tuple(at_least))


class ReplicaTable:
  """Builds the ops of the table `name` on a device, for this replica."""

  def __init__(self, name, device, replicas, replica):
    self._device, self._replicas, self._replica = device, replicas, replica
    # Without outer devices, as a replica_device_setter would count it as a variable and place the next one elsewhere.
    with tf().device(None), tf().device(device):
      self._table = tf().raw_ops.MutableHashTableV2(
        key_dtype=tf().int64, value_dtype=tf().int64, shared_name=name + "/replicas", name="replicas"
      )

  def count(self, staleness, applied):
    """Counts a gradient of this replica, `staleness` (int64) and whether it was `applied` (bool, or None: it was), and moves its
    clock; after the current control dependencies. Returns the op and how many have been dropped, this one with them."""
    api = tf()
    keys = [self._replica * _FIELDS + field for field in _WRITTEN]
    bounds = [_MOST] * len(_WRITTEN)
    bounds[0] = 0  # the clock
    bounds[_AT_LEAST - _CLOCK :] = STALENESS_BOUNDS
    with api.device(self._device):
      found = self._find(keys)
      with api.control_dependencies(None):
        parts = [found, api.cast(staleness >= api.constant(bounds, api.int64), api.int64), staleness * _only(_SUM)]
        if applied is not None:
          parts.append(api.cast(api.logical_not(applied), api.int64) * _only(_DROPPED))
        counted = api.maximum(api.add_n(parts), staleness * _only(_GREATEST))
        dropped = counted[_DROPPED - _CLOCK]
        return self._insert(keys, counted), dropped

  def read(self):
    """All records, as `parse` takes them: int64 [replicas, fields]."""
    with tf().device(self._device):
      return self._find(np.arange(self._replicas * _FIELDS).reshape(self._replicas, _FIELDS))

  def join(self):
    """Makes this replica one that trains. Its clock becomes that of the slowest other one that does; without others it stays.
    Returns the clock."""
    api = tf()
    others = [r for r in range(self._replicas) if r != self._replica]
    own = self._replica * _FIELDS
    with api.device(self._device):
      clock = self._find(own + _CLOCK)
      if others:
        trains = api.equal(self._find([r * _FIELDS + _STATE for r in others]), api.constant(TRAINS, api.int64))
        clocks = self._find([r * _FIELDS + _CLOCK for r in others])
        slowest = api.reduce_min(api.where(trains, clocks, api.fill(api.shape(clocks), api.constant(_MOST, api.int64))))
        clock = api.where(api.equal(slowest, api.constant(_MOST, api.int64)), clock, slowest)
      joined = self._insert([own + _CLOCK, own + _STATE], api.stack([clock, api.constant(TRAINS, api.int64)]))
      with api.control_dependencies([joined]):
        return api.identity(clock)

  def set_state(self, replica, state):
    """Sets the state of a replica; both are int64 scalars."""
    with tf().device(self._device):
      return self._insert(replica * tf().constant(_FIELDS, tf().int64), state)

  def _find(self, keys):
    api = tf()
    return api.raw_ops.LookupTableFindV2(
      table_handle=self._table, keys=api.constant(keys, api.int64), default_value=api.constant(0, api.int64)
    )

  def _insert(self, keys, values):
    api = tf()
    keys = keys if isinstance(keys, api.Tensor) else api.constant(keys, api.int64)
    return api.raw_ops.LookupTableInsertV2(table_handle=self._table, keys=keys, values=values)


def _only(field):
  """1 at one field of those that steps write, and 0 elsewhere."""
  return tf().constant([int(written == field) for written in _WRITTEN], tf().int64)


def figures(records):
  """Float scalars of the tensor of all records, all so far: the mean and the greatest staleness, and how many were dropped."""
  api = tf()
  totals = api.cast(api.reduce_sum(records, 0), api.float32)
  return {
    "staleness": totals[_SUM] / api.maximum(totals[_AT_LEAST], 1.0),
    "max_staleness": api.cast(api.reduce_max(records[:, _GREATEST]), api.float32),
    "dropped": totals[_DROPPED],
  }
