"""Samplers, losses that sample, and connectionist temporal classification."""

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _run(tf, *fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(f, feed) for f in fetches]


def _data(*shape):
  return np.random.RandomState(len(shape) * 7 + sum(shape)).randn(*shape).astype(np.float32)


def program_samplers(tf):
  true = tf.constant([[1, 3], [2, 0]], tf.int64)
  made = [
    tf.nn.uniform_candidate_sampler(true, 2, 3, True, 10, seed=1, name="uniform"),
    tf.nn.log_uniform_candidate_sampler(true, num_true=2, num_sampled=4, unique=False, range_max=10, seed=2, name="log"),
    tf.nn.learned_unigram_candidate_sampler(true, 2, 3, True, 10, seed=3, name="learned"),
    tf.nn.fixed_unigram_candidate_sampler(
      true, 2, 3, True, 4, distortion=0.5, num_reserved_ids=0, num_shards=1, shard=0, unigrams=[1, 2, 3, 4], seed=4, name="fixed"
    ),
    tf.nn.all_candidate_sampler(true, 2, 4, True, seed=5, name="all"),
  ]
  return [list(m._fields) for m in made] + _run(tf, *[list(m) for m in made])


program_samplers.rtol = 1e-5


def program_samplers_without_seeds(tf):
  true = tf.constant([[1], [2]], tf.int64)
  made = [
    tf.nn.uniform_candidate_sampler(true, 1, 3, True, 10),
    tf.nn.log_uniform_candidate_sampler(true, 1, 3, True, 10),
    tf.nn.learned_unigram_candidate_sampler(true, 1, 3, True, 10),
    tf.nn.fixed_unigram_candidate_sampler(true, 1, 3, True, 10, vocab_file="/nowhere"),
    tf.nn.all_candidate_sampler(true, 1, 3, True),
  ]
  return [[str(t.shape) for t in m] for m in made]


def program_accidental_hits(tf):
  true = tf.constant([[1, 3], [2, 0]], tf.int64)
  made = [
    tf.nn.compute_accidental_hits(true, [1, 2, 3, 7], 2),
    tf.nn.compute_accidental_hits(true, tf.constant([0, 9], tf.int64), num_true=2, seed=3, name="hits"),
  ]
  return [list(m._fields) for m in made] + _run(tf, *[list(m) for m in made])


def _layer(tf):
  weights = tf.get_variable("weights", initializer=_data(10, 4))
  biases = tf.get_variable("biases", initializer=_data(10))
  return weights, biases, tf.constant(_data(3, 4))


def program_nce_loss(tf):
  weights, biases, inputs = _layer(tf)
  labels = tf.constant([[1], [5], [3]], tf.int64)
  two = tf.placeholder_with_default(np.array([[1, 2], [5, 6], [3, 0]], np.int32), [None, 2])
  values = tf.nn.uniform_candidate_sampler(labels, 1, 4, True, 10, seed=1)
  tf.set_random_seed(7)
  made = [
    tf.nn.nce_loss(weights, biases, labels, inputs, 4, 10),
    tf.nn.nce_loss(weights, biases, labels, inputs, 4, 10, sampled_values=values, name="given"),
    tf.nn.nce_loss(
      weights, biases, two, inputs, 4, 10, num_true=2, remove_accidental_hits=True, partition_strategy="div", name="two"
    ),
  ]
  return _run(tf, *made)


program_nce_loss.rtol = 1e-4


def program_sampled_softmax_loss(tf):
  weights, biases, inputs = _layer(tf)
  labels = tf.constant([[1], [5], [3]], tf.int64)
  parts = [tf.get_variable("a", initializer=_data(5, 4)), tf.get_variable("b", initializer=_data(5, 4) * 2)]
  values = (tf.constant([1, 2, 7], tf.int64), tf.constant([[0.5], [0.25], [0.5]]), tf.constant([0.5, 0.25, 0.125]))
  made = [
    tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 4, 10, seed=3),
    tf.nn.sampled_softmax_loss(parts, biases, labels, inputs, 3, 10, sampled_values=values, remove_accidental_hits=False),
    tf.nn.sampled_softmax_loss(
      weights=parts,
      biases=biases,
      labels=tf.constant([[1, 2], [5, 6], [3, 0]]),
      inputs=inputs,
      num_sampled=5,
      num_classes=10,
      num_true=2,
      partition_strategy="div",
      name="div",
      seed=4,
    ),
  ]
  gradients = tf.gradients(tf.reduce_sum(made[0]), [weights, biases, inputs])
  return _run(tf, *made) + _run(tf, *[tf.convert_to_tensor(g) for g in gradients])


program_sampled_softmax_loss.rtol = 1e-4
program_sampled_softmax_loss.atol = 1e-5


def _labels(tf):
  return tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], tf.constant([0, 1, 2, 2, 0]), [2, 3])


def program_ctc_loss(tf):
  logits, lengths = tf.constant(_data(7, 2, 4)), [7, 6]
  made = [
    tf.nn.ctc_loss(_labels(tf), logits, lengths),
    tf.nn.ctc_loss(labels=_labels(tf), logits=logits, sequence_length=lengths),
    tf.nn.ctc_loss(_labels(tf), tf.transpose(logits, [1, 0, 2]), lengths, True, False, True, False),
    tf.nn.ctc_loss_v2(_labels(tf), logits, None, lengths, blank_index=-1),
    tf.nn.ctc_loss_v2(
      tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1]), logits, None, lengths, logits_time_major=True, blank_index=0
    ),
  ]
  return _run(tf, *made) + [_error(lambda: tf.nn.ctc_loss(logits, logits, lengths))]


program_ctc_loss.rtol = 1e-4


def program_gradients_of_ctc_loss(tf):
  logits = tf.constant(_data(7, 2, 4))
  loss = tf.nn.ctc_loss(_labels(tf), logits, [7, 6])
  return _run(tf, tf.gradients(tf.reduce_sum(loss), logits))


program_gradients_of_ctc_loss.rtol = 1e-4
program_gradients_of_ctc_loss.atol = 1e-5


def program_ctc_loss_of_dense_labels(tf):
  logits, labels = tf.constant(_data(7, 2, 4)), tf.constant([[1, 2, 0], [3, 3, 1]])
  made = [
    tf.nn.ctc_loss_v2(labels, logits, [2, 3], [7, 6]),
    tf.nn.ctc_loss_v2(labels, tf.transpose(logits, [1, 0, 2]), [2, 3], [7, 6], logits_time_major=False, blank_index=0),
    tf.nn.ctc_loss_v2(tf.constant([[1, 2, 0], [2, 2, 1]]), logits, [3, 3], [7, 7], blank_index=3),
  ]
  return _run(tf, *made)


program_ctc_loss_of_dense_labels.rtol = 1e-3
program_ctc_loss_of_dense_labels.values_only = True


def program_ctc_loss_of_any_dense_labels(tf):
  """More labels than frames, none at all, classes that only a run knows, and the distinct labels given."""
  logits, labels = tf.constant(_data(7, 2, 4)), tf.constant([[1, 2, 0], [3, 3, 1]])
  late = tf.placeholder_with_default(logits, [None, None, None])
  made = [
    tf.nn.ctc_loss_v2(labels, logits, [2, 3], [1, 6]),
    tf.nn.ctc_loss_v2(labels, logits, [2, 3], [7, 3]),
    tf.nn.ctc_loss_v2(labels, logits, [0, 3], [4, 7]),
    tf.nn.ctc_loss_v2(labels, late, [2, 3], [7, 6]),
    tf.nn.ctc_loss_v2(tf.constant([[1, 2, 0], [2, 2, 1]]), late, [3, 3], [7, 7], blank_index=-1),
    tf.nn.ctc_loss_v2(labels, logits, [2, 3], [7, 6], unique=tf.nn.ctc_unique_labels(labels)),
  ]
  slopes = [tf.gradients(loss, logits)[0] for loss in (made[2], made[3], made[5])]
  return _run(tf, *made, *slopes)


program_ctc_loss_of_any_dense_labels.rtol = 1e-3
program_ctc_loss_of_any_dense_labels.atol = 1e-4
program_ctc_loss_of_any_dense_labels.values_only = True


def program_ctc_decoders(tf):
  logits, lengths = tf.constant(_data(7, 2, 4) * 3), tf.constant([7, 6])
  made = [
    tf.nn.ctc_greedy_decoder(logits, lengths),
    tf.nn.ctc_greedy_decoder(logits, lengths, merge_repeated=False),
    tf.nn.ctc_beam_search_decoder(logits, lengths),
    tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=20, top_paths=2, merge_repeated=False),
    tf.nn.ctc_beam_search_decoder_v2(logits, lengths, beam_width=10, top_paths=3),
  ]
  return [len(m[0]) for m in made] + _run(tf, *[[[list(d) for d in map(_parts, m[0])], m[1]] for m in made])


program_ctc_decoders.rtol = 1e-4


def _parts(sparse):
  return sparse.indices, sparse.values, sparse.dense_shape


def program_collapse_repeated(tf):
  labels = tf.placeholder_with_default(np.array([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0], [4, 5, 5, 6, 6]]), [None, None])
  made = [
    tf.nn.collapse_repeated(labels, [5, 3, 4]),
    tf.nn.collapse_repeated(tf.placeholder_with_default([[1, 1, 2]], [1, 3]), tf.constant([3], tf.int64), name="named"),
  ]
  return _run(tf, *made)


def program_unique_labels(tf):
  labels = tf.constant([[3, 4, 4, 3], [1, 1, 1, 1]])
  made = [tf.nn.ctc_unique_labels(labels), tf.nn.ctc_unique_labels(labels, name="named")]
  return _run(tf, *made)
