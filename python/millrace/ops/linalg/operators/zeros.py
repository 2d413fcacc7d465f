"""Operators that are zero."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.sizes import checked_batch_shape, checked_size, runtime_checks


class LinearOperatorZeros(LinearOperator):
  """Matrices of zeros, `num_rows` times `num_columns` (as many if not said), or a batch of `batch_shape`; float32 if not said.

  `assert_proper_shapes` adds checks of sizes that run with the ops. ValueError and TypeError for sizes that are none, ValueError
  for hints that are wrong.
  """

  def __init__(
    self,
    num_rows,
    num_columns=None,
    batch_shape=None,
    dtype=None,
    is_non_singular=False,
    is_self_adjoint=True,
    is_positive_definite=False,
    is_square=True,
    assert_proper_shapes=False,
    name="LinearOperatorZeros",
  ):
    with name_scope(name):
      if not is_self_adjoint and is_square:
        raise ValueError("A zero operator is always self adjoint.")
      if is_non_singular:
        raise ValueError("A zero operator is always singular.")
      if is_positive_definite:
        raise ValueError("A zero operator is always not positive-definite.")
      super().__init__(
        dtype=dtype or dtypes.float32,
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=is_square,
        name=name,
      )
      self._num_rows, self._known_rows = checked_size(num_rows, "num_rows")
      self._num_columns, self._known_columns = checked_size(num_rows if num_columns is None else num_columns, "num_columns")
      self._batch, self._known_batch = checked_batch_shape(batch_shape)
      if is_square and None not in (self._known_rows, self._known_columns) and self._known_rows != self._known_columns:
        raise ValueError(
          f"LinearOperatorZeros initialized as is_square=True, but got num_rows({self._known_rows}) != "
          f"num_columns({self._known_columns})"
        )
      self._assert_proper_shapes = assert_proper_shapes
      if assert_proper_shapes:
        sizes = {"num_rows": self._num_rows, "num_columns": self._num_columns}
        self._num_rows, self._num_columns, self._batch = runtime_checks(sizes, self._batch)

  def _shape(self):
    batch = TensorShape([]) if self._batch is None else TensorShape(self._known_batch)
    return batch.concatenate(TensorShape([self._known_rows, self._known_columns]))

  def _shape_tensor(self):
    sides = tf.stack([self._num_rows, self._num_columns], axis=0)
    return sides if self._batch is None else tf.concat((self._batch, sides), 0)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    x = batches.adjoint_if(x, adjoint_arg)
    inner, outer = (self._num_rows, self._num_columns) if adjoint else (self._num_columns, self._num_rows)
    if self._assert_proper_shapes:
      check = tf.assert_equal(tf.shape(x)[-2], inner, message="Incompatible matrix sizes")
      with tf.control_dependencies([check]):
        x = tf.identity(x)
    batch = tf.shape(x)[:-2] if self._batch is None else tf.broadcast_dynamic_shape(tf.shape(x)[:-2], self.batch_shape_tensor())
    result = tf.zeros(tf.concat([batch, [outer], tf.shape(x)[-1:]], 0), dtype=x.dtype)
    rows = (self.domain_dimension if adjoint else self.range_dimension).value
    if x.get_shape().ndims is not None and self.batch_shape.ndims is not None:
      front = tf.broadcast_static_shape(x.get_shape()[:-2], self.batch_shape)
      result.set_shape(front.concatenate([rows, x.get_shape()[-1]]))
    return result

  def _determinant(self):
    if self.batch_shape.is_fully_defined():
      return tf.zeros(shape=self.batch_shape, dtype=self.dtype)
    return tf.zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

  def _trace(self):
    return self._determinant()

  def _diag_part(self):
    size = tf.minimum(self._num_rows, self._num_columns)
    zeros = tf.zeros(tf.concat([self.batch_shape_tensor(), [size]], 0), dtype=self.dtype)
    known = None if None in (self._known_rows, self._known_columns) else min(self._known_rows, self._known_columns)
    zeros.set_shape(self.batch_shape.concatenate([known]))
    return zeros

  def _to_dense(self):
    zeros = tf.zeros(self.shape_tensor(), dtype=self.dtype)
    zeros.set_shape(self.shape)
    return zeros

  def add_to_tensor(self, mat, name="add_to_tensor"):
    """Zero + mat."""
    return super().add_to_tensor(mat, name)

  def _add_to_tensor(self, x):
    return x if self.batch_shape.ndims == 0 else x + tf.zeros(self.shape_tensor(), dtype=self.dtype)

  def _assert_non_singular(self):
    raise tf.errors.InvalidArgumentError(node_def=None, op=None, message="Zero operators are always non-invertible.")

  def _assert_positive_definite(self):
    raise tf.errors.InvalidArgumentError(node_def=None, op=None, message="Zero operators are always non-positive definite.")

  def _assert_self_adjoint(self):
    return tf.no_op("assert_self_adjoint")
