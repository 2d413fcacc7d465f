"""Categories with weights, and categories as vectors that count them."""

import collections

import millrace as tf
from millrace.contrib.layers_columns import column as columns
from millrace.contrib.layers_columns.sparse import _SparseColumn
from millrace.framework import composite
from millrace.ops.parsing.features import VarLenFeature


def weighted_sparse_column(sparse_id_column, weight_column_name, dtype=tf.float32):
  """Returns a column of the categories of another one with weights that are another feature, one for each value.

  Raises ValueError for weights of a type that cannot be numbers.
  """
  if not (dtype.is_integer or dtype.is_floating):
    raise ValueError(f"dtype is not convertible to float. Given {dtype}")
  return _WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


class _WeightedSparseColumn(
  columns.OldColumn,
  collections.namedtuple("_WeightedSparseColumn", ("sparse_id_column", "weight_column_name", "dtype")),
):
  """See weighted_sparse_column. Its value is the pair of SparseTensors of ids and weights."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

  @property
  def config(self):
    found = dict(self.sparse_id_column.config)
    if self.weight_column_name in found:
      raise ValueError(f"Parse config {found[self.weight_column_name]} already exists for {self.weight_column_name}.")
    found[self.weight_column_name] = VarLenFeature(self.dtype)
    return found

  @property
  def length(self):
    """The number of ids."""
    return self.sparse_id_column.length

  @property
  def combiner(self):
    return self.sparse_id_column.combiner

  def _transform(self, features):
    ids = features.get(self.sparse_id_column)
    weights = features.get(self.weight_column_name)
    if not isinstance(weights, composite.SparseTensor):
      # As many as there are ids.
      weights = composite.SparseTensor(ids.indices, tf.gather_nd(weights, ids.indices), ids.dense_shape)
    if not self.dtype.is_floating:
      weights = tf.cast(weights, tf.float32)
    return ids, weights

  def _wide_lookup(self, value):
    ids, weights = value
    return columns.Lookup(
      ids=columns.with_rank(ids, 2, self.name),
      weights=columns.with_rank(weights, 2, self.name),
      vocab_size=self.length,
      initializer=tf.zeros_initializer(),
      combiner=self.combiner,
    )


def one_hot_column(sparse_id_column):
  """Returns a column for networks with a number for each id of a column of categories: how often it comes, or its weights."""
  if not isinstance(sparse_id_column, (_SparseColumn, _WeightedSparseColumn)):
    raise TypeError(f"sparse_id_column must be a column of categories. Given: {sparse_id_column}")
  return _OneHotColumn(sparse_id_column)


class _OneHotColumn(columns.OldColumn, collections.namedtuple("_OneHotColumn", ("sparse_id_column",))):
  """See one_hot_column."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.sparse_id_column.name}_one_hot"

  @property
  def config(self):
    return self.sparse_id_column.config

  @property
  def length(self):
    """The number of ids."""
    return self.sparse_id_column.length

  def _transform(self, features):
    return features.get(self.sparse_id_column)

  def _deep(self, value, output_rank):
    if isinstance(value, tuple):
      if output_rank != 2:
        raise ValueError(f"one_hot_column does not support weighted columns in sequences. Given: {self}")
      merged = tf.sparse_merge(sp_ids=value[0], sp_values=value[1], vocab_size=self.length)
      # Ids below 0 are left out, and an id that comes twice has the sum of its weights.
      merged = tf.sparse_slice(merged, [0, 0], merged.dense_shape)
      return tf.scatter_nd(merged.indices, merged.values, merged.dense_shape)
    ids = tf.sparse_tensor_to_dense(columns.with_rank(value, output_rank, self.name), default_value=-1)
    counted = tf.one_hot(ids, depth=self.length, on_value=1.0, off_value=0.0)
    return tf.reduce_sum(counted, axis=[output_rank - 1])
