"""Numbers as the interval that they fall into."""

import collections

import millrace as tf
from millrace import gen
from millrace.framework import composite, dtypes, tensor_shape
from millrace.ops.feature_column import column as columns
from millrace.ops.feature_column.numeric import NumericColumn


def bucketized_column(source_column, boundaries):
  """Returns a column of the buckets into which numbers fall: (-inf, b0), [b0, b1), ..., [bn, inf).

  As a dense column each number becomes a vector with a 1 at its bucket; as a categorical one an id, number i of a vector having
  the ids from i * (len(boundaries) + 1) on.

  Args:
    source_column: A numeric_column of one dimension.
    boundaries: List of increasing numbers.

  Raises:
    ValueError: The column is another one, or the boundaries are none, or not increasing.
  """
  if not isinstance(source_column, NumericColumn):
    raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
  if len(source_column.shape) > 1:
    raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
  if not boundaries:
    raise ValueError("boundaries must not be empty.")
  if not isinstance(boundaries, (list, tuple)):
    raise ValueError("boundaries must be a sorted list.")
  if any(low >= high for low, high in zip(boundaries, boundaries[1:])):
    raise ValueError("boundaries must be a sorted list.")
  return BucketizedColumn(source_column, tuple(boundaries))


class BucketizedColumn(
  columns.DenseColumn,
  columns.CategoricalColumn,
  collections.namedtuple("BucketizedColumn", ("source_column", "boundaries")),
):
  """See bucketized_column."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.source_column.name}_bucketized"

  @property
  def parse_example_spec(self):
    return self.source_column._parse_example_spec

  @property
  def parents(self):
    return [self.source_column]

  @property
  def variable_shape(self):
    return tensor_shape.TensorShape(tuple(self.source_column.shape) + (self._width,))

  @property
  def num_buckets(self):
    return self._width * self.source_column.shape[0]

  @property
  def _width(self):
    return len(self.boundaries) + 1

  def _transform_feature(self, inputs):
    return gen.bucketize(inputs.get(self.source_column), boundaries=list(self.boundaries))

  def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    buckets = tf.cast(inputs.get(self), dtypes.int64)
    return tf.one_hot(indices=buckets, depth=self._width, on_value=1.0, off_value=0.0)

  def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
    buckets = inputs.get(self)
    batch_size = tf.shape(buckets)[0]
    numbers = self.source_column.shape[0]  # of an example
    rows = tf.reshape(tf.tile(tf.expand_dims(tf.range(0, batch_size), 1), [1, numbers]), (-1,))
    places = tf.tile(tf.range(0, numbers), [batch_size])
    # Each place of the vector has ids of its own.
    ids = tf.reshape(buckets, (-1,)) + self._width * places
    indices = tf.cast(tf.transpose(tf.stack((rows, places))), dtypes.int64)
    dense_shape = tf.cast(tf.stack([batch_size, numbers]), dtypes.int64)
    return columns.CategoricalColumn.IdWeightPair(composite.SparseTensor(indices, ids, dense_shape), None)
