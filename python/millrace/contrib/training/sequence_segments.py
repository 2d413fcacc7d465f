"""Sequences as segments of one length, which come in batches, each with the state that the segment before has left."""

import millrace as tf
from millrace.contrib.training.sequence_batch import NextQueuedSequenceBatch
from millrace.contrib.training.sequence_tickets import Tickets
from millrace.framework import convert, dtypes, tensor_shape
from millrace.ops.data_flow import barrier as barrier_lib
from millrace.train import queue_runners

_STOP = "STOP"


class SequenceQueueingStateSaver:
  """Cuts sequences into segments of `num_unroll` steps and gives batches of segments of `batch_size` sequences, with their states.

  `input_length` (an int32 scalar), `input_key` (a string scalar, unique) and the maps `input_sequences` (tensors [time, ...], time being a
  multiple of `num_unroll`), `input_context` (tensors that belong to the whole sequence) and `initial_states` are of one sequence, which a run
  of `prefetch_op` takes in. `next_batch` has the segments: the first ones of sequences with the initial states; the following become ready
  when `save_state` of the segment before has run. At most `capacity` sequences are in at once, without it any number. With
  `allow_small_batch` the last batches are smaller, when the input is over.

  Raises TypeError for arguments of another type, ValueError for shapes that are not known but for the time.
  """

  def __init__(
    self,
    batch_size,
    num_unroll,
    input_length,
    input_key,
    input_sequences,
    input_context,
    initial_states,
    capacity=None,
    allow_small_batch=False,
    name=None,
  ):
    if capacity is not None and isinstance(batch_size, int) and capacity < batch_size:
      raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}.")
    _check_map("input_sequences", input_sequences)
    _check_map("input_context", input_context)
    _check_map("initial_states", initial_states)
    if not initial_states:
      raise ValueError("initial_states must not be empty")
    with tf.name_scope(name, "InputQueueingStateSaver", [input_key]) as scope:
      self._scope = scope
      self._batch_size = convert.convert_to_tensor(batch_size, dtype=dtypes.int32, name="batch_size")
      self._num_unroll = num_unroll
      self._allow_small_batch = allow_small_batch
      self._length = _scalar(input_length, dtypes.int32, "length")
      self._key = _scalar(input_key, dtypes.string, "key")
      self._sequences = _tensors(input_sequences, "sequence")
      self._context = _tensors(input_context, "context")
      self._states = _tensors(initial_states, "state")
      self._check_shapes()
      self._make_barrier()
      self._tickets = Tickets()
      # A token for each sequence that is in.
      self._tokens = tf.FIFOQueue(-1 if capacity is None else capacity, dtypes=[dtypes.int32], shapes=[[]])
    self._prefetch_op = None
    self._next_batch = None

  def _check_shapes(self):
    for name, value in self._sequences.items():
      if not value.get_shape().with_rank_at_least(1)[1:].is_fully_defined():
        raise ValueError(f"Shape of sequence {name} must be known but for its first dimension: {value.get_shape()}")
    for kind, values in (("context", self._context), ("state", self._states)):
      for name, value in values.items():
        if not value.get_shape().is_fully_defined():
          raise ValueError(f"Shape of {kind} {name} must be fully defined: {value.get_shape()}")

  def _make_barrier(self):
    """The barrier of segments: their components are numbered as in `_fields`."""
    self._fields = ["length", "total_length", "next_key", "sequence", "sequence_count"]
    types = [dtypes.int32, dtypes.int32, dtypes.string, dtypes.int32, dtypes.int32]
    shapes = [[], [], [], [], []]
    for kind, values in (("sequences", self._sequences), ("context", self._context), ("states", self._states)):
      for name in sorted(values):
        self._fields.append((kind, name))
        types.append(values[name].dtype)
        shape = values[name].get_shape()
        if kind == "sequences":
          shape = tensor_shape.TensorShape([self._num_unroll]).concatenate(shape[1:])
        shapes.append(shape)
    self._barrier = barrier_lib.Barrier(types=types, shapes=shapes)

  @property
  def name(self):
    """The name of the barrier."""
    return self._barrier.name

  @property
  def barrier(self):
    return self._barrier

  @property
  def batch_size(self):
    return self._batch_size

  @property
  def num_unroll(self):
    return self._num_unroll

  @property
  def prefetch_op(self):
    """The op that takes one sequence in; it is made when it is first asked for."""
    if self._prefetch_op is None:
      with tf.name_scope(self._scope), tf.name_scope("prefetch"):
        self._prefetch_op = self._insert()
    return self._prefetch_op

  @property
  def next_batch(self):
    """The NextQueuedSequenceBatch, which is made when it is first asked for."""
    if self._next_batch is None:
      with tf.name_scope(self._scope), tf.name_scope("next"):
        self._next_batch = NextQueuedSequenceBatch(self)
    return self._next_batch

  def close(self, cancel_pending_enqueues=False, name=None):
    """The op that lets no new sequences in; those that are in are finished, or with `cancel_pending_enqueues` they are not."""
    with tf.name_scope(name, "SQSSClose", [self._prefetch_op]) as scope:
      barrier = self._barrier.close(cancel_pending_enqueues=cancel_pending_enqueues, name="BarrierClose")
      tokens = self._tokens.close(cancel_pending_enqueues=cancel_pending_enqueues, name="FIFOClose")
      with tf.control_dependencies([barrier, tokens]):
        end = self._tickets.end(self._batch_size, cancel_pending_enqueues)
      return tf.group(barrier, tokens, end, name=scope)

  def _place(self, field):
    return self._fields.index(field)

  def _segments(self):
    """(number of segments, checks): that all sequences have one length, a multiple of `num_unroll`, and no shorter than said."""
    times = [tf.shape(value)[0] for value in self._sequences.values()]
    padded = times[0] if times else self._length
    checks = [
      tf.Assert(
        tf.equal(tf.floormod(padded, self._num_unroll), 0),
        ["Tensor length: ", padded, " is not a multiple of the number of unroll steps: ", self._num_unroll],
      ),
      tf.Assert(self._length <= padded, ["Input length: ", self._length, " is longer than the padded length: ", padded]),
    ]
    checks += [tf.assert_equal(time, padded, message="All sequences must have the same length.") for time in times[1:]]
    with tf.control_dependencies(checks):
      return tf.floordiv(tf.identity(padded), self._num_unroll, name="sequence_count")

  def _insert(self):
    """The op that puts all segments of a sequence in, and the state of the first."""
    count = self._segments()
    numbers = tf.range(count)
    of_all = tf.as_string(count, width=5, fill="0")
    keys = tf.string_join([tf.as_string(numbers, width=5, fill="0"), tf.fill([count], of_all)], separator="_of_")
    keys = tf.string_join([keys, tf.fill([count], self._key)], separator=":")
    following = tf.concat([keys[1:], [tf.string_join([_STOP, self._key], separator=":")]], 0)
    values = {
      "length": tf.clip_by_value(self._length - numbers * self._num_unroll, 0, self._num_unroll),
      "total_length": tf.fill([count], self._length),
      "next_key": following,
      "sequence": numbers,
      "sequence_count": tf.fill([count], count),
    }
    for name, value in self._sequences.items():
      rest = value.get_shape().as_list()[1:]
      values["sequences", name] = tf.reshape(value, tf.concat([[count, self._num_unroll], tf.constant(rest, dtypes.int32)], 0))
    for name, value in self._context.items():
      copies = tf.concat([[count], tf.ones([value.get_shape().ndims], dtype=dtypes.int32)], 0)
      values["context", name] = tf.tile(tf.expand_dims(value, 0), copies)
    with tf.control_dependencies([count]):
      token = self._tokens.enqueue([1])
    with tf.control_dependencies([token]):
      inserted = [
        self._barrier.insert_many(self._place(field), keys, value, name="BarrierInsert_%d" % self._place(field))
        for field, value in values.items()
      ]
      inserted += [
        self._barrier.insert_many(self._place(("states", name)), keys[:1], tf.expand_dims(value, 0))
        for name, value in self._states.items()
      ]
    with tf.control_dependencies(inserted):
      return tf.group(self._tickets.put(1), name="AllBarrierInserts")


def _check_map(what, values):
  if not isinstance(values, dict):
    raise TypeError(f"{what} must be a dict, but saw: {values}")
  for name in values:
    if not isinstance(name, str):
      raise TypeError(f"{what} must have texts as keys, but saw: {name}")


def _scalar(value, dtype, name):
  tensor = convert.convert_to_tensor(value, dtype=dtype, name=name)
  tensor.get_shape().assert_has_rank(0)
  return tensor


def _tensors(values, what):
  return {name: convert.convert_to_tensor(values[name], name=f"{what}_{name}") for name in sorted(values)}


def batch_sequences_with_states(
  input_key,
  input_sequences,
  input_context,
  input_length,
  initial_states,
  num_unroll,
  batch_size,
  num_threads=3,
  capacity=1000,
  allow_small_batch=True,
  pad=True,
  make_keys_unique=False,
  make_keys_unique_seed=None,
  name=None,
):
  """The `next_batch` of a SequenceQueueingStateSaver that `num_threads` threads of queue runners fill.

  With `pad` sequences are filled up with zeros to a multiple of `num_unroll`, and `input_length` may be None, their length.
  With `make_keys_unique` random numbers are appended to the keys, drawn with `make_keys_unique_seed`. The other arguments are those of the
  state saver. Raises ValueError for no `input_length` without `pad`.
  """
  with tf.name_scope(name, "batch_sequences_with_states", [*input_sequences.values(), *input_context.values(), input_key]):
    sequences = _tensors(input_sequences, "sequence")
    if pad:
      length, sequences = _padded(sequences, num_unroll)
      input_length = length if input_length is None else input_length
    elif input_length is None:
      raise ValueError("input_length must be specified unless pad is True")
    if make_keys_unique:
      number = tf.random_uniform([], minval=0, maxval=2**31 - 1, dtype=dtypes.int32, seed=make_keys_unique_seed)
      input_key = tf.string_join([input_key, tf.as_string(number)], separator="__")
    saver = SequenceQueueingStateSaver(
      batch_size,
      num_unroll,
      input_length,
      input_key,
      sequences,
      input_context,
      initial_states,
      capacity=capacity,
      allow_small_batch=allow_small_batch,
    )
    batch = saver.next_batch
    tf.summary.scalar("sqss/ready_segments", tf.cast(saver.barrier.ready_size(), dtypes.float32))
    queue_runners.add_queue_runner(
      queue_runners.QueueRunner(
        saver,
        [saver.prefetch_op] * num_threads,
        queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
      )
    )
    return batch


def _padded(sequences, num_unroll):
  """(their length, the sequences with zeros, or empty texts, up to a multiple of `num_unroll`)."""
  length = tf.shape(next(iter(sequences.values())))[0]
  more = tf.floormod(-length, num_unroll)
  padded = {}
  for name, value in sequences.items():
    shape = value.get_shape().with_rank_at_least(1)
    fill = "" if value.dtype == dtypes.string else value.dtype.as_numpy_dtype(0)
    rest = tf.concat([[more], tf.constant(shape[1:].as_list(), dtype=dtypes.int32)], 0)
    value = tf.concat([value, tf.fill(rest, fill)], 0)
    time = shape.dims[0].value
    whole = None if time is None else -(-time // num_unroll) * num_unroll
    value.set_shape(tensor_shape.TensorShape([whole]).concatenate(shape[1:]))
    padded[name] = value
  return length, padded
