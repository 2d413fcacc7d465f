"""Distributions some parameters of which are given as what softplus makes positive."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.beta import Beta
from millrace.ops.distributions.distribution import kept_parameters
from millrace.ops.distributions.exponential import Exponential
from millrace.ops.distributions.gamma import Gamma
from millrace.ops.distributions.laplace import Laplace
from millrace.ops.distributions.normal import Normal
from millrace.ops.distributions.student_t import StudentT


class NormalWithSoftplusScale(Normal):
  """Normal with the standard deviation softplus(scale)."""

  def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="NormalWithSoftplusScale"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[scale]) as name:
      super().__init__(loc, tf.nn.softplus(scale, name="softplus_scale"), validate_args, allow_nan_stats, name)
    self._parameters = parameters


class LaplaceWithSoftplusScale(Laplace):
  """Laplace with the scale softplus(scale)."""

  def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="LaplaceWithSoftplusScale"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[loc, scale]) as name:
      super().__init__(loc, tf.nn.softplus(scale, name="softplus_scale"), validate_args, allow_nan_stats, name)
    self._parameters = parameters


class ExponentialWithSoftplusRate(Exponential):
  """Exponential with the rate softplus(rate)."""

  def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="ExponentialWithSoftplusRate"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[rate]) as name:
      super().__init__(tf.nn.softplus(rate, name="softplus_rate"), validate_args, allow_nan_stats, name)
    self._parameters = parameters


class GammaWithSoftplusConcentrationRate(Gamma):
  """Gamma with softplus(concentration) and softplus(rate)."""

  def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="GammaWithSoftplusConcentrationRate"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[concentration, rate]) as name:
      super().__init__(
        tf.nn.softplus(concentration, name="softplus_concentration"),
        tf.nn.softplus(rate, name="softplus_rate"),
        validate_args,
        allow_nan_stats,
        name,
      )
    self._parameters = parameters


class BetaWithSoftplusConcentration(Beta):
  """Beta with softplus(concentration1) and softplus(concentration0)."""

  def __init__(
    self,
    concentration1,
    concentration0,
    validate_args=False,
    allow_nan_stats=True,
    name="BetaWithSoftplusConcentration",
  ):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[concentration1, concentration0]) as name:
      super().__init__(
        tf.nn.softplus(concentration1, name="softplus_concentration1"),
        tf.nn.softplus(concentration0, name="softplus_concentration0"),
        validate_args,
        allow_nan_stats,
        name,
      )
    self._parameters = parameters


class StudentTWithAbsDfSoftplusScale(StudentT):
  """StudentT with floor(|df|) degrees of freedom and the scale softplus(scale)."""

  def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentTWithAbsDfSoftplusScale"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[df, scale]) as name:
      super().__init__(
        tf.floor(tf.abs(df)), loc, tf.nn.softplus(scale, name="softplus_scale"), validate_args, allow_nan_stats, name
      )
    self._parameters = parameters
