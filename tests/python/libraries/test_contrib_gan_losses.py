"""Losses of tf.contrib.gan by their formulas in numpy."""

import numpy as np
import pytest
from gan_parts import _Normal, run, softmax_cross_entropy, wargs

import millrace as tf

REAL = np.array([-5.0, 1.4, 12.5, 2.7], np.float32)


FAKE = np.array([10.0, 4.4, -5.5, 3.6], np.float32)


def softplus(x):
  return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def cross_entropy(label, logits):
  return softplus(logits) - label * logits


def test_wasserstein_losses():
  weights = np.array([1.0, 0.0, 2.0, 1.0], np.float32)
  generator = wargs.wasserstein_generator_loss(FAKE)
  weighted = wargs.wasserstein_generator_loss(
    FAKE, weights=weights, scope="mine", loss_collection="c", reduction=tf.losses.Reduction.SUM, add_summaries=True
  )
  discriminator = wargs.wasserstein_discriminator_loss(REAL, FAKE)
  other = wargs.wasserstein_discriminator_loss(
    REAL,
    FAKE,
    real_weights=weights,
    generated_weights=2.0,
    scope="other",
    loss_collection="d",
    reduction=tf.losses.Reduction.NONE,
    add_summaries=True,
  )
  values = run([generator, weighted, discriminator, other])
  np.testing.assert_allclose(values[0], -FAKE.mean(), rtol=1e-5)
  np.testing.assert_allclose(values[1], -(FAKE * weights).sum(), rtol=1e-5)
  np.testing.assert_allclose(values[2], FAKE.mean() - REAL.mean(), rtol=1e-5)
  np.testing.assert_allclose(values[3], FAKE * 2 - REAL * weights, rtol=1e-5)
  assert tf.get_collection("c") == [weighted] and tf.get_collection("d") == [other]
  assert set(tf.losses.get_losses()) == {generator, discriminator}
  tags = [tensor.op.name for tensor in tf.get_collection("summaries")]
  assert [tag.rpartition("/")[2] for tag in tags] == [
    "generator_wass_loss",
    "discriminator_gen_wass_loss",
    "discriminator_real_wass_loss",
    "discriminator_wass_loss",
  ]


def test_minimax_losses():
  options = {"scope": "mine", "loss_collection": None, "reduction": tf.losses.Reduction.SUM, "add_summaries": True}
  values = run(
    [
      wargs.minimax_discriminator_loss(REAL, FAKE),
      wargs.minimax_discriminator_loss(REAL, FAKE, label_smoothing=0.0, real_weights=2.0, generated_weights=3.0, **options),
      wargs.minimax_generator_loss(FAKE),
      wargs.minimax_generator_loss(FAKE, label_smoothing=0.5, weights=2.0, **options),
      wargs.modified_discriminator_loss(REAL, FAKE),
      wargs.modified_discriminator_loss(REAL, FAKE, label_smoothing=0.5, real_weights=2.0, generated_weights=3.0, **options),
      wargs.modified_generator_loss(FAKE),
      wargs.modified_generator_loss(FAKE, label_smoothing=0.5, weights=2.0, **options),
    ]
  )
  fake = cross_entropy(0.0, FAKE)
  ones = np.ones(4, np.float32)
  np.testing.assert_allclose(values[0], cross_entropy(0.875, REAL).mean() + fake.mean(), rtol=1e-5)
  np.testing.assert_allclose(values[0], 6.19637, rtol=1e-5)
  np.testing.assert_allclose(values[1], 2 * cross_entropy(1.0, REAL).sum() + 3 * fake.sum(), rtol=1e-5)
  np.testing.assert_allclose(values[2], -(cross_entropy(1.0, ones) + fake).mean(), rtol=1e-5)
  np.testing.assert_allclose(values[2], -4.82408, rtol=1e-5)
  np.testing.assert_allclose(values[3], -2 * (cross_entropy(0.75, ones) + fake).sum(), rtol=1e-5)
  np.testing.assert_allclose(values[4], values[0])
  np.testing.assert_allclose(values[5], 2 * cross_entropy(0.75, REAL).sum() + 3 * fake.sum(), rtol=1e-5)
  np.testing.assert_allclose(values[6], cross_entropy(1.0, FAKE).mean(), rtol=1e-5)
  np.testing.assert_allclose(values[7], 2 * cross_entropy(0.75, FAKE).sum(), rtol=1e-5)


def test_least_squares_losses():
  options = {"scope": "mine", "loss_collection": None, "reduction": tf.losses.Reduction.SUM, "add_summaries": True}
  values = run(
    [
      wargs.least_squares_generator_loss(FAKE),
      wargs.least_squares_generator_loss(FAKE, real_label=2.0, weights=3.0, **options),
      wargs.least_squares_discriminator_loss(REAL, FAKE),
      wargs.least_squares_discriminator_loss(
        REAL, FAKE, real_label=2.0, fake_label=-1.0, real_weights=3.0, generated_weights=4.0, **options
      ),
    ]
  )
  np.testing.assert_allclose(values[0], 17.69625, rtol=1e-5)
  np.testing.assert_allclose(values[1], 3 * ((FAKE - 2) ** 2).sum() / 2, rtol=1e-5)
  np.testing.assert_allclose(values[2], 41.73375, rtol=1e-5)
  np.testing.assert_allclose(values[3], 3 * ((REAL - 2) ** 2).sum() / 2 + 4 * ((FAKE + 1) ** 2).sum() / 2, rtol=1e-5)


def test_losses_of_classes():
  real, fake = np.array([[1.0, 2.0], [0.5, -1.0]], np.float32), np.array([[0.0, 1.0], [3.0, 1.0]], np.float32)
  labels = np.array([[0.0, 1.0], [1.0, 0.0]], np.float32)
  options = {"scope": "mine", "loss_collection": None, "reduction": tf.losses.Reduction.SUM, "add_summaries": True}
  values = run(
    [
      wargs.acgan_generator_loss(fake, labels),
      wargs.acgan_generator_loss(fake, labels, weights=2.0, **options),
      wargs.acgan_discriminator_loss(real, fake, labels),
      wargs.acgan_discriminator_loss(real, fake, labels, label_smoothing=0.2, real_weights=2.0, generated_weights=3.0, **options),
    ]
  )
  np.testing.assert_allclose(values[0], softmax_cross_entropy(labels, fake).mean(), rtol=1e-5)
  np.testing.assert_allclose(values[1], 2 * softmax_cross_entropy(labels, fake).sum(), rtol=1e-5)
  np.testing.assert_allclose(
    values[2], softmax_cross_entropy(labels, real).mean() + softmax_cross_entropy(labels, fake).mean(), rtol=1e-5
  )
  smoothed = labels * 0.8 + 0.1
  np.testing.assert_allclose(
    values[3], 2 * softmax_cross_entropy(smoothed, real).sum() + 3 * softmax_cross_entropy(labels, fake).sum(), rtol=1e-5
  )


def test_gradient_penalty():
  """Of a linear discriminator, whose slope is the same everywhere."""
  real, fake = np.ones([3, 2], np.float32), np.zeros([3, 2], np.float32)
  w = np.array([[3.0], [4.0]], np.float32)

  def discriminator(data, unused_inputs):
    return tf.matmul(data, tf.get_variable("w", initializer=w))

  with tf.variable_scope("dis") as scope:
    discriminator(tf.constant(real), None)
  options = {"loss_collection": None, "reduction": tf.losses.Reduction.SUM, "add_summaries": True}
  values = run(
    [
      wargs.wasserstein_gradient_penalty(real, fake, None, discriminator, scope),
      wargs.wasserstein_gradient_penalty(
        real,
        fake,
        None,
        lambda data, inputs: (discriminator(data, inputs), None),
        scope,
        epsilon=11.0,
        target=2.0,
        weights=2.0,
        scope="mine",
        **options,
      ),
      wargs.wasserstein_gradient_penalty(real, fake, None, discriminator, scope, target=10.0, one_sided=True),
    ]
  )
  np.testing.assert_allclose(values, [16.0, 3 * 2.0 * (6.0 / 2.0 - 1.0) ** 2, 0.0], rtol=1e-5)
  with pytest.raises(ValueError, match="unknown rank"):
    wargs.wasserstein_gradient_penalty(tf.placeholder(tf.float32), fake, None, discriminator, scope)


def test_mutual_information():
  noise = [np.array([1.0, 2.0], np.float32), np.array([0.0, 0.0], np.float32)]
  kinds = [_Normal(tf.constant([1.0, 1.0])), _Normal(tf.constant([2.0, 0.0]))]
  loss = wargs.mutual_information_penalty(noise, kinds)
  other = wargs.mutual_information_penalty(
    noise, kinds, weights=3.0, scope="mine", loss_collection="c", reduction=tf.losses.Reduction.SUM, add_summaries=True
  )
  each = np.array([0.25, 1.0]) + 0.5 * np.log(2 * np.pi)
  np.testing.assert_allclose(run([loss, other]), [each.mean(), 3 * each.sum()], rtol=1e-5)
  assert tf.get_collection("c") == [other]


def test_cycle_consistency():
  x, back_x = np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([[7.0, 8, 9], [10, 11, 12]])
  y, back_y = np.array([1.0, 9.0]), np.array([-2.0, 3.0])
  loss = wargs.cycle_consistency_loss(x, back_x, y, back_y, scope="mine", add_summaries=True)
  np.testing.assert_allclose(run(loss), 5.25)


def test_combined_losses():
  x, y = tf.Variable([3.0, 4.0]), tf.Variable([1.0, 0.0])
  main, other = tf.reduce_sum(x * x), tf.reduce_sum(x) + tf.reduce_sum(y)
  by_weight = wargs.combine_adversarial_loss(main, other, weight_factor=2.0)
  by_ratio = wargs.combine_adversarial_loss(
    main,
    other,
    gradient_ratio=0.5,
    gradient_ratio_epsilon=0.0,
    variables=[x],
    scalar_summaries=False,
    gradient_summaries=False,
    scope="mine",
  )
  np.testing.assert_allclose(run([by_weight, by_ratio]), [25 + 2 * 8, 25 + 0.5 * 10 / np.sqrt(2) * 8], rtol=1e-5)
  with pytest.raises(ValueError, match="exactly one of"):
    wargs.combine_adversarial_loss(main, other)
  with pytest.raises(ValueError, match="greater than 0"):
    wargs.combine_adversarial_loss(main, other, weight_factor=-1.0)
  assert len(tf.get_collection("summaries")) == 3
