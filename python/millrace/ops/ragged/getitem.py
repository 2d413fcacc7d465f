"""Rows and parts of rows of a ragged tensor, as `ragged[key]`."""

from millrace import gen
from millrace.framework import convert
from millrace.ops.array import gathering, shapes
from millrace.ops.math import sequences
from millrace.ops.math.casts import cast
from millrace.ops.ragged import tensor


def getitem(ragged, key):
  """Returns what `ragged[key]` is: numbers, slices, `...` and `None` may stand in the key, as for tensors.

  A number can pick a row, and an element where a row is known, but not an element of each of many rows: then ValueError.
  """
  from millrace.framework import graph

  keys = list(key) if isinstance(key, (list, tuple)) else [key]
  with graph.name_scope(None, "RaggedGetItem", [ragged]):
    return _rows(ragged, _expanded(keys, ragged.shape.ndims))


def _expanded(keys, ndims):
  """Returns the keys with slices for an ellipsis."""
  at = [index for index, key in enumerate(keys) if key is Ellipsis]
  if not at:
    return keys
  if len(at) > 1:
    raise ValueError("Multiple ellipses not allowed.")
  if ndims is None:
    raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
  used = len([key for key in keys if key is not None]) - 1
  return keys[: at[0]] + [slice(None)] * (ndims - used) + keys[at[0] + 1 :]


def _is_whole(key):
  return isinstance(key, slice) and key.start is None and key.stop is None and key.step in (None, 1)


def _rows(value, keys):
  """Returns `value[keys]`, where the first key is for the first dimension."""
  if not keys:
    return value
  if not isinstance(value, tensor.RaggedTensor):
    return value[tuple(keys)]
  first, rest = keys[0], keys[1:]
  if first is None:
    inner = _rows(value, rest)
    count = inner.nrows() if isinstance(inner, tensor.RaggedTensor) else shapes.shape(inner, out_type=value.row_splits.dtype)[0]
    return tensor.RaggedTensor.from_row_splits(inner, [0, count], validate=False)
  if isinstance(first, slice):
    return _inside(value if _is_whole(first) else _sliced(value, first), rest)
  row = _sliced(value.values, slice(value.row_starts()[first], value.row_limits()[first]))
  return _rows(row, rest)


def _sliced(value, key):
  if not isinstance(value, tensor.RaggedTensor):
    return value[key]
  return gather(value, sequences.range(value.nrows())[key])


def gather(value, indices):
  """Returns the rows of a ragged tensor that a tensor of indices names."""
  indices = convert.convert_to_tensor(indices, preferred_dtype=value.row_splits.dtype)
  rank = indices.get_shape().ndims + value.ragged_rank - 1
  if rank == 0:
    return value[indices]
  parts = gen.ragged_gather(value.nested_row_splits, value.flat_values, indices, OUTPUT_RAGGED_RANK=rank)
  return tensor.RaggedTensor.from_nested_row_splits(parts[1], parts[0], validate=False)


def _inside(value, keys):
  """Returns `value[:, *keys]`."""
  if not keys:
    return value
  if not isinstance(value, tensor.RaggedTensor):
    return value[(slice(None), *keys)]
  first, rest = keys[0], keys[1:]
  if first is None:
    ones = sequences.range(value.nrows() + 1)
    return tensor.RaggedTensor.from_row_splits(_inside(value, rest), ones, validate=False)
  if not isinstance(first, slice):
    raise ValueError("Cannot index into an inner ragged dimension.")
  if not _is_whole(first):
    value = _cut(value, first)
  return value.with_values(_inside(value.values, rest))


def _cut(value, key):
  """Returns the ragged tensor with each of its rows sliced by the key."""
  dtype = value.row_splits.dtype
  lengths = value.row_lengths()
  step = 1 if key.step is None else key.step
  if isinstance(step, int) and step == 0:
    raise ValueError("slice step cannot be zero")
  is_backward = isinstance(step, int) and step < 0
  low, high = (cast(-1, dtype), lengths - 1) if is_backward else (cast(0, dtype), lengths)

  def bound(position, default):
    if position is None:
      return default
    position = cast(position, dtype)
    position = gen.select(gen.less(lengths * 0 + position, cast(0, dtype)), lengths + position, lengths * 0 + position)
    return gen.minimum(gen.maximum(position, low), high)

  start = bound(key.start, high if is_backward else lengths * 0)
  stop = bound(key.stop, lengths * 0 - 1 if is_backward else high)
  starts = value.row_starts()
  splits, picked = gen.ragged_range(starts + start, starts + stop, cast(step, dtype), Tsplits=dtype)
  values = value.values
  picked = gather(values, picked) if isinstance(values, tensor.RaggedTensor) else gathering.gather(values, picked)
  return tensor.RaggedTensor.from_row_splits(picked, splits, validate=False)
