"""Systems of linear equations."""

import millrace as tf
from millrace import gen
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor

matrix_solve = gen.matrix_solve


def matrix_triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
  """x of matrix * x = rhs for triangular matrices (lower ones, or upper ones), or of their adjoints."""
  with name_scope(name, "triangular_solve", [matrix, rhs]):
    return gen.matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def cholesky_solve(chol, rhs, name=None):
  """x of a * x = rhs, where `chol` is the Cholesky decomposition of a."""
  with name_scope(name, "cholesky_solve", [chol, rhs]):
    y = gen.matrix_triangular_solve(chol, rhs, adjoint=False, lower=True)
    return gen.matrix_triangular_solve(chol, y, adjoint=True, lower=True)


def matrix_solve_ls(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
  """x with the least squared error of matrix * x = rhs, plus `l2_regularizer` times the squares of x.

  `fast` solves the normal equations, which loses half of the digits; else by a complete orthogonal decomposition, which
  ignores the regularizer.
  """
  matrix = convert_to_tensor(matrix, name="matrix")
  if not fast:
    return gen.matrix_solve_ls(matrix, rhs, l2_regularizer, fast=fast, name=name)
  with name_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):
    sides = matrix.get_shape()[-2:]
    if sides.is_fully_defined():
      rows, columns = sides.as_list()
      solve = _overdetermined if rows >= columns else _underdetermined
      return solve(matrix, rhs, l2_regularizer)
    sides = tf.shape(matrix)[-2:]
    return tf.cond(
      sides[-2] >= sides[-1],
      lambda: _overdetermined(matrix, rhs, l2_regularizer),
      lambda: _underdetermined(matrix, rhs, l2_regularizer),
    )


def _gramian_root(matrix, l2_regularizer, of_columns):
  """The Cholesky decomposition of the products of the columns (or rows), plus the regularizer on the diagonal."""
  gramian = tf.matmul(matrix, matrix, adjoint_a=of_columns, adjoint_b=not of_columns)
  if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
    axis = -1 if of_columns else -2
    shape = tf.shape(matrix)
    batch_shape = shape[:-2]
    identity = tf.eye(shape[axis], batch_shape=batch_shape, dtype=matrix.dtype)
    static = matrix.get_shape()
    if static.ndims is not None:
      identity.set_shape(static[:-2].concatenate([static[axis], static[axis]]))
    gramian += l2_regularizer * identity
  return gen.cholesky(gramian)


def _overdetermined(matrix, rhs, l2_regularizer):
  root = _gramian_root(matrix, l2_regularizer, of_columns=True)
  return cholesky_solve(root, tf.matmul(matrix, rhs, adjoint_a=True))


def _underdetermined(matrix, rhs, l2_regularizer):
  root = _gramian_root(matrix, l2_regularizer, of_columns=False)
  return tf.matmul(matrix, cholesky_solve(root, rhs), adjoint_a=True)
