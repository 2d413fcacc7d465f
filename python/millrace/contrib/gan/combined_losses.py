"""Losses of cycles, and a main loss together with an adversarial one."""

import millrace as tf


def cycle_consistency_loss(data_x, reconstructed_data_x, data_y, reconstructed_data_y, scope=None, add_summaries=False):
  """The mean of the absolute differences between data and what went through both generators, of both kinds."""
  with tf.name_scope(scope, "cycle_consistency_loss", [data_x, reconstructed_data_x, data_y, reconstructed_data_y]):
    loss_x = tf.reduce_mean(tf.abs(tf.convert_to_tensor(data_x) - reconstructed_data_x))
    loss_y = tf.reduce_mean(tf.abs(tf.convert_to_tensor(data_y) - reconstructed_data_y))
    loss = (loss_x + loss_y) / 2.0
    if add_summaries:
      tf.summary.scalar("cycle_consistency_loss_x", loss_x)
      tf.summary.scalar("cycle_consistency_loss_y", loss_y)
      tf.summary.scalar("cycle_consistency_loss", loss)
  return loss


def combine_adversarial_loss(
  main_loss,
  adversarial_loss,
  weight_factor=None,
  gradient_ratio=None,
  gradient_ratio_epsilon=1e-6,
  variables=None,
  scalar_summaries=True,
  gradient_summaries=True,
  scope=None,
):
  """Returns the main loss plus the adversarial one times a factor.

  The factor is `weight_factor`, or such that the norms of their gradients by `variables` (all trainable ones) have the ratio
  `gradient_ratio`. Raises ValueError unless exactly one of them is given.
  """
  for what, value in (("weight_factor", weight_factor), ("gradient_ratio", gradient_ratio)):
    if isinstance(value, (int, float)) and value < 0:
      raise ValueError(f"`{what}` must be greater than 0. Instead, was {value}")
  if (weight_factor is None) == (gradient_ratio is None):
    raise ValueError("Must use exactly one of: `weight_factor` and `gradient_ratio`.")
  if gradient_ratio is not None and (scalar_summaries or gradient_summaries) and variables is None:
    variables = tf.trainable_variables()
  with tf.name_scope(scope, "adversarial_loss", [main_loss, adversarial_loss]):
    if gradient_ratio is None:
      factor = weight_factor
    else:
      main, adversarial = (_gradient_norm(loss, variables) for loss in (main_loss, adversarial_loss))
      factor = tf.stop_gradient(gradient_ratio * main / (adversarial + gradient_ratio_epsilon))
      if gradient_summaries:
        tf.summary.scalar("main_loss_gradient_magnitude", main)
        tf.summary.scalar("adversarial_loss_gradient_magnitude", adversarial)
    if scalar_summaries:
      tf.summary.scalar("main_loss", main_loss)
      tf.summary.scalar("adversarial_loss", adversarial_loss)
      tf.summary.scalar("adversarial_weight", factor)
    return main_loss + factor * adversarial_loss


def _gradient_norm(loss, variables):
  variables = tf.trainable_variables() if variables is None else variables
  return tf.global_norm([grad for grad in tf.gradients(loss, variables) if grad is not None])
