"""The sequences of tags with the highest score."""

import numpy as np

import millrace as tf
from millrace.contrib.crf.cells import CrfDecodeBackwardRnnCell, CrfDecodeForwardRnnCell, by_number_of_steps
from millrace.framework import convert, dtypes


def viterbi_decode(score, transition_params):
  """The best sequence of tags, a list, and its score, for one sequence in numpy: potentials [time, tags], transitions [tags, tags]."""
  best = np.zeros_like(score)
  before = np.zeros_like(score, dtype=np.int32)
  best[0] = score[0]
  for t in range(1, len(score)):
    paths = np.expand_dims(best[t - 1], 1) + transition_params
    before[t] = np.argmax(paths, 0)
    best[t] = score[t] + np.max(paths, 0)
  path = [int(np.argmax(best[-1]))]
  for pointers in before[:0:-1]:
    path.append(int(pointers[path[-1]]))
  return path[::-1], np.max(best[-1])


def crf_decode(potentials, transition_params, sequence_length):
  """The best sequences of tags, int32 [batch, time], and their scores [batch], for potentials [batch, time, tags].

  `transition_params` are [tags, tags], `sequence_length` [batch]; what stands behind the ends of sequences is 0.
  """
  potentials = convert.convert_to_tensor(potentials)
  lengths = tf.cast(convert.convert_to_tensor(sequence_length), dtypes.int32)
  first = tf.squeeze(potentials[:, :1], [1])

  def of_one_step():
    return tf.expand_dims(tf.argmax(first, 1, output_type=dtypes.int32), 1), tf.reduce_max(first, 1)

  def of_all_steps():
    fewer = tf.maximum(lengths - 1, 0)
    with tf.variable_scope("crf_decode"):
      before, scores = tf.nn.dynamic_rnn(
        CrfDecodeForwardRnnCell(transition_params),
        inputs=potentials[:, 1:],
        sequence_length=fewer,
        initial_state=first,
        dtype=dtypes.int32,
        scope="forward",
      )
      before = tf.reverse_sequence(before, fewer, seq_dim=1)
      last = tf.argmax(scores, 1, output_type=dtypes.int32)
      tags, _ = tf.nn.dynamic_rnn(
        CrfDecodeBackwardRnnCell(potentials.get_shape().as_list()[2]),
        inputs=before,
        sequence_length=fewer,
        initial_state=tf.expand_dims(last, 1),
        dtype=dtypes.int32,
        scope="backward",
      )
      tags = tf.concat([tf.expand_dims(last, 1), tf.squeeze(tags, [2])], 1)
      return tf.reverse_sequence(tags, lengths, seq_dim=1), tf.reduce_max(scores, 1)

  return by_number_of_steps(potentials, of_one_step, of_all_steps)
