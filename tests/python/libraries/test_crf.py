"""tf.contrib.crf by sums over all sequences of tags."""

import itertools

import numpy as np
import pytest

import millrace as tf

TAGS = 3
LENGTHS = np.array([4, 1, 0, 3])


def potentials(time):
  random = np.random.RandomState(time)
  return random.randn(4, time, TAGS).astype(np.float32), random.randn(TAGS, TAGS).astype(np.float32)


def score(inputs, tags, transitions):
  return sum(inputs[t, tag] for t, tag in enumerate(tags)) + sum(transitions[a, b] for a, b in zip(tags, tags[1:]))


def sequences(length, allowed=None):
  choices = [range(TAGS) if allowed is None else np.flatnonzero(allowed[t]) for t in range(length)]
  return itertools.product(*choices)


def log_sum(inputs, length, transitions, allowed=None):
  if length == 0:
    return 0.0
  return np.log(sum(np.exp(score(inputs, tags, transitions)) for tags in sequences(length, allowed)))


KNOWN = pytest.mark.parametrize("known", ["both", "batch", "neither"])


def placeholder(time, known):
  """Potentials of which the size of the batch and the time are known, the first of them, or neither."""
  return tf.placeholder(tf.float32, [None if known == "neither" else 4, time if known == "both" else None, TAGS])


@KNOWN
@pytest.mark.parametrize("time", [4, 1])
def test_likelihood(time, known):
  inputs, transitions = potentials(time)
  lengths = np.minimum(LENGTHS, time)
  tags = np.random.RandomState(7).randint(0, TAGS, [4, time])
  fed = placeholder(time, known)
  contrib = tf.contrib.crf
  made = [
    contrib.crf_unary_score(tags, lengths, fed),
    contrib.crf_binary_score(tags, lengths, transitions),
    contrib.crf_sequence_score(fed, tags, lengths, transitions),
    contrib.crf_log_norm(fed, lengths, transitions),
    contrib.crf_log_likelihood(fed, tags, lengths, transitions)[0],
  ]
  with tf.Session() as session:
    unary, binary, both, norm, likelihood = session.run(made, {fed: inputs})
  for i, length in enumerate(lengths):
    wanted = score(inputs[i], tags[i, :length], transitions)
    total = log_sum(inputs[i], length, transitions)
    np.testing.assert_allclose(unary[i], sum(inputs[i, t, tags[i, t]] for t in range(length)), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(unary[i] + binary[i], wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose([both[i], norm[i], likelihood[i]], [wanted, total, wanted - total], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("time", [4, 1])
def test_several_tags_at_once(time):
  inputs, transitions = potentials(time)
  lengths = np.minimum([4, 1, 2, 3], time)
  bitmap = np.random.RandomState(3).rand(4, time, TAGS) > 0.4
  bitmap[:, :, 1] = True
  made = tf.contrib.crf.crf_multitag_sequence_score(inputs, bitmap, lengths, transitions)
  with tf.Session() as session:
    wanted = [log_sum(inputs[i], length, transitions, bitmap[i]) for i, length in enumerate(lengths)]
    np.testing.assert_allclose(session.run(made), wanted, rtol=1e-4)


@KNOWN
@pytest.mark.parametrize("time", [4, 1])
def test_decoding(time, known):
  inputs, transitions = potentials(time)
  lengths = np.minimum([4, 1, 2, 3], time)
  fed = placeholder(time, known)
  tags, best = tf.contrib.crf.crf_decode(fed, transitions, lengths)
  assert tags.dtype == tf.int32
  with tf.Session() as session:
    tags, best = session.run([tags, best], {fed: inputs})
  for i, length in enumerate(lengths):
    wanted = max(sequences(length), key=lambda tags: score(inputs[i], tags, transitions))
    assert tuple(tags[i, :length]) == wanted and not tags[i, length:].any()
    np.testing.assert_allclose(best[i], score(inputs[i], wanted, transitions), rtol=1e-5)
    path, value = tf.contrib.crf.viterbi_decode(inputs[i, :length], transitions)
    assert tuple(path) == wanted and isinstance(path, list)
    np.testing.assert_allclose(value, best[i], rtol=1e-5)


def test_cells():
  inputs, transitions = potentials(2)
  state = inputs[:, 0]
  paths = state[:, :, None] + transitions
  contrib = tf.contrib.crf
  forward = contrib.CrfForwardRnnCell(transitions)
  decode = contrib.CrfDecodeForwardRnnCell(transitions)
  back = contrib.CrfDecodeBackwardRnnCell(TAGS)
  assert (forward.state_size, decode.output_size, back.state_size, back.output_size) == (TAGS, TAGS, 1, 1)
  with tf.Session() as session:
    alphas, again = session.run(forward(tf.constant(inputs[:, 1]), tf.constant(state), scope="unused"))
    np.testing.assert_allclose(alphas, inputs[:, 1] + np.log(np.exp(paths).sum(1)), rtol=1e-5)
    assert (alphas == again).all()
    before, scores = session.run(decode(tf.constant(inputs[:, 1]), tf.constant(state), scope="unused"))
    assert (before == paths.argmax(1)).all() and before.dtype == np.int32
    np.testing.assert_allclose(scores, inputs[:, 1] + paths.max(1), rtol=1e-5)
    tags, same = session.run(back(tf.constant(before), tf.constant([[0], [2], [1], [1]]), scope="unused"))
    assert tags.ravel().tolist() == [before[0, 0], before[1, 2], before[2, 1], before[3, 1]] and (tags == same).all()


def test_training_learns_tags():
  random = np.random.RandomState(0)
  x = random.randn(6, 5, 8).astype(np.float32)
  y = random.randint(0, TAGS, [6, 5])
  lengths = np.array([5, 4, 5, 3, 5, 1])
  weights = tf.get_variable("weights", [8, TAGS], initializer=tf.zeros_initializer())
  scores = tf.reshape(tf.matmul(x.reshape(-1, 8), weights), [6, 5, TAGS])
  with tf.variable_scope("crf", initializer=tf.zeros_initializer()):
    likelihood, transitions = tf.contrib.crf.crf_log_likelihood(scores, y, lengths)
  assert transitions.op.name == "crf/transitions" and transitions.shape.as_list() == [TAGS, TAGS]
  train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(-likelihood))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before = session.run(likelihood).mean()
    for _ in range(60):
      session.run(train)
    after = session.run(likelihood)
    assert before == pytest.approx(-np.log(TAGS) * lengths.mean(), rel=1e-4) and after.mean() > before + 2 and (after < 0).all()
    # Its own gradient: that of the log of a sum over all sequences.
    values, params = session.run([scores, transitions])
  wanted = [score(values[i], y[i, :n], params) - log_sum(values[i], n, params) for i, n in enumerate(lengths)]
  np.testing.assert_allclose(after, wanted, rtol=1e-3, atol=1e-4)


def test_gradients_of_sentences_of_one_token():
  """The chain has no transition, so the likelihood is that of a softmax."""
  inputs, transitions = potentials(1)
  chosen = [[0], [2], [1], [1]]
  fed, tags, lengths = placeholder(1, "neither"), tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None])
  params = tf.constant(transitions)
  likelihood, _ = tf.contrib.crf.crf_log_likelihood(fed, tags, lengths, params)
  slopes = tf.gradients(likelihood, [fed, params])
  with tf.Session() as session:
    of_inputs, of_params = session.run(slopes, {fed: inputs, tags: chosen, lengths: [1, 1, 1, 1]})
  softmax = np.exp(inputs) / np.exp(inputs).sum(2, keepdims=True)
  np.testing.assert_allclose(of_inputs, np.eye(TAGS)[np.array(chosen)] - softmax, rtol=1e-4, atol=1e-6)
  assert not of_params.any()
