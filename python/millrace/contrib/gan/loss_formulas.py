"""Losses of generators and discriminators of their outputs (logits, or judgements without bound): tf.contrib.gan.losses.wargs.

All have a scope, the collection that they are added to, a reduction as those of tf.losses, and summaries if asked.
"""

import millrace as tf

_REDUCTION = tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS
_LOSSES = tf.GraphKeys.LOSSES


def _summarize(add_summaries, values):
  if add_summaries:
    for name, value in values.items():
      tf.summary.scalar(name, value)


def wasserstein_generator_loss(
  discriminator_gen_outputs, weights=1.0, scope=None, loss_collection=_LOSSES, reduction=_REDUCTION, add_summaries=False
):
  """The negative judgement of generated data."""
  with tf.name_scope(scope, "generator_wasserstein_loss", (discriminator_gen_outputs, weights)) as scope:
    outputs = tf.cast(discriminator_gen_outputs, tf.float32)
    loss = tf.losses.compute_weighted_loss(-outputs, weights, scope, loss_collection, reduction)
    _summarize(add_summaries, {"generator_wass_loss": loss})
  return loss


def wasserstein_discriminator_loss(
  discriminator_real_outputs,
  discriminator_gen_outputs,
  real_weights=1.0,
  generated_weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """The judgement of generated data minus that of real ones."""
  values = (discriminator_real_outputs, discriminator_gen_outputs, real_weights, generated_weights)
  with tf.name_scope(scope, "discriminator_wasserstein_loss", values) as scope:
    real, generated = (tf.cast(outputs, tf.float32) for outputs in values[:2])
    on_generated = tf.losses.compute_weighted_loss(generated, generated_weights, scope, None, reduction)
    on_real = tf.losses.compute_weighted_loss(real, real_weights, scope, None, reduction)
    loss = on_generated - on_real
    tf.losses.add_loss(loss, loss_collection)
    _summarize(
      add_summaries,
      {"discriminator_gen_wass_loss": on_generated, "discriminator_real_wass_loss": on_real, "discriminator_wass_loss": loss},
    )
  return loss


def acgan_discriminator_loss(
  discriminator_real_classification_logits,
  discriminator_gen_classification_logits,
  one_hot_labels,
  label_smoothing=0.0,
  real_weights=1.0,
  generated_weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """The cross entropy of the classes of real and of generated data."""
  values = (discriminator_real_classification_logits, discriminator_gen_classification_logits, one_hot_labels)
  with tf.name_scope(scope, "acgan_discriminator_loss", values) as scope:
    on_generated = tf.losses.softmax_cross_entropy(
      one_hot_labels,
      discriminator_gen_classification_logits,
      weights=generated_weights,
      scope=scope,
      loss_collection=None,
      reduction=reduction,
    )
    on_real = tf.losses.softmax_cross_entropy(
      one_hot_labels,
      discriminator_real_classification_logits,
      weights=real_weights,
      label_smoothing=label_smoothing,
      scope=scope,
      loss_collection=None,
      reduction=reduction,
    )
    loss = on_generated + on_real
    tf.losses.add_loss(loss, loss_collection)
    _summarize(
      add_summaries,
      {"discriminator_gen_ac_loss": on_generated, "discriminator_real_ac_loss": on_real, "discriminator_ac_loss": loss},
    )
  return loss


def acgan_generator_loss(
  discriminator_gen_classification_logits,
  one_hot_labels,
  weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """The cross entropy of the classes of generated data."""
  with tf.name_scope(scope, "acgan_generator_loss", (discriminator_gen_classification_logits, one_hot_labels)) as scope:
    loss = tf.losses.softmax_cross_entropy(
      one_hot_labels,
      discriminator_gen_classification_logits,
      weights=weights,
      scope=scope,
      loss_collection=loss_collection,
      reduction=reduction,
    )
    _summarize(add_summaries, {"generator_ac_loss": loss})
  return loss


def wasserstein_gradient_penalty(
  real_data,
  generated_data,
  generator_inputs,
  discriminator_fn,
  discriminator_scope,
  epsilon=1e-10,
  target=1.0,
  one_sided=False,
  weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """How far slopes of the discriminator are from `target`, squared, at points between real and generated data.

  If `one_sided`, slopes below the target are no loss. `epsilon` keeps the root from zero.
  """
  with tf.name_scope(scope, "wasserstein_gradient_penalty", (real_data, generated_data)) as scope:
    real_data, generated_data = tf.convert_to_tensor(real_data), tf.convert_to_tensor(generated_data)
    if real_data.shape.ndims is None:
      raise ValueError("`real_data` can't have unknown rank.")
    if generated_data.shape.ndims is None:
      raise ValueError("`generated_data` can't have unknown rank.")
    differences = generated_data - real_data
    rank = differences.shape.ndims
    batch_size = differences.shape.as_list()[0] or tf.shape(differences)[0]
    alpha = tf.random_uniform([batch_size] + [1] * (rank - 1))
    between = real_data + alpha * differences
    with tf.name_scope(None), tf.variable_scope(discriminator_scope, "gpenalty_dscope", reuse=True):
      outputs = discriminator_fn(between, generator_inputs)
    if isinstance(outputs, tuple):
      # Some discriminators return more than their judgement.
      outputs = outputs[0]
    gradients = tf.gradients(outputs, between)[0]
    slopes = tf.sqrt(tf.reduce_sum(tf.square(gradients), axis=list(range(1, rank))) + epsilon)
    penalties = slopes / target - 1.0
    if one_sided:
      penalties = tf.maximum(0.0, penalties)
    penalty = tf.losses.compute_weighted_loss(tf.square(penalties), weights, scope, loss_collection, reduction)
    _summarize(add_summaries, {"gradient_penalty_loss": penalty})
  return penalty


def minimax_discriminator_loss(
  discriminator_real_outputs,
  discriminator_gen_outputs,
  label_smoothing=0.25,
  real_weights=1.0,
  generated_weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """-log(sigmoid(real)) - log(1 - sigmoid(generated)), with smoothed labels of real data."""
  values = (discriminator_real_outputs, discriminator_gen_outputs, real_weights, generated_weights, label_smoothing)
  with tf.name_scope(scope, "discriminator_minimax_loss", values) as scope:
    on_real = tf.losses.sigmoid_cross_entropy(
      tf.ones_like(discriminator_real_outputs),
      discriminator_real_outputs,
      real_weights,
      label_smoothing,
      scope,
      loss_collection=None,
      reduction=reduction,
    )
    on_generated = tf.losses.sigmoid_cross_entropy(
      tf.zeros_like(discriminator_gen_outputs),
      discriminator_gen_outputs,
      generated_weights,
      scope=scope,
      loss_collection=None,
      reduction=reduction,
    )
    loss = on_real + on_generated
    tf.losses.add_loss(loss, loss_collection)
    _summarize(
      add_summaries,
      {
        "discriminator_gen_minimax_loss": on_generated,
        "discriminator_real_minimax_loss": on_real,
        "discriminator_minimax_loss": loss,
      },
    )
  return loss


def minimax_generator_loss(
  discriminator_gen_outputs,
  label_smoothing=0.0,
  weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """The negative loss of the discriminator, where all its outputs for real data are one."""
  with tf.name_scope(scope, "generator_minimax_loss") as scope:
    loss = -minimax_discriminator_loss(
      tf.ones_like(discriminator_gen_outputs),
      discriminator_gen_outputs,
      label_smoothing,
      weights,
      weights,
      scope,
      None,
      reduction,
    )
    tf.losses.add_loss(loss, loss_collection)
    _summarize(add_summaries, {"generator_minimax_loss": loss})
  return loss


def modified_discriminator_loss(
  discriminator_real_outputs,
  discriminator_gen_outputs,
  label_smoothing=0.25,
  real_weights=1.0,
  generated_weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """The same as minimax_discriminator_loss."""
  return minimax_discriminator_loss(
    discriminator_real_outputs,
    discriminator_gen_outputs,
    label_smoothing,
    real_weights,
    generated_weights,
    scope or "discriminator_modified_loss",
    loss_collection,
    reduction,
    add_summaries,
  )


def modified_generator_loss(
  discriminator_gen_outputs,
  label_smoothing=0.0,
  weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """-log(sigmoid(generated))."""
  with tf.name_scope(scope, "generator_modified_loss", [discriminator_gen_outputs]) as scope:
    loss = tf.losses.sigmoid_cross_entropy(
      tf.ones_like(discriminator_gen_outputs),
      discriminator_gen_outputs,
      weights,
      label_smoothing,
      scope,
      loss_collection,
      reduction,
    )
    _summarize(add_summaries, {"generator_modified_loss": loss})
  return loss


def least_squares_generator_loss(
  discriminator_gen_outputs,
  real_label=1,
  weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """Half the squared difference of generated outputs and `real_label`."""
  with tf.name_scope(scope, "lsq_generator_loss", (discriminator_gen_outputs, real_label)) as scope:
    outputs = tf.cast(discriminator_gen_outputs, tf.float32)
    loss = tf.squared_difference(outputs, real_label) / 2.0
    loss = tf.losses.compute_weighted_loss(loss, weights, scope, loss_collection, reduction)
    _summarize(add_summaries, {"generator_lsq_loss": loss})
  return loss


def least_squares_discriminator_loss(
  discriminator_real_outputs,
  discriminator_gen_outputs,
  real_label=1,
  fake_label=0,
  real_weights=1.0,
  generated_weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """Half the squared differences of real outputs and `real_label`, and of generated ones and `fake_label`."""
  with tf.name_scope(scope, "lsq_discriminator_loss", (discriminator_real_outputs, discriminator_gen_outputs)) as scope:
    real, generated = (tf.cast(outputs, tf.float32) for outputs in (discriminator_real_outputs, discriminator_gen_outputs))
    real_losses = tf.squared_difference(real, real_label) / 2.0
    generated_losses = tf.squared_difference(generated, fake_label) / 2.0
    on_real = tf.losses.compute_weighted_loss(real_losses, real_weights, scope, None, reduction)
    on_generated = tf.losses.compute_weighted_loss(generated_losses, generated_weights, scope, None, reduction)
    loss = on_real + on_generated
    tf.losses.add_loss(loss, loss_collection)
    _summarize(
      add_summaries,
      {"discriminator_gen_lsq_loss": on_generated, "discriminator_real_lsq_loss": on_real, "discriminator_lsq_loss": loss},
    )
  return loss


def mutual_information_penalty(
  structured_generator_inputs,
  predicted_distributions,
  weights=1.0,
  scope=None,
  loss_collection=_LOSSES,
  reduction=_REDUCTION,
  add_summaries=False,
):
  """The negative log probability of structured inputs under the distributions that the discriminator said, a list of each."""
  with tf.name_scope(scope, "mutual_information_loss") as scope:
    losses = [
      -tf.reduce_mean(distribution.log_prob(noise))
      for distribution, noise in zip(predicted_distributions, structured_generator_inputs)
    ]
    loss = tf.losses.compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
    _summarize(add_summaries, {"mutual_information_penalty": loss})
  return loss
