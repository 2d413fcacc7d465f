"""Operators that are the identity, and multiples of it."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.sizes import checked_batch_shape, checked_size, runtime_checks


class _OfRows(LinearOperator):
  """What the identity and its multiples share: square matrices of a size that is given by a number."""

  def _take_rows(self, num_rows, assert_proper_shapes):
    self._num_rows, self._known_rows = checked_size(num_rows, "num_rows")
    self._assert_proper_shapes = assert_proper_shapes

  def _ensure_compatible(self, x, adjoint_arg):
    """`x`, with a check that it has as many rows, if these are wanted and not known while the graph is built."""
    if not self._assert_proper_shapes:
      return x
    rows = tf.shape(x)[-1 if adjoint_arg else -2]
    check = tf.assert_equal(rows, self._num_rows, message="Incompatible matrix sizes")
    with tf.control_dependencies([check]):
      return tf.identity(x)

  def _rows_as(self, dtype):
    return tf.cast(self._num_rows, dtype)


class LinearOperatorIdentity(_OfRows):
  """The identity of `num_rows` dimensions, or a batch of it of `batch_shape`; float32 if no type is said.

  `assert_proper_shapes` adds checks of sizes that run with the ops. ValueError and TypeError for sizes that are none, ValueError
  for hints that are wrong.
  """

  def __init__(
    self,
    num_rows,
    batch_shape=None,
    dtype=None,
    is_non_singular=True,
    is_self_adjoint=True,
    is_positive_definite=True,
    is_square=True,
    assert_proper_shapes=False,
    name="LinearOperatorIdentity",
  ):
    with name_scope(name):
      if not is_self_adjoint:
        raise ValueError("An identity operator is always self adjoint.")
      if not is_non_singular:
        raise ValueError("An identity operator is always non-singular.")
      if not is_positive_definite:
        raise ValueError("An identity operator is always positive-definite.")
      if not is_square:
        raise ValueError("An identity operator is always square.")
      super().__init__(
        dtype=dtype or dtypes.float32,
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=is_square,
        name=name,
      )
      self._take_rows(num_rows, assert_proper_shapes)
      self._batch, self._known_batch = checked_batch_shape(batch_shape)
      if assert_proper_shapes:
        self._num_rows, self._batch = runtime_checks({"num_rows": self._num_rows}, self._batch)

  def _shape(self):
    batch = TensorShape([]) if self._batch is None else TensorShape(self._known_batch)
    return batch.concatenate(TensorShape([self._known_rows, self._known_rows]))

  def _shape_tensor(self):
    sides = tf.stack([self._num_rows, self._num_rows], axis=0)
    return sides if self._batch is None else tf.concat((self._batch, sides), 0)

  def _with_batch(self, x):
    """`x`, in as many copies as the batch asks for."""
    if self._batch is None:
      return x
    known = x.get_shape()[:-2]
    if self.batch_shape.is_fully_defined() and known.is_fully_defined():
      if tf.broadcast_static_shape(known, self.batch_shape) == known:
        return x
    ones = tf.ones(tf.concat([self.batch_shape_tensor(), [1, 1]], 0), dtype=x.dtype)
    return x * ones

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return self._with_batch(self._ensure_compatible(batches.adjoint_if(x, adjoint_arg), False))

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    return self._matmul(rhs, adjoint_arg=adjoint_arg)

  def _determinant(self):
    return tf.ones(shape=self.batch_shape_tensor(), dtype=self.dtype)

  def _log_abs_determinant(self):
    return tf.zeros(shape=self.batch_shape_tensor(), dtype=self.dtype)

  def _trace(self):
    ones = tf.ones(shape=self.batch_shape_tensor(), dtype=self.dtype)
    return self._rows_as(self.dtype) * ones

  def _diag_part(self):
    ones = tf.ones(tf.concat([self.batch_shape_tensor(), [self._num_rows]], 0), dtype=self.dtype)
    ones.set_shape(self.shape[:-1])
    return ones

  def _to_dense(self):
    return tf.eye(
      self._known_rows if self._known_rows is not None else self._num_rows, batch_shape=self._batch_as_said(), dtype=self.dtype
    )

  def _batch_as_said(self):
    if self._batch is None:
      return None
    return self._known_batch if self._known_batch is not None else self._batch

  def add_to_tensor(self, mat, name="add_to_tensor"):
    """The identity + mat."""
    return super().add_to_tensor(mat, name)

  def _add_to_tensor(self, x):
    return tf.matrix_set_diag(x, 1 + tf.matrix_diag_part(x))

  def _adjoint(self):
    return self

  def _inverse(self):
    return self

  def _cholesky(self):
    return LinearOperatorIdentity(num_rows=self._num_rows, batch_shape=self._batch_as_said(), dtype=self.dtype)

  def _assert_non_singular(self):
    return tf.no_op("assert_non_singular")

  def _assert_positive_definite(self):
    return tf.no_op("assert_positive_definite")

  def _assert_self_adjoint(self):
    return tf.no_op("assert_self_adjoint")


class LinearOperatorScaledIdentity(_OfRows):
  """The identity of `num_rows` dimensions times `multiplier`, a number for each of a batch.

  `assert_proper_shapes` adds checks of sizes that run with the ops. ValueError and TypeError for sizes that are none, ValueError
  for hints that are wrong.
  """

  def __init__(
    self,
    num_rows,
    multiplier,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=True,
    assert_proper_shapes=False,
    name="LinearOperatorScaledIdentity",
  ):
    with name_scope(name, values=[multiplier, num_rows]):
      self._multiplier = tf.convert_to_tensor(multiplier, name="multiplier")
      if not self._multiplier.dtype.is_complex:
        if is_self_adjoint is False:
          raise ValueError("A real ScaledIdentity operator is always self adjoint.")
        is_self_adjoint = True
      if not is_square:
        raise ValueError("A ScaledIdentity operator is always square.")
      super().__init__(
        dtype=self._multiplier.dtype.base_dtype,
        graph_parents=[self._multiplier],
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=is_square,
        name=name,
      )
      self._take_rows(num_rows, assert_proper_shapes)
      if assert_proper_shapes:
        self._num_rows, _ = runtime_checks({"num_rows": self._num_rows}, None)
      self._as_matrices = self._multiplier[..., tf.newaxis, tf.newaxis]

  @property
  def multiplier(self):
    """What the identity is multiplied by."""
    return self._multiplier

  def _shape(self):
    return self._multiplier.get_shape().concatenate(TensorShape([self._known_rows, self._known_rows]))

  def _shape_tensor(self):
    return tf.concat((tf.shape(self._multiplier), tf.stack([self._num_rows, self._num_rows], axis=0)), 0)

  def _own(self, adjoint):
    return tf.linalg.adjoint(self._as_matrices) if adjoint else self._as_matrices

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return self._ensure_compatible(batches.adjoint_if(x, adjoint_arg), False) * self._own(adjoint)

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    return self._ensure_compatible(batches.adjoint_if(rhs, adjoint_arg), False) / self._own(adjoint)

  def _determinant(self):
    return self._multiplier ** self._rows_as(self.dtype)

  def _log_abs_determinant(self):
    return self._rows_as(self.dtype.real_dtype) * tf.log(tf.abs(self._multiplier))

  def _trace(self):
    return self._rows_as(self.dtype) * self._multiplier

  def _diag_part(self):
    ones = tf.ones([self._num_rows], dtype=self.dtype)
    return self._multiplier[..., tf.newaxis] * ones

  def _to_dense(self):
    rows = self._known_rows if self._known_rows is not None else self._num_rows
    return self._as_matrices * tf.eye(rows, dtype=self.dtype)

  def add_to_tensor(self, mat, name="add_to_tensor"):
    """The multiple of the identity + mat."""
    return super().add_to_tensor(mat, name)

  def _add_to_tensor(self, x):
    return tf.matrix_set_diag(x, tf.matrix_diag_part(x) + self._multiplier[..., tf.newaxis])

  def _with_multiplier(self, multiplier):
    return LinearOperatorScaledIdentity(
      num_rows=self._num_rows,
      multiplier=multiplier,
      is_non_singular=self.is_non_singular,
      is_self_adjoint=self.is_self_adjoint,
      is_positive_definite=self.is_positive_definite,
      is_square=True,
    )

  def _adjoint(self):
    return self._with_multiplier(tf.conj(self._multiplier))

  def _inverse(self):
    return self._with_multiplier(1.0 / self._multiplier)

  def _cholesky(self):
    return self._with_multiplier(tf.sqrt(self._multiplier))

  def _assert_non_singular(self):
    return tf.assert_positive(tf.abs(self._multiplier), message="LinearOperator was singular")

  def _assert_positive_definite(self):
    return tf.assert_positive(tf.real(self._multiplier), message="LinearOperator was not positive definite.")

  def _assert_self_adjoint(self):
    return batches.assert_zero_imaginary_part(self._multiplier, message="LinearOperator was not self-adjoint")
