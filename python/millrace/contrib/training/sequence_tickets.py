"""Tickets: how many sequences have a segment that is ready, and whether more sequences will come."""

import millrace as tf
from millrace.framework import dtypes

_SEQUENCE, _END = 0, 1  # priorities: where there are sequences, marks of the end wait


class Tickets:
  """One ticket for each sequence, which a batch takes and gives back for the sequences that go on.

  A batch waits for its tickets and not for segments, since segments that follow others are not ready before those are done with:
  at the end of the input it would wait for them for ever.
  """

  def __init__(self):
    self._queue = tf.PriorityQueue(-1, types=[dtypes.bool], shapes=[[]])
    self._nothing = tf.FIFOQueue(1, dtypes=[dtypes.bool], shapes=[[]])

  def put(self, count):
    """The op that puts the tickets of `count` sequences in."""
    return self._put(_SEQUENCE, count)

  def _put(self, priority, count):
    return self._queue.enqueue_many([tf.fill([count], tf.constant(priority, dtypes.int64)), tf.fill([count], True)])

  def end(self, count, cancel):
    """The op that lets batches of at most `count` sequences go without waiting; with `cancel` it may follow another one."""
    with tf.control_dependencies([self._nothing.close(cancel_pending_enqueues=cancel)]):
      return self._put(_END, count)

  def take(self, count, allow_fewer):
    """Waits for `count` tickets and returns how many there are: fewer at the end with `allow_fewer`, but one at least.

    A run ends with OutOfRangeError when there are too few.
    """
    priorities, _ = self._queue.dequeue_many(count)
    ends = tf.reduce_sum(tf.cast(tf.equal(priorities, _END), dtypes.int32))
    taken = count - ends
    with tf.control_dependencies([self._put(_END, ends)]):
      enough = taken > 0 if allow_fewer else tf.equal(ends, 0)

    def none():
      with tf.control_dependencies([self.put(taken), self._nothing.dequeue()]):
        return tf.identity(taken)

    return tf.cond(enough, lambda: tf.identity(taken), none)
