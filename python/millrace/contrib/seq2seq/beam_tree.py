"""Reading beams back from what each step chose, and whose child it was."""

import millrace as tf
from millrace.framework import convert, dtypes


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
  """The ids along each beam: from its last step back to its first, by the parents.

  `step_ids` and `parent_ids` are [time, batch, beam], `max_sequence_lengths` [batch]. What follows the first `end_token` of a beam, or
  the batch entry's length, is `end_token`. A parent that is no beam is an InvalidArgumentError.
  """
  with tf.name_scope(name, "GatherTree", [step_ids, parent_ids, max_sequence_lengths, end_token]):
    step_ids = convert.convert_to_tensor(step_ids, name="step_ids")
    parent_ids = convert.convert_to_tensor(parent_ids, dtype=step_ids.dtype, name="parent_ids")
    end_token = convert.convert_to_tensor(end_token, dtype=step_ids.dtype, name="end_token")
    lengths = tf.cast(max_sequence_lengths, dtypes.int32)
    shape = tf.shape(step_ids)
    batch = tf.tile(tf.expand_dims(tf.range(shape[1]), 1), [1, shape[2]])
    own = tf.tile(tf.expand_dims(tf.range(shape[2]), 0), [shape[1], 1])
    times = tf.range(shape[0])

    def back(following, row):
      _, beam = following
      time, ids, parents = row
      # Before a sequence's last step is reached, each beam is its own.
      inside = tf.tile(tf.expand_dims(time < lengths, 1), [1, shape[2]])
      here = tf.stack([batch, beam], axis=-1)
      chosen = tf.where(inside, tf.gather_nd(ids, here), tf.fill(tf.shape(beam), end_token))
      parent = tf.cast(tf.gather_nd(parents, here), dtypes.int32)
      return chosen, tf.where(inside, parent, beam)

    start = (tf.fill(tf.shape(own), end_token), own)
    ids, _ = tf.scan(back, (times, step_ids, parent_ids), initializer=start, reverse=True, back_prop=False)
    ended = tf.cumsum(tf.cast(tf.equal(ids, end_token), dtypes.int32), axis=0, exclusive=True)
    beams = tf.where(ended > 0, tf.fill(tf.shape(ids), end_token), ids)
    beams.set_shape(step_ids.get_shape())
    return beams


def gather_tree_from_array(t, parent_ids, sequence_length):
  """What `t` has along each beam; steps behind the end of a sequence stay as they are.

  `t` is [time, batch, beam, ...] or [time, batch * beam, ...], and so is the result; `parent_ids` is [time, batch, beam] and
  `sequence_length` [batch, beam].
  """
  shape = tf.shape(parent_ids)
  max_time, batch_size, beam_width = shape[0], shape[1], shape[2]
  own = tf.tile(tf.reshape(tf.range(beam_width), [1, 1, -1]), [max_time, batch_size, 1])
  longest = tf.cast(tf.reduce_max(sequence_length, axis=1), dtypes.int32)
  sorted_beams = gather_tree(own, parent_ids, max_sequence_lengths=longest, end_token=beam_width + 1)
  inside = tf.transpose(tf.sequence_mask(sequence_length, maxlen=max_time), [2, 0, 1])
  sorted_beams = tf.where(inside, sorted_beams, own)
  times = tf.tile(tf.reshape(tf.range(max_time), [-1, 1, 1]), [1, batch_size, beam_width])
  batch = tf.tile(tf.reshape(tf.range(batch_size), [1, -1, 1]), [max_time, 1, beam_width])
  # Both forms have the same order of elements, so what belongs to a beam is one row.
  row = tf.size(t) // tf.maximum(tf.reduce_prod(shape), 1)
  split = tf.reshape(t, tf.concat([shape, [row]], 0))
  ordered = tf.gather_nd(split, tf.stack([times, batch, sorted_beams], axis=-1))
  ordered = tf.reshape(ordered, tf.shape(t))
  ordered.set_shape(t.get_shape())
  return ordered
