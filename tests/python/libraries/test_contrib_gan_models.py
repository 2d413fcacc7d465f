"""Models of tf.contrib.gan, and what their losses are made of."""

import numpy as np
import pytest
from gan_parts import DATA, NOISE, _Normal, discriminator, gan, generator, model, run, softmax_cross_entropy, wargs

import millrace as tf


def test_a_model():
  made = model(generator_scope="Gen", discriminator_scope="Dis")
  assert isinstance(made, gan.GANModel) and made._fields[:2] == ("generator_inputs", "generated_data")
  assert [v.op.name for v in made.generator_variables + made.discriminator_variables] == ["Gen/w", "Dis/w"]
  values = run([made.generated_data, made.discriminator_real_outputs, made.discriminator_gen_outputs])
  np.testing.assert_allclose(values[0], NOISE @ [[1.0, 2.0]])
  np.testing.assert_allclose(values[1], [[-2.0], [0.0]])
  np.testing.assert_allclose(values[2], [[-1.0], [-2.0]])
  other = gan.gan_model(generator, lambda d, c: tf.reduce_sum(d), DATA[:, :1], NOISE, "G", "D", check_shapes=False)
  assert other.generated_data.shape.as_list() == [2, 2]
  with pytest.raises(ValueError, match="must be the same shape as real data"):
    gan.gan_model(generator, lambda d, c: tf.reduce_sum(d), DATA[:1], NOISE, generator_scope="H")


def test_losses_of_a_model():
  made = model()
  wass = gan.gan_loss(made)
  least = gan.gan_loss(
    made,
    generator_loss_fn=gan.losses.least_squares_generator_loss,
    discriminator_loss_fn=gan.losses.least_squares_discriminator_loss,
    add_summaries=False,
  )
  fake, real = np.array([-1.0, -2.0]), np.array([-2.0, 0.0])
  g, d = 0.5 * 5.0, 0.5 * 0.5 * 2.0
  values = run([wass, least])
  np.testing.assert_allclose(values[0], [1.5 + g, -1.5 + 1.0 + d])
  np.testing.assert_allclose(
    values[1], [((fake - 1) ** 2).mean() / 2 + g, ((real - 1) ** 2).mean() / 2 + (fake**2).mean() / 2 + d]
  )


def test_each_loss_takes_a_model():
  made = model()
  losses = gan.losses
  pairs = [
    (losses.minimax_generator_loss, wargs.minimax_generator_loss, [made.discriminator_gen_outputs]),
    (losses.modified_generator_loss, wargs.modified_generator_loss, [made.discriminator_gen_outputs]),
    (losses.wasserstein_generator_loss, wargs.wasserstein_generator_loss, [made.discriminator_gen_outputs]),
    (losses.least_squares_generator_loss, wargs.least_squares_generator_loss, [made.discriminator_gen_outputs]),
  ]
  both = [made.discriminator_real_outputs, made.discriminator_gen_outputs]
  pairs += [
    (losses.minimax_discriminator_loss, wargs.minimax_discriminator_loss, both),
    (losses.modified_discriminator_loss, wargs.modified_discriminator_loss, both),
    (losses.wasserstein_discriminator_loss, wargs.wasserstein_discriminator_loss, both),
    (losses.least_squares_discriminator_loss, wargs.least_squares_discriminator_loss, both),
  ]
  values = run([[of_model(made, scope="x"), plain(*arguments)] for of_model, plain, arguments in pairs])
  for one, other in values:
    assert one == other
  with pytest.raises(ValueError, match="same names"):
    losses.wasserstein_generator_loss(made, discriminator_gen_outputs=1)
  with pytest.raises(ValueError, match="one_hot_labels"):
    losses.acgan_generator_loss(made)


def test_penalties_of_a_model():
  made = model()
  penalized = gan.gan_loss(
    made, gradient_penalty_weight=10.0, gradient_penalty_epsilon=2.0, gradient_penalty_target=4.0, add_summaries=False
  )
  one_sided = gan.gan_loss(
    made, gradient_penalty_weight=tf.constant(10.0), gradient_penalty_target=4.0, gradient_penalty_one_sided=True
  )
  slopes = np.sqrt(2.0 + 2.0)
  values = run([penalized.discriminator_loss, one_sided.discriminator_loss, gan.gan_loss(made).discriminator_loss])
  np.testing.assert_allclose(values[0] - values[2], 10 * (slopes / 4 - 1) ** 2, rtol=1e-5)
  np.testing.assert_allclose(values[1], values[2])
  with pytest.raises(ValueError, match="greater than 0"):
    gan.gan_loss(made, gradient_penalty_weight=-1)
  with pytest.raises(ValueError, match="must be an `InfoGANModel`"):
    gan.gan_loss(made, mutual_information_penalty_weight=1.0)
  with pytest.raises(ValueError, match="must be an `ACGANModel`"):
    gan.gan_loss(made, aux_cond_discriminator_weight=1.0)


def test_a_pool():
  made = model()
  replaced = tf.constant(DATA)
  loss = gan.gan_loss(made, tensor_pool_fn=lambda pair: (replaced, pair[1]), add_summaries=False)
  np.testing.assert_allclose(run(loss.discriminator_loss), 0.0 + 0.5, atol=1e-6)


def _infogan_discriminator(data, inputs):
  return discriminator(data, inputs), [_Normal(data[:, 0] * 0.0)]


def test_an_infogan():
  structured = np.array([1.0, 3.0], np.float32)

  def made_of(inputs):
    return generator(inputs[0])

  made = gan.infogan_model(
    made_of,
    _infogan_discriminator,
    DATA,
    [NOISE],
    [structured],
    generator_scope="IG",
    discriminator_scope="ID",
  )
  assert isinstance(made, gan.InfoGANModel) and len(made.generator_inputs) == 2
  plain = gan.gan_loss(made)
  loss = gan.gan_loss(made, mutual_information_penalty_weight=2.0)
  values = run([plain, loss, gan.losses.mutual_information_penalty(made)])
  information = (0.5 * structured**2).mean() + 0.5 * np.log(2 * np.pi)
  np.testing.assert_allclose(values[2], information, rtol=1e-5)
  np.testing.assert_allclose(np.array(values[1]) - np.array(values[0]), [2 * information] * 2, rtol=1e-5)
  with pytest.raises(ValueError, match="distributions"):
    gan.infogan_model(made_of, lambda d, i: (discriminator(d, i), []), DATA, [NOISE], [structured], "X", "Y")


def test_an_acgan():
  labels = np.eye(2, dtype=np.float32)

  def classifying(data, inputs):
    return discriminator(data, inputs), data

  made = gan.acgan_model(
    generator, classifying, DATA, NOISE, labels, generator_scope="AG", discriminator_scope="AD", check_shapes=False
  )
  plain = gan.gan_loss(made)
  loss = gan.gan_loss(made, aux_cond_generator_weight=2.0, aux_cond_discriminator_weight=3.0)
  values = run([plain, loss, gan.losses.acgan_generator_loss(made), gan.losses.acgan_discriminator_loss(made)])
  generated = NOISE @ np.array([[1.0, 2.0]], np.float32)
  g = softmax_cross_entropy(labels, generated).mean()
  d = g + softmax_cross_entropy(labels, DATA).mean()
  np.testing.assert_allclose([values[2], values[3]], [g, d], rtol=1e-5)
  np.testing.assert_allclose(np.array(values[1]) - np.array(values[0]), [2 * g, 3 * d], rtol=1e-4)


def _square_generator(data):
  return tf.matmul(data, tf.get_variable("w", initializer=np.array([[0.0, 1.0], [2.0, 0.0]], np.float32)))


def test_a_cyclegan():
  x, y = tf.constant(DATA), tf.constant(DATA + 1.0)
  made = gan.cyclegan_model(
    _square_generator,
    discriminator,
    x,
    y,
    generator_scope="G",
    discriminator_scope="D",
    model_x2y_scope="To",
    model_y2x_scope="Back",
    check_shapes=False,
  )
  assert [v.op.name for v in tf.trainable_variables()] == ["To/G/w", "To/D/w", "Back/G/w", "Back/D/w"]
  loss = gan.cyclegan_loss(made, cycle_consistency_loss_weight=3.0)
  partial = gan.gan_loss(made.model_x2y, gan.losses.least_squares_generator_loss, gan.losses.least_squares_discriminator_loss)
  cycle = gan.losses.cycle_consistency_loss(made, scope="mine", add_summaries=True)
  values = run([loss, partial, cycle, made.reconstructed_x])
  np.testing.assert_allclose(values[3], DATA * 2)
  expected = (np.abs(DATA).mean() + np.abs(DATA + 1).mean()) / 2
  np.testing.assert_allclose(values[2], expected)
  np.testing.assert_allclose(values[0].loss_x2y.generator_loss, values[1].generator_loss + 3 * expected, rtol=1e-5)
  ops = gan.gan_train_ops(made, loss, tf.train.GradientDescentOptimizer(0.1), tf.train.GradientDescentOptimizer(0.1))
  assert len(ops.generator_train_op) == len(ops.discriminator_train_op) == 2
  with pytest.raises(ValueError, match="must be a `CycleGANModel`"):
    gan.cyclegan_loss(made.model_x2y)
  with pytest.raises(ValueError, match="must be a `CycleGANModel`"):
    gan.losses.cycle_consistency_loss(made.model_x2y)
  other = gan.cyclegan_loss(
    made,
    generator_loss_fn=gan.losses.wasserstein_generator_loss,
    discriminator_loss_fn=gan.losses.wasserstein_discriminator_loss,
    cycle_consistency_loss_fn=lambda model, add_summaries: tf.constant(1.0),
    add_summaries=False,
  )
  assert isinstance(other, gan.CycleGANLoss)


def _domain_generator(data, labels):
  return data * tf.get_variable("s", initializer=2.0) + 0.0 * tf.reduce_sum(labels)


def _domain_discriminator(data, domains):
  w = tf.get_variable("w", initializer=np.array([[1.0], [-1.0]], np.float32))
  c = tf.get_variable("c", initializer=np.eye(2, dtype=np.float32)[:, :2])
  assert domains == 2
  return tf.matmul(data, w), tf.matmul(data, c)


def test_a_stargan():
  labels = np.eye(2, dtype=np.float32)
  made = gan.stargan_model(_domain_generator, _domain_discriminator, DATA, labels, generator_scope="SG", discriminator_scope="SD")
  loss = gan.stargan_loss(
    made,
    gradient_penalty_weight=2.0,
    gradient_penalty_epsilon=2.0,
    gradient_penalty_target=1.0,
    gradient_penalty_one_sided=True,
    reconstruction_loss_weight=3.0,
    classification_loss_weight=5.0,
    add_summaries=False,
  )
  sparse = gan.stargan_loss(
    made,
    generator_loss_fn=gan.losses.stargan_generator_loss_wrapper(wargs.minimax_generator_loss),
    discriminator_loss_fn=gan.losses.stargan_discriminator_loss_wrapper(wargs.minimax_discriminator_loss),
    gradient_penalty_weight=None,
    reconstruction_loss_fn=tf.losses.mean_squared_error,
    classification_loss_fn=tf.losses.sparse_softmax_cross_entropy,
    classification_one_hot=False,
  )
  penalty = gan.losses.stargan_gradient_penalty_wrapper(wargs.wasserstein_gradient_penalty)(made, epsilon=2.0)
  target, values = None, None
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values, target, other, slope = session.run([loss, made.generated_data_domain_target, sparse, penalty])
  w = np.array([[1.0], [-1.0]])
  generator_loss = -(2 * DATA @ w).mean() + 3 * np.abs(DATA - 4 * DATA).mean()
  generator_loss += 5 * softmax_cross_entropy(target, 2 * DATA).mean()
  discriminator_loss = (2 * DATA @ w).mean() - (DATA @ w).mean() + 5 * softmax_cross_entropy(labels, DATA).mean()
  np.testing.assert_allclose(values.generator_loss, generator_loss, rtol=1e-5)
  np.testing.assert_allclose(values.discriminator_loss, discriminator_loss + 2 * (2.0 - 1.0) ** 2, rtol=1e-5)
  np.testing.assert_allclose(slope, 1.0, rtol=1e-5)
  assert np.isfinite([other.generator_loss, other.discriminator_loss]).all()


def test_main_loss_of_a_model():
  made = model()
  loss = gan.gan_loss(made, add_summaries=False)
  combined = gan.losses.combine_adversarial_loss(loss, made, tf.constant(7.0), weight_factor=2.0, scalar_summaries=False)
  ratio = gan.losses.combine_adversarial_loss(
    loss,
    made,
    tf.reduce_sum(made.generated_data),
    gradient_ratio=1.0,
    gradient_ratio_epsilon=1e-9,
    gradient_summaries=False,
  )
  values = run([loss.generator_loss, combined.generator_loss, combined.discriminator_loss, loss.discriminator_loss])
  np.testing.assert_allclose(values[1], 7 + 2 * values[0])
  assert values[2] == values[3] and np.isfinite(run(ratio.generator_loss))
