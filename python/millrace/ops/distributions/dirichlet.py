"""Dirichlet's distribution: probabilities of several classes."""

import numpy as np

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import checked
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.distributions.undefined import defined_or_nan


def checked_concentration(concentration, validate_args):
  """Parameters of Dirichlet's distributions, checked, if that is wanted, to be positive and of two classes or more."""
  if not validate_args:
    return concentration
  return checked(
    [
      lambda: tf.assert_positive(concentration, message="Concentration parameter must be positive."),
      lambda: tf.assert_rank_at_least(concentration, 1, message="Concentration parameter must have >=1 dimensions."),
      lambda: tf.assert_less(1, tf.shape(concentration)[-1], message="Concentration parameter must have event_size >= 2."),
    ],
    concentration,
  )


class Dirichlet(Distribution):
  """The distributions of probabilities x with densities proportional to the product of x^(concentration - 1) over the classes.

  The classes are the last dimension of `concentration`.
  """

  def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name="Dirichlet"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[concentration]) as name:
      self._concentration = checked_concentration(tf.convert_to_tensor(concentration, name="concentration"), validate_args)
      self._total_concentration = tf.reduce_sum(self._concentration, -1)
    super().__init__(
      dtype=self._concentration.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._concentration, self._total_concentration],
      name=name,
    )

  @property
  def concentration(self):
    """The parameters of the classes."""
    return self._concentration

  @property
  def total_concentration(self):
    """Their sums over the classes."""
    return self._total_concentration

  def _batch_shape_tensor(self):
    return tf.shape(self.total_concentration)

  def _batch_shape(self):
    return self.total_concentration.get_shape()

  def _event_shape_tensor(self):
    return tf.shape(self.concentration)[-1:]

  def _event_shape(self):
    return self.concentration.get_shape().with_rank_at_least(1)[-1:]

  def _sample_n(self, n, seed=None):
    drawn = tf.random_gamma(shape=[n], alpha=self.concentration, dtype=self.dtype, seed=seed)
    return drawn / tf.reduce_sum(drawn, -1, keepdims=True)

  def _inside(self, x):
    return checked(
      [
        lambda: tf.assert_positive(x, message="samples must be positive"),
        lambda: tf.assert_near(
          tf.ones([], dtype=self.dtype), tf.reduce_sum(x, -1), message="sample last-dimension must sum to `1`"
        ),
      ],
      x,
      self.validate_args,
    )

  def _log_prob(self, x):
    x = self._inside(x)
    return tf.reduce_sum(tf.math.xlogy(self.concentration - 1.0, x), -1) - tf.lbeta(self.concentration)

  def _prob(self, x):
    return tf.exp(self._log_prob(x))

  def _classes(self):
    return tf.cast(self.event_shape_tensor()[0], self.dtype)

  def _entropy(self):
    classes = self._classes()
    return (
      tf.lbeta(self.concentration)
      + (self.total_concentration - classes) * tf.digamma(self.total_concentration)
      - tf.reduce_sum((self.concentration - 1.0) * tf.digamma(self.concentration), axis=-1)
    )

  def _mean(self):
    return self.concentration / self.total_concentration[..., tf.newaxis]

  def _covariance(self):
    scaled = self._mean() * self._scale_of_variance()
    products = -tf.matmul(scaled[..., tf.newaxis], scaled[..., tf.newaxis, :])
    return tf.matrix_set_diag(products, self._variance())

  def _variance(self):
    scale = self._scale_of_variance()
    scaled = self._mean() * scale
    return scaled * (scale - scaled)

  def _scale_of_variance(self):
    """The root of 1 / (total + 1): variances are those of one draw of a class times its square."""
    return tf.rsqrt(1.0 + self.total_concentration[..., tf.newaxis])

  def _mode(self):
    classes = self._classes()
    mode = (self.concentration - 1.0) / (self.total_concentration[..., tf.newaxis] - classes)
    one = np.ones([], self.dtype.as_numpy_dtype)
    return defined_or_nan(
      self,
      mode,
      tf.reduce_all(self.concentration > 1.0, axis=-1, keepdims=True),
      lambda: tf.assert_less(one, self.concentration, message="Mode undefined when any concentration <= 1"),
    )


@RegisterKL(Dirichlet, Dirichlet)
def _of_two(a, b, name=None):
  """The mean, over a, of the differences of the logarithms of densities; E[log x] = digamma(concentration) - digamma(total)."""
  with name_scope(name, "kl_dirichlet_dirichlet", values=[a.concentration, b.concentration]):
    mean_of_log = tf.digamma(a.concentration) - tf.digamma(tf.reduce_sum(a.concentration, axis=-1, keepdims=True))
    difference = a.concentration - b.concentration
    return tf.reduce_sum(difference * mean_of_log, axis=-1) - tf.lbeta(a.concentration) + tf.lbeta(b.concentration)
