"""Bijectors y = A x + b of vectors."""

import millrace as tf
from millrace.contrib.distributions.bijectors.base import Bijector
from millrace.ops.linalg.operators.diag import LinearOperatorDiag
from millrace.ops.linalg.operators.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from millrace.ops.linalg.operators.low_rank_update import LinearOperatorLowRankUpdate
from millrace.ops.linalg.operators.lower_triangular import LinearOperatorLowerTriangular


class AffineLinearOperator(Bijector):
  """y = scale x + shift with a linear operator `scale` and vectors `shift`, either of which may be missing.

  TypeError for a scale that is no linear operator or of another type, ValueError for one that is known to be singular.
  """

  def __init__(self, shift=None, scale=None, validate_args=False, name="affine_linear_operator"):
    with tf.name_scope(name, values=[shift]):
      self._shift = None if shift is None else tf.convert_to_tensor(shift, name="shift")
      parents = [] if self._shift is None else [self._shift]
      if scale is not None:
        if not hasattr(scale, "matvec"):
          raise TypeError("scale is not an instance of tf.LinearOperator")
        if self._shift is not None and self._shift.dtype.base_dtype != scale.dtype.base_dtype:
          raise TypeError(f"shift.dtype({self._shift.dtype}) is incompatible with scale.dtype({scale.dtype}).")
        if validate_args and scale.is_non_singular is False:
          raise ValueError("Scale matrix must be non-singular.")
        parents += scale.graph_parents
      self._scale = scale
    super().__init__(
      forward_min_event_ndims=1, graph_parents=parents, is_constant_jacobian=True, validate_args=validate_args, name=name
    )

  @property
  def shift(self):
    """b, or None."""
    return self._shift

  @property
  def scale(self):
    """A, or None."""
    return self._scale

  def _checks(self):
    return [self.scale.assert_non_singular()] if self.validate_args else []

  def _forward(self, x):
    y = x
    if self.scale is not None:
      with tf.control_dependencies(self._checks()):
        y = self.scale.matvec(y)
    return y if self.shift is None else y + self.shift

  def _inverse(self, y):
    x = y if self.shift is None else y - self.shift
    if self.scale is None:
      return x
    with tf.control_dependencies(self._checks()):
      return self.scale.solvevec(x)

  def _forward_log_det_jacobian(self, x):
    if self.scale is None:
      return tf.constant(0.0, dtype=x.dtype)
    with tf.control_dependencies(self._checks()):
      return self.scale.log_abs_determinant()


class Affine(AffineLinearOperator):
  """y = A x + shift, where A is the sum of what is given: a multiple of the identity, a diagonal, a lower triangular matrix, and
  U D U^T with U = `scale_perturb_factor` and D = `scale_perturb_diag`. With nothing given it is the identity.

  ValueError if a diagonal for the last is given alone.
  """

  def __init__(
    self,
    shift=None,
    scale_identity_multiplier=None,
    scale_diag=None,
    scale_tril=None,
    scale_perturb_factor=None,
    scale_perturb_diag=None,
    validate_args=False,
    name="affine",
  ):
    if scale_perturb_diag is not None and scale_perturb_factor is None:
      raise ValueError("scale_perturb_diag requires scale_perturb_factor.")
    with tf.name_scope(name, values=[shift, scale_identity_multiplier, scale_diag, scale_tril, scale_perturb_factor]):
      tensors = {
        "multiplier": scale_identity_multiplier,
        "diag": scale_diag,
        "tril": scale_tril,
        "factor": scale_perturb_factor,
        "perturb_diag": scale_perturb_diag,
      }
      tensors = {key: tf.convert_to_tensor(value) for key, value in tensors.items() if value is not None}
      # A multiple of the identity alone takes vectors of any size.
      self._multiplier = tensors["multiplier"] if set(tensors) == {"multiplier"} else None
      scale = None if self._multiplier is not None else self._made_scale(tensors)
    super().__init__(shift=shift, scale=scale, validate_args=validate_args, name=name)

  def _forward(self, x):
    if self._multiplier is None:
      return super()._forward(x)
    y = x * self._multiplier[..., tf.newaxis]
    return y if self.shift is None else y + self.shift

  def _inverse(self, y):
    if self._multiplier is None:
      return super()._inverse(y)
    x = y if self.shift is None else y - self.shift
    return x / self._multiplier[..., tf.newaxis]

  def _forward_log_det_jacobian(self, x):
    if self._multiplier is None:
      return super()._forward_log_det_jacobian(x)
    return tf.log(tf.abs(self._multiplier)) * tf.cast(tf.shape(x)[-1], x.dtype)

  @staticmethod
  def _made_scale(tensors):
    multiplier, diag, tril = tensors.get("multiplier"), tensors.get("diag"), tensors.get("tril")
    factor = tensors.get("factor")
    if not tensors:
      return None
    if tril is not None:
      if diag is not None:
        tril = tf.matrix_set_diag(tril, tf.matrix_diag_part(tril) + diag)
      if multiplier is not None:
        tril = tf.matrix_set_diag(tril, tf.matrix_diag_part(tril) + multiplier[..., tf.newaxis])
      base = LinearOperatorLowerTriangular(tril, is_non_singular=True)
    elif diag is not None:
      base = LinearOperatorDiag(diag if multiplier is None else diag + multiplier[..., tf.newaxis], is_non_singular=True)
    else:
      size = factor.get_shape()[-2].value
      size = tf.shape(factor)[-2] if size is None else size
      if multiplier is None:
        base = LinearOperatorIdentity(num_rows=size, dtype=factor.dtype)
      else:
        base = LinearOperatorScaledIdentity(num_rows=size, multiplier=multiplier, is_non_singular=True)
    if factor is None:
      return base
    return LinearOperatorLowRankUpdate(base, factor, tensors.get("perturb_diag"), is_non_singular=True)
