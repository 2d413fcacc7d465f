"""What the parts of tf.contrib.gan hand to each other: models, losses, train ops and numbers of steps."""

import collections

_MODEL_FIELDS = (
  "generator_inputs",
  "generated_data",
  "generator_variables",
  "generator_scope",
  "generator_fn",
  "real_data",
  "discriminator_real_outputs",
  "discriminator_gen_outputs",
  "discriminator_variables",
  "discriminator_scope",
  "discriminator_fn",
)


class GANModel(collections.namedtuple("GANModel", _MODEL_FIELDS)):
  """A generator and a discriminator: their inputs and outputs, variables, variable scopes and functions."""


class InfoGANModel(
  collections.namedtuple(
    "InfoGANModel", (*_MODEL_FIELDS, "structured_generator_inputs", "predicted_distributions", "discriminator_and_aux_fn")
  )
):
  """A GANModel whose discriminator also says distributions of structured inputs of the generator, a list of tensors."""


class ACGANModel(
  collections.namedtuple(
    "ACGANModel",
    (
      *_MODEL_FIELDS,
      "one_hot_labels",
      "discriminator_real_classification_logits",
      "discriminator_gen_classification_logits",
    ),
  )
):
  """A GANModel whose discriminator also classifies."""


class CycleGANModel(collections.namedtuple("CycleGANModel", ("model_x2y", "model_y2x", "reconstructed_x", "reconstructed_y"))):
  """Two GANModels, each of which makes data of one kind from the other, and data that went through both."""


class StarGANModel(
  collections.namedtuple(
    "StarGANModel",
    (
      "input_data",
      "input_data_domain_label",
      "generated_data",
      "generated_data_domain_target",
      "reconstructed_data",
      "discriminator_input_data_source_predication",
      "discriminator_generated_data_source_predication",
      "discriminator_input_data_domain_predication",
      "discriminator_generated_data_domain_predication",
      "generator_variables",
      "generator_scope",
      "generator_fn",
      "discriminator_variables",
      "discriminator_scope",
      "discriminator_fn",
    ),
  )
):
  """A generator between several domains, and a discriminator that says which one data are of."""


class GANLoss(collections.namedtuple("GANLoss", ("generator_loss", "discriminator_loss"))):
  """The losses of both networks, scalars."""


class CycleGANLoss(collections.namedtuple("CycleGANLoss", ("loss_x2y", "loss_y2x"))):
  """Two GANLosses."""


class GANTrainOps(
  collections.namedtuple("GANTrainOps", ("generator_train_op", "discriminator_train_op", "global_step_inc_op", "train_hooks"))
):
  """The train ops of both networks, the op that counts a step, and hooks that the optimizers need."""

  def __new__(cls, generator_train_op, discriminator_train_op, global_step_inc_op, train_hooks=()):
    return super().__new__(cls, generator_train_op, discriminator_train_op, global_step_inc_op, train_hooks)


class GANTrainSteps(collections.namedtuple("GANTrainSteps", ("generator_train_steps", "discriminator_train_steps"))):
  """How often each network is trained in a step."""
