"""The product of several operators."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.hints import all_true, check_same_type, implied


class LinearOperatorComposition(LinearOperator):
  """The product of the `operators` from left to right: that of the last one is taken first.

  ValueError for no operator, for sizes that are known not to fit, and for hints that contradict theirs; TypeError for several types.
  """

  def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
    operators = list(operators)
    if not operators:
      raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    self._operators = operators
    dtype = check_same_type(operators)
    is_non_singular = implied(
      is_non_singular,
      all_true(operators, "is_non_singular"),
      "The composition of non-singular operators is always non-singular.",
    )
    name = name or "_o_".join(operator.name for operator in operators)
    parents = [parent for operator in operators for parent in operator.graph_parents]
    with name_scope(name, values=parents):
      super().__init__(
        dtype=dtype,
        graph_parents=parents,
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=is_square,
        name=name,
      )
      for left, right in zip(operators, operators[1:]):
        left.domain_dimension.assert_is_compatible_with(right.range_dimension)

  @property
  def operators(self):
    """The factors, from left to right."""
    return self._operators

  def _shape(self):
    batch = self.operators[0].batch_shape
    for operator in self.operators[1:]:
      batch = tf.broadcast_static_shape(batch, operator.batch_shape)
    return batch.concatenate([self.operators[0].range_dimension, self.operators[-1].domain_dimension])

  def _shape_tensor(self):
    batch = batches.broadcast_shapes(
      [operator.batch_shape for operator in self.operators],
      [operator.batch_shape_tensor for operator in self.operators],
    )
    sides = tf.stack([self.operators[0].range_dimension_tensor(), self.operators[-1].domain_dimension_tensor()])
    return tf.concat((batch, sides), 0)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    factors = self.operators if adjoint else self.operators[::-1]
    result = factors[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
    for operator in factors[1:]:
      result = operator.matmul(result, adjoint=adjoint)
    return result

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    factors = self.operators[::-1] if adjoint else self.operators
    result = factors[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
    for operator in factors[1:]:
      result = operator.solve(result, adjoint=adjoint)
    return result

  def _determinant(self):
    result = self.operators[0].determinant()
    for operator in self.operators[1:]:
      result *= operator.determinant()
    return result

  def _log_abs_determinant(self):
    result = self.operators[0].log_abs_determinant()
    for operator in self.operators[1:]:
      result += operator.log_abs_determinant()
    return result

  def _assert_non_singular(self):
    if all(operator.is_square for operator in self.operators):
      return tf.group([operator.assert_non_singular() for operator in self.operators])
    return super()._assert_non_singular()
