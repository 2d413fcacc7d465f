"""tf.contrib.gan: models, losses by their formulas in numpy, train ops and training, features, pictures."""

import glob

import numpy as np
import pytest

import millrace as tf

gan = tf.contrib.gan
wargs = gan.losses.wargs
REAL = np.array([-5.0, 1.4, 12.5, 2.7], np.float32)
FAKE = np.array([10.0, 4.4, -5.5, 3.6], np.float32)


def run(tensors, feed=None):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return session.run(tensors, feed)


def softplus(x):
  return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def cross_entropy(label, logits):
  return softplus(logits) - label * logits


def softmax_cross_entropy(labels, logits):
  shifted = logits - logits.max(1, keepdims=True)
  return -np.sum(labels * (shifted - np.log(np.exp(shifted).sum(1, keepdims=True))), 1)


# Losses


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


class _Normal:
  """A normal distribution of deviation one."""

  def __init__(self, mean):
    self.mean = mean
    self.batch_shape, self.event_shape = tf.TensorShape(mean.shape), tf.TensorShape([])

  def log_prob(self, value):
    return -0.5 * tf.square(value - self.mean) - 0.5 * np.log(2 * np.pi)


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


# Models


def generator(noise):
  noise = noise[0] if isinstance(noise, list) else noise
  w = tf.get_variable("w", initializer=np.array([[1.0, 2.0]], np.float32), regularizer=tf.contrib.layers.l2_regularizer(1.0))
  return tf.matmul(noise, w)


def discriminator(data, unused_conditioning):
  w = tf.get_variable("w", initializer=np.array([[1.0], [-1.0]], np.float32), regularizer=tf.contrib.layers.l2_regularizer(0.5))
  return tf.matmul(data, w)


NOISE = np.array([[1.0], [2.0]], np.float32)
DATA = np.array([[3.0, 5.0], [1.0, 1.0]], np.float32)


def model(**kwargs):
  return gan.gan_model(generator, discriminator, tf.constant(DATA), tf.constant(NOISE), **kwargs)


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


# Training


def test_train_ops():
  made = model()
  tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="Generator/update"))
  ops = gan.gan_train_ops(
    made,
    gan.gan_loss(made),
    tf.train.GradientDescentOptimizer(0.1),
    tf.train.GradientDescentOptimizer(0.5),
    summarize_gradients=True,
  )
  assert isinstance(ops, gan.GANTrainOps) and ops.train_hooks == []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before = session.run([made.generator_variables, made.discriminator_variables])
    session.run(ops.generator_train_op)
    after = session.run([made.generator_variables, made.discriminator_variables])
    assert session.run(tf.train.get_global_step()) == 0 and session.run(ops.global_step_inc_op) == 1
  np.testing.assert_allclose(before[1], after[1])
  # The generator's gradient: that of -w_d over the noise, and its regularization.
  expected = np.array([[1.0, 2.0]]) - 0.1 * (-1.5 * np.array([[1.0, -1.0]]) + np.array([[1.0, 2.0]]))
  np.testing.assert_allclose(after[0][0], expected, rtol=1e-5)
  tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="elsewhere"))
  arguments = (made, gan.gan_loss(made), tf.train.GradientDescentOptimizer(0.1), tf.train.GradientDescentOptimizer(0.1))
  with pytest.raises(ValueError, match="unused update ops"):
    gan.gan_train_ops(*arguments)
  assert gan.gan_train_ops(*arguments, check_for_unused_update_ops=False) is not None


def test_train_ops_of_replicas():
  made = model()

  def optimizer():
    return tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=1)

  ops = gan.gan_train_ops(made, gan.gan_loss(made), optimizer(), optimizer(), is_chief=True)
  assert len(ops.train_hooks) == 2
  hooks = [*gan.get_sequential_train_hooks()(ops), *ops.train_hooks]
  steps = []
  # The threads that wait for gradients are not waited for.
  with tf.train.MonitoredSession(hooks=hooks, stop_grace_period_secs=0) as session:
    steps += [session.run(ops.global_step_inc_op) for _ in range(3)]
  assert steps == [1, 2, 3]


class _Counter(tf.train.SessionRunHook):
  def __init__(self, tensors):
    self.tensors = tensors
    self.values = None

  def end(self, session):
    self.values = session.run(self.tensors)


def _counting_ops():
  counts = [tf.get_variable(name, initializer=0) for name in ("g", "d")]
  step = tf.train.get_or_create_global_step()
  return gan.GANTrainOps(tf.assign_add(counts[0], 1), tf.assign_add(counts[1], 1), tf.assign_add(step, 1)), counts


@pytest.mark.parametrize("hooks", ["get_sequential_train_hooks", "get_joint_train_hooks"])
def test_steps_by_hooks(hooks):
  ops, counts = _counting_ops()
  counter = _Counter(counts)
  step = gan.gan_train(
    ops,
    None,
    get_hooks_fn=getattr(gan, hooks)(gan.GANTrainSteps(2, 5)),
    hooks=[tf.train.StopAtStepHook(num_steps=3)],
    chief_only_hooks=[counter],
    save_checkpoint_secs=None,
    save_summaries_steps=None,
    master="",
    is_chief=True,
    scaffold=tf.train.Scaffold(),
    config=tf.ConfigProto(),
  )
  assert step == 3 and counter.values == [6, 15]


def test_training_is_saved(tmp_path):
  ops, _ = _counting_ops()
  folder = str(tmp_path)
  gan.gan_train(ops, folder, hooks=[tf.train.StopAtStepHook(num_steps=2)], save_summaries_steps=1, save_checkpoint_secs=60)
  assert tf.train.latest_checkpoint(folder).endswith("model.ckpt-2") and glob.glob(folder + "/events*")
  with pytest.raises(ValueError, match="logdir cannot be None"):
    gan.gan_train(ops, None)


def test_sequential_steps_of_slim():
  ops, counts = _counting_ops()
  steps = gan.get_sequential_train_steps(gan.GANTrainSteps(1, 3))
  value = tf.contrib.slim.learning.train(ops, None, train_step_fn=steps, number_of_steps=2)
  assert value == 2 + 6
  tf.reset_default_graph()  # The training finished the other one.
  ops, counts = _counting_ops()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    step = tf.train.get_global_step()
    loss, stop = gan.get_sequential_train_steps()(
      session, ops, step, {"should_stop": tf.constant(True), "should_log": tf.constant(True)}
    )
    assert (loss, stop, session.run(counts)) == (2, True, [1, 1])


def test_run_train_ops_hook():
  count = tf.get_variable("count", initializer=0)
  with tf.train.MonitoredSession(hooks=[gan.RunTrainOpsHook(tf.assign_add(count, 1), 4)]) as session:
    assert session.run(count) == 4


# Features


def test_conditioned_tensors():
  tensor = tf.constant(np.ones([2, 2, 3], np.float32))
  conditioned = gan.features.condition_tensor(tensor, tf.constant([[1.0], [2.0]]))
  names = [v.op.name for v in tf.trainable_variables()]
  assert conditioned.shape.as_list() == [2, 2, 3] and names == ["fully_connected/weights", "fully_connected/biases"]
  value, weights = run([conditioned, tf.trainable_variables()[0]])
  np.testing.assert_allclose(value, 1 + (np.array([[1.0], [2.0]]) @ weights).reshape(2, 2, 3), rtol=1e-5)
  with pytest.raises(ValueError):
    gan.features.condition_tensor(tf.placeholder(tf.float32, [2, None]), tf.zeros([2, 1]))


def test_tensors_conditioned_by_classes():
  labels = tf.constant(np.eye(4, dtype=np.float32)[[1, 1, 3]])
  conditioned = gan.features.condition_tensor_from_onehot(tf.zeros([3, 5]), labels, embedding_size=7)
  assert [v.shape.as_list() for v in tf.trainable_variables()] == [[4, 7], [7, 5], [5]]
  value = run(conditioned)
  np.testing.assert_allclose(value[0], value[1])
  assert not np.allclose(value[0], value[2])


def test_clipped_weights():
  made = model()
  optimizer = gan.features.clip_discriminator_weights(tf.train.MomentumOptimizer(1.0, 0.9), made, 0.3)
  train = optimizer.minimize(made.discriminator_variables[0][0, 0] * 5.0)
  x = tf.Variable([5.0, -5.0])
  other = gan.features.clip_variables(tf.train.GradientDescentOptimizer(1.0), [x], weight_clip=2.0)
  apply = other.apply_gradients([(tf.constant([0.0, -4.0]), x)])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run([train, apply])
    values = session.run([made.discriminator_variables[0], x])
  np.testing.assert_allclose(values[0], [[-0.3], [-0.3]])
  np.testing.assert_allclose(values[1], [2.0, -1.0])
  assert (
    optimizer.get_slot_names() == ["momentum"] and optimizer.get_slot(made.discriminator_variables[0], "momentum") is not None
  )
  with pytest.raises(ValueError, match="must be positive"):
    gan.features.clip_variables(tf.train.GradientDescentOptimizer(1.0), [x], -1.0)


def test_a_pool_of_tensors():
  value = tf.placeholder(tf.float32, [])
  pool = gan.features.tensor_pool(value, pool_size=2, pooling_probability=1.0, name="mine")
  with tf.Session() as session:
    seen = [float(session.run(pool, {value: number})) for number in range(8)]
  # The first fill the pool; then each comes out later than it went in.
  assert seen[:2] == [0.0, 1.0] and all(after < number for number, after in enumerate(seen) if number >= 2)
  never = gan.features.tensor_pool((value, value + 1.0), pool_size=1, pooling_probability=0.0)
  assert isinstance(never, tuple)
  with tf.Session() as session:
    assert [session.run(never, {value: number}) for number in (3.0, 4.0)] == [(3.0, 4.0), (4.0, 5.0)]
  assert gan.features.tensor_pool([value], pool_size=0) == [value]
  with pytest.raises(ValueError, match="negative"):
    gan.features.tensor_pool(value, pool_size=-1)


def test_spectral_norms():
  numbers = np.random.RandomState(0).normal(size=[4, 3]).astype(np.float32)
  largest = np.linalg.svd(numbers)[1][0]
  norm = gan.features.compute_spectral_norm(tf.constant(numbers), power_iteration_rounds=40, name="norm")
  divided = gan.features.spectral_normalize(tf.constant(numbers), power_iteration_rounds=40, name="divided")
  small = gan.features.spectral_normalize(tf.constant(numbers / 100), 40, equality_constrained=False, training=False)
  regularized = gan.features.spectral_norm_regularizer(2.0, power_iteration_rounds=40, scope="reg")(tf.constant(numbers))
  values = run([norm, divided, small, regularized])
  np.testing.assert_allclose(values[0], [[largest]], rtol=1e-3)
  np.testing.assert_allclose(values[1], numbers / largest, rtol=1e-3)
  np.testing.assert_allclose(values[2], numbers / 100)
  np.testing.assert_allclose(values[3], 2 * largest, rtol=1e-3)
  assert gan.features.spectral_norm_regularizer(0.0, training=False)(tf.constant(numbers)) is None
  with pytest.raises(ValueError, match="integer"):
    gan.features.spectral_norm_regularizer(1)


def test_variables_that_are_normalized():
  getter = gan.features.spectral_normalization_custom_getter(
    name_filter="kernel", power_iteration_rounds=40, equality_constrained=False, training=False
  )
  numbers = 10 * np.random.RandomState(0).normal(size=[4, 3]).astype(np.float32)
  with tf.variable_scope("net", custom_getter=getter):
    kernel = tf.get_variable("kernel", initializer=numbers)
    bias = tf.get_variable("bias", initializer=np.ones(3, np.float32))
  with tf.variable_scope("net", custom_getter=getter, reuse=True):
    again = tf.get_variable("kernel", [4, 3])
  values = run([kernel, bias, again])
  np.testing.assert_allclose(np.linalg.svd(values[0])[1][0], 1.0, rtol=1e-3)
  np.testing.assert_allclose(values[1], np.ones(3))
  np.testing.assert_allclose(values[0], values[2])
  assert len(tf.trainable_variables()) == 2


# Pictures


def picture_model():
  data = tf.constant(np.arange(4 * 2 * 2 * 1, dtype=np.float32).reshape(4, 2, 2, 1))

  def made(noise):
    return noise * tf.get_variable("w", initializer=2.0, regularizer=tf.contrib.layers.l2_regularizer(1.0))

  return gan.gan_model(made, lambda d, c: tf.reduce_sum(d) * tf.get_variable("v", initializer=1.0), data, data)


def tags():
  return [tensor.op.name for tensor in tf.get_collection("summaries")]


def test_grids():
  batch = tf.constant(np.arange(6, dtype=np.float32).reshape(6, 1, 1, 1))
  grid = gan.eval.image_grid(batch, (2, 3), image_shape=(1, 1), num_channels=1)
  five = gan.eval.image_reshaper(batch[:5], num_cols=4)
  square = gan.eval.image_reshaper([batch[0], batch[1], batch[2]])
  values = run([grid, five, square])
  assert values[0].reshape(2, 3).tolist() == [[0, 1, 2], [3, 4, 5]]
  assert values[1].reshape(2, 4).tolist() == [[0, 1, 2, 3], [4, 0, 0, 0]]
  assert values[2].reshape(2, 2).tolist() == [[0, 1], [2, 0]]
  with pytest.raises(ValueError, match="incompatible with minibatch size"):
    gan.eval.image_grid(batch, (2, 2))


def test_pictures_of_models():
  made = picture_model()
  gan.eval.add_gan_model_image_summaries(made, grid_size=2, model_summaries=True)
  gan.eval.add_image_comparison_summaries(made, num_comparisons=1, display_diffs=True)
  gan.eval.add_regularization_loss_summaries(made)
  assert tags() == [
    "real_data",
    "generated_data",
    "generator_variables/Generator/w_0",
    "discriminator_variables/Discriminator/v_0",
    "image_comparison",
    "generator_regularization_loss",
    "discriminator_regularization_loss",
  ]
  assert len(run(tf.summary.merge_all())) > 100
  gan.eval.add_gan_model_image_summaries(made, 2, model_summaries=False)
  with pytest.raises(ValueError):
    gan.eval.add_gan_model_image_summaries(model(generator_scope="a", discriminator_scope="b"))


def test_pictures_of_cycles():
  data = tf.zeros([1, 2, 2, 1])

  def made(noise):
    return noise * tf.get_variable("w", initializer=2.0)

  cycle = gan.cyclegan_model(made, lambda d, c: tf.reduce_sum(d) * tf.get_variable("v", initializer=1.0), data, data)
  gan.eval.add_cyclegan_image_summaries(cycle)
  gan.eval.add_gan_model_summaries(cycle)
  gan.eval.add_regularization_loss_summaries(cycle)
  assert tags()[:2] == ["image_comparison_x2y", "image_comparison_y2x"] and len(tags()) == 2 + 4 + 4
  for function in (gan.eval.add_gan_model_image_summaries, gan.eval.add_image_comparison_summaries):
    with pytest.raises(ValueError, match="add_cyclegan_image_summaries"):
      function(cycle)
  with pytest.raises(ValueError, match="not a CycleGANModel"):
    gan.eval.add_cyclegan_image_summaries(picture_model())
