"""The loss of label sequences that are rows of a tensor: by the op CTCLoss for what it takes, otherwise by a sum over alignments."""

import math

import millrace as tf
from millrace.framework import convert, dtypes
from millrace.framework import graph as ops
from millrace.ops.nn import ctc

# The logarithms of an alignment that ends elsewhere than its labels, as in TensorFlow, and of one that is none. The first makes the loss
# of labels that are longer than their frames large; the second is finite, since differences of infinities are no numbers.
_ELSEWHERE = math.log(1e-307)
_NEVER = -1e9


def loss(labels, logits, label_length, logit_length, time_major, blank_index, name):
  """The negative log probabilities [batch] of labels [batch, longest], of which the first `label_length` count.

  logits: [time, batch, classes], or [batch, time, classes] where `time_major` is False. `blank_index` counts from the end if it is
  negative. There may be no labels, or more than frames.
  """
  with ops.name_scope(name, "ctc_loss_dense", [logits, labels, label_length, logit_length]):
    logits = convert.convert_to_tensor(logits, name="logits")
    labels = tf.cast(convert.convert_to_tensor(labels, name="labels"), dtypes.int32)
    label_length = tf.cast(convert.convert_to_tensor(label_length, name="label_length"), dtypes.int32)
    logit_length = tf.cast(convert.convert_to_tensor(logit_length, name="logit_length"), dtypes.int32)
    given = logits.dtype
    if given in (dtypes.float16, dtypes.bfloat16):
      logits = tf.cast(logits, dtypes.float32)
    if not time_major:
      logits = tf.transpose(logits, [1, 0, 2])
    classes = ctc.size_of(logits, 2)
    if blank_index < 0:
      blank_index += classes
    is_blank = tf.equal(labels, blank_index)
    labels = tf.where(is_blank, tf.fill(tf.shape(labels), classes - 1), labels - tf.cast(labels > blank_index, dtypes.int32))
    logits = ctc.with_blank_last(logits, blank_index)
    result = tf.cond(
      _op_takes(labels, is_blank, label_length, logit_length),
      lambda: ctc.loss_of_sparse(_sparse(labels, label_length), logits, logit_length),
      lambda: _over_alignments(labels, logits, label_length, logit_length),
    )
    return tf.cast(result, given)


def _op_takes(labels, is_blank, label_length, logit_length):
  """Whether the op computes the loss of all rows: it wants labels, none of them the blank, and frames for them."""
  counts = tf.sequence_mask(label_length, ctc.size_of(labels, 1))
  # A blank stands between two labels that are the same.
  repeated = tf.logical_and(tf.equal(labels[:, 1:], labels[:, :-1]), counts[:, 1:])
  needed = label_length + tf.reduce_sum(tf.cast(repeated, dtypes.int32), 1)
  fits = tf.logical_and(label_length > 0, needed <= logit_length)
  has_blank = tf.reduce_any(tf.logical_and(is_blank, counts))
  return tf.logical_and(tf.reduce_all(fits), tf.logical_not(has_blank))


def _sparse(labels, lengths):
  """Returns the first `lengths` labels of each row as a SparseTensor."""
  indices = tf.where(tf.sequence_mask(lengths, tf.shape(labels)[1]))
  return tf.SparseTensor(indices, tf.gather_nd(labels, indices), tf.shape(labels, out_type=dtypes.int64))


def _over_alignments(labels, logits, label_length, logit_length):
  """The loss by the forward recursion over the states of an alignment: the start, then blanks and labels in turn."""
  batch, longest = ctc.size_of(labels, 0), ctc.size_of(labels, 1)
  blanks = tf.fill([batch, longest], ctc.size_of(logits, 2) - 1)
  nowhere = tf.fill([batch, longest], tf.constant(_NEVER, logits.dtype))

  def in_turn(ones, others):
    return tf.reshape(tf.stack([ones, others], 2), [batch, 2 * longest])

  symbols = tf.concat([tf.fill([batch, 1], ctc.size_of(logits, 2) - 1), in_turn(labels, blanks)], 1)
  log_probs = tf.transpose(tf.nn.log_softmax(logits), [1, 0, 2])
  seen = tf.transpose(tf.gather(log_probs, symbols, axis=2, batch_dims=1), [1, 0, 2])
  seen = tf.pad(seen, [[0, 0], [0, 0], [1, 0]], constant_values=_NEVER)
  # A label may follow the one before, or the start, without a blank between, unless both are the same.
  differ = tf.concat([tf.fill([batch, 1], True), tf.not_equal(labels[:, 1:], labels[:, :-1])], 1)[:, :longest]
  skips = in_turn(tf.where(differ, tf.zeros_like(nowhere), nowhere), nowhere)
  skips = tf.pad(skips, [[0, 0], [2, 0]], constant_values=_NEVER)

  def step(reached, frame):
    seen_now, is_frame = frame
    from_before = tf.pad(reached[:, :-1], [[0, 0], [1, 0]], constant_values=_NEVER)
    from_two_before = tf.pad(reached[:, :-2], [[0, 0], [2, 0]], constant_values=_NEVER) + skips
    there = tf.reduce_logsumexp(tf.stack([reached, from_before, from_two_before]), 0) + seen_now
    return tf.where(is_frame, there, reached)

  start = tf.concat([tf.zeros([batch, 1], logits.dtype), tf.fill([batch, 2 * longest + 1], tf.constant(_NEVER, logits.dtype))], 1)
  is_frame = tf.transpose(tf.sequence_mask(logit_length, ctc.size_of(logits, 0)))
  reached = tf.foldl(step, (seen, is_frame), initializer=start)
  states = 2 * longest + 2
  ends = [tf.one_hot(2 * label_length + i, states, dtype=logits.dtype) for i in range(2)]
  return -tf.reduce_logsumexp(reached + (1.0 - ends[0] - ends[1]) * _ELSEWHERE, 1)
