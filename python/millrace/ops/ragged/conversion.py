"""Ragged tensors of dense and sparse ones, and back."""

import numpy as np

from millrace import gen
from millrace.framework import composite, constants, convert, dtypes, graph, tensor_values
from millrace.ops.array import filling, gathering, joining, shapes
from millrace.ops.control_flow import basics
from millrace.ops.debugging import comparisons
from millrace.ops.math import reductions, sequences
from millrace.ops.math.casts import cast
from millrace.ops.ragged import tensor as ragged


def from_tensor(value, lengths, padding, ragged_rank, name, splits_dtype):
  """See `RaggedTensor.from_tensor`."""
  if lengths is not None and padding is not None:
    raise ValueError("Specify argument `lengths` or `padding`, but not both.")
  if not isinstance(ragged_rank, int):
    raise TypeError("Argument `ragged_rank` must be an int. Received %r." % (ragged_rank,))
  if ragged_rank <= 0:
    raise ValueError("Argument `ragged_rank` must be greater than 0. Received %s." % ragged_rank)
  with graph.name_scope(name, "RaggedFromTensor", [value, lengths, padding]):
    value = convert.convert_to_tensor(value, name="tensor")
    value.get_shape().with_rank_at_least(ragged_rank + 1)
    if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
      return _of_nested_lengths(value, lengths, ragged_rank, splits_dtype)
    shape = shapes.shape(value, out_type=splits_dtype)
    if ragged_rank > 1:
      return _of_many_dimensions(value, lengths, padding, ragged_rank, shape, splits_dtype)
    ncols = shape[1]
    if padding is not None:
      lengths = _without_padding(value, padding, shape, splits_dtype)
    if lengths is not None:
      lengths = cast(convert.convert_to_tensor(lengths, name="lengths"), splits_dtype)
      lengths = gen.minimum(gen.maximum(lengths, cast(0, splits_dtype)), ncols)
      picked = gathering.boolean_mask(value, filling.sequence_mask(lengths, maxlen=ncols))
      return ragged.RaggedTensor.from_row_lengths(picked, lengths, validate=False)
    flat = shapes.reshape(value, joining.concat([[shape[0] * shape[1]], shape[2:]], axis=0))
    return ragged.RaggedTensor.from_row_splits(flat, _even_splits(value, shape, splits_dtype), validate=False)


def _even_splits(value, shape, splits_dtype):
  nrows, ncols = value.get_shape().as_list()[:2] if value.get_shape().ndims is not None else (None, None)
  if nrows is not None and ncols is not None:
    return constants.constant(np.arange(nrows + 1) * ncols, splits_dtype)
  return sequences.range(shape[0] + 1) * shape[1]


def _of_nested_lengths(value, lengths, ragged_rank, splits_dtype):
  """Returns rows that the list of lengths, one vector for each level, cuts."""
  if ragged_rank not in (1, len(lengths)):
    raise ValueError("If Tensor lengths are nested, ragged_rank must be their number. Received %s." % ragged_rank)
  levels = [cast(convert.convert_to_tensor(level), splits_dtype) for level in lengths]
  for level in levels[:-1]:
    shape = shapes.shape(value, out_type=splits_dtype)
    value = gathering.boolean_mask(value, filling.sequence_mask(level, maxlen=shape[1]))
  result = from_tensor(value, levels[-1], None, 1, None, splits_dtype)
  for level in reversed(levels[:-1]):
    result = ragged.RaggedTensor.from_row_lengths(result, level, validate=False)
  return result


def _of_many_dimensions(value, lengths, padding, ragged_rank, shape, splits_dtype):
  """Returns rows of rows: the first dimensions are joined for the innermost, and put around it."""
  flat = shapes.reshape(value, joining.concat([[-1], shape[ragged_rank:]], axis=0))
  if lengths is not None:
    lengths = shapes.reshape(convert.convert_to_tensor(lengths), [-1])
  result = from_tensor(flat, lengths, padding, 1, None, splits_dtype)
  for level in range(ragged_rank - 1, 0, -1):
    known = tensor_values.constant_value(shape[:level])
    ncols = shape[level]
    nrows = constants.constant(int(np.prod(known)), splits_dtype) if known is not None else reductions.reduce_prod(shape[:level])
    result = ragged.RaggedTensor.from_row_splits(result, sequences.range(nrows + 1) * ncols, validate=False)
  return result


def _without_padding(value, padding, shape, splits_dtype):
  """Returns the length of each row up to its last element that is not padding."""
  padding = convert.convert_to_tensor(padding, name="padding", dtype=value.dtype)
  ncols = shape[1]
  differs = gen.not_equal(value, padding)
  axes = list(range(2, value.get_shape().ndims))
  if axes:
    differs = reductions.reduce_any(differs, axis=axes)
  places = cast(differs, splits_dtype) * (sequences.range(ncols, dtype=splits_dtype) + 1)
  return gen.maximum(reductions.reduce_max(places, axis=1), cast(0, splits_dtype))


def from_sparse(st_input, name, splits_dtype):
  """See `RaggedTensor.from_sparse`."""
  if not composite.is_sparse(st_input):
    raise TypeError("Argument `st_input` must be of type SparseTensor, but is of type %s." % type(st_input).__name__)
  with graph.name_scope(name, "RaggedFromSparse", [st_input.indices]):
    st_input = convert.convert_to_tensor_or_sparse_tensor(st_input, name="st_input")
    rank = st_input.dense_shape.get_shape()[0].value
    if rank is None:
      rank = st_input.indices.get_shape()[1].value
    if rank != 2:
      raise ValueError("rank(st_input) must be 2.")
    indices = st_input.indices
    rows, columns = indices[:, 0], indices[:, 1]
    result = ragged.RaggedTensor.from_value_rowids(
      st_input.values, cast(rows, splits_dtype), cast(st_input.dense_shape[0], splits_dtype), validate=False
    )
    starts = gathering.gather(result.row_starts(), rows)
    expected = cast(sequences.range(shapes.shape(columns, out_type=dtypes.int64)[0]), splits_dtype) - starts
    message = "SparseTensor is not right-ragged"
    check = comparisons.assert_equal(cast(columns, splits_dtype), expected, message=message)
    return result.with_values(basics.with_dependencies([check], st_input.values))


def to_tensor(value, default_value, name):
  """See `RaggedTensor.to_tensor`."""
  with graph.name_scope(name, "RaggedToTensor", [value, default_value]):
    if default_value is not None:
      default_value = convert.convert_to_tensor(default_value, name="default_value", dtype=value.dtype)
    else:
      default_value = filling.zeros((), value.dtype)
    result = gen.ragged_tensor_to_tensor(
      shape=constants.constant(-1, value.row_splits.dtype),
      values=value.flat_values,
      default_value=default_value,
      row_partition_types=["ROW_SPLITS"] * value.ragged_rank,
      row_partition_tensors=value.nested_row_splits,
    )
    inner = value.flat_values.get_shape()[1:]
    if inner.ndims is not None:
      result.set_shape(value.shape[:1].concatenate([None] * value.ragged_rank).concatenate(inner))
    return result
