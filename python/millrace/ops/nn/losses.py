"""Other losses, and how losses of examples become one number."""

import math

import millrace as tf
from millrace import gen
from millrace.framework import constants, convert
from millrace.framework import graph as ops


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
  """Returns exp(log_input) - log_input * targets: the log likelihood of Poisson's distribution, up to a constant.

  With `compute_full_loss` the constant is added, by Stirling's approximation where targets are above 1.
  """
  with ops.name_scope(name, "log_poisson_loss", [log_input, targets]):
    log_input = convert.convert_to_tensor(log_input, name="log_input")
    targets = convert.convert_to_tensor(targets, name="targets")
    try:
      targets.get_shape().merge_with(log_input.get_shape())
    except ValueError:
      raise ValueError(
        f"`log_input` and `targets` must have the same shape, received ({log_input.get_shape()} vs {targets.get_shape()})."
      ) from None
    result = gen.exp(log_input) - log_input * targets
    if compute_full_loss:
      half = constants.constant(0.5, dtype=result.dtype)
      two_pi = constants.constant(2 * math.pi, dtype=result.dtype)
      stirling = (targets * gen.log(targets)) - targets + (half * gen.log(two_pi * targets))
      zeros = tf.zeros_like(targets, dtype=targets.dtype)
      ones = tf.ones_like(targets, dtype=targets.dtype)
      result += tf.where(gen.logical_and(targets >= zeros, targets <= ones), zeros, stirling)
    return result


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
  """Returns the sum of the losses over `global_batch_size`, by default their number; each times its `sample_weight`."""
  per_example_loss = convert.convert_to_tensor(per_example_loss)
  if sample_weight is not None:
    sample_weight = convert.convert_to_tensor(sample_weight)
    per_example_loss = per_example_loss * tf.cast(sample_weight, per_example_loss.dtype)
  if global_batch_size is None:
    global_batch_size = tf.shape(per_example_loss)[0]
  total = tf.reduce_sum(per_example_loss)
  return tf.div_no_nan(total, tf.cast(global_batch_size, total.dtype))


def scale_regularization_loss(regularization_loss):
  """Returns the sum of the losses, over the number of replicas: there is one."""
  return tf.reduce_sum(regularization_loss) / 1.0
