"""Toeplitz matrices."""

import millrace as tf
from millrace import gen
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.circulant import as_complex


class LinearOperatorToeplitz(LinearOperator):
  """Square matrices that are constant along each diagonal, with the first columns `col` and the first rows `row`, whose first
  element is not read. Products go through Fourier's transform.

  ValueError for scalars, sizes that differ, and operators that are said not to be square.
  """

  def __init__(
    self,
    col,
    row,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=None,
    name="LinearOperatorToeplitz",
  ):
    with name_scope(name, values=[row, col]):
      self._row = tf.convert_to_tensor(row, name="row")
      self._col = tf.convert_to_tensor(col, name="col")
      for which, tensor in (("col", self._col), ("row", self._row)):
        if tensor.get_shape().ndims == 0:
          raise ValueError(f"Argument {which} must have at least 1 dimension.  Found: {tensor}")
      if is_square is False:
        raise ValueError("Only square Toeplitz operators currently supported.")
      sizes = [
        tensor.get_shape()[-1].value if tensor.get_shape().ndims is not None else None for tensor in (self._row, self._col)
      ]
      if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
      super().__init__(
        dtype=self._row.dtype,
        graph_parents=[self._row, self._col],
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=True,
        name=name,
      )

  @property
  def col(self):
    """The first columns."""
    return self._col

  @property
  def row(self):
    """The first rows."""
    return self._row

  def _shape(self):
    if None in (self.row.get_shape().ndims, self.col.get_shape().ndims):
      return TensorShape(None)
    shape = tf.broadcast_static_shape(self.row.get_shape(), self.col.get_shape())
    return shape.concatenate(shape[-1])

  def _shape_tensor(self):
    shape = tf.broadcast_dynamic_shape(tf.shape(self.row), tf.shape(self.col))
    return tf.concat((shape, shape[-1:]), 0)

  def _around(self, adjoint=False):
    """The first column of a circulant matrix of size 2 n - 1 that has this one at its upper left: the column, then the row from
    its end to its second element."""
    col, row = self._whole(self.col, self.row), self._whole(self.row, self.col)
    if adjoint:
      # The first element is that of the column, here too.
      col, row = tf.concat([col[..., :1], row[..., 1:]], -1), col
      if self.dtype.is_complex:
        col, row = tf.conj(col), tf.conj(row)
    return tf.concat([col, tf.reverse(row[..., 1:], axis=[-1])], -1)

  @staticmethod
  def _whole(tensor, other):
    """The tensor broadcast with the other one."""
    if tensor.get_shape().is_fully_defined() and tensor.get_shape() == other.get_shape():
      return tensor
    return tensor + tf.zeros_like(other)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    x = batches.adjoint_if(x, adjoint_arg)
    kernel = as_complex(self._around(adjoint))[..., tf.newaxis, :]
    rows_last = tf.matrix_transpose(as_complex(x))
    size = self.domain_dimension_tensor()
    zeros = tf.zeros(tf.concat([tf.shape(rows_last)[:-1], [size - 1]], 0), dtype=rows_last.dtype)
    spectrum = gen.fft(kernel) * gen.fft(tf.concat([rows_last, zeros], -1))
    result = tf.cast(tf.matrix_transpose(gen.ifft(spectrum)[..., :size]), self.dtype)
    if x.get_shape().ndims is not None and self.batch_shape.ndims is not None:
      front = tf.broadcast_static_shape(x.get_shape()[:-2], self.batch_shape)
      result.set_shape(front.concatenate(x.get_shape()[-2:]))
    return result

  def _to_dense(self):
    size = self.domain_dimension_tensor()
    # Element [i, j] is element i - j of what goes around, from the end where that is negative.
    places = tf.range(size)[:, tf.newaxis] - tf.range(size)[tf.newaxis, :]
    dense = tf.gather(self._around(), tf.floormod(places, 2 * size - 1), axis=-1)
    dense.set_shape(self.shape)
    return dense

  def _diag_part(self):
    shape = tf.broadcast_dynamic_shape(tf.shape(self.row), tf.shape(self.col))
    diagonal = self.col[..., :1] * tf.ones(shape, dtype=self.dtype)
    diagonal.set_shape(self.shape[:-1])
    return diagonal

  def _trace(self):
    size = tf.cast(self.domain_dimension_tensor(), self.dtype)
    return size * self.col[..., 0] * tf.ones(self.batch_shape_tensor(), dtype=self.dtype)
