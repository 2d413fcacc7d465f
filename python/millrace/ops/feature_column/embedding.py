"""Categories as rows of a table that is learned."""

import collections
import math

import millrace as tf
from millrace.framework import tensor_shape
from millrace.framework.graph import GraphKeys
from millrace.ops.feature_column import column as columns


def embedding_column(
  categorical_column,
  dimension,
  combiner="mean",
  initializer=None,
  ckpt_to_load_from=None,
  tensor_name_in_ckpt=None,
  max_norm=None,
  trainable=True,
):
  """Returns a dense column of the rows of a table `embedding_weights`, one for each id of a categorical column.

  Args:
    categorical_column: A categorical column.
    dimension: Size of a row.
    combiner: What becomes of several ids of an example: the "mean" of their rows, their "sum", or "sqrtn", the sum over the root
      of their number (with weights: of the sum of their squares). Without ids it is 0.
    initializer: Of the table; None for a truncated normal one of the standard deviation 1 / sqrt(dimension).
    ckpt_to_load_from: Path of a checkpoint that has the first values, or a folder of them.
    tensor_name_in_ckpt: The table's name there.
    max_norm: Rows with a larger norm are scaled down to it when they are read; None for none.
    trainable: Whether the table is trained.

  Raises:
    ValueError: There is no dimension, the initializer cannot be called, or one of checkpoint and name is missing.
  """
  _check(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, f" Embedding of column_name: {categorical_column.name}")
  return EmbeddingColumn(
    categorical_column=categorical_column,
    dimension=dimension,
    combiner=combiner,
    initializer=initializer or default_initializer(dimension),
    ckpt_to_load_from=ckpt_to_load_from,
    tensor_name_in_ckpt=tensor_name_in_ckpt,
    max_norm=max_norm,
    trainable=trainable,
  )


def default_initializer(dimension):
  return tf.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))


def _check(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, of_what=""):
  if dimension is None or dimension < 1:
    raise ValueError(f"Invalid dimension {dimension}.")
  if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
    raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
  if initializer is not None and not callable(initializer):
    raise ValueError(f"initializer must be callable if specified.{of_what}")


class _Embedding(columns.DenseColumn, columns.SequenceDenseColumn):
  """What both kinds share. `_table` returns the table of the current scope."""

  __slots__ = ()

  @property
  def parse_example_spec(self):
    return self.categorical_column._parse_example_spec

  @property
  def parents(self):
    return [self.categorical_column]

  @property
  def variable_shape(self):
    return tensor_shape.TensorShape([self.dimension])

  def _table(self, weight_collections, trainable):
    raise NotImplementedError("%s._table" % type(self).__name__)

  def _transform_feature(self, inputs):
    return inputs.get(self.categorical_column)

  def _new_table(self, weight_collections, trainable):
    if weight_collections and GraphKeys.GLOBAL_VARIABLES not in weight_collections:
      weight_collections.append(GraphKeys.GLOBAL_VARIABLES)
    return tf.get_variable(
      name="embedding_weights",
      shape=(self.categorical_column._num_buckets, self.dimension),
      dtype=tf.float32,
      initializer=self.initializer,
      trainable=self.trainable and trainable,
      collections=weight_collections,
    )

  def _lookup(self, inputs, weight_collections, trainable):
    pair = self.categorical_column._get_sparse_tensors(inputs, weight_collections=weight_collections, trainable=trainable)
    table = inputs.table_of(self)
    if table is None:
      table = self._table(weight_collections, trainable)
    if self.ckpt_to_load_from is not None:
      parts = table
      if isinstance(table, tf.Variable.PartitionedVariable):
        parts = table._get_variable_list()
      tf.train.init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: parts})
    return tf.nn.safe_embedding_lookup_sparse(
      embedding_weights=table,
      sparse_ids=pair.id_tensor,
      sparse_weights=pair.weight_tensor,
      combiner=self.combiner,
      name=f"{self.name}_weights",
      max_norm=self.max_norm,
    )

  def _sequence(self, inputs, weight_collections, trainable):
    from millrace.ops.feature_column import sequence

    columns.check_sequence(self, "embedding_column")
    value = self._lookup(inputs, weight_collections, trainable)
    ids = self.categorical_column._get_sparse_tensors(inputs).id_tensor
    return columns.SequenceDenseColumn.TensorSequenceLengthPair(value, sequence.lengths(ids))


class EmbeddingColumn(
  _Embedding,
  collections.namedtuple(
    "EmbeddingColumn",
    (
      "categorical_column",
      "dimension",
      "combiner",
      "initializer",
      "ckpt_to_load_from",
      "tensor_name_in_ckpt",
      "max_norm",
      "trainable",
    ),
  ),
):
  """See embedding_column."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.categorical_column.name}_embedding"

  def _table(self, weight_collections, trainable):
    return self._new_table(weight_collections, trainable)

  def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    columns.check_not_sequence(self, "embedding_column", "DenseFeatures", "SequenceFeatures")
    return self._lookup(inputs, weight_collections, trainable)

  def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    return self._sequence(inputs, weight_collections, trainable)
