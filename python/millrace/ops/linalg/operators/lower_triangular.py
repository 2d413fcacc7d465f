"""Operators that are lower triangular matrices."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator


class LinearOperatorLowerTriangular(LinearOperator):
  """The lower triangles of the square matrices `tril`: what is above the diagonal is not read.

  ValueError for operators that are said not to be square.
  """

  def __init__(
    self,
    tril,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=None,
    name="LinearOperatorLowerTriangular",
  ):
    if is_square is False:
      raise ValueError("Only square lower triangular operators supported at this time.")
    with name_scope(name, values=[tril]):
      self._tril = tf.convert_to_tensor(tril, name="tril")
      if self._tril.get_shape().ndims is not None and self._tril.get_shape().ndims < 2:
        raise ValueError(f"Argument tril must have at least 2 dimensions.  Found: {self._tril}")
      self._whole = tf.matrix_band_part(self._tril, -1, 0)
      self._diagonal = tf.matrix_diag_part(self._tril)
      super().__init__(
        dtype=self._tril.dtype,
        graph_parents=[self._tril],
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=True,
        name=name,
      )

  def _shape(self):
    return self._tril.get_shape()

  def _shape_tensor(self):
    return tf.shape(self._tril)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return tf.matmul(self._whole, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    return batches.triangular_solve(self._whole, batches.adjoint_if(rhs, adjoint_arg), lower=True, adjoint=adjoint)

  def _determinant(self):
    return tf.reduce_prod(self._diagonal, axis=[-1])

  def _log_abs_determinant(self):
    return tf.reduce_sum(tf.log(tf.abs(self._diagonal)), axis=[-1])

  def _to_dense(self):
    return self._whole

  def _diag_part(self):
    return self._diagonal

  def _assert_non_singular(self):
    return batches.assert_no_entries_of_modulus_zero(
      self._diagonal, message="Singular operator:  Diagonal contained zero values."
    )
