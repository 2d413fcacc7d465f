"""Operators that are dense matrices."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.ops.linalg.operators.base import LinearOperator

ALLOWED = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


def checked_matrix(matrix, what):
  """The matrix, which has to be of a floating or complex type and of two dimensions or more."""
  if matrix.dtype.base_dtype not in ALLOWED:
    raise TypeError(f"Argument `{what}` must have dtype in {list(ALLOWED)}. Received: {matrix.dtype}.")
  if matrix.get_shape().ndims is not None and matrix.get_shape().ndims < 2:
    raise ValueError(f"Argument `{what}` must have at least 2 dimensions. Received: {matrix}.")
  return matrix


class LinearOperatorFullMatrix(LinearOperator):
  """The matrices of a tensor, whose last two dimensions are rows and columns.

  TypeError for a type that is not floating or complex, ValueError for less than two dimensions.
  """

  def __init__(
    self,
    matrix,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=None,
    name="LinearOperatorFullMatrix",
  ):
    with name_scope(name, values=[matrix]):
      self._matrix = checked_matrix(tf.convert_to_tensor(matrix, name="matrix"), "matrix")
      super().__init__(
        dtype=self._matrix.dtype,
        graph_parents=[self._matrix],
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=is_square,
        name=name,
      )

  def _shape(self):
    return self._matrix.get_shape()

  def _shape_tensor(self):
    return tf.shape(self._matrix)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return tf.matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

  def _to_dense(self):
    return self._matrix
