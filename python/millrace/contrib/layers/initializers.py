"""Initializers that keep the size of values from layer to layer."""

import math

import millrace as tf

__all__ = ["variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d"]


def xavier_initializer(uniform=True, seed=None, dtype=tf.float32):
  """Returns the initializer for which values and gradients keep their variance: uniform, or normal, of variance
  2 / (inputs + outputs)."""
  return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=tf.float32):
  """Returns an initializer of variance factor / n, where n is the inputs of an output ("FAN_IN"), its outputs ("FAN_OUT"), or
  the mean of both ("FAN_AVG").

  With `uniform` values are uniform, otherwise of a normal distribution that is cut at two standard deviations. TypeError for
  types that are not floating, and for other modes.
  """
  if not tf.as_dtype(dtype).is_floating:
    raise TypeError("Cannot create initializer for non-floating point type.")
  if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
    raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

  def _initializer(shape, dtype=dtype, partition_info=None):
    if not tf.as_dtype(dtype).is_floating:
      raise TypeError("Cannot create initializer for non-floating point type.")
    del partition_info
    sizes = [float(size) for size in shape] or [1.0]
    fan_in, fan_out = (sizes[-2] if len(sizes) > 1 else sizes[-1]), sizes[-1]
    for size in sizes[:-2]:
      fan_in *= size
      fan_out *= size
    n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
    if uniform:
      limit = math.sqrt(3.0 * factor / n)
      return tf.random_uniform(shape, -limit, limit, dtype, seed=seed)
    # The cut takes away from the variance what 1.3 gives back.
    return tf.truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)

  return _initializer
