"""Batches of matrices: broadcast together, solved, checked."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor


def broadcast_shapes(shapes, dynamic):
  """Shapes broadcast together: a vector of int32, constant if all are known; `dynamic` makes the vector of each."""
  static = shapes[0]
  for shape in shapes[1:]:
    static = tf.broadcast_static_shape(static, shape)
  if static.is_fully_defined():
    return tf.constant(static.as_list(), dtype=dtypes.int32)
  vectors = [make() for make in dynamic]
  result = vectors[0]
  for vector in vectors[1:]:
    result = tf.broadcast_dynamic_shape(result, vector)
  return result


def with_common_batch(matrices):
  """The matrices, all with the batch dimensions that theirs broadcast to."""
  matrices = [convert_to_tensor(matrix) for matrix in matrices]
  batches = [matrix.get_shape()[:-2] for matrix in matrices]
  first = batches[0]
  if all(batch.is_fully_defined() and batch == first for batch in batches):
    return matrices
  common = broadcast_shapes(batches, [lambda m=matrix: tf.shape(m)[:-2] for matrix in matrices])
  static = batches[0]
  for batch in batches[1:]:
    static = tf.broadcast_static_shape(static, batch)
  results = []
  for matrix in matrices:
    rows = matrix.get_shape()[-2:]
    sides = tf.constant(rows.as_list(), dtype=dtypes.int32) if rows.is_fully_defined() else tf.shape(matrix)[-2:]
    result = tf.broadcast_to(matrix, tf.concat([common, sides], 0))
    if static.ndims is not None and rows.ndims is not None:
      result.set_shape(static.concatenate(rows))
    results.append(result)
  return results


def adjoint_if(matrix, is_wanted):
  """The adjoint of a matrix, or the matrix."""
  return tf.linalg.adjoint(matrix) if is_wanted else matrix


def solve(matrix, rhs, adjoint=False):
  """X with matrix X = rhs, or the adjoint in place of the matrix; batches broadcast."""
  matrix, rhs = with_common_batch([matrix, rhs])
  return tf.matrix_solve(matrix, rhs, adjoint=adjoint)


def triangular_solve(matrix, rhs, lower=True, adjoint=False):
  """solve() for matrices that have zeros above the diagonal, or below it."""
  matrix, rhs = with_common_batch([matrix, rhs])
  return tf.matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def cholesky_solve(root, rhs):
  """X with root root^H X = rhs; batches broadcast."""
  root, rhs = with_common_batch([root, rhs])
  return tf.cholesky_solve(root, rhs)


def assert_no_entries_of_modulus_zero(x, message=None, name="assert_no_entries_with_modulus_zero"):
  """An op that fails if an element is 0."""
  with tf.name_scope(name, values=[x]):
    x = convert_to_tensor(x, name="x")
    moduli = tf.abs(x)
    return tf.assert_less(tf.zeros([], dtype=moduli.dtype), moduli, message=message)


def assert_zero_imaginary_part(x, message=None, name="assert_zero_imag_part"):
  """An op that fails if an element has an imaginary part."""
  with tf.name_scope(name, values=[x]):
    x = convert_to_tensor(x, name="x")
    if x.dtype.is_floating:
      return tf.no_op()
    zero = tf.zeros([], dtype=x.dtype.real_dtype)
    return tf.assert_equal(zero, tf.imag(x), message=message)


def assert_matrices_agree(x, y, message):
  """An op that fails unless two tensors are equal."""
  return tf.assert_equal(x, y, message=message)
