"""The exponential distribution: Gamma's with the concentration 1."""

import numpy as np

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.gamma import Gamma


class Exponential(Gamma):
  """The exponential distributions with densities rate * exp(-rate x)."""

  _names_of_parameters = ("rate",)

  def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="Exponential"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[rate]) as name:
      self._rate = tf.convert_to_tensor(rate, name="rate")
    super().__init__(
      concentration=tf.ones([], dtype=self._rate.dtype),
      rate=self._rate,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      name=name,
    )
    self._parameters = parameters
    self._graph_parents += [self._rate]

  def _sample_n(self, n, seed=None):
    # Without 0, whose logarithm is none.
    smallest = np.finfo(self.dtype.as_numpy_dtype).tiny
    drawn = tf.random_uniform(self._shape_of_samples(n), minval=smallest, maxval=1.0, seed=seed, dtype=self.dtype)
    return -tf.log(drawn) / self._rate

  def _log_survival_function(self, x):
    return -self._rate * self._positive(x)
