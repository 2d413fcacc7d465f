"""Scores of beams: log probabilities, length and coverage (Wu and others, 2016)."""

import millrace as tf
from millrace.contrib.seq2seq.attention_state import AttentionWrapperState
from millrace.framework import convert, tensor_values


def length_penalty(sequence_lengths, penalty_factor):
  """((5 + length) / 6) ** penalty_factor, by which log probabilities are divided; 1.0 for a factor that is known to be 0."""
  penalty_factor = convert.convert_to_tensor(penalty_factor, name="penalty_factor")
  penalty_factor.set_shape(())
  known = tensor_values.constant_value(penalty_factor)
  if known is not None and known == 0:
    return 1.0
  return tf.pow((5.0 + tf.cast(sequence_lengths, tf.float32)) / 6.0, penalty_factor)


def get_scores(
  log_probs,
  sequence_lengths,
  length_penalty_weight,
  coverage_penalty_weight,
  finished,
  accumulated_attention_probs,
):
  """The scores [batch, beam, words] by which beams are chosen, from log probabilities and lengths of that shape.

  The coverage of beams that are `finished` adds coverage_penalty_weight * the sum of log(min(attention so far, 1)) over what got any
  attention, so that what is behind the end of a memory does not count.
  Raises ValueError if the weight of the coverage is no scalar.
  """
  scores = log_probs / tf.cast(length_penalty(sequence_lengths, length_penalty_weight), log_probs.dtype)
  coverage_penalty_weight = convert.convert_to_tensor(coverage_penalty_weight, name="coverage_penalty_weight")
  if coverage_penalty_weight.shape.ndims != 0:
    raise ValueError(f"coverage_penalty_weight should be a scalar, but saw shape: {coverage_penalty_weight.shape}")
  known = tensor_values.constant_value(coverage_penalty_weight)
  if known is not None and known == 0.0:
    return scores
  logs = tf.log(tf.minimum(accumulated_attention_probs, 1.0))
  coverage = tf.reduce_sum(tf.where(accumulated_attention_probs > 0.0, logs, tf.zeros_like(logs)), 2)
  coverage = tf.where(finished, coverage_penalty_weight * coverage, tf.zeros_like(coverage))
  return scores + tf.expand_dims(coverage, 2)


def attention_probs(cell_state, coverage_penalty_weight):
  """The attention [batch, beam, memory] in a cell's state, the mean of several, or None where coverage has the weight 0.0.

  Raises ValueError if it is asked for and the state has none.
  """
  if isinstance(coverage_penalty_weight, (int, float)) and coverage_penalty_weight == 0.0:
    return None
  states = cell_state if type(cell_state) in (tuple, list) else [cell_state]
  found = []
  for state in states:
    if isinstance(state, AttentionWrapperState):
      found.extend(state.alignments if isinstance(state.alignments, tuple) else [state.alignments])
  if not found:
    raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
  if len(found) == 1:
    return found[0]
  return tf.reduce_mean(tf.stack(found, axis=-1), axis=-1)


def only_end_of_finished(log_probs, end_token, finished):
  """Log probabilities [batch, beam, words] of which finished beams have that of the end token alone, 0."""
  words = tf.shape(log_probs)[2]
  row = tf.one_hot(end_token, words, dtype=log_probs.dtype, on_value=0.0, off_value=log_probs.dtype.min)
  rows = tf.tile(tf.reshape(row, [1, 1, -1]), tf.concat([tf.shape(finished), [1]], 0))
  return tf.where(tf.tile(tf.expand_dims(finished, 2), [1, 1, words]), rows, log_probs)
