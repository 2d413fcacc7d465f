"""The adjoint of another operator."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.hints import taken_over

_SAID = {
  "is_square": "An operator is square if and only if its adjoint is square.",
  "is_non_singular": "An operator is non-singular if and only if its adjoint is non-singular.",
  "is_self_adjoint": "An operator is self-adjoint if and only if its adjoint is self-adjoint.",
  "is_positive_definite": "An operator is positive-definite if and only if its adjoint is positive-definite.",
}


class LinearOperatorAdjoint(LinearOperator):
  """The transposed and conjugated matrices of `operator`. Hints that are not given are the operator's.

  ValueError for a hint that contradicts the operator's.
  """

  def __init__(self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
    self._operator = operator
    given = {
      "is_square": is_square,
      "is_non_singular": is_non_singular,
      "is_self_adjoint": is_self_adjoint,
      "is_positive_definite": is_positive_definite,
    }
    hints = {hint: taken_over(value, getattr(operator, hint), _SAID[hint]) for hint, value in given.items()}
    name = name or operator.name + "_adjoint"
    with name_scope(name, values=operator.graph_parents):
      super().__init__(dtype=operator.dtype, graph_parents=operator.graph_parents, name=name, **hints)

  @property
  def operator(self):
    """The operator whose adjoint this is."""
    return self._operator

  def _shape(self):
    shape = self.operator.shape
    if shape.ndims is None:
      return TensorShape(None)
    return shape[:-2].concatenate([shape[-1], shape[-2]])

  def _shape_tensor(self):
    shape = self.operator.shape_tensor()
    return tf.concat([shape[:-2], [shape[-1], shape[-2]]], 0)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

  def _matvec(self, x, adjoint=False):
    return self.operator.matvec(x, adjoint=not adjoint)

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

  def _solvevec(self, rhs, adjoint=False):
    return self.operator.solvevec(rhs, adjoint=not adjoint)

  def _conjugated(self, value):
    return tf.conj(value) if self.dtype.is_complex else value

  def _determinant(self):
    return self._conjugated(self.operator.determinant())

  def _log_abs_determinant(self):
    return self.operator.log_abs_determinant()

  def _trace(self):
    return self._conjugated(self.operator.trace())

  def _to_dense(self):
    return tf.linalg.adjoint(self.operator.to_dense())

  def _diag_part(self):
    return self._conjugated(self.operator.diag_part())

  def _assert_non_singular(self):
    return self.operator.assert_non_singular()

  def _assert_positive_definite(self):
    return self.operator.assert_positive_definite()

  def _assert_self_adjoint(self):
    return self.operator.assert_self_adjoint()

  def _adjoint(self):
    return self.operator
