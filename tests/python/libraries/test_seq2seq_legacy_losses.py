"""tf.contrib.legacy_seq2seq: losses of sequences, and buckets."""

import numpy as np
import pytest

import millrace as tf

legacy = tf.contrib.legacy_seq2seq
BATCH, UNITS, SYMBOLS, DEPTH = 2, 3, 5, 4


def close(made, wanted):
  for one, other in zip(made, wanted):
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def cross_entropy(logits, targets):
  log_sum = np.log(np.exp(logits).sum(-1))
  return log_sum - logits[np.arange(len(targets)), targets]


def test_losses():
  random = np.random.RandomState(4)
  logits = [random.randn(BATCH, SYMBOLS).astype(np.float32) for _ in range(3)]
  targets = [random.randint(0, SYMBOLS, BATCH) for _ in range(3)]
  weights = [np.array(w, np.float32) for w in ([1, 0.5], [1, 1], [0, 2])]
  total = sum(w * cross_entropy(x, t) for x, t, w in zip(logits, targets, weights))
  tensors = [[tf.constant(v) for v in values] for values in (logits, targets, weights)]

  def square(labels, logits):
    return tf.cast(labels, tf.float32) ** 2 + 0 * logits[:, 0]

  squares = sum(w * t**2.0 for t, w in zip(targets, weights))
  made = [
    legacy.sequence_loss_by_example(*tensors),
    legacy.sequence_loss_by_example(*tensors, average_across_timesteps=False, name="x"),
    legacy.sequence_loss(*tensors),
    legacy.sequence_loss(*tensors, average_across_timesteps=False, average_across_batch=False, name="y"),
    legacy.sequence_loss(*tensors, softmax_loss_function=square),
    legacy.sequence_loss_by_example(*tensors, softmax_loss_function=square),
  ]
  with tf.Session() as session:
    close(
      session.run(made),
      [
        total / sum(weights),
        total,
        (total / sum(weights)).mean(),
        total.sum(),
        (squares / sum(weights)).mean(),
        squares / sum(weights),
      ],
    )
  with pytest.raises(ValueError, match="Lengths of logits, weights, and targets must be the same"):
    legacy.sequence_loss_by_example(tensors[0], tensors[1], tensors[2][:2])


@pytest.mark.parametrize("per_example", [False, True])
def test_buckets(per_example):
  encoder_inputs = [tf.placeholder(tf.int32, [None]) for _ in range(3)]
  decoder_inputs = [tf.placeholder(tf.int32, [None]) for _ in range(4)]
  targets = decoder_inputs[1:] + [tf.zeros_like(decoder_inputs[0])]
  weights = [tf.ones_like(d, dtype=tf.float32) for d in decoder_inputs]
  built = []
  # One cell, which has its variables when the second bucket copies it.
  cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(UNITS), tf.nn.rnn_cell.GRUCell(UNITS)])

  def seq2seq(x, y):
    built.append((len(x), len(y)))
    return legacy.embedding_attention_seq2seq(x, y, cell, SYMBOLS, SYMBOLS, DEPTH)

  def square(labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)

  outputs, losses = legacy.model_with_buckets(
    encoder_inputs,
    decoder_inputs,
    targets,
    weights,
    [(2, 3), (3, 4)],
    seq2seq,
    softmax_loss_function=square,
    per_example_loss=per_example,
    name="buckets",
  )
  assert built == [(2, 3), (3, 4)] and [len(o) for o in outputs] == [3, 4]
  assert len({v.op.name for v in tf.trainable_variables()}) == len(tf.trainable_variables())
  train = tf.train.AdamOptimizer(0.05).minimize(tf.reduce_mean(losses[1]))
  random = np.random.RandomState(0)
  feed = {p: random.randint(0, SYMBOLS, 6) for p in encoder_inputs + decoder_inputs}
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    first, before = session.run(losses, feed)
    assert before.shape == ((6,) if per_example else ()) and first.shape == before.shape
    for _ in range(30):
      session.run(train, feed)
    assert np.mean(session.run(losses[1], feed)) < 0.8 * np.mean(before)
  for short in ((2, 4, 4), (3, 3, 4), (3, 4, 3)):
    with pytest.raises(ValueError, match="must be at least that of last bucket"):
      legacy.model_with_buckets(
        encoder_inputs[: short[0]], decoder_inputs, targets[: short[1]], weights[: short[2]], [(2, 3), (3, 4)], seq2seq
      )
