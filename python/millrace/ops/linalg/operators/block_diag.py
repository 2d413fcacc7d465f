"""Matrices with other operators along the diagonal, and zeros elsewhere."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.hints import all_true, check_same_type, implied

_SAID = "The direct sum of {0} operators is always {0}."


def _static_sum(sizes):
  sizes = [size.value for size in sizes]
  return None if None in sizes else sum(sizes)


class LinearOperatorBlockDiag(LinearOperator):
  """The `operators` along the diagonal, the first at the upper left: their direct sum. They have to be square.

  ValueError for no operator, operators that are not square and hints that contradict theirs; TypeError for several types.
  """

  def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=True, name=None):
    operators = list(operators)
    if not operators:
      raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    self._operators = operators
    dtype = check_same_type(operators)
    is_non_singular = implied(is_non_singular, all_true(operators, "is_non_singular"), _SAID.format("non-singular"))
    is_self_adjoint = implied(is_self_adjoint, all_true(operators, "is_self_adjoint"), _SAID.format("self-adjoint"))
    is_positive_definite = implied(
      is_positive_definite, all_true(operators, "is_positive_definite"), _SAID.format("positive definite")
    )
    if is_square is False or any(operator.is_square is False for operator in operators):
      raise ValueError("Can only represent a block diagonal of square matrices.")
    name = name or "_ds_".join(operator.name for operator in operators)
    parents = [parent for operator in operators for parent in operator.graph_parents]
    with name_scope(name, values=parents):
      super().__init__(
        dtype=dtype,
        graph_parents=parents,
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=True,
        name=name,
      )

  @property
  def operators(self):
    """The blocks, from the upper left to the lower right."""
    return self._operators

  def _shape(self):
    batch = self.operators[0].batch_shape
    for operator in self.operators[1:]:
      batch = tf.broadcast_static_shape(batch, operator.batch_shape)
    sides = TensorShape(
      [
        _static_sum(operator.range_dimension for operator in self.operators),
        _static_sum(operator.domain_dimension for operator in self.operators),
      ]
    )
    return batch.concatenate(sides)

  def _shape_tensor(self):
    rows = tf.add_n([operator.range_dimension_tensor() for operator in self.operators])
    columns = tf.add_n([operator.domain_dimension_tensor() for operator in self.operators])
    return tf.concat((self._common_batch(), tf.stack([rows, columns])), 0)

  def _common_batch(self):
    return batches.broadcast_shapes(
      [operator.batch_shape for operator in self.operators],
      [operator.batch_shape_tensor for operator in self.operators],
    )

  def _blocks(self, x, axis):
    """The parts of `x` that meet the blocks."""
    sizes = [operator.domain_dimension.value for operator in self.operators]
    if None in sizes:
      sizes = tf.stack([operator.domain_dimension_tensor() for operator in self.operators])
    return tf.split(x, sizes, axis=axis, num=len(self.operators))

  def _each(self, method, x, adjoint_arg, **arguments):
    parts = self._blocks(x, -1 if adjoint_arg else -2)
    results = [
      getattr(operator, method)(part, adjoint_arg=adjoint_arg, **arguments) for operator, part in zip(self.operators, parts)
    ]
    return tf.concat(batches.with_common_batch(results), axis=-2)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return self._each("matmul", x, adjoint_arg, adjoint=adjoint)

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    return self._each("solve", rhs, adjoint_arg, adjoint=adjoint)

  def _over(self, values, combine):
    result = values[0]
    for value in values[1:]:
      result = combine(result, value)
    return result

  def _determinant(self):
    return self._over([operator.determinant() for operator in self.operators], lambda a, b: a * b)

  def _log_abs_determinant(self):
    return self._over([operator.log_abs_determinant() for operator in self.operators], lambda a, b: a + b)

  def _trace(self):
    return self._over([operator.trace() for operator in self.operators], lambda a, b: a + b)

  def _diag_part(self):
    # As matrices of one column, whose batches broadcast.
    columns = [operator.diag_part()[..., tf.newaxis] for operator in self.operators]
    return tf.squeeze(tf.concat(batches.with_common_batch(columns), axis=-2), axis=-1)

  def _to_dense(self):
    columns = self.domain_dimension_tensor()
    before, rows = 0, []
    blocks = batches.with_common_batch([operator.to_dense() for operator in self.operators])
    for operator, block in zip(self.operators, blocks):
      size = operator.domain_dimension_tensor()
      side = tf.stack([before, columns - before - size])[tf.newaxis, :]
      paddings = tf.concat([tf.zeros([tf.rank(block) - 1, 2], dtype=tf.int32), side], axis=0)
      rows.append(tf.pad(block, paddings=paddings))
      before = before + size
    dense = tf.concat(rows, axis=-2)
    dense.set_shape(self.shape)
    return dense

  def _like(self, operators, **hints):
    return LinearOperatorBlockDiag(operators, **hints)

  def _hints(self):
    return {
      "is_non_singular": self.is_non_singular,
      "is_self_adjoint": self.is_self_adjoint,
      "is_positive_definite": self.is_positive_definite,
      "is_square": True,
    }

  def _adjoint(self):
    return self._like([operator.adjoint() for operator in self.operators], **self._hints())

  def _inverse(self):
    return self._like([operator.inverse() for operator in self.operators], **self._hints())

  def _cholesky(self):
    roots = [operator.cholesky() for operator in self.operators]
    return self._like(roots, is_non_singular=True, is_self_adjoint=None, is_square=True)

  def _assert_non_singular(self):
    return tf.group([operator.assert_non_singular() for operator in self.operators])

  def _assert_positive_definite(self):
    return tf.group([operator.assert_positive_definite() for operator in self.operators])

  def _assert_self_adjoint(self):
    return tf.group([operator.assert_self_adjoint() for operator in self.operators])
