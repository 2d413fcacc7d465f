"""The constructor that most distributions of single numbers share."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.parameters import checks_before
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.distributions.scalar import ScalarDistribution


class OfParameters(ScalarDistribution):
  """A distribution of numbers with floating parameters, `_names_of_parameters`, of which those in `_positive` have to be positive.

  The parameters become attributes with a `_` before their names.
  """

  _positive = ()
  _reparameterization = FULLY_REPARAMETERIZED

  def _begin(self, parameters, validate_args, allow_nan_stats, name):
    """Called by constructors with their arguments; the parameters are those of these names."""
    values = [parameters[which] for which in self._names_of_parameters]
    tensors = []
    with name_scope(name, values=values) as name:
      checks = [lambda which=which: tf.assert_positive(parameters[which]) for which in self._positive]
      with checks_before(checks, validate_args):
        for which, value in zip(self._names_of_parameters, values):
          tensors.append(tf.identity(value, name=which))
          setattr(self, "_" + which, tensors[-1])
      tf.assert_same_float_dtype(tensors)
    super().__init__(
      dtype=tensors[-1].dtype,
      reparameterization_type=self._reparameterization,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=tensors,
      name=name,
    )


def parameter(name, doc):
  """A property that gives a parameter."""
  return property(lambda self: getattr(self, "_" + name), doc=doc)
