"""Losses of a model as one tuple: tf.contrib.gan.losses, whose functions take a GANModel and what else the loss of its parts takes."""

import functools
import inspect

import millrace as tf
from millrace.contrib.gan import combined_losses, loss_formulas, namedtuples


def args_to_gan_model(loss_fn):
  """Returns a function of a model: `loss_fn` with the model's fields for its arguments, and keyword arguments for others.

  It raises ValueError if an argument is a field of the model and a keyword argument, or is neither and has no default.
  """
  parameters = inspect.signature(loss_fn).parameters
  required = {name for name, parameter in parameters.items() if parameter.default is inspect.Parameter.empty}

  @functools.wraps(loss_fn)
  def of_model(gan_model, **kwargs):
    fields = {name: getattr(gan_model, name) for name in gan_model._fields if name in required}
    common = sorted(set(fields) & set(kwargs))
    if common:
      raise ValueError(f"Arguments of the model and keyword arguments have the same names: {', '.join(common)}")
    missing = sorted(required - set(fields) - set(kwargs))
    if missing:
      raise ValueError(f"{loss_fn.__name__} needs more arguments than a {type(gan_model).__name__} has: {', '.join(missing)}")
    return loss_fn(**fields, **kwargs)

  del of_model.__wrapped__
  return of_model


acgan_discriminator_loss = args_to_gan_model(loss_formulas.acgan_discriminator_loss)
acgan_generator_loss = args_to_gan_model(loss_formulas.acgan_generator_loss)
least_squares_discriminator_loss = args_to_gan_model(loss_formulas.least_squares_discriminator_loss)
least_squares_generator_loss = args_to_gan_model(loss_formulas.least_squares_generator_loss)
minimax_discriminator_loss = args_to_gan_model(loss_formulas.minimax_discriminator_loss)
minimax_generator_loss = args_to_gan_model(loss_formulas.minimax_generator_loss)
modified_discriminator_loss = args_to_gan_model(loss_formulas.modified_discriminator_loss)
modified_generator_loss = args_to_gan_model(loss_formulas.modified_generator_loss)
mutual_information_penalty = args_to_gan_model(loss_formulas.mutual_information_penalty)
wasserstein_discriminator_loss = args_to_gan_model(loss_formulas.wasserstein_discriminator_loss)
wasserstein_generator_loss = args_to_gan_model(loss_formulas.wasserstein_generator_loss)
wasserstein_gradient_penalty = args_to_gan_model(loss_formulas.wasserstein_gradient_penalty)


def combine_adversarial_loss(
  gan_loss,
  gan_model,
  non_adversarial_loss,
  weight_factor=None,
  gradient_ratio=None,
  gradient_ratio_epsilon=1e-6,
  scalar_summaries=True,
  gradient_summaries=True,
):
  """Returns a GANLoss whose generator's loss is `non_adversarial_loss` plus the adversarial one times a factor."""
  combined = combined_losses.combine_adversarial_loss(
    non_adversarial_loss,
    gan_loss.generator_loss,
    weight_factor,
    gradient_ratio,
    gradient_ratio_epsilon,
    gan_model.generator_variables,
    scalar_summaries,
    gradient_summaries,
  )
  return gan_loss._replace(generator_loss=combined)


def cycle_consistency_loss(cyclegan_model, scope=None, add_summaries=False):
  """How much data of a CycleGANModel change on their way through both generators. Raises ValueError for other models."""
  if not isinstance(cyclegan_model, namedtuples.CycleGANModel):
    raise ValueError(f"`cyclegan_model` must be a `CycleGANModel`. Instead, was {type(cyclegan_model)}.")  # noqa: TRY004 (TensorFlow's class)
  return combined_losses.cycle_consistency_loss(
    cyclegan_model.model_x2y.generator_inputs,
    cyclegan_model.reconstructed_x,
    cyclegan_model.model_y2x.generator_inputs,
    cyclegan_model.reconstructed_y,
    scope,
    add_summaries,
  )


def stargan_generator_loss_wrapper(loss_fn):
  """Returns the loss of a generator's outputs as a function of a StarGANModel."""

  @functools.wraps(loss_fn)
  def of_model(stargan_model, **kwargs):
    return loss_fn(stargan_model.discriminator_generated_data_source_predication, **kwargs)

  return of_model


def stargan_discriminator_loss_wrapper(loss_fn):
  """Returns the loss of a discriminator's outputs as a function of a StarGANModel."""

  @functools.wraps(loss_fn)
  def of_model(stargan_model, **kwargs):
    return loss_fn(
      stargan_model.discriminator_input_data_source_predication,
      stargan_model.discriminator_generated_data_source_predication,
      **kwargs,
    )

  return of_model


def stargan_gradient_penalty_wrapper(loss_fn):
  """Returns the penalty of a discriminator's slopes as a function of a StarGANModel."""

  @functools.wraps(loss_fn)
  def of_model(stargan_model, **kwargs):
    domains = stargan_model.input_data_domain_label.shape.as_list()[-1]

    def judge(data, unused_inputs):
      return stargan_model.discriminator_fn(data, domains)[0]

    return loss_fn(
      real_data=stargan_model.input_data,
      generated_data=stargan_model.generated_data,
      generator_inputs=tf.constant(0.0),
      discriminator_fn=judge,
      discriminator_scope=stargan_model.discriminator_scope,
      **kwargs,
    )

  return of_model
