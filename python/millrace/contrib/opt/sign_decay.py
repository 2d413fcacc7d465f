"""Decays of the factor by which PowerSign and AddSign count whether gradient and momentum agree.

Each function makes a function from the global step to that factor, a float32 scalar between 0 and 1.
"""

import math

import millrace as tf


def _progress(global_step, decay_steps, what):
  """How much of `decay_steps` is over, at most 1."""
  if global_step is None:
    raise ValueError(f"global_step is required for {what}.")
  steps = tf.cast(decay_steps, tf.float32)
  return tf.minimum(tf.cast(global_step, tf.float32), steps) / steps


def get_linear_decay_fn(decay_steps):
  """A decay from 1 to 0 in `decay_steps` steps, in a line."""

  def linear_decay_fn(global_step):
    return 1.0 - _progress(global_step, decay_steps, "linear_decay")

  return linear_decay_fn


def get_cosine_decay_fn(decay_steps, num_periods=0.5, zero_after=None):
  """The cosine of `num_periods` periods in `decay_steps` steps, between 1 and 0.

  With `zero_after`, a number of periods, it is 0 from there on.
  """

  def cosine_decay_fn(global_step):
    periods = num_periods * _progress(global_step, decay_steps, "cosine_decay")
    decayed = 0.5 * (1.0 + tf.cos(2.0 * math.pi * periods))
    return _zero_after(decayed, periods, zero_after)

  return cosine_decay_fn


def get_restart_decay_fn(decay_steps, num_periods=1, zero_after=None):
  """The falling half of a cosine, from 1 to 0, `num_periods` times in `decay_steps` steps.

  With `zero_after`, a number of periods, it is 0 from there on.
  """

  def restart_decay_fn(global_step):
    periods = num_periods * _progress(global_step, decay_steps, "cosine_decay")
    decayed = 0.5 * (1.0 + tf.cos(math.pi * tf.floormod(periods, 1.0)))
    return _zero_after(decayed, periods, zero_after)

  return restart_decay_fn


def _zero_after(decayed, periods, zero_after):
  if zero_after is None:
    return decayed
  return tf.where(tf.greater_equal(periods, zero_after), tf.zeros_like(decayed), decayed)
