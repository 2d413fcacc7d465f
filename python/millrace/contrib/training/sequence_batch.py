"""A batch of segments of sequences, and their states."""

import millrace as tf
from millrace.framework import convert, dtypes


class NextQueuedSequenceBatch:
  """The segments of one step of a SequenceQueueingStateSaver: what a run fetches of it is of one batch.

  `save_state` has to run for each state in every run, or a sequence does not go on.
  """

  def __init__(self, state_saver):
    self._state_saver = state_saver
    self._take()

  def _take(self):
    """Takes a batch of complete segments, and the tokens of sequences that end with them."""
    saver = self._state_saver
    count = saver._tickets.take(saver._batch_size, saver._allow_small_batch)
    with tf.control_dependencies([count]):
      number = count if saver._allow_small_batch else saver._batch_size
      indices, keys, values = saver._barrier.take_many(number, name="BarrierTakeMany")
    found = dict(zip(saver._fields, values))
    last = tf.equal(found["sequence"], found["sequence_count"] - 1)
    ended = tf.reduce_sum(tf.cast(last, dtypes.int32))
    with tf.control_dependencies([saver._tokens.dequeue_many(ended), saver._tickets.put(count - ended)]):
      self._insertion_index = tf.identity(indices)
      self._key = tf.identity(keys)
      self._values = {field: tf.identity(value) for field, value in found.items()}
    self._goes_on = tf.logical_not(last)

  def _of(self, kind):
    return {field[1]: value for field, value in self._values.items() if field[0] == kind and isinstance(field, tuple)}

  @property
  def total_length(self):
    """The lengths [batch] of the whole sequences."""
    return self._values["total_length"]

  @property
  def length(self):
    """How many steps of each segment are of its sequence, [batch]."""
    return self._values["length"]

  @property
  def batch_size(self):
    """The number of segments, a scalar."""
    return tf.shape(self.length)[0]

  @property
  def insertion_index(self):
    """Numbers [batch] that grow in the order in which sequences came in, from -2**63."""
    return self._insertion_index

  @property
  def key(self):
    """The keys [batch], "00002_of_00005:KEY"."""
    return self._key

  @property
  def next_key(self):
    """The keys [batch] of the segments that follow, "STOP:KEY" where there is none."""
    return self._values["next_key"]

  @property
  def sequence(self):
    """The numbers [batch] of the segments in their sequences, from 0."""
    return self._values["sequence"]

  @property
  def sequence_count(self):
    """How many segments the sequences have, [batch]."""
    return self._values["sequence_count"]

  @property
  def context(self):
    """The context by name, [batch, ...]."""
    return self._of("context")

  @property
  def sequences(self):
    """The segments by name, [batch, num_unroll, ...]."""
    return self._of("sequences")

  def state(self, state_name):
    """The states [batch, ...] of a name: the initial ones, or what was saved. Raises KeyError for a name that is none."""
    return self._of("states")[state_name]

  def save_state(self, state_name, value, name=None):
    """The op that gives the segments which follow their state, `value` [batch, ...]. Raises KeyError for a name that is none."""
    saver = self._state_saver
    if state_name not in saver._states:
      raise KeyError(f"state was not declared: {state_name}")
    with tf.name_scope(name, "InputQueueingStateSaver_SaveState", [value]):
      value = convert.convert_to_tensor(value, dtype=saver._states[state_name].dtype)
      keys = tf.boolean_mask(self.next_key, self._goes_on)
      kept = tf.boolean_mask(value, self._goes_on)
      kept.set_shape(tf.TensorShape([None]).concatenate(saver._states[state_name].get_shape()))
      return saver._barrier.insert_many(saver._place(("states", state_name)), keys, kept, name="BarrierInsertState_" + state_name)
