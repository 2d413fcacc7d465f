"""Where the rows of a ragged tensor end, made from their lengths, from the rows of values and so on."""

from millrace.framework import constants, convert, dtypes, graph, tensor_values
from millrace.ops.array import joining, shapes
from millrace.ops.control_flow import basics
from millrace.ops.debugging import comparisons
from millrace.ops.math import counts, sequences, sums
from millrace.ops.math.casts import cast

_INVALID = "Arguments to %s do not form a valid RaggedTensor"


def _integers(value, name):
  value = convert.convert_to_tensor(value, preferred_dtype=dtypes.int64, name=name)
  if value.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
    value = cast(value, dtypes.int64)
  value.get_shape().assert_has_rank(1)
  return value


def _not_falling(vector):
  return comparisons.assert_less_equal(vector[:-1], vector[1:], message=_INVALID % "the function")


def checked_end(splits, nvals):
  """Returns the splits, which a step checks to end where the values do."""
  nvals = cast(nvals, splits.dtype)
  known, end = tensor_values.constant_value(nvals), tensor_values.constant_value(splits)
  if known is not None and end is not None:
    if end[-1] != known:
      raise ValueError((_INVALID % "the function") + ": rows end at %d of %d values" % (end[-1], known))
    return splits
  check = comparisons.assert_equal(nvals, splits[-1], message=_INVALID % "the function")
  return basics.with_dependencies([check], splits)


def from_row_splits(row_splits, validate):
  """Returns a tensor of splits; if `validate`, one that a step checks to start at 0 and not to fall."""
  with graph.name_scope(None, "RowPartitionFromRowSplits", [row_splits]):
    splits = _integers(row_splits, "row_splits")
    if validate:
      first = comparisons.assert_equal(splits[0], cast(0, splits.dtype), message=_INVALID % "from_row_splits")
      splits = basics.with_dependencies([first, _not_falling(splits)], splits)
    return splits


def from_row_lengths(row_lengths, validate):
  """Returns the splits of rows of given lengths, and these."""
  with graph.name_scope(None, "RowPartitionFromRowLengths", [row_lengths]):
    lengths = _integers(row_lengths, "row_lengths")
    if validate:
      check = comparisons.assert_non_negative(lengths, message=_INVALID % "from_row_lengths")
      lengths = basics.with_dependencies([check], lengths)
    limits = sums.cumsum(lengths)
    return joining.concat([constants.constant([0], lengths.dtype), limits], axis=0), lengths


def from_row_starts(row_starts, nvals, validate):
  """Returns the splits of rows that start at given places; the last ends at `nvals`."""
  with graph.name_scope(None, "RowPartitionFromRowStarts", [row_starts]):
    starts = _integers(row_starts, "row_starts")
    nvals = cast(nvals, starts.dtype)
    if validate:
      zero = comparisons.assert_equal(starts[:1], cast(0, starts.dtype), message=_INVALID % "from_row_starts")
      end = comparisons.assert_less_equal(starts[-1:], nvals, message=_INVALID % "from_row_starts")
      starts = basics.with_dependencies([zero, _not_falling(starts), end], starts)
    return joining.concat([starts, [nvals]], axis=0)


def from_row_limits(row_limits, validate):
  """Returns the splits of rows that end at given places."""
  with graph.name_scope(None, "RowPartitionFromRowLimits", [row_limits]):
    limits = _integers(row_limits, "row_limits")
    if validate:
      zero = comparisons.assert_non_negative(limits[:1], message=_INVALID % "from_row_limits")
      limits = basics.with_dependencies([zero, _not_falling(limits)], limits)
    return joining.concat([constants.constant([0], limits.dtype), limits], axis=0)


def from_value_rowids(value_rowids, nrows, validate):
  """Returns the splits of rows by the row of each value, and a pair of these and of the number of rows."""
  with graph.name_scope(None, "RowPartitionFromValueRowIds", [value_rowids, nrows]):
    rowids = _integers(value_rowids, "value_rowids")
    if nrows is None:
      known = tensor_values.constant_value(rowids)
      if known is not None:
        nrows = constants.constant(known[-1] + 1 if known.size else 0, rowids.dtype, name="nrows")
      else:
        nrows = joining.concat([rowids[-1:], constants.constant([-1], rowids.dtype)], axis=0)[0] + 1
    else:
      nrows = cast(
        convert.convert_to_tensor(nrows, rowids.dtype if not hasattr(nrows, "dtype") else None, name="nrows"), rowids.dtype
      )
      known = tensor_values.constant_value(nrows)
      if known is not None and known < 0:
        raise ValueError("Expected nrows >= 0; got %d" % known)
    if validate:
      message = _INVALID % "from_value_rowids"
      checks = [
        comparisons.assert_non_negative(rowids[:1], message=message),
        _not_falling(rowids),
        comparisons.assert_less(rowids[-1:], nrows, message=message),
      ]
      rowids = basics.with_dependencies(checks, rowids)
    count = cast(nrows, dtypes.int32)
    lengths = counts.bincount(cast(rowids, dtypes.int32), minlength=count, maxlength=count, dtype=rowids.dtype)
    return joining.concat([constants.constant([0], rowids.dtype), sums.cumsum(lengths)], axis=0), (rowids, nrows)


def segment_ids(splits):
  """Returns the row of each value."""
  lengths = splits[1:] - splits[:-1]
  nrows = shapes.shape(splits, out_type=splits.dtype)[-1] - 1
  from millrace.ops.array import repeating

  return repeating.repeat(sequences.range(nrows, dtype=splits.dtype), lengths, axis=0)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
  """Returns the number of the row that each value is in, of rows that end at `splits`, as `out_type`."""
  with graph.name_scope(name, "RaggedSplitsToSegmentIds", [splits]):
    splits = convert.convert_to_tensor(splits, name="splits", preferred_dtype=dtypes.int64)
    if splits.dtype not in (dtypes.int32, dtypes.int64):
      raise ValueError("splits must have dtype int32 or int64")
    splits.get_shape().assert_has_rank(1)
    if splits.get_shape()[0].value == 0:
      raise ValueError("Invalid row_splits: []")
    ids = segment_ids(splits)
    return ids if out_type is None else cast(ids, out_type)


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
  """Returns where rows end of values that are in the given rows, in order; `num_segments` rows, or as many as there are."""
  with graph.name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
    ids = convert.convert_to_tensor(segment_ids, name="segment_ids")
    ids.get_shape().assert_has_rank(1)
    out_type = dtypes.int64 if out_type is None else dtypes.as_dtype(out_type)
    count = None
    if num_segments is not None:
      count = cast(convert.convert_to_tensor(num_segments, name="num_segments"), dtypes.int32)
    lengths = counts.bincount(cast(ids, dtypes.int32), minlength=count, maxlength=count, dtype=out_type)
    return joining.concat([constants.constant([0], out_type), sums.cumsum(lengths)], axis=0)
