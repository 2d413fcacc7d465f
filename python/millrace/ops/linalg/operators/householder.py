"""Operators that reflect vectors at a plane."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator


class LinearOperatorHouseholder(LinearOperator):
  """Householder's reflections I - 2 v v^H with v the vectors `reflection_axis`, made of length 1.

  ValueError for hints that are wrong.
  """

  def __init__(
    self,
    reflection_axis,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=None,
    name="LinearOperatorHouseholder",
  ):
    with name_scope(name, values=[reflection_axis]):
      self._reflection_axis = tf.convert_to_tensor(reflection_axis, name="reflection_axis")
      if self._reflection_axis.get_shape().ndims == 0:
        raise ValueError(f"Argument reflection_axis must have at least 1 dimension.  Found: {self._reflection_axis}")
      if is_self_adjoint is False:
        raise ValueError("A Householder operator is always self adjoint.")
      if is_positive_definite is True:
        raise ValueError("A Householder operator is always non-positive definite.")
      if is_square is False:
        raise ValueError("A Householder operator is always square.")
      super().__init__(
        dtype=self._reflection_axis.dtype,
        graph_parents=[self._reflection_axis],
        is_non_singular=is_non_singular,
        is_self_adjoint=True,
        is_positive_definite=False,
        is_square=True,
        name=name,
      )

  @property
  def reflection_axis(self):
    """The vectors at right angles to the planes."""
    return self._reflection_axis

  def _shape(self):
    shape = self._reflection_axis.get_shape()
    return shape.concatenate(shape[-1:])

  def _shape_tensor(self):
    shape = tf.shape(self._reflection_axis)
    return tf.concat([shape, shape[-1:]], 0)

  def _unit(self):
    axis = self._reflection_axis
    return axis / tf.norm(axis, axis=-1, keepdims=True)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    x = batches.adjoint_if(x, adjoint_arg)
    unit = self._unit()[..., tf.newaxis]
    return x - 2 * unit * tf.matmul(unit, x, adjoint_a=True)

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    # A reflection is its own inverse.
    return self._matmul(rhs, adjoint, adjoint_arg)

  def _inverse(self):
    return self

  def _determinant(self):
    return -tf.ones(shape=self.batch_shape_tensor(), dtype=self.dtype)

  def _log_abs_determinant(self):
    return tf.zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

  def _trace(self):
    size = tf.cast(self.domain_dimension_tensor(), self.dtype)
    return (size - 2) * tf.ones(shape=self.batch_shape_tensor(), dtype=self.dtype)

  def _to_dense(self):
    unit = self._unit()[..., tf.newaxis]
    products = -2 * tf.matmul(unit, unit, adjoint_b=True)
    return tf.matrix_set_diag(products, 1.0 + tf.matrix_diag_part(products))

  def _diag_part(self):
    unit = self._unit()
    return 1.0 - 2 * unit * tf.conj(unit)

  def _assert_non_singular(self):
    return tf.no_op("assert_non_singular")

  def _assert_positive_definite(self):
    raise tf.errors.InvalidArgumentError(
      node_def=None, op=None, message="Householder operators are always non-positive definite."
    )

  def _assert_self_adjoint(self):
    return tf.no_op("assert_self_adjoint")
