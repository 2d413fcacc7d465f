"""Ragged tensors of nested lists, of placeholders and of ranges: `tf.ragged.constant` and others."""

import numpy as np

from millrace import gen
from millrace.framework import constants, convert, dtypes, graph
from millrace.ops.array import placeholders
from millrace.ops.ragged import tensor
from millrace.ops.ragged.value import RaggedTensorValue

range_ = range  # Python's, as `range` is the function below here


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=dtypes.int64):
  """Returns a ragged tensor of nested lists.

  Args:
    pylist: Lists of lists of scalars, all at the same depth.
    dtype: Type of the scalars.
    ragged_rank: Number of ragged dimensions; as many as can be if None.
    inner_shape: Shape of the innermost values, all alike; none if None.
    name: Prefix of the names of what it makes.
    row_splits_dtype: Type of the places where rows end.
  """
  splits_type = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype

  def rows(values, row_splits):
    splits = constants.constant(row_splits, dtype=row_splits_dtype)
    return tensor.RaggedTensor.from_row_splits(values, splits, validate=False)

  def innermost(values, shape):
    # An empty list leads to float32 unless a type was asked for, as everywhere.
    return constants.constant(values, dtype, shape, **({"name": "values"} if rank_of[0] else {}))

  rank_of = [None]
  with graph.name_scope(name, "RaggedConstant"):
    return _made(rows, innermost, pylist, ragged_rank, inner_shape, rank_of, splits_type)


def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype="int64"):
  """As `constant`; returns a RaggedTensorValue or, if nothing is ragged, an array."""
  if dtype is not None:
    dtype = dtypes.as_dtype(dtype).as_numpy_dtype
  splits_type = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype

  def rows(values, row_splits):
    return RaggedTensorValue(values, np.array(row_splits, dtype=splits_type))

  def innermost(values, shape):
    array = np.array(values, dtype=dtype)
    return array if shape is None else np.reshape(array, shape)

  return _made(rows, innermost, pylist, ragged_rank, inner_shape, [None], splits_type)


def _made(rows, innermost, pylist, ragged_rank, inner_shape, rank_of, splits_type):
  if isinstance(pylist, tensor.RaggedTensor):
    raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
  if not isinstance(pylist, (list, tuple, np.ndarray)):
    if ragged_rank:
      raise ValueError("Invalid pylist=%r: incompatible with ragged_rank=%d" % (pylist, ragged_rank))
    if inner_shape:
      raise ValueError("Invalid pylist=%r: incompatible with dim(inner_shape)=%d" % (pylist, len(inner_shape)))
    return innermost(pylist, ())
  if ragged_rank is not None and ragged_rank < 0:
    raise ValueError("Invalid ragged_rank=%r: must be nonnegative" % (ragged_rank,))
  depth, deepest = _depths(pylist)
  if depth is not None and deepest > depth:
    raise ValueError("Invalid pylist=%r: empty list nesting is greater than scalar value nesting" % (pylist,))
  if inner_shape is not None and ragged_rank is not None:
    expected = ragged_rank + len(inner_shape) + 1
    if (depth is not None and expected != depth) or (depth is None and expected < deepest):
      raise ValueError(
        "Invalid pylist=%r: incompatible with ragged_rank=%d and dim(inner_shape)=%d" % (pylist, ragged_rank, len(inner_shape))
      )
  if ragged_rank is None:
    inner_rank = 0 if inner_shape is None else len(inner_shape)
    ragged_rank = 0 if deepest - inner_rank < 2 else deepest - 1 - inner_rank
  elif depth is not None and ragged_rank >= depth:
    raise ValueError("Invalid pylist=%r: incompatible with ragged_rank=%d" % (pylist, ragged_rank))
  if inner_shape is None:
    inner_shape = () if not ragged_rank else _inner_shape(pylist, ragged_rank)
    has_shape = bool(ragged_rank)
  else:
    has_shape = True
  rank_of[0] = ragged_rank
  if not ragged_rank:
    return innermost(pylist, inner_shape if has_shape else None)
  values, levels = pylist, []
  for _ in range_(ragged_rank):
    splits = [0]
    for row in values:
      splits.append(splits[-1] + len(row))
    levels.append(splits)
    values = [element for row in values for element in row]
  result = innermost(values, (len(values), *inner_shape))
  for splits in reversed(levels):
    result = rows(result, splits)
  return result


def _depths(value):
  """Returns the depth of the scalars, None if there are none, and the greatest depth of a list. All scalars have one depth."""
  if not isinstance(value, (list, tuple, np.ndarray)) or (isinstance(value, np.ndarray) and value.ndim == 0):
    return 0, 0
  depth, deepest = None, 1
  for element in value:
    one, most = _depths(element)
    deepest = max(deepest, most + 1)
    if one is not None:
      if depth is not None and depth != one + 1:
        raise ValueError("all scalar values must have the same nesting depth")
      depth = one + 1
  return depth, deepest


def _inner_shape(pylist, ragged_rank):
  """Returns the shape of the values below the ragged dimensions, which are all alike."""

  def below(values, level):
    if level >= 0:
      for element in values:
        found = below(element, level - 1)
        if found is not None:
          return found
      return None
    return np.shape(values)

  return below(pylist, ragged_rank) or ()


def placeholder(dtype, ragged_rank, value_shape=None, name=None):
  """Returns a ragged tensor of placeholders, which a RaggedTensorValue is fed for.

  Args:
    dtype: Type of the values.
    ragged_rank: Number of ragged dimensions; with 0, a placeholder.
    value_shape: Shape of the innermost values.
    name: Prefix of the names of what it makes.
  """
  if ragged_rank == 0:
    return placeholders.placeholder(dtype, value_shape, name)
  with graph.name_scope(name, "RaggedPlaceholder", []):
    flat_shape = None if value_shape is None else [None, *value_shape]
    flat = placeholders.placeholder(dtype, flat_shape, "flat_values")
    result = flat
    for level in reversed(range_(ragged_rank)):
      splits = placeholders.placeholder(dtypes.int64, [None], "row_splits_%d" % level)
      result = tensor.RaggedTensor(result, splits, internal=True)
    return result


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=dtypes.int64):
  """Returns rows of numbers from `starts` up to below `limits`; from 0 up to below `starts` if only that is given."""
  row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
  if limits is None:
    starts, limits = 0, starts
  with graph.name_scope(name, "RaggedRange", [starts, limits, deltas]) as scope:
    starts = convert.convert_to_tensor(starts, dtype=dtype, name="starts")
    limits = convert.convert_to_tensor(limits, dtype=dtype, name="limits")
    deltas = convert.convert_to_tensor(deltas, dtype=dtype, name="deltas")
    if dtype is None:
      order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
      common = max([part.dtype.base_dtype for part in (starts, limits, deltas)], key=order.index)
      from millrace.ops.math.casts import cast

      starts, limits, deltas = cast(starts, common), cast(limits, common), cast(deltas, common)
    result = gen.ragged_range(starts, limits, deltas, Tsplits=row_splits_dtype, name=scope)
    return tensor.RaggedTensor.from_row_splits(result[1], result[0], validate=False)
