"""Ops of neural networks: what programs in pairs with TensorFlow cannot show, with formulas written out in numpy."""

import sys

import numpy as np
import pair_runner
import pytest

sys.path.insert(0, pair_runner.package_folder())

import millrace as tf  # noqa: E402


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()
  yield
  tf.reset_default_graph()


@pytest.fixture
def session():
  with tf.Session() as made:
    yield made


def random(*shape):
  return np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32)


def test_losses_take_no_arguments_by_position():
  x = tf.zeros([2, 3])
  for call in (
    lambda: tf.nn.softmax_cross_entropy_with_logits(x, x),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(x, x),
    lambda: tf.nn.sigmoid_cross_entropy_with_logits(x, x),
    lambda: tf.nn.softmax_cross_entropy_with_logits(_sentinel=x, labels=x, logits=x),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(_sentinel=x, labels=[0, 1], logits=x),
    lambda: tf.nn.sigmoid_cross_entropy_with_logits(_sentinel=x, labels=x, logits=x),
  ):
    with pytest.raises(ValueError, match="with named arguments"):
      call()


def test_swish_and_its_gradient(session):
  x = tf.constant(random(3, 4))
  value = random(3, 4)
  sigmoid = 1 / (1 + np.exp(-value))
  y, gradient = session.run([tf.nn.swish(x), tf.gradients(tf.nn.swish(x), x)[0]])
  np.testing.assert_allclose(y, value * sigmoid, rtol=1e-5)
  np.testing.assert_allclose(gradient, sigmoid * (1 + value * (1 - sigmoid)), rtol=1e-4)


def test_average_losses(session):
  losses = np.array([1.0, 2.0, 6.0], np.float32)
  assert session.run(tf.nn.compute_average_loss(losses)) == 3.0
  assert session.run(tf.nn.compute_average_loss(losses, sample_weight=[1.0, 0.0, 0.5])) == pytest.approx(4 / 3)
  assert session.run(tf.nn.compute_average_loss(losses, global_batch_size=18)) == 0.5
  assert session.run(tf.nn.scale_regularization_loss(losses)) == 9.0


def ctc_by_sums(logits, labels, blank):
  """The negative log of the sum of the probabilities of all paths that give the labels, by trying all."""
  import itertools

  probabilities = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
  total = 0.0
  for path in itertools.product(range(logits.shape[1]), repeat=logits.shape[0]):
    collapsed = [c for i, c in enumerate(path) if i == 0 or path[i - 1] != c]
    if [c for c in collapsed if c != blank] == list(labels):
      total += np.prod([probabilities[t, c] for t, c in enumerate(path)])
  return -np.log(total)


@pytest.mark.parametrize("blank", [0, 1, -1])
def test_ctc_loss_of_dense_labels(session, blank):
  logits = random(4, 2, 3)
  classes = [c for c in range(3) if c != blank % 3]
  labels = np.array([[classes[0], classes[1], classes[0]], [classes[1], classes[1], 0]])
  loss = tf.nn.ctc_loss_v2(labels, tf.constant(logits), label_length=[2, 2], logit_length=[4, 4], blank_index=blank)
  wanted = [ctc_by_sums(logits[:, i], labels[i, :2], blank % 3) for i in range(2)]
  np.testing.assert_allclose(session.run(loss), wanted, rtol=1e-4)
  batch_major = tf.transpose(tf.constant(logits), [1, 0, 2])
  loss = tf.nn.ctc_loss_v2(labels, batch_major, [2, 2], [4, 4], logits_time_major=False, blank_index=blank, name="again")
  np.testing.assert_allclose(session.run(loss), wanted, rtol=1e-4)


def test_ctc_loss_of_sparse_labels_wants_the_blank():
  labels = tf.SparseTensor([[0, 0]], [1], [1, 1])
  with pytest.raises(ValueError, match="blank_index"):
    tf.nn.ctc_loss_v2(labels, tf.zeros([2, 1, 3]), None, [2])


def test_dropout_of_a_rate_that_is_fed(session):
  rate = tf.placeholder(tf.float32, [])
  y = tf.nn.dropout(tf.ones([1000]), rate=rate, seed=1)
  for fed in (0.0, 0.25, 0.9):
    value = session.run(y, {rate: fed})
    assert (value == 0).mean() == pytest.approx(fed, abs=0.05)
    np.testing.assert_allclose(value[value != 0], 1 / (1 - fed), rtol=1e-5)


def test_dropout_draws_anew_each_step(session):
  y = tf.nn.dropout(tf.ones([100]), 0.5)
  assert (session.run(y) != session.run(y)).any()


def test_transposed_convolution_undoes_shapes(session):
  x = random(2, 4, 5, 3)
  f = random(3, 3, 2, 3)
  larger = tf.nn.conv2d_transpose(x, f, [2, 8, 10, 2], 2)
  smaller = tf.nn.conv2d(tf.constant(random(2, 8, 10, 2)), f, 2, "SAME")
  # <conv(a), x> = <a, conv_transpose(x)>: one is the other's transpose.
  left, right = session.run([tf.reduce_sum(smaller * x), tf.reduce_sum(larger * random(2, 8, 10, 2))])
  assert left == pytest.approx(right, rel=1e-3)


def test_atrous_convolution_is_one_with_a_larger_filter(session):
  x, f = random(1, 9, 9, 2), random(3, 3, 2, 4)
  spread = np.zeros([5, 5, 2, 4], np.float32)
  spread[::2, ::2] = f
  for padding in ("SAME", "VALID"):
    made = session.run([tf.nn.atrous_conv2d(x, f, 2, padding), tf.nn.conv2d(x, spread, 1, padding)])
    np.testing.assert_allclose(made[0], made[1], atol=1e-4)


def test_moments_in_parts(session):
  x = random(6, 3)
  counts, sums, squares, shift = tf.nn.sufficient_statistics(tf.constant(x), [0], shift=tf.constant(x[0]))
  mean, variance = session.run(tf.nn.normalize_moments(counts, sums, squares, shift))
  np.testing.assert_allclose(mean, x.mean(0), rtol=1e-4, atol=1e-5)
  np.testing.assert_allclose(variance, x.var(0), rtol=1e-4, atol=1e-5)


def test_embedding_of_too_many_norms(session):
  table = np.array([[3.0, 4.0], [0.3, 0.4]], np.float32)
  rows = session.run(tf.nn.embedding_lookup(table, [0, 1], max_norm=1.0))
  np.testing.assert_allclose(rows, [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)


def test_max_pool_by_the_older_name_of_its_input(session):
  x = random(1, 4, 4, 1)
  with pytest.raises(TypeError):
    tf.nn.max_pool(input=x, ksize=2, strides=2, padding="SAME")
  made = session.run([tf.nn.max_pool(None, 2, 2, "SAME", input=x), tf.nn.avg_pool(None, 2, 2, "SAME", input=x)])
  blocks = x.reshape(2, 2, 2, 2).transpose(0, 2, 1, 3).reshape(2, 2, 4)
  np.testing.assert_allclose(made[0][0, :, :, 0], blocks.max(-1))
  np.testing.assert_allclose(made[1][0, :, :, 0], blocks.mean(-1), rtol=1e-5, atol=1e-6)
