"""Lookups whose ids are a SparseTensor: the rows of each example are put together."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, convert, dtypes
from millrace.framework import graph as ops
from millrace.ops.nn import embedding


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy="mod", name=None, combiner=None, max_norm=None):
  """Returns for each row of `sp_ids` the sum of the table's rows that it names, each times its weight in `sp_weights`.

  `combiner`: "sum", "mean" (the default: over the sum of weights) or "sqrtn" (over the root of the sum of squared weights).
  Without weights all are 1. No row of ids may be empty but the last ones. Raises TypeError for other kinds of ids and weights,
  ValueError for other combiners. The rest: see embedding_lookup.
  """
  if combiner is None:
    from millrace.platform import logging

    logging.warn('The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.')
    combiner = "mean"
  if combiner not in ("mean", "sqrtn", "sum"):
    raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
  params = embedding.parts_of(params)
  if not isinstance(sp_ids, composite.SparseTensor):
    raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
  if sp_weights is not None:
    _check_weights(sp_ids, sp_weights)
  with ops.name_scope(name, "embedding_lookup_sparse", [*params, sp_ids]) as scope:
    segments = sp_ids.indices[:, 0]
    ids = sp_ids.values
    if sp_weights is None and max_norm is None and len(params) == 1 and not embedding.is_resource(params[0]):
      # The table itself is summed, without a copy of the rows.
      table = convert.convert_to_tensor(params[0])
      return _segments(combiner, table, ids, segments, scope, sparse_gradient=True)
    ids, positions = gen.unique(ids)
    rows = embedding.embedding_lookup(params, ids, partition_strategy=partition_strategy, max_norm=max_norm)
    if sp_weights is None:
      return _segments(combiner, rows, positions, segments, scope)
    return _weighted(combiner, rows, positions, segments, sp_weights.values, scope)


def _check_weights(sp_ids, sp_weights):
  if not isinstance(sp_weights, composite.SparseTensor):
    raise TypeError(f"sp_weights must be either None or SparseTensor,got {type(sp_weights)}")
  sp_ids.values.get_shape().assert_is_compatible_with(sp_weights.values.get_shape())
  sp_ids.indices.get_shape().assert_is_compatible_with(sp_weights.indices.get_shape())
  sp_ids.dense_shape.get_shape().assert_is_compatible_with(sp_weights.dense_shape.get_shape())


def _segments(combiner, rows, positions, segments, name, **attributes):
  op = {
    "sum": gen.sparse_segment_sum,
    "mean": gen.sparse_segment_mean,
    "sqrtn": gen.sparse_segment_sqrt_n,
  }[combiner]
  return op(rows, positions, segments, name=name, **attributes)


def _weighted(combiner, rows, positions, segments, weights, name):
  if segments.dtype != dtypes.int32:
    segments = tf.cast(segments, dtypes.int32)
  dtype = rows.dtype
  if dtype in (dtypes.float16, dtypes.bfloat16):
    rows = tf.cast(rows, dtypes.float32)
  if weights.dtype != rows.dtype:
    weights = tf.cast(weights, rows.dtype)
  rows = tf.gather(rows, positions)
  # Weights get dimensions of 1 for all that a row has.
  behind = tf.expand_dims(tf.rank(rows) - 1, 0)
  static = weights.get_shape()
  weights = tf.reshape(weights, tf.concat([tf.shape(weights), tf.ones(behind, dtypes.int32)], 0))
  if rows.get_shape().ndims is not None:
    weights.set_shape(static.concatenate([1] * (rows.get_shape().ndims - 1)))
  rows *= weights
  if combiner == "sum":
    result = gen.segment_sum(rows, segments, name=name)
  elif combiner == "mean":
    total = gen.segment_sum(rows, segments)
    result = gen.div_no_nan(total, gen.segment_sum(weights, segments), name=name)
  else:
    total = gen.segment_sum(rows, segments)
    squares = gen.segment_sum(tf.pow(weights, 2), segments)
    result = gen.div_no_nan(total, tf.sqrt(squares), name=name)
  return tf.cast(result, dtype) if result.dtype != dtype else result


def safe_embedding_lookup_sparse(
  embedding_weights,
  sparse_ids,
  sparse_weights=None,
  combiner="mean",
  default_id=None,
  name=None,
  partition_strategy="div",
  max_norm=None,
):
  """Returns embedding_lookup_sparse() where ids below 0 and weights of 0 or less are left out and rows may be empty.

  An empty row gives the row `default_id` of the table, or zeros without one. Ids of higher rank are taken: the last dimension
  is summed over. Raises ValueError without a table.
  """
  if embedding_weights is None:
    raise ValueError(f"Missing embedding_weights {embedding_weights}.")
  try:
    params = embedding.parts_of(embedding_weights)
  except ValueError:
    raise ValueError(f"Missing embedding_weights {embedding_weights}.") from None
  dtype = sparse_weights.dtype if sparse_weights is not None else None
  params = [
    p
    if embedding.is_resource(p) and (dtype is None or p.dtype.base_dtype == dtype)
    else convert.convert_to_tensor(p, dtype=dtype)
    for p in params
  ]
  with ops.name_scope(name, "embedding_lookup", [*params, sparse_ids, sparse_weights]) as scope:
    ids, weights, original_shape, original_rank = _as_matrices(sparse_ids, sparse_weights)
    ids, weights = _pruned(ids, weights)
    if weights is not None and combiner != "sum":
      ids, weights = _without_zero_weights(ids, weights)
    ids, empty_rows = tf.sparse_fill_empty_rows(ids, default_id or 0)
    if weights is not None:
      weights, _ = tf.sparse_fill_empty_rows(weights, 1.0)
    result = embedding_lookup_sparse(
      params,
      ids,
      weights,
      combiner=combiner,
      partition_strategy=partition_strategy,
      name=None if default_id is None else scope,
      max_norm=max_norm,
    )
    if default_id is None:
      # Rows that were empty have been filled: their result is zero.
      empty = tf.tile(tf.reshape(empty_rows, [-1, 1]), tf.stack([1, tf.shape(result)[1]]))
      result = tf.where(empty, tf.zeros_like(result), result, name=scope)
    final = tf.reshape(
      result,
      tf.concat(
        [
          tf.slice(tf.cast(original_shape, dtypes.int32), [0], [original_rank - 1]),
          tf.slice(tf.shape(result), [1], [-1]),
        ],
        0,
      ),
    )
    known = sparse_ids.get_shape()
    if known.ndims is not None:
      final.set_shape(known[: known.ndims - 1].concatenate(result.get_shape()[1:]))
    return final


def _as_matrices(ids, weights):
  """Returns ids and weights with all dimensions but the last as one, the shape that there was and its rank."""
  shape = ids.dense_shape
  static = shape.get_shape()
  rank = static.as_list()[0] if static.ndims and static.as_list()[0] is not None else tf.size(shape)
  flat = [tf.reduce_prod(tf.slice(shape, [0], [rank - 1])), tf.gather(shape, rank - 1)]
  ids = tf.sparse_reshape(ids, flat)
  if weights is not None:
    weights = composite.SparseTensor(ids.indices, weights.values, ids.dense_shape)
  return ids, weights, shape, rank


def _pruned(ids, weights):
  """Leaves out ids that are below 0, and those with weights of 0 or less."""
  valid = tf.greater_equal(ids.values, 0)
  if weights is not None:
    valid = tf.logical_and(valid, tf.ones_like(weights.values, dtype=dtypes.bool))
  ids = tf.sparse_retain(ids, valid)
  if weights is not None:
    weights = tf.sparse_retain(weights, valid)
  return ids, weights


def _without_zero_weights(ids, weights):
  valid = tf.greater(weights.values, 0)
  return tf.sparse_retain(ids, valid), tf.sparse_retain(weights, valid)
