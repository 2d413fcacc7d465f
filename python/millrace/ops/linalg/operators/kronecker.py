"""Kronecker products of operators."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.hints import all_true, check_same_type, implied

_SAID = "The Kronecker product of {0} operators is always {0}."


def _static_product(sizes):
  result = 1
  for size in sizes:
    if size.value is None:
      return None
    result *= size.value
  return result


def _product_of_vectors(one, other):
  """The Kronecker product of vectors, the last dimensions of two tensors."""
  both = one[..., :, tf.newaxis] * other[..., tf.newaxis, :]
  shape = tf.shape(both)
  return tf.reshape(both, tf.concat([shape[:-2], [shape[-2] * shape[-1]]], 0))


class LinearOperatorKronecker(LinearOperator):
  """The Kronecker product of the `operators`: each element of the first is multiplied by the whole product of the others.

  ValueError for no operator and for hints that contradict theirs; TypeError for several types.
  """

  def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
    operators = list(operators)
    if not operators:
      raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {operators}.")
    self._operators = operators
    dtype = check_same_type(operators)
    is_square = implied(is_square, all_true(operators, "is_square"), _SAID.format("square"))
    is_non_singular = implied(is_non_singular, all_true(operators, "is_non_singular"), _SAID.format("non-singular"))
    is_self_adjoint = implied(is_self_adjoint, all_true(operators, "is_self_adjoint"), _SAID.format("self-adjoint"))
    is_positive_definite = implied(
      is_positive_definite, all_true(operators, "is_positive_definite"), _SAID.format("positive-definite")
    )
    name = name or "_x_".join(operator.name for operator in operators)
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

  @property
  def operators(self):
    """The factors."""
    return self._operators

  def _shape(self):
    batch = self.operators[0].batch_shape
    for operator in self.operators[1:]:
      batch = tf.broadcast_static_shape(batch, operator.batch_shape)
    rows = _static_product(operator.range_dimension for operator in self.operators)
    columns = _static_product(operator.domain_dimension for operator in self.operators)
    return batch.concatenate(TensorShape([rows, columns]))

  def _shape_tensor(self):
    rows = tf.reduce_prod(tf.stack([operator.range_dimension_tensor() for operator in self.operators]))
    columns = tf.reduce_prod(tf.stack([operator.domain_dimension_tensor() for operator in self.operators]))
    return tf.concat((self._common_batch(), tf.stack([rows, columns])), 0)

  def _common_batch(self):
    return batches.broadcast_shapes(
      [operator.batch_shape for operator in self.operators],
      [operator.batch_shape_tensor for operator in self.operators],
    )

  def _each(self, method, x, adjoint):
    """Goes through the factors with `x` as a tensor that has a dimension for each of them, which one factor after the other takes
    as its rows: [batch, n_1, ..., n_k, columns]."""
    sides = [self._side_of(operator, method, adjoint) for operator in self.operators]
    batch = tf.broadcast_dynamic_shape(tf.shape(x)[:-2], self._common_batch())
    columns = tf.shape(x)[-1]
    x = tf.broadcast_to(x, tf.concat([batch, tf.shape(x)[-2:]], 0))
    for side, operator in zip(sides, self.operators):
      # The first dimension goes behind the others, so that after all factors they are in their order again.
      matrix = tf.reshape(x, tf.concat([batch, [side, -1]], 0))
      matrix = getattr(operator, method)(matrix, adjoint=adjoint)
      rows = tf.shape(matrix)[-2]
      others = tf.shape(matrix)[-1] // columns
      matrix = tf.reshape(matrix, tf.concat([batch, [rows, others, columns]], 0))
      x = self._swapped(matrix)
    return tf.reshape(x, tf.concat([batch, [-1, columns]], 0))

  def _side_of(self, operator, method, adjoint):
    takes_columns = (method == "matmul") != adjoint
    return operator.domain_dimension_tensor() if takes_columns else operator.range_dimension_tensor()

  @staticmethod
  def _swapped(tensor):
    """[..., a, b, c] as [..., b, a, c]."""
    rank = tf.rank(tensor)
    return tf.transpose(tensor, tf.concat([tf.range(rank - 3), [rank - 2, rank - 3, rank - 1]], 0))

  def _finished(self, result, x, rows):
    if x.get_shape().ndims is not None and self.batch_shape.ndims is not None:
      front = tf.broadcast_static_shape(x.get_shape()[:-2], self.batch_shape)
      result.set_shape(front.concatenate([rows, x.get_shape()[-1]]))
    return result

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    x = batches.adjoint_if(x, adjoint_arg)
    return self._finished(self._each("matmul", x, adjoint), x, self.domain_dimension if adjoint else self.range_dimension)

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    rhs = batches.adjoint_if(rhs, adjoint_arg)
    return self._finished(self._each("solve", rhs, adjoint), rhs, self.domain_dimension)

  def _determinant(self):
    """The product of the determinants, each to the power of the size of the others."""
    total = self.domain_dimension_tensor()
    result = 1.0
    for operator in self.operators:
      power = tf.cast(total // operator.domain_dimension_tensor(), self.dtype)
      result = result * operator.determinant() ** power
    return result

  def _log_abs_determinant(self):
    total = self.domain_dimension_tensor()
    result = 0.0
    for operator in self.operators:
      part = operator.log_abs_determinant()
      result = result + part * tf.cast(total // operator.domain_dimension_tensor(), part.dtype)
    return result

  def _trace(self):
    result = self.operators[0].trace()
    for operator in self.operators[1:]:
      result = result * operator.trace()
    return result

  def _diag_part(self):
    if not self.is_square:
      return super()._diag_part()
    result = self.operators[0].diag_part()
    for operator in self.operators[1:]:
      result = _product_of_vectors(result, operator.diag_part())
    result.set_shape(self.batch_shape.concatenate(self.domain_dimension))
    return result

  def _to_dense(self):
    result = self.operators[0].to_dense()
    for operator in self.operators[1:]:
      other = operator.to_dense()
      both = result[..., :, tf.newaxis, :, tf.newaxis] * other[..., tf.newaxis, :, tf.newaxis, :]
      shape = tf.shape(both)
      result = tf.reshape(both, tf.concat([shape[:-4], [shape[-4] * shape[-3], shape[-2] * shape[-1]]], 0))
    result.set_shape(self.shape)
    return result

  def _hints(self):
    return {
      "is_non_singular": self.is_non_singular,
      "is_self_adjoint": self.is_self_adjoint,
      "is_positive_definite": self.is_positive_definite,
      "is_square": True,
    }

  def _adjoint(self):
    hints = dict(self._hints(), is_square=self.is_square)
    return LinearOperatorKronecker([operator.adjoint() for operator in self.operators], **hints)

  def _inverse(self):
    return LinearOperatorKronecker([operator.inverse() for operator in self.operators], **self._hints())

  def _cholesky(self):
    return LinearOperatorKronecker(
      [operator.cholesky() for operator in self.operators], is_non_singular=True, is_self_adjoint=None, is_square=True
    )

  def _assert_non_singular(self):
    if all(operator.is_square for operator in self.operators):
      return tf.group([operator.assert_non_singular() for operator in self.operators])
    raise tf.errors.InvalidArgumentError(
      node_def=None, op=None, message="All Kronecker factors must be square for the product to be invertible."
    )

  def _assert_self_adjoint(self):
    if all(operator.is_square for operator in self.operators):
      return tf.group([operator.assert_self_adjoint() for operator in self.operators])
    raise tf.errors.InvalidArgumentError(
      node_def=None, op=None, message="All Kronecker factors must be square for the product to be invertible."
    )
