"""Ragged tensors joined, masked and given a dimension more."""

from millrace.framework import constants, convert, dtypes, graph
from millrace.ops.array import gathering, joining, moving, shapes
from millrace.ops.math import counts, sequences, sorting, sums
from millrace.ops.math.casts import cast
from millrace.ops.ragged import getitem, tensor
from millrace.ops.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor


def _axis(axis, ndims):
  if ndims is None:
    if axis < 0:
      raise ValueError("axis may only be negative if ndims is statically known.")
    return axis
  if not -ndims <= axis < ndims:
    raise ValueError("axis=%s out of bounds: expected %s<=axis<%s" % (axis, -ndims, ndims))
  return axis + ndims if axis < 0 else axis


def expand_dims(input, axis, name=None):
  """Returns the input with a dimension of size 1 more, before the given one."""
  with graph.name_scope(name, "RaggedExpandDims", [input]):
    input = convert_to_tensor_or_ragged_tensor(input, name="input")
    if not isinstance(input, RaggedTensor):
      return shapes.expand_dims(input, axis)
    ndims = input.shape.ndims
    axis = _axis(axis, None if ndims is None else ndims + 1)
    if axis == 0:
      return RaggedTensor.from_row_splits(input, [0, input.nrows()], validate=False)
    if axis == 1:
      return RaggedTensor.from_row_splits(input, sequences.range(input.nrows() + 1), validate=False)
    return input.with_values(expand_dims(input.values, axis - 1))


def gather(params, indices, validate_indices=None, axis=0, batch_dims=0, name=None):
  """Returns the rows of a ragged tensor that the indices, a tensor or a ragged tensor, name. `axis` has to be 0."""
  if axis or batch_dims:
    raise ValueError("Ragged gather with axis or batch_dims is not supported.")
  with graph.name_scope(name, "RaggedGather", [params, indices]):
    params = convert_to_tensor_or_ragged_tensor(params, name="params")
    indices = convert_to_tensor_or_ragged_tensor(indices, preferred_dtype=dtypes.int64, name="indices")
    if isinstance(indices, RaggedTensor):
      return indices.with_values(gather(params, indices.values))
    return getitem.gather(params, indices) if isinstance(params, RaggedTensor) else gathering.gather(params, indices)


def boolean_mask(data, mask, name=None):
  """Returns the elements of data where the mask is true, row by row: a ragged tensor unless the mask is a vector of a tensor's.

  Args:
    data: A tensor or ragged tensor.
    mask: A tensor or ragged tensor of bool, of the shape of the first dimensions of data.
    name: Prefix of the names of what it makes.
  """
  with graph.name_scope(name, "RaggedMask", [data, mask]):
    data = convert_to_tensor_or_ragged_tensor(data, name="data")
    mask = convert_to_tensor_or_ragged_tensor(mask, dtype=dtypes.bool, name="mask")
    return _masked(data, mask)


def _masked(data, mask):
  ndims = mask.get_shape().ndims
  if ndims is None:
    raise ValueError("mask.shape.ndims must be known statically.")
  if ndims == 0:
    raise ValueError("mask cannot be scalar.")
  if not isinstance(mask, RaggedTensor):
    if ndims == 1:
      if isinstance(data, RaggedTensor):
        return getitem.gather(data, gathering.where(mask)[:, 0])
      return gathering.boolean_mask(data, mask)
    dtype = data.row_splits.dtype if isinstance(data, RaggedTensor) else dtypes.int64
    mask = RaggedTensor.from_tensor(mask, ragged_rank=ndims - 1, row_splits_dtype=dtype)
  if not isinstance(data, RaggedTensor):
    data = RaggedTensor.from_tensor(data, ragged_rank=mask.ragged_rank, row_splits_dtype=mask.row_splits.dtype)
  kept = _masked(data.values, mask.values)
  if mask.values.get_shape().ndims > 1:
    return data.with_values(kept)
  counted = sums.cumsum(cast(mask.values, mask.row_splits.dtype))
  before = joining.concat([constants.constant([0], counted.dtype), counted], axis=0)
  return RaggedTensor.from_row_splits(kept, gathering.gather(before, mask.row_splits), validate=False)


def map_flat_values(op, *args, **kwargs):
  """Returns what a function makes of the flat values of its ragged arguments, with the rows of these.

  They have to have the same rows, which a step does not check. Without ragged arguments it is a call of the function.
  """
  found = []

  def flat(value):
    if isinstance(value, RaggedTensor):
      found.append(value)
      return value.flat_values
    if isinstance(value, list):
      return [flat(element) for element in value]
    return value

  args = [flat(value) for value in args]
  kwargs = {key: flat(value) for key, value in kwargs.items()}
  if not found:
    return op(*args, **kwargs)
  for other in found[1:]:
    if other.ragged_rank != found[0].ragged_rank:
      raise ValueError("All ragged inputs must have the same ragged_rank.")
  return found[0].with_flat_values(op(*args, **kwargs))


def concat(values, axis, name=None):
  """Returns tensors and ragged tensors joined along a dimension, as a ragged tensor if the rows may differ."""
  values = list(values) if isinstance(values, (list, tuple)) else [values]
  with graph.name_scope(name, "RaggedConcat", values):
    return _joined(values, axis, False)


def stack(values, axis=0, name=None):
  """Returns tensors and ragged tensors of the same rank, joined along a new dimension: a ragged tensor."""
  values = list(values) if isinstance(values, (list, tuple)) else [values]
  with graph.name_scope(name, "RaggedStack", values):
    return _joined(values, axis, True)


def _joined(values, axis, is_stack):
  if not values:
    raise ValueError("rt_inputs may not be empty.")
  parts = [convert_to_tensor_or_ragged_tensor(value, name="rt_input") for value in values]
  ndims = next((part.get_shape().ndims for part in parts if part.get_shape().ndims is not None), None)
  axis = _axis(axis, None if ndims is None else ndims + (1 if is_stack else 0))
  if len(parts) == 1 and (not is_stack or isinstance(parts[0], RaggedTensor)):
    return expand_dims(parts[0], axis) if is_stack else parts[0]
  if all(not isinstance(part, RaggedTensor) for part in parts) and not is_stack:
    return joining.concat(parts, axis)
  ranks = [part.ragged_rank for part in parts if isinstance(part, RaggedTensor)]
  rank = min(max([*ranks, axis, 1]), (ndims or 2) - 1)
  dtype = next((part.row_splits.dtype for part in parts if isinstance(part, RaggedTensor)), dtypes.int64)
  return _join([_raised(part, rank, dtype) for part in parts], axis, is_stack, dtype)


def _raised(value, rank, dtype):
  """Returns a value as a ragged tensor of at least the given ragged rank."""
  if not rank:
    return value
  if not isinstance(value, RaggedTensor):
    return RaggedTensor.from_tensor(value, ragged_rank=rank, row_splits_dtype=dtype)
  return value.with_values(_raised(value.values, rank - 1, dtype))


def _count(value, dtype):
  return value.nrows(dtype) if isinstance(value, RaggedTensor) else shapes.shape(value, out_type=dtype)[0]


def _rows(parts, dtype):
  """Returns the rows of all, one after another."""
  if not isinstance(parts[0], RaggedTensor):
    return joining.concat(parts, 0)
  splits, offset = [parts[0].row_splits], parts[0].row_splits[-1]
  for part in parts[1:]:
    splits.append(part.row_splits[1:] + offset)
    offset = offset + part.row_splits[-1]
  values = _rows([part.values for part in parts], dtype)
  return RaggedTensor.from_row_splits(values, joining.concat(splits, 0), validate=False)


def _join(parts, axis, is_stack, dtype):
  if axis > 1:
    return parts[0].with_values(_join([part.values for part in parts], axis - 1, is_stack, dtype))
  rows = _rows(parts, dtype)
  if axis == 0:
    if not is_stack:
      return rows
    lengths = joining.stack([_count(part, dtype) for part in parts])
    return RaggedTensor.from_row_lengths(rows, lengths, validate=False)
  count = _count(parts[0], dtype)
  order = shapes.reshape(sequences.range(count * len(parts)), [len(parts), -1])
  order = shapes.reshape(moving.transpose(order), [-1])
  if not isinstance(rows, RaggedTensor):
    rows = gathering.gather(rows, order)
  else:
    rows = getitem.gather(rows, order)
  splits = sequences.range(0, count * len(parts) + 1, len(parts))
  if is_stack:
    return RaggedTensor.from_row_splits(rows, splits, validate=False)
  return RaggedTensor.from_row_splits(rows.values, gathering.gather(rows.row_splits, splits), validate=False)


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
  """Returns `num_partitions` rows: row i has the elements of data whose partition is i, in order."""
  with graph.name_scope(name, "SegmentStack", [data, partitions]):
    data = convert_to_tensor_or_ragged_tensor(data, name="data")
    partitions = convert_to_tensor_or_ragged_tensor(partitions, name="partitions")
    while isinstance(partitions, RaggedTensor):
      data, partitions = data.values, partitions.values
    ndims = partitions.get_shape().ndims
    if ndims is None:
      raise ValueError("partitions must have known rank.")
    if ndims != 1:
      rest = shapes.shape(data)[ndims:]
      data = shapes.reshape(data, joining.concat([[-1], rest], axis=0))
      partitions = shapes.reshape(partitions, [-1])
    order = sorting.argsort(partitions, stable=True)
    count = cast(convert.convert_to_tensor(num_partitions), dtypes.int32)
    lengths = counts.bincount(cast(partitions, dtypes.int32), minlength=count, maxlength=count, dtype=dtypes.int64)
    ordered = getitem.gather(data, order) if isinstance(data, RaggedTensor) else gathering.gather(data, order)
    return tensor.RaggedTensor.from_row_lengths(ordered, lengths, validate=False)
