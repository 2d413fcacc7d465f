"""Initializers that scale random values by the number of inputs and outputs that a variable connects."""

import math

import millrace as tf
from millrace.framework import dtypes
from millrace.ops.variables.initializers import Initializer, float_dtype

# A normal distribution of standard deviation 1 that is cut at two standard deviations has this one.
_TRUNCATED_STDDEV = 0.87962566103423978


def fans(shape):
  """Returns (inputs, outputs) of a variable: the last two dimensions, times the size of the windows before them."""
  if len(shape) < 1:
    fan_in = fan_out = 1
  elif len(shape) == 1:
    fan_in = fan_out = shape[0]
  else:
    window = 1
    for dimension in shape[:-2]:
      window *= dimension
    fan_in = shape[-2] * window
    fan_out = shape[-1] * window
  return int(fan_in), int(fan_out)


class variance_scaling_initializer(Initializer):
  """Random values with variance `scale` / n, n the number of inputs ("fan_in"), outputs ("fan_out") or their mean ("fan_avg").

  `distribution`: "uniform", "untruncated_normal", or "truncated_normal", also called "normal". Raises ValueError for others
  and for a scale that is not positive.
  """

  def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=dtypes.float32):
    if scale <= 0.0:
      raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
    if mode not in ("fan_in", "fan_out", "fan_avg"):
      raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
    distribution = distribution.lower()
    if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
      raise ValueError(
        "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', 'untruncated_normal'). "
        f"Received: {distribution}"
      )
    self.scale = scale
    self.mode = mode
    self.distribution = distribution
    self.seed = seed
    self.dtype = dtypes.as_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    if dtype is None:
      dtype = self.dtype
    fan_in, fan_out = fans(shape if partition_info is None else partition_info.full_shape)
    if self.mode == "fan_in":
      variance = self.scale / max(1.0, fan_in)
    elif self.mode == "fan_out":
      variance = self.scale / max(1.0, fan_out)
    else:
      variance = self.scale / max(1.0, (fan_in + fan_out) / 2.0)
    if self.distribution in ("normal", "truncated_normal"):
      stddev = math.sqrt(variance) / _TRUNCATED_STDDEV
      return tf.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)
    if self.distribution == "untruncated_normal":
      return tf.random_normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
    limit = math.sqrt(3.0 * variance)
    return tf.random_uniform(shape, -limit, limit, dtype, seed=self.seed)

  def get_config(self):
    return {
      "scale": self.scale,
      "mode": self.mode,
      "distribution": self.distribution,
      "seed": self.seed,
      "dtype": self.dtype.name,
    }


class glorot_uniform_initializer(variance_scaling_initializer):
  """Uniform values with variance 2 / (inputs + outputs)."""

  def __init__(self, seed=None, dtype=dtypes.float32):
    super().__init__(scale=1.0, mode="fan_avg", distribution="uniform", seed=seed, dtype=dtype)

  def get_config(self):
    return {"seed": self.seed, "dtype": self.dtype.name}


class glorot_normal_initializer(variance_scaling_initializer):
  """Normal values, cut at two standard deviations, with variance 2 / (inputs + outputs)."""

  def __init__(self, seed=None, dtype=dtypes.float32):
    super().__init__(scale=1.0, mode="fan_avg", distribution="truncated_normal", seed=seed, dtype=dtype)

  def get_config(self):
    return {"seed": self.seed, "dtype": self.dtype.name}


def lecun_normal(seed=None):
  """Returns an initializer of normal values with variance 1 / inputs."""
  return variance_scaling_initializer(scale=1.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def lecun_uniform(seed=None):
  """Returns an initializer of uniform values with variance 1 / inputs."""
  return variance_scaling_initializer(scale=1.0, mode="fan_in", distribution="uniform", seed=seed)


def he_normal(seed=None):
  """Returns an initializer of normal values with variance 2 / inputs."""
  return variance_scaling_initializer(scale=2.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def he_uniform(seed=None):
  """Returns an initializer of uniform values with variance 2 / inputs."""
  return variance_scaling_initializer(scale=2.0, mode="fan_in", distribution="uniform", seed=seed)


class uniform_unit_scaling_initializer(Initializer):
  """Uniform values with variance `factor`^2 / n, n the product of all dimensions but the last."""

  def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
    self.factor = factor
    self.seed = seed
    self.dtype = float_dtype(dtype)

  def __call__(self, shape, dtype=None, partition_info=None):
    if dtype is None:
      dtype = self.dtype
    inputs = 1.0
    for dimension in (shape if partition_info is None else partition_info.full_shape)[:-1]:
      inputs *= float(dimension)
    limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
    return tf.random_uniform(shape, -limit, limit, dtype, seed=self.seed)

  def get_config(self):
    return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}
