"""Makes the models of tf.contrib.gan from functions of a generator and a discriminator."""

import millrace as tf
from millrace.contrib.gan import namedtuples


def _tensors(value):
  """Tensors of a value, of a list of values, or of a dictionary of them."""
  if isinstance(value, (list, tuple)):
    return [tf.convert_to_tensor(element) for element in value]
  if isinstance(value, dict):
    return {key: tf.convert_to_tensor(element) for key, element in value.items()}
  return tf.convert_to_tensor(value)


def _check_shapes(generated_data, real_data):
  if not generated_data.shape.is_compatible_with(real_data.shape):
    raise ValueError(f"Generator output shape ({generated_data.shape}) must be the same shape as real data ({real_data.shape}).")


def _variables(scope):
  return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope.name + "/" if scope.name else None)


def gan_model(
  generator_fn,
  discriminator_fn,
  real_data,
  generator_inputs,
  generator_scope="Generator",
  discriminator_scope="Discriminator",
  check_shapes=True,
):
  """Returns a GANModel: `generator_fn(generator_inputs)` gives data, `discriminator_fn(data, generator_inputs)` judges them.

  Variables are below the two scopes. Raises ValueError if generated and real data have other shapes, unless `check_shapes` is false.
  """
  with tf.variable_scope(generator_scope) as gen_scope:
    generator_inputs = _tensors(generator_inputs)
    generated_data = generator_fn(generator_inputs)
  with tf.variable_scope(discriminator_scope) as dis_scope:
    gen_outputs = discriminator_fn(generated_data, generator_inputs)
  with tf.variable_scope(dis_scope, reuse=True):
    real_data = _tensors(real_data)
    real_outputs = discriminator_fn(real_data, generator_inputs)
  if check_shapes:
    _check_shapes(generated_data, real_data)
  return namedtuples.GANModel(
    generator_inputs,
    generated_data,
    _variables(gen_scope),
    gen_scope,
    generator_fn,
    real_data,
    real_outputs,
    gen_outputs,
    _variables(dis_scope),
    dis_scope,
    discriminator_fn,
  )


def infogan_model(
  generator_fn,
  discriminator_fn,
  real_data,
  unstructured_generator_inputs,
  structured_generator_inputs,
  generator_scope="Generator",
  discriminator_scope="Discriminator",
):
  """Returns an InfoGANModel: the discriminator returns its judgement and a list of distributions, one for each structured input.

  The generator gets the list of unstructured inputs, then structured ones.
  """
  with tf.variable_scope(generator_scope) as gen_scope:
    unstructured = _tensors(list(unstructured_generator_inputs))
    structured = _tensors(list(structured_generator_inputs))
    generator_inputs = unstructured + structured
    generated_data = generator_fn(generator_inputs)
  with tf.variable_scope(discriminator_scope) as dis_scope:
    gen_outputs, distributions = discriminator_fn(generated_data, generator_inputs)
  _check_distributions(distributions, structured)
  with tf.variable_scope(dis_scope, reuse=True):
    real_data = tf.convert_to_tensor(real_data)
    real_outputs, _ = discriminator_fn(real_data, generator_inputs)
  _check_shapes(generated_data, real_data)

  def judge(data, inputs):
    return discriminator_fn(data, inputs)[0]

  return namedtuples.InfoGANModel(
    generator_inputs,
    generated_data,
    _variables(gen_scope),
    gen_scope,
    generator_fn,
    real_data,
    real_outputs,
    gen_outputs,
    _variables(dis_scope),
    dis_scope,
    judge,
    structured,
    distributions,
    discriminator_fn,
  )


def _check_distributions(distributions, structured):
  if len(distributions) != len(structured):
    raise ValueError(
      f"The discriminator returned {len(distributions)} distributions for {len(structured)} structured inputs of the generator"
    )
  for noise, distribution in zip(structured, distributions):
    shape = distribution.batch_shape.concatenate(distribution.event_shape)
    if not shape.is_compatible_with(noise.shape):
      raise ValueError(f"A distribution of shape {shape} does not fit a structured input of shape {noise.shape}")


def acgan_model(
  generator_fn,
  discriminator_fn,
  real_data,
  generator_inputs,
  one_hot_labels,
  generator_scope="Generator",
  discriminator_scope="Discriminator",
  check_shapes=True,
):
  """Returns an ACGANModel: the discriminator returns its judgement and logits of the classes `one_hot_labels`."""
  with tf.variable_scope(generator_scope) as gen_scope:
    generator_inputs = _tensors(generator_inputs)
    generated_data = generator_fn(generator_inputs)
  with tf.variable_scope(discriminator_scope) as dis_scope:
    with tf.name_scope(dis_scope.name + "/generated/"):
      gen_outputs, gen_logits = discriminator_fn(generated_data, generator_inputs)
  with tf.variable_scope(dis_scope, reuse=True):
    with tf.name_scope(dis_scope.name + "/real/"):
      real_data = tf.convert_to_tensor(real_data)
      real_outputs, real_logits = discriminator_fn(real_data, generator_inputs)
  if check_shapes:
    _check_shapes(generated_data, real_data)
  return namedtuples.ACGANModel(
    generator_inputs,
    generated_data,
    _variables(gen_scope),
    gen_scope,
    generator_fn,
    real_data,
    real_outputs,
    gen_outputs,
    _variables(dis_scope),
    dis_scope,
    discriminator_fn,
    one_hot_labels,
    real_logits,
    gen_logits,
  )


def cyclegan_model(
  generator_fn,
  discriminator_fn,
  data_x,
  data_y,
  generator_scope="Generator",
  discriminator_scope="Discriminator",
  model_x2y_scope="ModelX2Y",
  model_y2x_scope="ModelY2X",
  check_shapes=True,
):
  """Returns a CycleGANModel: two GANModels of the same functions, below scopes of their own, one for each direction."""

  def direction(inputs, real_data):
    return gan_model(
      generator_fn,
      discriminator_fn,
      real_data,
      inputs,
      generator_scope=generator_scope,
      discriminator_scope=discriminator_scope,
      check_shapes=check_shapes,
    )

  with tf.variable_scope(model_x2y_scope):
    model_x2y = direction(data_x, data_y)
  with tf.variable_scope(model_y2x_scope):
    model_y2x = direction(data_y, data_x)
  with tf.variable_scope(model_y2x.generator_scope, reuse=True):
    reconstructed_x = model_y2x.generator_fn(model_x2y.generated_data)
  with tf.variable_scope(model_x2y.generator_scope, reuse=True):
    reconstructed_y = model_x2y.generator_fn(model_y2x.generated_data)
  return namedtuples.CycleGANModel(model_x2y, model_y2x, reconstructed_x, reconstructed_y)


def stargan_model(
  generator_fn,
  discriminator_fn,
  input_data,
  input_data_domain_label,
  generator_scope="Generator",
  discriminator_scope="Discriminator",
):
  """Returns a StarGANModel: `generator_fn(data, labels)` turns data into those of the domains `labels`, one-hot vectors.

  `discriminator_fn(data, number of domains)` returns (judgements, logits of the domains). Targets are drawn by chance.
  """
  input_data = tf.convert_to_tensor(input_data)
  labels = tf.convert_to_tensor(input_data_domain_label)
  batch_size, domains = input_data.shape.as_list()[0] or tf.shape(input_data)[0], labels.shape.as_list()[1]
  target = tf.one_hot(tf.random_uniform([batch_size], maxval=domains, dtype=tf.int32), domains)
  with tf.variable_scope(generator_scope) as gen_scope:
    generated = generator_fn(input_data, target)
  with tf.variable_scope(gen_scope, reuse=True):
    reconstructed = generator_fn(generated, labels)
  with tf.variable_scope(discriminator_scope) as dis_scope:
    generated_source, generated_domain = discriminator_fn(generated, domains)
  with tf.variable_scope(dis_scope, reuse=True):
    input_source, input_domain = discriminator_fn(input_data, domains)
  return namedtuples.StarGANModel(
    input_data,
    labels,
    generated,
    target,
    reconstructed,
    input_source,
    generated_source,
    input_domain,
    generated_domain,
    _variables(gen_scope),
    gen_scope,
    generator_fn,
    _variables(dis_scope),
    dis_scope,
    discriminator_fn,
  )
