"""Reductions of ragged tensors along dimensions."""

from millrace.framework import dtypes, graph
from millrace.ops.array import filling, gathering, joining
from millrace.ops.math import binary, reductions, segments, sums
from millrace.ops.math.casts import cast
from millrace.ops.ragged import building
from millrace.ops.ragged.tensor import RaggedTensor


def _of_segments(reduce, data, ids, count):
  """Reduces the rows of `data` that have the same number of `count`; their elements are reduced by their places."""
  if not isinstance(data, RaggedTensor):
    return reduce(data, ids, count)
  lengths = data.row_lengths()
  longest = binary.maximum(segments.unsorted_segment_max(lengths, ids, count), 0)
  splits = joining.concat([filling.zeros([1], longest.dtype), sums.cumsum(longest)], 0)
  starts = gathering.gather(splits, ids)
  places = building.range(starts, starts + lengths).values
  return RaggedTensor.from_row_splits(_of_segments(reduce, data.values, places, splits[-1]), splits, validate=False)


def _along(reduce, whole, data, axis):
  """Reduces along one dimension."""
  if not isinstance(data, RaggedTensor):
    return whole(data, axis)
  if axis == 0:
    lengths = data.row_lengths()
    count = binary.maximum(reductions.reduce_max(lengths), 0)
    return _of_segments(reduce, data.values, building.range(lengths).values, count)
  if axis == 1:
    return _of_segments(reduce, data.values, data.value_rowids(), data.nrows())
  return data.with_values(_along(reduce, whole, data.values, axis - 1))


def _dimensions(axis, data):
  """The dimensions to reduce, the last first, all of them positive."""
  rank = data.shape.ndims
  found = []
  for one in list(axis) if isinstance(axis, (list, tuple)) else [axis]:
    one = int(one)
    if one < 0:
      if rank is None:
        raise ValueError("axis may only be negative if ndims is statically known.")
      one += rank
    if one < 0 or (rank is not None and one >= rank):
      raise ValueError("axis=%d out of bounds: expected %d<=axis<%d" % (one, -(rank or 0), rank or 0))
    found.append(one)
  return sorted(set(found), reverse=True)


def _reduced(reduce, whole, data, axis, name):
  with graph.name_scope(name, "RaggedReduce", [data]):
    if axis is None:
      return whole(data.flat_values)
    for dimension in _dimensions(axis, data):
      data = _along(reduce, whole, data, dimension)
    return data


def _given(axis, reduction_indices, keepdims, keep_dims):
  if keepdims or keep_dims:
    raise ValueError("keepdims=True is not supported for RaggedTensors.")
  return reduction_indices if axis is None else axis


def _function(whole, reduce):
  def function(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    return _reduced(reduce, whole, input_tensor, _given(axis, reduction_indices, keepdims, keep_dims), name)

  return function


reduce_sum = _function(reductions.reduce_sum, segments.unsorted_segment_sum)
reduce_prod = _function(reductions.reduce_prod, segments.unsorted_segment_prod)
reduce_max = _function(reductions.reduce_max, segments.unsorted_segment_max)
reduce_min = _function(reductions.reduce_min, segments.unsorted_segment_min)


def reduce_mean(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """The sums divided by the numbers of elements, which is not a number where there are none."""
  axis = _given(axis, reduction_indices, keepdims, keep_dims)
  if axis is None:
    return reductions.reduce_mean(input_tensor.flat_values, name=name)
  with graph.name_scope(name, "RaggedReduceMean", [input_tensor]):
    ones = input_tensor.with_flat_values(filling.ones_like(input_tensor.flat_values))
    total, count = reduce_sum(input_tensor, axis), reduce_sum(ones, axis)
    if isinstance(total, RaggedTensor):
      return total.with_flat_values(total.flat_values / count.flat_values)
    return total / count


def _of_truth(reduce):
  def function(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    axis = _given(axis, reduction_indices, keepdims, keep_dims)
    with graph.name_scope(name, "RaggedReduceTruth", [input_tensor]):
      numbers = input_tensor.with_flat_values(cast(input_tensor.flat_values, dtypes.int32))
      return cast(reduce(numbers, axis), dtypes.bool)

  return function


reduce_all = _of_truth(reduce_prod)


def reduce_any(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """Whether any element is true."""
  return _of_truth(reduce_sum)(input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


def reduced(function, args, kwargs):
  """Calls the reduction of this name; NotImplemented for one that ragged tensors do not have."""
  known = {
    f: globals()[f] for f in ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_mean", "reduce_all", "reduce_any")
  }
  found = known.get(function)
  return NotImplemented if found is None else found(*args, **kwargs)
