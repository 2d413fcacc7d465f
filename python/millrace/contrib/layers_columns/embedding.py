"""Categories as rows of a table that is learned, or as places of a vector that are chosen by hashes."""

import collections
import math

import millrace as tf
from millrace.contrib.layers_columns import column as columns
from millrace.ops.parsing.features import VarLenFeature


def _checked(initializer, ckpt_to_load_from, tensor_name_in_ckpt, vocab_size, name):
  if initializer is not None and not callable(initializer):
    raise ValueError(f"initializer must be callable if specified. Embedding of column_name: {name}")
  if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
    raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
  if initializer is None:
    return tf.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(vocab_size))
  return initializer


def embedding_column(
  sparse_id_column,
  dimension,
  combiner="mean",
  initializer=None,
  ckpt_to_load_from=None,
  tensor_name_in_ckpt=None,
  max_norm=None,
  trainable=True,
):
  """Returns a column for networks of the rows of a table `weights`, one for each id of a column of categories.

  Args:
    sparse_id_column: A column of categories, weighted or not, or a crossed one.
    dimension: Size of a row.
    combiner: What becomes of several ids of an example: "mean", "sqrtn" or "sum".
    initializer: Of the table; None for a truncated normal one of the standard deviation 1 / sqrt(number of ids).
    ckpt_to_load_from: Path of a checkpoint that has the first values.
    tensor_name_in_ckpt: The table's name there.
    max_norm: Rows with a larger norm are scaled down to it when they are read; None for none.
    trainable: Whether the table is trained.

  Raises:
    ValueError: The initializer cannot be called, or one of checkpoint and name is missing.
  """
  columns.check_combiner(combiner)
  initializer = _checked(initializer, ckpt_to_load_from, tensor_name_in_ckpt, sparse_id_column.length, sparse_id_column.name)
  return _EmbeddingColumn(
    sparse_id_column,
    dimension,
    combiner,
    initializer,
    ckpt_to_load_from,
    tensor_name_in_ckpt,
    None,
    None,
    max_norm,
    trainable,
  )


def shared_embedding_columns(
  sparse_id_columns,
  dimension,
  combiner="mean",
  shared_embedding_name=None,
  initializer=None,
  ckpt_to_load_from=None,
  tensor_name_in_ckpt=None,
  max_norm=None,
  trainable=True,
):
  """Returns a list of columns, one for each column of categories, that read one table `shared_embedding_name`.

  The columns have as many ids each; without a name the table has one of theirs. The rest: see embedding_column. Raises ValueError
  if there are no columns, or they differ in their number of ids; TypeError for what is no list.
  """
  if not isinstance(sparse_id_columns, (list, tuple)) or isinstance(sparse_id_columns, columns.OldColumn):
    raise TypeError(f"sparse_id_columns must be a list or tuple of columns of categories. Given: {type(sparse_id_columns)}")
  if not sparse_id_columns:
    raise ValueError("The input sparse_id_columns should have at least one element.")
  columns.check_combiner(combiner)
  first = sparse_id_columns[0]
  for other in sparse_id_columns[1:]:
    if other.length != first.length:
      raise ValueError(
        "All sparse id columns have to have the same number of ids; "
        f"{first.name} has {first.length}, {other.name} has {other.length}."
      )
  if not shared_embedding_name:
    names = [column.name for column in sparse_id_columns]
    shared_embedding_name = "_".join(names[:3]) + ("_plus_%d_others" % (len(names) - 3) if len(names) > 3 else "")
    shared_embedding_name += "_shared_embedding"
  initializer = _checked(initializer, ckpt_to_load_from, tensor_name_in_ckpt, first.length, first.name)
  return [
    _EmbeddingColumn(
      column,
      dimension,
      combiner,
      initializer,
      ckpt_to_load_from,
      tensor_name_in_ckpt,
      shared_embedding_name,
      first.length,
      max_norm,
      trainable,
    )
    for column in sparse_id_columns
  ]


class _EmbeddingColumn(
  columns.OldColumn,
  collections.namedtuple(
    "_EmbeddingColumn",
    (
      "sparse_id_column",
      "dimension",
      "combiner",
      "initializer",
      "ckpt_to_load_from",
      "tensor_name_in_ckpt",
      "shared_embedding_name",
      "shared_vocab_size",
      "max_norm",
      "trainable",
    ),
  ),
):
  """See embedding_column."""

  __slots__ = ()

  @property
  def name(self):
    kind = "embedding" if self.shared_embedding_name is None else "shared_embedding"
    return f"{self.sparse_id_column.name}_{kind}"

  @property
  def config(self):
    return self.sparse_id_column.config

  @property
  def key(self):
    return self._key(without=("initializer",))

  def _transform(self, features):
    return features.get(self.sparse_id_column)

  def _deep_lookup(self, value):
    ids, weights = value if isinstance(value, tuple) else (value, None)
    return columns.Lookup(
      ids=ids,
      weights=weights,
      vocab_size=self.sparse_id_column.length if self.shared_vocab_size is None else self.shared_vocab_size,
      initializer=self.initializer,
      combiner=self.combiner,
      dimension=self.dimension,
      shared_name=self.shared_embedding_name,
      max_norm=self.max_norm,
      trainable=self.trainable,
    )


def scattered_embedding_column(column_name, size, dimension, hash_key, combiner="mean", initializer=None):
  """Returns a column for networks of the values of a feature as vectors of `dimension` numbers, places of one vector `weights`.

  Which places these are, the hashes of value and number decide, so a small vector does for many values.

  Args:
    column_name: Name of the feature, of strings.
    size: Number of places.
    dimension: Size of a value's vector.
    hash_key: Key of the hash.
    combiner: What becomes of several values of an example: "mean", "sqrtn" or "sum".
    initializer: Of the places; None for a truncated normal one of the standard deviation 0.1.

  Raises:
    ValueError: The sizes or the combiner are none that can be.
  """
  if dimension < 1 or size < 1:
    raise ValueError(
      f"Dimension and size must be greater than 0. dimension: {dimension}, size: {size}, column_name: {column_name}"
    )
  columns.check_combiner(combiner, ("mean", "sqrtn", "sum"))
  if initializer is not None and not callable(initializer):
    raise ValueError(f"initializer must be callable if specified. column_name: {column_name}")
  if initializer is None:
    initializer = tf.truncated_normal_initializer(mean=0.0, stddev=0.1)
  return _ScatteredEmbeddingColumn(column_name, size, dimension, hash_key, combiner, initializer)


class _ScatteredEmbeddingColumn(
  columns.OldColumn,
  collections.namedtuple(
    "_ScatteredEmbeddingColumn", ("column_name", "size", "dimension", "hash_key", "combiner", "initializer")
  ),
):
  """See scattered_embedding_column."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.column_name}_scattered_embedding"

  @property
  def config(self):
    return {self.column_name: VarLenFeature(tf.string)}

  @property
  def key(self):
    return self._key(without=("initializer",))

  def _transform(self, features):
    return columns.as_sparse(features.get(self.column_name))

  def _deep_lookup(self, value):
    return columns.Lookup(
      ids=value,
      weights=None,
      vocab_size=self.size,
      initializer=self.initializer,
      combiner=self.combiner,
      dimension=self.dimension,
      hash_key=self.hash_key,
    )
