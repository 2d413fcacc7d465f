"""Matrices as products of simpler ones, and what follows from these."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import dimension_value

cholesky = gen.cholesky
cross = gen.cross
lu = gen.lu
matrix_determinant = gen.matrix_determinant
matrix_inverse = gen.matrix_inverse
matrix_logarithm = gen.matrix_logarithm
matrix_square_root = gen.matrix_square_root
qr = gen.qr
slogdet = gen.log_matrix_determinant


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
  """The singular values s of each matrix, largest first, and u and v of matrix = u * diag(s) * adjoint(v).

  `full_matrices` makes u and v square; without `compute_uv` only s is returned.
  """
  s, u, v = gen.svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
  return (tf.real(s), u, v) if compute_uv else tf.real(s)


def self_adjoint_eig(tensor, name=None):
  """The eigenvalues, smallest first, and the eigenvectors, as columns, of matrices that are their own adjoint.

  Only the lower triangles are read.
  """
  e, v = gen.self_adjoint_eig_v2(tensor, compute_v=True, name=name)
  return e, v


def self_adjoint_eigvals(tensor, name=None):
  """The eigenvalues, smallest first, of matrices that are their own adjoint."""
  e, _ = gen.self_adjoint_eig_v2(tensor, compute_v=False, name=name)
  return e


def logdet(matrix, name=None):
  """The logarithm of the determinant of matrices that are positive definite."""
  with name_scope(name, "logdet", [matrix]):
    root = gen.cholesky(matrix)
    return 2.0 * tf.reduce_sum(gen.log(tf.real(tf.matrix_diag_part(root))), axis=[-1])


def adjoint(matrix, name=None):
  """The transposed and conjugated matrices."""
  with name_scope(name, "adjoint", [matrix]):
    matrix = convert_to_tensor(matrix, name="matrix")
    return tf.matrix_transpose(matrix, conjugate=True)


def matrix_rank(a, tol=None, validate_args=False, name=None):
  """How many singular values of each matrix are above `tol`.

  Without `tol` the limit is the rounding of the largest one times the longer side.
  """
  with name_scope(name, "matrix_rank", [a]):
    a = _validated(convert_to_tensor(a, dtype_hint=dtypes.float32, name="a"), validate_args)
    values = svd(a, compute_uv=False)
    if tol is None:
      sides = a.get_shape()[-2:]
      if sides.is_fully_defined():
        longer = np.max(sides.as_list())
      else:
        longer = tf.reduce_max(tf.shape(a)[-2:])
      rounding = np.finfo(a.dtype.real_dtype.as_numpy_dtype).eps
      tol = rounding * tf.cast(longer, a.dtype) * tf.reduce_max(values, axis=-1, keepdims=True)
    return tf.reduce_sum(tf.cast(values > tol, dtypes.int32), axis=-1)


def pinv(a, rcond=None, validate_args=False, name=None):
  """The pseudo-inverse of each matrix, singular values up to `rcond` times the largest one taken as 0."""
  with name_scope(name or "pinv"):
    a = _validated(convert_to_tensor(a, name="a"), validate_args)
    if rcond is None:
      rows, columns = _side(a, -2), _side(a, -1)
      if isinstance(rows, int) and isinstance(columns, int):
        longer = float(max(rows, columns))
      else:
        longer = tf.cast(tf.maximum(rows, columns), a.dtype)
      rcond = 10.0 * longer * np.finfo(a.dtype.real_dtype.as_numpy_dtype).eps
    rcond = convert_to_tensor(rcond, dtype=a.dtype, name="rcond")
    values, left, right = svd(a, full_matrices=False, compute_uv=True)
    cutoff = rcond * tf.reduce_max(values, axis=-1)
    # One that is taken as 0 is divided by infinity.
    values = gen.select_v2(values > tf.expand_dims(cutoff, -1), values, np.inf)
    result = tf.matmul(right / tf.expand_dims(values, -2), left, adjoint_b=True)
    shape = a.get_shape()
    if shape.ndims is not None:
      result.set_shape(shape[:-2].concatenate([shape[-1], shape[-2]]))
    return result


def _side(a, axis):
  """A size of `a`: a number where it is known, else a tensor."""
  known = dimension_value(a.get_shape()[axis]) if a.get_shape().ndims is not None else None
  return tf.shape(a)[axis] if known is None else known


def _validated(a, validate_args):
  """`a`, checked to be matrices of floating numbers: at once where the rank is known, else when it runs, if asked to."""
  if not a.dtype.is_floating:
    raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
  rank = a.get_shape().ndims
  if rank is not None:
    if rank < 2:
      raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {rank}).")
    return a
  if validate_args:
    check = tf.assert_rank_at_least(a, rank=2, message="Input `a` must have at least 2 dimensions.")
    with tf.control_dependencies([check]):
      return tf.identity(a)
  return a
