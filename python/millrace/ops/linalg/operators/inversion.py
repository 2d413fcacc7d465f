"""The inverse of another operator."""

from millrace.framework.graph import name_scope
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.hints import taken_over


class LinearOperatorInversion(LinearOperator):
  """The inverse matrices of `operator`: its solutions are products of this one. Hints that are not given are the operator's.

  ValueError for an operator, or hints, that are known to be singular or not square, and for hints that contradict each other.
  """

  def __init__(self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
    self._operator = operator
    for hint, given in (("is_square", is_square), ("is_non_singular", is_non_singular)):
      if getattr(operator, hint) is False or given is False:
        raise ValueError(
          f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` equal to `True` or `None`. Found "
          f"`operator.{hint}`: {getattr(operator, hint)}, `{hint}`: {given}."
        )
    said = "The inverse of {0} operator is always {0}. Argument `{1}` contradicts the operator's."
    hints = {
      "is_square": True,
      "is_non_singular": operator.is_non_singular if is_non_singular is None else is_non_singular,
      "is_self_adjoint": taken_over(is_self_adjoint, operator.is_self_adjoint, said.format("self-adjoint", "is_self_adjoint")),
      "is_positive_definite": taken_over(
        is_positive_definite, operator.is_positive_definite, said.format("positive-definite", "is_positive_definite")
      ),
    }
    name = name or operator.name + "_inv"
    with name_scope(name, values=operator.graph_parents):
      super().__init__(dtype=operator.dtype, graph_parents=operator.graph_parents, name=name, **hints)

  @property
  def operator(self):
    """The operator whose inverse this is."""
    return self._operator

  def _shape(self):
    return self.operator.shape

  def _shape_tensor(self):
    return self.operator.shape_tensor()

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

  def _determinant(self):
    return 1.0 / self.operator.determinant()

  def _log_abs_determinant(self):
    return -1.0 * self.operator.log_abs_determinant()

  def _assert_non_singular(self):
    return self.operator.assert_non_singular()

  def _assert_positive_definite(self):
    return self.operator.assert_positive_definite()

  def _assert_self_adjoint(self):
    return self.operator.assert_self_adjoint()

  def _inverse(self):
    return self.operator
