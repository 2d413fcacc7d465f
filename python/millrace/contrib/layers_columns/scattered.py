"""Lookups of vectors that are put together of the places of one vector, chosen by hashes."""

import millrace as tf
from millrace.contrib.layers_columns import keyless_hashes
from millrace.framework import composite
from millrace.ops.nn import embedding


def scattered_embedding_lookup(params, values, dimension, name=None, hash_key=None):
  """Returns for each of `values`, strings or integers, `dimension` numbers of the vector `params`: values.shape + [dimension].

  Number i of a value stands at the hash of both, modulo the size of the vector.

  Args:
    params: A vector, or a list of its parts.
    values: A tensor.
    dimension: How many numbers a value has.
    name: Name of the op.
    hash_key: Key of the hash, or None for that of keyless_hashes.py.

  Raises:
    ValueError: There is no dimension, no vector, or it is none.
  """
  if dimension is None:
    raise ValueError("You must specify dimension.")
  return _lookup(params, values, dimension, name, hash_key)


def _parts(params):
  parts = embedding.parts_of(params)
  for part in parts:
    if part.get_shape().ndims != 1:
      raise ValueError(f"params must be a vector, or parts of one; one part has the shape {part.get_shape()}.")
  return parts


def _lookup(params, values, dimension, name, hash_key):
  with tf.name_scope(name, "scattered_embedding_lookup", [values]):
    parts = _parts(params)
    size = sum(part.get_shape().as_list()[0] for part in parts)
    values = tf.convert_to_tensor(values)
    flat = tf.reshape(values, [-1, 1])
    # One row for each value and number: its hash is the place.
    numbers = tf.tile(tf.expand_dims(tf.range(dimension), 1), [tf.shape(flat)[0], 1])
    repeated = tf.reshape(tf.tile(flat, [1, dimension]), [-1, 1])
    if hash_key:
      places = tf.sparse.cross_hashed([numbers, repeated], num_buckets=size, hash_key=hash_key).values
    else:
      places = keyless_hashes.of_rows([numbers[:, 0], repeated[:, 0]], size)
    # A hash may be of parts that follow each other.
    found = tf.nn.embedding_lookup(parts, places, partition_strategy="div")
    result = tf.reshape(found, tf.concat([tf.shape(values), [dimension]], 0))
    result.set_shape(values.get_shape().concatenate([dimension]))
    return result


def scattered_embedding_lookup_sparse(
  params, sparse_values, dimension, combiner=None, default_value=None, name=None, hash_key=None
):
  """Returns [batch, dimension] for a SparseTensor of values: those of scattered_embedding_lookup(), combined for each row.

  `combiner` is "mean" (as None), "sqrtn" or "sum"; an empty row has the vector of `default_value`, or of "" without one. The
  rest: see there. Raises TypeError for values that are no SparseTensor as well.
  """
  if combiner is None:
    tf.logging.warn('The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.')
    combiner = "mean"
  if not isinstance(sparse_values, composite.SparseTensor):
    raise TypeError(f"sparse_values must be SparseTensor, got {type(sparse_values)}")
  with tf.name_scope(name, "scattered_embedding_lookup_sparse"):
    if default_value is None:
      default_value = "" if sparse_values.dtype == tf.string else 0
    filled, _ = tf.sparse_fill_empty_rows(sparse_values, default_value)
    segments = tf.cast(filled.indices[:, 0], tf.int32)
    values, places = tf.unique(filled.values)
    rows = _lookup(params, values, dimension, None, hash_key)
    combine = {
      "sum": tf.sparse_segment_sum,
      "mean": tf.sparse_segment_mean,
      "sqrtn": tf.sparse_segment_sqrt_n,
    }
    if combiner not in combine:
      raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    return combine[combiner](rows, places, segments)
