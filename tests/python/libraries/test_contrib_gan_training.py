"""Train ops, steps and training of tf.contrib.gan, its features, and its pictures."""

import glob

import numpy as np
import pytest
from gan_parts import DATA, NOISE, gan, generator, model, run, tags

import millrace as tf


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


def _watching_discriminator(data, unused_conditioning):
  """A discriminator with a statistic of its data, as batch normalization has."""
  seen = tf.get_variable("seen", [2], initializer=tf.zeros_initializer(), trainable=False)
  tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(seen, tf.reduce_mean(data, 0), use_locking=True))
  return tf.matmul(data, tf.get_variable("w", initializer=np.array([[1.0], [-1.0]], np.float32)))


def test_updates_of_both_passes():
  """What a discriminator does with real data is in a second scope, `Discriminator_1/`, and is an update of its own."""
  made = gan.gan_model(generator, _watching_discriminator, tf.constant(DATA), tf.constant(NOISE))
  optimizers = (tf.train.GradientDescentOptimizer(0.1), tf.train.GradientDescentOptimizer(0.1))
  ops = gan.gan_train_ops(made, gan.gan_loss(made), *optimizers)
  (seen,) = [v for v in tf.global_variables() if v.op.name == "Discriminator/seen"]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(ops.generator_train_op)
    np.testing.assert_array_equal(session.run(seen), [0, 0])
    generated = session.run(made.generated_data)
    session.run(ops.discriminator_train_op)
    np.testing.assert_allclose(session.run(seen), generated.mean(0) + DATA.mean(0), rtol=1e-6)


def test_updates_of_a_cyclegan():
  def twice(data):
    return data * tf.get_variable("w", initializer=2.0)

  made = gan.cyclegan_model(twice, _watching_discriminator, tf.constant(DATA), tf.constant(DATA + 1.0))
  optimizers = (tf.train.GradientDescentOptimizer(0.1), tf.train.GradientDescentOptimizer(0.1))
  ops = gan.gan_train_ops(made, gan.cyclegan_loss(made), *optimizers)
  seen = [v for v in tf.global_variables() if v.op.name.endswith("/Discriminator/seen")]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(ops.discriminator_train_op)
    found = session.run(seen)
  mean = DATA.mean(0)
  np.testing.assert_allclose(found, [2 * mean + mean + 1, 2 * (mean + 1) + mean])


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


def picture_model():
  data = tf.constant(np.arange(4 * 2 * 2 * 1, dtype=np.float32).reshape(4, 2, 2, 1))

  def made(noise):
    return noise * tf.get_variable("w", initializer=2.0, regularizer=tf.contrib.layers.l2_regularizer(1.0))

  return gan.gan_model(made, lambda d, c: tf.reduce_sum(d) * tf.get_variable("v", initializer=1.0), data, data)


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
