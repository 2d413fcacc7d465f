"""Scores of sequences of tags, and their likelihood."""

import millrace as tf
from millrace.contrib.crf.cells import CrfForwardRnnCell, by_number_of_steps
from millrace.framework import convert, dtypes


def _lengths(sequence_lengths):
  return tf.cast(convert.convert_to_tensor(sequence_lengths), dtypes.int32)


def _one_less(lengths):
  return tf.maximum(lengths - 1, 0)


def crf_unary_score(tag_indices, sequence_lengths, inputs):
  """The sum [batch] of `inputs` [batch, time, tags] at the tags [batch, time], up to the lengths [batch]."""
  inputs = convert.convert_to_tensor(inputs)
  tags = tf.cast(tag_indices, dtypes.int32)
  chosen = tf.gather(inputs, tf.expand_dims(tags, -1), batch_dims=2)
  mask = tf.sequence_mask(_lengths(sequence_lengths), maxlen=tf.shape(tags)[1], dtype=inputs.dtype)
  return tf.reduce_sum(tf.squeeze(chosen, [-1]) * mask, 1)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
  """The sum [batch] of `transition_params` [tags, tags] between neighbours of the tags [batch, time], up to the lengths [batch]."""
  transitions = convert.convert_to_tensor(transition_params)
  tags = tf.cast(tag_indices, dtypes.int32)
  pairs = tf.stack([tags[:, :-1], tags[:, 1:]], axis=-1)
  mask = tf.sequence_mask(
    _one_less(_lengths(sequence_lengths)), maxlen=tf.maximum(tf.shape(tags)[1] - 1, 0), dtype=transitions.dtype
  )
  return tf.reduce_sum(tf.gather_nd(transitions, pairs) * mask, 1)


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
  """The score [batch] of sequences of tags: the sum of `crf_unary_score` and `crf_binary_score`."""
  return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
    tag_indices, sequence_lengths, transition_params
  )


def crf_multitag_sequence_score(inputs, tag_bitmap, sequence_lengths, transition_params):
  """The log of the sum [batch] of exp(score) over all sequences of which each tag is set in `tag_bitmap`, [batch, time, tags]."""
  inputs = convert.convert_to_tensor(inputs)
  allowed = tf.cast(tag_bitmap, dtypes.bool)
  impossible = tf.fill(tf.shape(inputs), tf.constant(float("-inf"), dtype=inputs.dtype))
  return crf_log_norm(tf.where(allowed, inputs, impossible), sequence_lengths, transition_params)


def crf_log_norm(inputs, sequence_lengths, transition_params):
  """The log of the sum [batch] of exp(score) over all sequences of tags; 0 for sequences of length 0."""
  inputs = convert.convert_to_tensor(inputs)
  lengths = _lengths(sequence_lengths)
  first = tf.squeeze(inputs[:, :1], [1])

  def of_all_steps():
    _, alphas = tf.nn.dynamic_rnn(
      cell=CrfForwardRnnCell(transition_params),
      inputs=inputs[:, 1:],
      sequence_length=_one_less(lengths),
      initial_state=first,
      dtype=inputs.dtype,
    )
    return alphas

  alphas = by_number_of_steps(inputs, lambda: tf.identity(first), of_all_steps)
  norm = tf.reduce_logsumexp(alphas, [1])
  return tf.where(tf.less_equal(lengths, 0), tf.zeros_like(norm), norm)


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
  """The log likelihood [batch] of tags [batch, time] under unary potentials `inputs` [batch, time, tags].

  Returns it with the transitions [tags, tags], which without `transition_params` are the variable "transitions".
  """
  inputs = convert.convert_to_tensor(inputs)
  tag_indices = tf.cast(tag_indices, dtypes.int32)
  if transition_params is None:
    num_tags = inputs.get_shape().as_list()[2]
    transition_params = tf.get_variable("transitions", [num_tags, num_tags])
  scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
  return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params
