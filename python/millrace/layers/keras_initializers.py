"""tf.keras.initializers: those of tf.initializers, random ones with smaller numbers unless the program gives its own."""

from millrace.framework import dtypes
from millrace.ops.variables import initializers


class RandomNormal(initializers.random_normal_initializer):
  """Values of a normal distribution."""

  def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=dtypes.float32):
    super().__init__(mean, stddev, seed, dtype)


class RandomUniform(initializers.random_uniform_initializer):
  """Values between two."""

  def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=dtypes.float32):
    super().__init__(minval, maxval, seed, dtype)


class TruncatedNormal(initializers.truncated_normal_initializer):
  """Values of a normal distribution, those beyond two standard deviations drawn again."""

  def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=dtypes.float32):
    super().__init__(mean, stddev, seed, dtype)
