"""Operators that are diagonal matrices."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator


class LinearOperatorDiag(LinearOperator):
  """Diagonal matrices with the diagonals `diag`, the last dimension of a tensor.

  ValueError for a scalar and for hints that are wrong.
  """

  def __init__(
    self,
    diag,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=None,
    name="LinearOperatorDiag",
  ):
    with name_scope(name, values=[diag]):
      self._diag = tf.convert_to_tensor(diag, name="diag")
      if self._diag.get_shape().ndims == 0:
        raise ValueError(f"Argument diag must have at least 1 dimension.  Found: {self._diag}")
      if not self._diag.dtype.is_complex:
        if is_self_adjoint is False:
          raise ValueError("A real diagonal operator is always self adjoint.")
        is_self_adjoint = True
      if is_square is False:
        raise ValueError("Only square diagonal operators currently supported.")
      super().__init__(
        dtype=self._diag.dtype,
        graph_parents=[self._diag],
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=True,
        name=name,
      )

  @property
  def diag(self):
    """The diagonals."""
    return self._diag

  def _shape(self):
    shape = self._diag.get_shape()
    return shape.concatenate(shape[-1:])

  def _shape_tensor(self):
    shape = tf.shape(self._diag)
    return tf.concat([shape, shape[-1:]], 0)

  def _own(self, adjoint):
    return tf.conj(self._diag) if adjoint else self._diag

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return self._own(adjoint)[..., tf.newaxis] * batches.adjoint_if(x, adjoint_arg)

  def _matvec(self, x, adjoint=False):
    return self._own(adjoint) * x

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    return batches.adjoint_if(rhs, adjoint_arg) / self._own(adjoint)[..., tf.newaxis]

  def _determinant(self):
    return tf.reduce_prod(self._diag, axis=[-1])

  def _log_abs_determinant(self):
    result = tf.reduce_sum(tf.log(tf.abs(self._diag)), axis=[-1])
    return tf.cast(result, self.dtype) if self.dtype.is_complex else result

  def _to_dense(self):
    return tf.matrix_diag(self._diag)

  def _diag_part(self):
    return self.diag

  def _add_to_tensor(self, x):
    return tf.matrix_set_diag(x, tf.matrix_diag_part(x) + self._diag)

  def _assert_non_singular(self):
    return batches.assert_no_entries_of_modulus_zero(self._diag, message="Singular operator:  Diagonal contained zero values.")

  def _assert_positive_definite(self):
    if self.dtype.is_complex:
      message = "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
    else:
      message = "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
    return tf.assert_positive(tf.real(self._diag), message=message)

  def _assert_self_adjoint(self):
    return batches.assert_zero_imaginary_part(
      self._diag, message="This diagonal operator contained non-zero imaginary values.  Thus it was not self-adjoint."
    )

  def _adjoint(self):
    return LinearOperatorDiag(
      tf.conj(self._diag),
      is_non_singular=self.is_non_singular,
      is_self_adjoint=self.is_self_adjoint,
      is_positive_definite=self.is_positive_definite,
      is_square=True,
    )

  def _inverse(self):
    return LinearOperatorDiag(
      1.0 / self._diag,
      is_non_singular=self.is_non_singular,
      is_self_adjoint=self.is_self_adjoint,
      is_positive_definite=self.is_positive_definite,
      is_square=True,
    )

  def _cholesky(self):
    return LinearOperatorDiag(tf.sqrt(self._diag), is_non_singular=True, is_self_adjoint=True, is_positive_definite=True)
