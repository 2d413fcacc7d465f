"""Values found, counted and compared: unique, searchsorted, edit_distance."""

from millrace import gen
from millrace.framework import composite, dtypes
from millrace.ops.array import shapes


def unique(x, out_idx=dtypes.int32, name=None):
  """Returns the different values of a vector, in order of their first place, and the index of each element's value."""
  return gen.unique(x, out_idx=out_idx, name=name)


def unique_with_counts(x, out_idx=dtypes.int32, name=None):
  """As `unique`, with how often each value occurs."""
  return gen.unique_with_counts(x, out_idx=out_idx, name=name)


def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
  """Returns the elements of vector `x` that are not in `y`, and their indices."""
  return gen.list_diff(x, y, out_idx=index_dtype, name=name)


def invert_permutation(x, name=None):
  """Returns the permutation that undoes `x`."""
  return gen.invert_permutation(x, name=name)


def searchsorted(sorted_sequence, values, side="left", out_type=dtypes.int32, name=None):
  """Returns where the values would go in sorted sequences, which are the rows of the last dimension.

  Args:
    sorted_sequence: Sorted along the last dimension.
    values: What is looked for, with the same dimensions before the last.
    side: "left" for the first place, "right" for the one behind equal elements; else ValueError.
    out_type: int32 or int64.
    name: Name of the op.
  """
  length = shapes.shape_internal(sorted_sequence)[-1]
  count = shapes.shape_internal(values)[-1]
  sorted_rows = shapes.reshape(sorted_sequence, [-1, length])
  value_rows = shapes.reshape(values, [-1, count])
  if side == "right":
    found = gen.upper_bound(sorted_rows, value_rows, out_type=out_type, name=name)
  elif side == "left":
    found = gen.lower_bound(sorted_rows, value_rows, out_type=out_type, name=name)
  else:
    raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
  return shapes.reshape(found, shapes.shape_internal(values))


def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
  """Returns the Levenshtein distances of the sequences of two sparse tensors, by the length of the truth if `normalize`."""
  if not isinstance(hypothesis, (composite.SparseTensor, composite.SparseTensorValue)):
    raise TypeError("Hypothesis must be a SparseTensor.")
  if not isinstance(truth, (composite.SparseTensor, composite.SparseTensorValue)):
    raise TypeError("Truth must be a SparseTensor.")
  return gen.edit_distance(
    hypothesis.indices,
    hypothesis.values,
    hypothesis.dense_shape,
    truth.indices,
    truth.values,
    truth.dense_shape,
    normalize=normalize,
    name=name,
  )
