"""Matrices with three diagonals: products with them, and systems of equations."""

import millrace as tf
from millrace import gen
from millrace.framework.convert import convert_to_tensor


def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
  """The products of matrices with three diagonals and `rhs`; `diagonals` as of `tridiagonal_solve`.

  Raises:
    ValueError: for another format, or sequences of other lengths.
  """
  if diagonals_format == "compact":
    above, main, below = (diagonals[..., row, :] for row in (0, 1, 2))
  elif diagonals_format == "sequence":
    above, main, below = diagonals
  elif diagonals_format == "matrix":
    rows = _last_size(diagonals, 1)
    columns = _last_size(diagonals, 2)
    if rows is not None and columns is not None and rows != columns:
      raise ValueError(f"Expected last two dimensions of diagonals to be same, got {rows} and {columns}")
    band = gen.matrix_diag_part_v3(diagonals, (-1, 1), _zero(diagonals), align="LEFT_RIGHT", name="diag_part")
    above, main, below = (band[..., row, :] for row in (0, 1, 2))
  else:
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
  above = tf.expand_dims(above, -2)
  main = tf.expand_dims(main, -2)
  below = tf.expand_dims(below, -2)
  return gen.tridiagonal_mat_mul(above, main, below, rhs, name=name)


def tridiagonal_solve(
  diagonals, rhs, diagonals_format="compact", transpose_rhs=False, conjugate_rhs=False, name=None, partial_pivoting=True
):
  """x of a * x = rhs for matrices a with three diagonals.

  Args:
    diagonals: By `diagonals_format`: "compact" is a tensor of [..., 3, M] (above, main, below; the last of the first row
      and the first of the third do not count), "sequence" three tensors of M elements (or M - 1 above and below),
      "matrix" the matrices themselves.
    rhs: [..., M] or [..., M, K]; `transpose_rhs` and `conjugate_rhs` say how it is taken.
    name: Of the op.
    partial_pivoting: Whether rows are swapped for better numbers.

  Raises:
    ValueError: for another format or shapes that do not fit.
  """
  if diagonals_format == "compact":
    compact = diagonals
  elif diagonals_format == "sequence":
    compact = _stacked(diagonals)
  elif diagonals_format == "matrix":
    rows, columns = _last_size(diagonals, 1), _last_size(diagonals, 2)
    if rows is not None and columns is not None and rows != columns:
      raise ValueError(f"Expected last two dimensions of diagonals to be same, got {rows} and {columns}")
    compact = gen.matrix_diag_part_v3(diagonals, (-1, 1), _zero(diagonals), align="LEFT_RIGHT", name="diag_part")
  else:
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
  return _solve_compact(compact, rhs, transpose_rhs, conjugate_rhs, partial_pivoting, name)


def _last_size(x, index):
  shape = x.get_shape()
  if shape.ndims is None or shape.ndims < index:
    return None
  return shape.as_list()[-index]


def _zero(x):
  return tf.constant(0, dtype=x.dtype) if x.dtype.is_complex else 0


def _stacked(diagonals):
  if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
    raise ValueError("Expected diagonals to be a sequence of length 3.")
  above, main, below = (convert_to_tensor(diagonal) for diagonal in diagonals)
  if not above.get_shape()[:-1].is_compatible_with(main.get_shape()[:-1]) or not main.get_shape()[:-1].is_compatible_with(
    below.get_shape()[:-1]
  ):
    raise ValueError(
      f"Tensors representing the three diagonals must have the same shape,except for the last dimension, got "
      f"{below.get_shape()}, {main.get_shape()}, {above.get_shape()}"
    )
  size = tf.dimension_value(main.get_shape()[-1])

  def padded(x, before, name_of):
    length = tf.dimension_value(x.get_shape()[-1])
    if size is not None and length is not None and length == size - 1:
      rank = x.get_shape().ndims
      paddings = [[0, 0] for _ in range(rank - 1)] + [[1, 0] if before else [0, 1]]
      return tf.pad(x, paddings)
    if size is None or length is None or length == size:
      return x
    raise ValueError(f"Expected {name_of} to be have length {size} or {size - 1}, got {length}.")

  below = padded(below, True, "subdiagonal")
  above = padded(above, False, "superdiagonal")
  return tf.stack((above, main, below), axis=-2)


def _solve_compact(diagonals, rhs, transpose_rhs, conjugate_rhs, partial_pivoting, name):
  diagonals, rhs = convert_to_tensor(diagonals), convert_to_tensor(rhs)
  rank = diagonals.get_shape().ndims
  if rank is not None and rank < 2:
    raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
  if rank is not None and rhs.get_shape().ndims is not None and rhs.get_shape().ndims not in (rank, rank - 1):
    raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {rhs.get_shape().ndims}")
  if rank is not None and rhs.get_shape().ndims is not None:
    batch, rhs_batch = diagonals.get_shape()[:-2], rhs.get_shape()[: rank - 2]
    if not batch.is_compatible_with(rhs_batch):
      raise ValueError(f"Batch shapes {batch} and {rhs_batch} are incompatible")
  rows = _last_size(diagonals, 2)
  if rows is not None and rows != 3:
    raise ValueError(f"Expected 3 diagonals got {rows}")
  is_vector = rank is not None and rhs.get_shape().ndims == rank - 1
  if is_vector:
    # A vector is a column: there is nothing to transpose.
    rhs = tf.expand_dims(tf.conj(rhs) if conjugate_rhs else rhs, -1)
  elif transpose_rhs:
    rhs = tf.matrix_transpose(rhs, conjugate=conjugate_rhs)
  elif conjugate_rhs:
    rhs = tf.conj(rhs)
  sizes = _last_size(diagonals, 1), _last_size(rhs, 2)
  if None not in sizes and sizes[0] != sizes[1]:
    raise ValueError(f"Expected number of left-hand sided and right-hand sides to be equal, got {sizes[0]} and {sizes[1]}")
  result = gen.tridiagonal_solve(diagonals, rhs, partial_pivoting=partial_pivoting, name=name)
  if is_vector:
    return tf.squeeze(result, -1)
  return result
