"""Categories as vectors that count them."""

import collections

import millrace as tf
from millrace import gen
from millrace.framework import tensor_shape
from millrace.ops.feature_column import column as columns


def indicator_column(categorical_column):
  """Returns a dense column with a number for each id of a categorical column: how often it comes, or the sum of its weights.

  Raises ValueError for another column.
  """
  if not isinstance(categorical_column, columns.CategoricalColumn):
    raise ValueError(f"Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}")
  return IndicatorColumn(categorical_column)


class IndicatorColumn(
  columns.DenseColumn,
  columns.SequenceDenseColumn,
  collections.namedtuple("IndicatorColumn", ("categorical_column",)),
):
  """See indicator_column."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.categorical_column.name}_indicator"

  @property
  def parse_example_spec(self):
    return self.categorical_column._parse_example_spec

  @property
  def parents(self):
    return [self.categorical_column]

  @property
  def variable_shape(self):
    return tensor_shape.TensorShape([1, self.categorical_column._num_buckets])

  def _transform_feature(self, inputs):
    pair = self.categorical_column._get_sparse_tensors(inputs)
    size = self.categorical_column._num_buckets
    if pair.weight_tensor is not None:
      weighted = tf.sparse_merge(sp_ids=pair.id_tensor, sp_values=pair.weight_tensor, vocab_size=int(size))
      # Ids below 0 are left out.
      weighted = tf.sparse_slice(weighted, [0, 0], weighted.dense_shape)
      return gen.scatter_nd(weighted.indices, weighted.values, weighted.dense_shape)
    ids = tf.sparse_tensor_to_dense(pair.id_tensor, default_value=-1)
    return tf.reduce_sum(tf.one_hot(ids, depth=size, on_value=1.0, off_value=0.0), axis=[-2])

  def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    columns.check_not_sequence(self, "indicator_column", "DenseFeatures", "SequenceFeatures")
    return inputs.get(self)

  def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    from millrace.ops.feature_column import sequence

    columns.check_sequence(self, "indicator_column")
    value = inputs.get(self)
    ids = self.categorical_column._get_sparse_tensors(inputs).id_tensor
    return columns.SequenceDenseColumn.TensorSequenceLengthPair(value, sequence.lengths(ids))
