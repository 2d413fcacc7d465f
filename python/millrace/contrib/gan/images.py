"""Summaries of models: pictures of generated and real data side by side, losses of regularization, structure of the networks."""

import math

import millrace as tf
from millrace.contrib.gan import namedtuples


def image_grid(input_tensor, grid_shape, image_shape=(32, 32), num_channels=3):
  """Returns a batch of one image: images in `grid_shape` rows and columns, each of `image_shape`.

  Raises ValueError if there are not as many images.
  """
  count = input_tensor.shape.as_list()[0]
  if grid_shape[0] * grid_shape[1] != count:
    raise ValueError(f"Grid shape {grid_shape} incompatible with minibatch size {count}.")
  rows, columns = grid_shape
  height, width = image_shape
  grid = tf.reshape(input_tensor, [rows, columns, height, width, num_channels])
  grid = tf.transpose(grid, [0, 2, 1, 3, 4])
  return tf.reshape(grid, [1, rows * height, columns * width, num_channels])


def image_reshaper(images, num_cols=None):
  """Returns a batch of one image with all images in `num_cols` columns (by default nearly a square), black where there are too few."""
  if isinstance(images, (list, tuple)):
    images = tf.stack(images) if images[0].shape.ndims == 3 else tf.concat(images, 0)
  count, height, width, channels = images.shape.as_list()
  columns = num_cols or math.ceil(math.sqrt(count))
  rows = math.ceil(count / columns)
  missing = rows * columns - count
  if missing:
    images = tf.pad(images, [[0, missing], [0, 0], [0, 0], [0, 0]])
  return image_grid(images, (rows, columns), (height, width), channels)


def add_gan_model_image_summaries(gan_model, grid_size=4, model_summaries=True):
  """Adds pictures of real and generated data, in `grid_size` rows and columns; raises ValueError if the data are no images."""
  if isinstance(gan_model, namedtuples.CycleGANModel):
    raise ValueError(
      "`add_gan_model_image_summaries` does not take CycleGANModels. Please use `add_cyclegan_image_summaries` instead."
    )
  _assert_is_image(gan_model.real_data)
  _assert_is_image(gan_model.generated_data)
  count = grid_size**2
  _, height, width, channels = gan_model.generated_data.shape.as_list()
  real_height, real_width, real_channels = gan_model.real_data.shape.as_list()[1:]
  real = image_grid(gan_model.real_data[:count], (grid_size, grid_size), (real_height, real_width), real_channels)
  generated = image_grid(gan_model.generated_data[:count], (grid_size, grid_size), (height, width), channels)
  tf.summary.image("real_data", real, max_outputs=1)
  tf.summary.image("generated_data", generated, max_outputs=1)
  if model_summaries:
    add_gan_model_summaries(gan_model)


def add_image_comparison_summaries(gan_model, num_comparisons=2, display_diffs=False):
  """Adds pictures of inputs of the generator, generated and real data side by side, and with `display_diffs` of their differences."""
  if isinstance(gan_model, namedtuples.CycleGANModel):
    raise ValueError(
      "`add_image_comparison_summaries` does not take CycleGANModels. Please use `add_cyclegan_image_summaries` instead."
    )
  for data in (gan_model.generator_inputs, gan_model.generated_data, gan_model.real_data):
    _assert_is_image(data)
  inputs = gan_model.generator_inputs[:num_comparisons]
  generated = gan_model.generated_data[:num_comparisons]
  real = gan_model.real_data[:num_comparisons]
  columns = [inputs, generated, real]
  if display_diffs:
    columns += [tf.abs(inputs - generated), tf.abs(generated - real)]
  rows = tf.reshape(tf.stack(columns, 1), [-1, *generated.shape.as_list()[1:]])
  tf.summary.image("image_comparison", image_reshaper(rows, num_cols=len(columns)), max_outputs=1)


def add_cyclegan_image_summaries(cyclegan_model):
  """Adds pictures of data of both kinds, of what was made of them, and of what came back. Raises ValueError for other models."""
  if not isinstance(cyclegan_model, namedtuples.CycleGANModel):
    raise ValueError(f"`cyclegan_model` was not a CycleGANModel. Instead, was {type(cyclegan_model)}")  # noqa: TRY004 (TensorFlow's class)
  parts = (
    ("x2y", cyclegan_model.model_x2y, cyclegan_model.reconstructed_x),
    ("y2x", cyclegan_model.model_y2x, cyclegan_model.reconstructed_y),
  )
  for name, model, reconstructed in parts:
    columns = [model.generator_inputs, model.generated_data, reconstructed]
    for data in columns:
      _assert_is_image(data)
    row = [data[0] for data in columns]
    tf.summary.image(f"image_comparison_{name}", image_reshaper(row, num_cols=3), max_outputs=1)


def add_gan_model_summaries(gan_model):
  """Adds histograms of all variables of both networks."""
  if isinstance(gan_model, namedtuples.CycleGANModel):
    with tf.name_scope("cyclegan_x2y_summaries"):
      add_gan_model_summaries(gan_model.model_x2y)
    with tf.name_scope("cyclegan_y2x_summaries"):
      add_gan_model_summaries(gan_model.model_y2x)
    return
  for name, variables in (
    ("generator_variables", gan_model.generator_variables),
    ("discriminator_variables", gan_model.discriminator_variables),
  ):
    with tf.name_scope(name):
      for variable in variables:
        tf.summary.histogram(variable.name.replace(":", "_"), variable)


def add_regularization_loss_summaries(gan_model):
  """Adds the losses of regularization of both networks, if they have some."""
  if isinstance(gan_model, namedtuples.CycleGANModel):
    with tf.name_scope("cyclegan_x2y_regularization_loss_summaries"):
      add_regularization_loss_summaries(gan_model.model_x2y)
    with tf.name_scope("cyclegan_y2x_regularization_loss_summaries"):
      add_regularization_loss_summaries(gan_model.model_y2x)
    return
  for name, scope in (("generator", gan_model.generator_scope), ("discriminator", gan_model.discriminator_scope)):
    if scope:
      tf.summary.scalar(f"{name}_regularization_loss", tf.losses.get_regularization_loss(scope.name))


def _assert_is_image(data):
  data.shape.assert_has_rank(4)
  data.shape[1:].assert_is_fully_defined()
