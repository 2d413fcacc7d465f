"""The losses of whole models: gan_loss, cyclegan_loss, stargan_loss."""

import millrace as tf
from millrace.contrib.gan import loss_formulas, namedtuples, tuple_losses


def _checked_weight(weight, name):
  """A weight: None, a number that is not negative, or a scalar tensor. Raises ValueError for others."""
  if weight is None or isinstance(weight, tf.Tensor):
    if weight is not None:
      weight.shape.assert_is_compatible_with([])
    return weight
  if weight < 0:
    raise ValueError(f"`{name}` must be greater than 0. Instead, was {weight}")
  return weight


def _is_used(weight):
  return weight is not None and (isinstance(weight, tf.Tensor) or weight > 0)


def gan_loss(
  model,
  generator_loss_fn=tuple_losses.wasserstein_generator_loss,
  discriminator_loss_fn=tuple_losses.wasserstein_discriminator_loss,
  gradient_penalty_weight=None,
  gradient_penalty_epsilon=1e-10,
  gradient_penalty_target=1.0,
  gradient_penalty_one_sided=False,
  mutual_information_penalty_weight=None,
  aux_cond_generator_weight=None,
  aux_cond_discriminator_weight=None,
  tensor_pool_fn=None,
  add_summaries=True,
):
  """Returns the GANLoss of a model: those of two functions, what weights add, and the regularization of both networks.

  Weights add a penalty of the discriminator's slopes, the mutual information of an InfoGANModel, and the classification of an
  ACGANModel. `tensor_pool_fn` gives the discriminator generated data of earlier steps: it takes and returns (data, inputs).
  Raises ValueError for negative weights and for models that they do not fit.
  """
  gradient_penalty_weight = _checked_weight(gradient_penalty_weight, "gradient_penalty_weight")
  mutual_information_penalty_weight = _checked_weight(mutual_information_penalty_weight, "infogan_weight")
  aux_cond_generator_weight = _checked_weight(aux_cond_generator_weight, "aux_cond_generator_weight")
  aux_cond_discriminator_weight = _checked_weight(aux_cond_discriminator_weight, "aux_cond_discriminator_weight")
  if _is_used(mutual_information_penalty_weight) and not isinstance(model, namedtuples.InfoGANModel):
    raise ValueError(
      f"When `mutual_information_penalty_weight` is not None, `model` must be an `InfoGANModel`. Instead, was {type(model)}."
    )
  for weight, name in (
    (aux_cond_generator_weight, "aux_cond_generator_weight"),
    (aux_cond_discriminator_weight, "aux_cond_discriminator_weight"),
  ):
    if _is_used(weight) and not isinstance(model, namedtuples.ACGANModel):
      raise ValueError(f"When `{name}` is not None, `model` must be an `ACGANModel`. Instead, was {type(model)}.")
  generator_loss = generator_loss_fn(model, add_summaries=add_summaries)
  judged = model if tensor_pool_fn is None else _pooled(model, tensor_pool_fn)
  discriminator_loss = discriminator_loss_fn(judged, add_summaries=add_summaries)
  if _is_used(gradient_penalty_weight):
    penalty = tuple_losses.wasserstein_gradient_penalty(
      model,
      epsilon=gradient_penalty_epsilon,
      target=gradient_penalty_target,
      one_sided=gradient_penalty_one_sided,
      add_summaries=add_summaries,
    )
    discriminator_loss += gradient_penalty_weight * penalty
  if _is_used(mutual_information_penalty_weight):
    information = tuple_losses.mutual_information_penalty(model, add_summaries=add_summaries)
    generator_loss += mutual_information_penalty_weight * information
    discriminator_loss += mutual_information_penalty_weight * information
  if _is_used(aux_cond_generator_weight):
    generator_loss += aux_cond_generator_weight * tuple_losses.acgan_generator_loss(model, add_summaries=add_summaries)
  if _is_used(aux_cond_discriminator_weight):
    discriminator_loss += aux_cond_discriminator_weight * tuple_losses.acgan_discriminator_loss(
      model, add_summaries=add_summaries
    )
  return namedtuples.GANLoss(
    generator_loss + _regularization(model.generator_scope), discriminator_loss + _regularization(model.discriminator_scope)
  )


def _regularization(scope):
  return tf.losses.get_regularization_loss(scope.name) if scope else 0


def _pooled(model, tensor_pool_fn):
  """The model with outputs of the discriminator for generated data that came through the pool."""
  data, inputs = tensor_pool_fn((model.generated_data, model.generator_inputs))
  logits = distributions = None
  with tf.variable_scope(model.discriminator_scope, reuse=True):
    if isinstance(model, namedtuples.ACGANModel):
      outputs, logits = model.discriminator_fn(data, inputs)
    elif isinstance(model, namedtuples.InfoGANModel):
      outputs, distributions = model.discriminator_and_aux_fn(data, inputs)
    else:
      outputs = model.discriminator_fn(data, inputs)
  changed = {"generator_inputs": inputs, "generated_data": data, "discriminator_gen_outputs": outputs}
  if logits is not None:
    changed["discriminator_gen_classification_logits"] = logits
  if distributions is not None:
    changed["predicted_distributions"] = distributions
  return model._replace(**changed)


def cyclegan_loss(
  model,
  generator_loss_fn=tuple_losses.least_squares_generator_loss,
  discriminator_loss_fn=tuple_losses.least_squares_discriminator_loss,
  cycle_consistency_loss_fn=tuple_losses.cycle_consistency_loss,
  cycle_consistency_loss_weight=10.0,
  **kwargs,
):
  """Returns the CycleGANLoss of a CycleGANModel: the losses of both directions, with that of the cycle for both generators.

  Keyword arguments are those of gan_loss, without penalties of slopes. Raises ValueError for other models and negative weights.
  """
  if not isinstance(model, namedtuples.CycleGANModel):
    raise ValueError(f"`model` must be a `CycleGANModel`. Instead, was {type(model)}.")  # noqa: TRY004 (TensorFlow's class)
  weight = _checked_weight(cycle_consistency_loss_weight, "cycle_consistency_loss_weight")
  add_summaries = kwargs.get("add_summaries", True)
  cycle_loss = cycle_consistency_loss_fn(model, add_summaries=add_summaries)

  def partial(one, scope):
    with tf.name_scope(scope):
      loss = gan_loss(one, generator_loss_fn=generator_loss_fn, discriminator_loss_fn=discriminator_loss_fn, **kwargs)
      return loss._replace(generator_loss=loss.generator_loss + weight * cycle_loss)

  return namedtuples.CycleGANLoss(partial(model.model_x2y, "cyclegan_loss_x2y"), partial(model.model_y2x, "cyclegan_loss_y2x"))


def stargan_loss(
  model,
  generator_loss_fn=tuple_losses.stargan_generator_loss_wrapper(loss_formulas.wasserstein_generator_loss),
  discriminator_loss_fn=tuple_losses.stargan_discriminator_loss_wrapper(loss_formulas.wasserstein_discriminator_loss),
  gradient_penalty_weight=10.0,
  gradient_penalty_epsilon=1e-10,
  gradient_penalty_target=1.0,
  gradient_penalty_one_sided=False,
  reconstruction_loss_fn=tf.losses.absolute_difference,
  reconstruction_loss_weight=10.0,
  classification_loss_fn=tf.losses.softmax_cross_entropy,
  classification_loss_weight=1.0,
  classification_one_hot=True,
  add_summaries=True,
):
  """Returns the GANLoss of a StarGANModel: adversarial losses, penalty of slopes, reconstruction, and classes of domains.

  If not `classification_one_hot`, the classification's loss gets numbers of domains for labels.
  """

  def labels(one_hot):
    return one_hot if classification_one_hot else tf.argmax(one_hot, 1)

  def classified(target, logits, name):
    loss = classification_loss_weight * classification_loss_fn(labels(target), logits)
    if add_summaries:
      tf.summary.scalar(name, loss)
    return loss

  with tf.name_scope("stargan_loss"):
    reconstruction = reconstruction_loss_weight * reconstruction_loss_fn(model.input_data, model.reconstructed_data)
    if add_summaries:
      tf.summary.scalar("generator_reconstruction_loss", reconstruction)
    generator_loss = (
      generator_loss_fn(model, add_summaries=add_summaries)
      + reconstruction
      + classified(
        model.generated_data_domain_target,
        model.discriminator_generated_data_domain_predication,
        "generator_classification_loss",
      )
    )
    discriminator_loss = discriminator_loss_fn(model, add_summaries=add_summaries) + classified(
      model.input_data_domain_label,
      model.discriminator_input_data_domain_predication,
      "discriminator_classification_loss",
    )
    if _is_used(_checked_weight(gradient_penalty_weight, "gradient_penalty_weight")):
      penalty_fn = tuple_losses.stargan_gradient_penalty_wrapper(loss_formulas.wasserstein_gradient_penalty)
      penalty = penalty_fn(
        model,
        epsilon=gradient_penalty_epsilon,
        target=gradient_penalty_target,
        one_sided=gradient_penalty_one_sided,
        add_summaries=add_summaries,
      )
      discriminator_loss += gradient_penalty_weight * penalty
  return namedtuples.GANLoss(generator_loss, discriminator_loss)
