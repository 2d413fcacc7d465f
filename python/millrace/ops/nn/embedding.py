"""Lookups of rows in tables, which may be spread over several variables."""

import millrace as tf
from millrace import gen
from millrace.framework import constants, convert, dtypes, tensor_shape
from millrace.framework import graph as ops


def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
  """Returns the rows `ids` of a table: a tensor of shape ids.shape + row.

  `params` is one table, or a list of parts of one, or a PartitionedVariable. Row i is row i // n of part i % n for the strategy
  "mod"; for "div" each part has rows that follow each other. Rows with a norm above `max_norm` are scaled down to it. Raises
  ValueError without parts and for other strategies.
  """
  params = parts_of(params)
  with ops.name_scope(name, "embedding_lookup", [*params, ids]) as scope:
    params = _converted(params)
    ids = convert.convert_to_tensor(ids, name="ids")
    if len(params) == 1:
      with ops.colocate_with(_op(params[0])):
        rows = _clipped(tf.gather(params[0], ids, name=scope), ids, max_norm)
      return tf.identity(rows)
    return _from_parts(params, ids, partition_strategy, scope, max_norm)


def parts_of(params):
  """Returns the list of parts. Raises ValueError for None and for no parts."""
  from millrace.ops.variables.partitioned import PartitionedVariable

  if params is None:
    raise ValueError("params must be specified")
  if isinstance(params, (PartitionedVariable, tuple)):
    params = list(params)
  elif not isinstance(params, list):
    params = [params]
  if not params:
    raise ValueError(f"Length of params is currently {len(params)}. Need at least one param.")
  return params


def is_resource(param):
  """Returns whether rows of `param` are read by its handle, without the rest."""
  return hasattr(param, "handle") and hasattr(param, "sparse_read")


def _converted(params):
  if any(is_resource(p) for p in params):
    return params
  return convert.convert_n_to_tensor_or_indexed_slices(params, name="params")


def _op(param):
  return param.op


def _shape(param):
  return param.get_shape()


def _clipped(rows, ids, max_norm):
  """Scales rows with a norm above `max_norm` to it; a row is what lies behind the dimensions of `ids`."""
  if max_norm is None:
    return rows
  ids_rank, rows_rank = ids.get_shape().ndims, rows.get_shape().ndims
  if ids_rank is not None and rows_rank is not None:
    axes = list(range(ids_rank, rows_rank))
  else:
    first = tf.rank(ids) if ids_rank is None else ids_rank
    last = tf.rank(rows) if rows_rank is None else rows_rank
    axes = tf.range(first, last)
  return tf.clip_by_norm(rows, max_norm, axes=axes)


def _from_parts(params, ids, partition_strategy, name, max_norm):
  flat_ids = tf.reshape(ids, [-1])
  positions = tf.range(tf.size(flat_ids))
  if partition_strategy == "mod":
    parts = flat_ids % len(params)
    rows_in_part = flat_ids // len(params)
  elif partition_strategy == "div":
    parts, rows_in_part = _divided(params, flat_ids)
  else:
    raise ValueError(f"Unrecognized partition strategy: {partition_strategy}.Must be one of either `mod` or `div`.")
  parts = tf.cast(parts, dtypes.int32)
  part_rows = gen.dynamic_partition(rows_in_part, parts, len(params))
  part_positions = gen.dynamic_partition(positions, parts, len(params))
  found = []
  for param, rows in zip(params, part_rows):
    with ops.colocate_with(_op(param)):
      found.append(tf.gather(param, rows))
  result = gen.parallel_dynamic_stitch(part_positions, found, name=name)
  row_shape = _shape(params[0])[1:]
  for param in params[1:]:
    row_shape = row_shape.merge_with(_shape(param)[1:])
  if row_shape.is_fully_defined():
    row = row_shape.as_list()
  else:
    with ops.colocate_with(_op(params[0])):
      row = tf.shape(params[0])[1:]
  result = tf.reshape(result, tf.concat([tf.shape(ids), row], 0))
  result.set_shape(ids.get_shape().concatenate(row_shape))
  return _clipped(result, ids, max_norm)


def _divided(params, flat_ids):
  """Returns (part, row in it) of each id where parts have rows that follow each other; the first may have one more."""
  count = len(params)
  sizes = [tensor_shape.dimension_value(_shape(p)[0]) if _shape(p).ndims else None for p in params]
  if all(size is not None for size in sizes):
    total = constants.constant(sum(sizes), dtype=flat_ids.dtype)
  else:
    dynamic = []
    for param, size in zip(params, sizes):
      if size is not None:
        dynamic.append(size)
      else:
        with ops.colocate_with(_op(param)):
          dynamic.append(tf.shape(param)[0])
    total = tf.reduce_sum(tf.cast(tf.stack(dynamic), flat_ids.dtype))
  each = total // count
  more = total % count
  parts = tf.maximum(flat_ids // (each + 1), (flat_ids - more) // each)
  rows = tf.where(parts < more, flat_ids % (each + 1), (flat_ids - more) % each)
  return parts, rows
