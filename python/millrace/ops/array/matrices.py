"""Diagonals and bands of matrices."""

from millrace import gen


def matrix_diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0):
  """Returns matrices with the given diagonals.

  Args:
    diagonal: The diagonals, in the last dimension; several in the last two.
    name: Name of the op.
    k: Which one: 0 is the main one, positive ones are above; a pair for a band.
    num_rows: Rows of the matrix; as few as possible if -1.
    num_cols: Columns of the matrix; as few as possible if -1.
    padding_value: What stands elsewhere.
  """
  return gen.matrix_diag_v3(diagonal, k, num_rows, num_cols, _typed(padding_value, diagonal), name=name)


def _typed(padding_value, like):
  """Returns the padding, false instead of zero for bools."""
  if isinstance(padding_value, int) and getattr(getattr(like, "dtype", None), "name", "") == "bool":
    return bool(padding_value)
  return padding_value


def matrix_diag_part(input, name="diag_part", k=0, padding_value=0):
  """Returns the diagonals of matrices that `k` says, as in `matrix_diag`; short ones are filled up."""
  return gen.matrix_diag_part_v3(input, k, _typed(padding_value, input), name=name)


def matrix_set_diag(input, diagonal, name="set_diag", k=0):
  """Returns matrices with other diagonals, those that `k` says."""
  return gen.matrix_set_diag_v3(input, diagonal, k, name=name)


def matrix_band_part(input, num_lower, num_upper, name=None):
  """Returns matrices with zeros outside of a band around the main diagonal; negative numbers keep all."""
  return gen.matrix_band_part(input, num_lower, num_upper, name=name)


def diag(diagonal, name=None):
  """Returns a tensor of twice the rank with the given values on its diagonal and zeros elsewhere."""
  return gen.diag(diagonal, name=name)


def diag_part(input, name=None):
  """Returns the diagonal of a tensor whose dimensions repeat."""
  return gen.diag_part(input, name=name)
