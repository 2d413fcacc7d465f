"""What functions of tensors do with ragged tensors where they need code of their own: joined, gathered, repeated, measured, chosen."""

import millrace as tf
from millrace.framework import convert, dtypes, graph
from millrace.ops.array import gathering, joining, moving, shapes
from millrace.ops.math import sequences
from millrace.ops.math.casts import cast
from millrace.ops.ragged import getitem, reductions, shaping
from millrace.ops.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor


def _concat(values, axis, name="concat"):
  return shaping.concat(values, axis, name=name)


def _stack(values, axis=0, name="stack"):
  return shaping.stack(values, axis, name=name)


def _gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
  return shaping.gather(params, indices, validate_indices, axis or 0, batch_dims, name)


def _expand_dims(input, axis=None, name=None, dim=None):
  return shaping.expand_dims(input, dim if axis is None else axis, name)


def _rank(input, name=None):
  with graph.name_scope(name, "RaggedRank", [input]):
    return input.ragged_rank + shapes.rank(input.flat_values)


def _size(input, name=None, out_type=dtypes.int32):
  return shapes.size(input.flat_values, name=name, out_type=out_type)


def _batch_gather(params, indices, name=None):
  """The rows of each row of `params` that the same row of `indices` names."""
  with graph.name_scope(name, "RaggedBatchGather", [params, indices]):
    params = convert_to_tensor_or_ragged_tensor(params, name="params")
    indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
    if not isinstance(indices, RaggedTensor):
      if indices.shape.ndims is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
      if indices.shape.ndims < 2:
        raise ValueError("indices.rank must be at least 2 for ragged batch_gather.")
      width = shapes.shape(indices, out_type=dtypes.int64)[1]
      count = shapes.shape(indices, out_type=dtypes.int64)[0]
      flat = shapes.reshape(indices, joining.concat([[-1], shapes.shape(indices)[2:]], 0))
      indices = RaggedTensor.from_row_splits(flat, sequences.range(count + 1) * width, validate=False)
    if not isinstance(params, RaggedTensor):
      params = RaggedTensor.from_tensor(params, row_splits_dtype=indices.row_splits.dtype)
    if params.ragged_rank > 1 and indices.ragged_rank > 1:
      return indices.with_values(_batch_gather(params.values, indices.values))
    starts = gathering.gather(params.row_starts(), indices.value_rowids())
    places = cast(indices.values, starts.dtype) + starts
    if isinstance(params.values, RaggedTensor):
      return indices.with_values(getitem.gather(params.values, places))
    return indices.with_values(gathering.gather(params.values, places))


def _gather_nd(params, indices, name=None, batch_dims=0):
  """The parts of `params` whose places along the first dimensions are the last dimension of `indices`."""
  if batch_dims:
    raise ValueError("batch_dims is not supported for ragged tensors.")
  with graph.name_scope(name, "RaggedGatherNd", [params, indices]):
    params = convert_to_tensor_or_ragged_tensor(params, name="params")
    indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
    if isinstance(indices, RaggedTensor):
      return indices.with_values(_gather_nd(params, indices.values))
    size = indices.shape.with_rank_at_least(1)[-1].value
    if size is None:
      raise ValueError("indices.shape[-1] must be statically known.")
    if size == 0:
      raise ValueError("indices.shape[-1] must be at least 1 for ragged tensors.")
    first = indices[..., 0]
    if size == 1:
      return shaping.gather(params, first)
    # The place of the second dimension within all rows, one dimension less.
    starts = gathering.gather(params.row_starts(), first)
    inner = cast(indices[..., 1], starts.dtype) + starts
    rest = joining.concat([shapes.expand_dims(inner, -1), cast(indices[..., 2:], starts.dtype)], -1)
    if isinstance(params.values, RaggedTensor):
      return _gather_nd(params.values, rest)
    return gathering.gather_nd(params.values, rest)


def _tile(input, multiples, name=None):
  """The ragged tensor repeated along each dimension."""
  with graph.name_scope(name, "RaggedTile", [input, multiples]):
    known = tf.get_static_value(convert.convert_to_tensor(multiples))
    if known is None:
      raise ValueError("multiples must be statically known for ragged tensors.")
    result = input
    for axis, count in enumerate(int(m) for m in known):
      if count == 0:
        result = _without_rows(result, axis)
      elif count > 1:
        result = shaping.concat([result] * count, axis)
    return result


def _without_rows(value, axis):
  if not isinstance(value, RaggedTensor):
    return moving.tile(value, [0 if i == axis else 1 for i in range(value.shape.ndims)])
  if axis == 0:
    return value[:0]
  if axis == 1:
    return RaggedTensor.from_row_splits(value.values[:0], tf.zeros_like(value.row_splits), validate=False)
  return value.with_values(_without_rows(value.values, axis - 1))


def _where(condition, x=None, y=None, name=None):
  """The places of what is true, or elements of `x` where the condition is true and of `y` elsewhere."""
  if (x is None) != (y is None):
    raise ValueError("x and y must be both None or both non-None")
  with graph.name_scope(name, "RaggedWhere", [condition, x, y]):
    condition = convert_to_tensor_or_ragged_tensor(condition, name="condition")
    if x is None:
      return _places(condition)
    x, y = convert_to_tensor_or_ragged_tensor(x, name="x"), convert_to_tensor_or_ragged_tensor(y, name="y")
    if isinstance(condition, RaggedTensor) and isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
      return shaping.map_flat_values(gathering.where, condition, x, y)
    if isinstance(condition, RaggedTensor):
      raise ValueError("Input shapes do not match.")
    # Whole rows: those of x, then those of y.
    both = shaping.concat([x, y], 0)
    count = cast(shapes.shape(condition)[0], dtypes.int64)
    rows = sequences.range(count)
    return shaping.gather(both, gathering.where(condition, rows, rows + count))


def _places(condition):
  if not isinstance(condition, RaggedTensor):
    return gathering.where(condition)
  inner = _places(condition.values)
  first = cast(inner[:, 0], condition.row_splits.dtype)
  rows = gathering.gather(condition.value_rowids(), first)
  within = first - gathering.gather(condition.row_starts(), rows)
  columns = [cast(shapes.expand_dims(column, 1), dtypes.int64) for column in (rows, within)]
  return joining.concat([*columns, cast(inner[:, 1:], dtypes.int64)], 1)


def _one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
  if isinstance(axis, int) and axis >= 0:
    if axis <= indices.ragged_rank:
      raise ValueError("axis (%d) must be greater than indices.ragged_rank (%d)." % (axis, indices.ragged_rank))
    axis -= indices.ragged_rank
  flat = tf.one_hot(indices.flat_values, depth, on_value, off_value, axis, dtype, name)
  return indices.with_flat_values(flat)


_FUNCTIONS = {
  "concat": _concat,
  "stack": _stack,
  "gather": _gather,
  "gather_nd": _gather_nd,
  "batch_gather": _batch_gather,
  "expand_dims": _expand_dims,
  "rank": _rank,
  "size": _size,
  "tile": _tile,
  "where": _where,
  "where_v2": _where,
  "one_hot": _one_hot,
}


def called(function, args, kwargs):
  """Calls what stands for a function of tensors where an argument is ragged; NotImplemented where nothing does."""
  found = _FUNCTIONS.get(function.__name__)
  if found is not None:
    return found(*args, **kwargs)
  return reductions.reduced(function.__name__, args, kwargs)
