"""Normal distributions of vectors."""

import math

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import checks_before
from millrace.ops.distributions.reparameterization import FULLY_REPARAMETERIZED
from millrace.ops.linalg.operators.diag import LinearOperatorDiag
from millrace.ops.linalg.operators.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from millrace.ops.linalg.operators.lower_triangular import LinearOperatorLowerTriangular


class MultivariateNormalLinearOperator(Distribution):
  """The distributions of loc + scale z with vectors z of independent standard normal numbers and a linear operator `scale`.

  ValueError for no scale; TypeError for one that is not floating.
  """

  def __init__(self, loc=None, scale=None, validate_args=False, allow_nan_stats=True, name="MultivariateNormalLinearOperator"):
    parameters = kept_parameters(locals())
    if scale is None:
      raise ValueError("Missing required `scale` parameter.")
    if not scale.dtype.is_floating:
      raise TypeError("`scale` parameter must have floating-point dtype.")
    with name_scope(name, values=[loc] + scale.graph_parents) as name:
      self._begin(parameters, loc, scale, validate_args, allow_nan_stats, name)

  def _begin(self, parameters, loc, scale, validate_args, allow_nan_stats, name):
    self._loc = None if loc is None else tf.identity(tf.convert_to_tensor(loc, dtype=scale.dtype), name="loc")
    with checks_before([scale.assert_non_singular], validate_args):
      self._scale = scale
      if self._loc is not None and validate_args:
        self._loc = tf.identity(self._loc)
    super().__init__(
      dtype=scale.dtype,
      reparameterization_type=FULLY_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[parent for parent in [self._loc, *scale.graph_parents] if parent is not None],
      name=name,
    )

  @property
  def loc(self):
    """The means, or None for 0."""
    return self._loc

  @property
  def scale(self):
    """The linear operator."""
    return self._scale

  def _batch_shape_tensor(self):
    batch = self.scale.batch_shape_tensor()
    return batch if self.loc is None else tf.broadcast_dynamic_shape(batch, tf.shape(self.loc)[:-1])

  def _batch_shape(self):
    batch = self.scale.batch_shape
    return batch if self.loc is None else tf.broadcast_static_shape(batch, self.loc.get_shape()[:-1])

  def _event_shape_tensor(self):
    return self.scale.range_dimension_tensor()[tf.newaxis]

  def _event_shape(self):
    return tf.TensorShape([self.scale.range_dimension])

  def _moved(self, x):
    return x if self.loc is None else x + self.loc

  def _shape_of_all(self):
    return tf.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)

  def _sample_n(self, n, seed=None):
    standard = tf.random_normal(tf.concat([[n], self._shape_of_all()], 0), dtype=self.dtype, seed=seed)
    return self._moved(self.scale.matvec(standard))

  def _log_prob(self, x):
    z = self.scale.solvevec(x if self.loc is None else x - self.loc)
    dimensions = tf.cast(self.scale.range_dimension_tensor(), self.dtype)
    normalization = 0.5 * dimensions * math.log(2.0 * math.pi) + self.scale.log_abs_determinant()
    return -0.5 * tf.reduce_sum(tf.square(z), axis=-1) - normalization

  def _entropy(self):
    dimensions = tf.cast(self.scale.range_dimension_tensor(), self.dtype)
    log_scale = self.scale.log_abs_determinant() * tf.ones(self.batch_shape_tensor(), dtype=self.dtype)
    return 0.5 * dimensions * (1.0 + math.log(2.0 * math.pi)) + log_scale

  def _mean(self):
    zeros = tf.zeros(self._shape_of_all(), dtype=self.dtype)
    mean = zeros if self.loc is None else self.loc + zeros
    mean.set_shape(self.batch_shape.concatenate(self.event_shape))
    return mean

  def _mode(self):
    return self._mean()

  def _covariance(self):
    if isinstance(self.scale, (LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorScaledIdentity)):
      return tf.matrix_diag(self._variance())
    return self.scale.matmul(self.scale.to_dense(), adjoint_arg=True)

  def _variance(self):
    if isinstance(self.scale, (LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorScaledIdentity)):
      variance = tf.square(self.scale.diag_part())
    else:
      variance = tf.reduce_sum(tf.square(self.scale.to_dense()), axis=-1)
    return variance + tf.zeros(self._shape_of_all(), dtype=self.dtype)


def _diagonal_scale(loc, scale_diag, scale_identity_multiplier):
  """The operator of a diagonal and a multiple of the identity, each of which may be missing."""
  if scale_diag is not None:
    scale_diag = tf.convert_to_tensor(scale_diag, name="scale_diag")
    if scale_identity_multiplier is not None:
      multiplier = tf.convert_to_tensor(scale_identity_multiplier, dtype=scale_diag.dtype, name="scale_identity_multiplier")
      scale_diag = scale_diag + multiplier[..., tf.newaxis]
    return LinearOperatorDiag(scale_diag, is_non_singular=True)
  if loc is None:
    raise ValueError("Cannot infer `event_shape` unless `loc` or `scale_diag` is specified.")
  loc = tf.convert_to_tensor(loc, name="loc")
  size = loc.get_shape()[-1].value
  size = tf.shape(loc)[-1] if size is None else size
  if scale_identity_multiplier is None:
    return LinearOperatorIdentity(num_rows=size, dtype=loc.dtype)
  multiplier = tf.convert_to_tensor(scale_identity_multiplier, dtype=loc.dtype, name="scale_identity_multiplier")
  return LinearOperatorScaledIdentity(num_rows=size, multiplier=multiplier, is_non_singular=True)


class MultivariateNormalDiag(MultivariateNormalLinearOperator):
  """Vectors of independent normal numbers with means `loc` and standard deviations `scale_diag` + `scale_identity_multiplier`,
  of which one, or both for 1, may be missing."""

  def __init__(
    self,
    loc=None,
    scale_diag=None,
    scale_identity_multiplier=None,
    validate_args=False,
    allow_nan_stats=True,
    name="MultivariateNormalDiag",
  ):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as name:
      scale = _diagonal_scale(loc, scale_diag, scale_identity_multiplier)
      self._begin(parameters, loc, scale, validate_args, allow_nan_stats, name)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
  """MultivariateNormalDiag with the standard deviations softplus(scale_diag)."""

  def __init__(self, loc, scale_diag, validate_args=False, allow_nan_stats=True, name="MultivariateNormalDiagWithSoftplusScale"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[scale_diag]) as name:
      super().__init__(loc, tf.nn.softplus(scale_diag), None, validate_args, allow_nan_stats, name)
    self._parameters = parameters


class MultivariateNormalTriL(MultivariateNormalLinearOperator):
  """Normal vectors with means `loc` and covariances scale_tril scale_tril^T, of which the lower triangles are read."""

  def __init__(self, loc=None, scale_tril=None, validate_args=False, allow_nan_stats=True, name="MultivariateNormalTriL"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[loc, scale_tril]) as name:
      if scale_tril is None:
        scale = _diagonal_scale(loc, None, None)
      else:
        scale = LinearOperatorLowerTriangular(tf.convert_to_tensor(scale_tril, name="scale_tril"), is_non_singular=True)
      self._begin(parameters, loc, scale, validate_args, allow_nan_stats, name)


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
  """Normal vectors with means `loc` and the covariances `covariance_matrix`, which have to be positive definite."""

  def __init__(
    self,
    loc=None,
    covariance_matrix=None,
    validate_args=False,
    allow_nan_stats=True,
    name="MultivariateNormalFullCovariance",
  ):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[loc, covariance_matrix]) as name:
      root = None
      if covariance_matrix is not None:
        covariance_matrix = tf.convert_to_tensor(covariance_matrix, name="covariance_matrix")
        check = lambda: tf.assert_equal(
          covariance_matrix, tf.matrix_transpose(covariance_matrix), message="Matrix was not symmetric."
        )
        with checks_before([check], validate_args):
          root = tf.cholesky(covariance_matrix)
      super().__init__(loc, root, validate_args, allow_nan_stats, name)
    self._parameters = parameters


@RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)
def _of_two(a, b, name=None):
  """Half of the sum of squares of b.scale^-1 a.scale and of b.scale^-1 (b.mean - a.mean), less the dimensions, and the difference of
  the logarithms of the determinants."""
  with name_scope(name, "kl_mvn", values=[*a.scale.graph_parents, *b.scale.graph_parents]):
    if all(isinstance(d.scale, LinearOperatorDiag) for d in (a, b)):
      squares = tf.reduce_sum(tf.square(a.scale.diag / b.scale.diag), axis=-1)
    else:
      squares = tf.reduce_sum(tf.square(b.scale.solve(a.scale.to_dense())), axis=[-2, -1])
    gap = tf.reduce_sum(tf.square(b.scale.solvevec(b.mean() - a.mean())), axis=-1)
    dimensions = tf.cast(a.scale.domain_dimension_tensor(), a.dtype)
    logs = b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
    return logs + 0.5 * (squares + gap - dimensions)
