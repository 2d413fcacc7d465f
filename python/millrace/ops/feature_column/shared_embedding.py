"""Several columns whose categories are rows of one table."""

import collections

import millrace as tf
from millrace.framework import graph as ops
from millrace.ops.feature_column import column as columns
from millrace.ops.feature_column import embedding
from millrace.ops.feature_column.sequence import SequenceCategoricalColumn
from millrace.ops.feature_column.weighted import WeightedCategoricalColumn


def shared_embedding_columns(
  categorical_columns,
  dimension,
  combiner="mean",
  initializer=None,
  shared_embedding_collection_name=None,
  ckpt_to_load_from=None,
  tensor_name_in_ckpt=None,
  max_norm=None,
  trainable=True,
):
  """Returns a list of dense columns, one for each categorical column, that read one table. The rest: see embedding_column.

  Args:
    categorical_columns: Columns of one kind with as many ids each; weighted and sequence ones go with others of their kind.
    shared_embedding_collection_name: Name of the collection that holds the table, and of the scope of variables; None for one
      of the names of the columns.

  Raises:
    ValueError: The columns differ in kind or number of ids, and as embedding_column does.
  """
  embedding._check(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
  ordered = sorted(categorical_columns, key=lambda column: column.name)
  _check_equal(ordered)
  if not shared_embedding_collection_name:
    shared_embedding_collection_name = "_".join(column.name for column in ordered) + "_shared_embedding"
  initializer = initializer or embedding.default_initializer(dimension)
  return [
    _SharedEmbeddingColumn(
      categorical_column=column,
      dimension=dimension,
      combiner=combiner,
      initializer=initializer,
      shared_embedding_collection_name=shared_embedding_collection_name,
      ckpt_to_load_from=ckpt_to_load_from,
      tensor_name_in_ckpt=tensor_name_in_ckpt,
      max_norm=max_norm,
      trainable=trainable,
    )
    for column in categorical_columns
  ]


def _inner(column):
  while isinstance(column, (WeightedCategoricalColumn, SequenceCategoricalColumn)):
    column = column.categorical_column
  return column


def _check_equal(ordered):
  first = ordered[0]
  for column in ordered[1:]:
    if type(_inner(column)) is not type(_inner(first)):
      raise ValueError(
        "To use shared_embedding_column, all categorical_columns must have the same type, or be weighted_categorical_column or "
        f"sequence column of the same type. Given column: {first} of type: {type(_inner(first))} does not match given column: "
        f"{column} of type: {type(_inner(column))}"
      )
    if column._num_buckets != first._num_buckets:
      raise ValueError(
        "To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given column: "
        f"{first} with buckets: {first._num_buckets} does not match column: {column} with buckets: {column._num_buckets}"
      )


class _SharedEmbeddingColumn(
  embedding._Embedding,
  collections.namedtuple(
    "_SharedEmbeddingColumn",
    (
      "categorical_column",
      "dimension",
      "combiner",
      "initializer",
      "shared_embedding_collection_name",
      "ckpt_to_load_from",
      "tensor_name_in_ckpt",
      "max_norm",
      "trainable",
    ),
  ),
):
  """See shared_embedding_columns."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.categorical_column.name}_shared_embedding"

  @property
  def _var_scope_name(self):
    return self.shared_embedding_collection_name

  def _table(self, weight_collections, trainable):
    """Returns the table that the collection of the graph has, or makes it."""
    name = self.shared_embedding_collection_name
    found = ops.get_collection(name)
    if not found:
      table = self._new_table(weight_collections, trainable)
      ops.add_to_collection(name, table)
      return table
    advice = (
      "Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add any variables to this collection. "
      "The feature_column library already adds a variable under the hood."
    )
    if len(found) > 1:
      raise ValueError(f"Collection {found} can only contain one variable. {advice}")
    shape = (self.categorical_column._num_buckets, self.dimension)
    if found[0].get_shape() != shape:
      raise ValueError(
        f"Shared embedding collection {name} contains variable {found[0].name} of unexpected shape {found[0].get_shape()}. "
        f"Expected shape is {shape}. {advice}"
      )
    return found[0]

  def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    columns.check_not_sequence(self, "embedding_column", "input_layer", "sequence_input_layer")
    with tf.name_scope(None, default_name=self.name):
      return self._lookup(inputs, weight_collections, trainable)

  def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    with tf.name_scope(None, default_name=self.name):
      return self._sequence(inputs, weight_collections, trainable)
