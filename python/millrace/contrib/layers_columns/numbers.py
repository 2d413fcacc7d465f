"""Columns of numbers, and of the intervals that they fall into."""

import collections

import millrace as tf
from millrace import gen
from millrace.contrib.layers_columns import column as columns
from millrace.framework import composite
from millrace.ops.parsing.features import FixedLenFeature


def real_valued_column(column_name, dimension=1, default_value=None, dtype=tf.float32, normalizer=None):
  """Returns a column of numbers.

  Args:
    column_name: Name of the feature.
    dimension: How many numbers an example has.
    default_value: For examples that lack them: a number, or a list of as many; None lets parsing fail.
    dtype: Type of the feature: a kind of integer or float.
    normalizer: Function of the tensor.

  Raises:
    TypeError: The dimension is no integer, or defaults are of another type.
    ValueError: The dimension, the type or the number of defaults is none that can be.
  """
  if not isinstance(dimension, int) or isinstance(dimension, bool):
    raise TypeError(f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}")
  if dimension < 1:
    raise ValueError(f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}")
  if not (dtype.is_integer or dtype.is_floating):
    raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}")
  if normalizer is not None and not callable(normalizer):
    raise TypeError(f"normalizer must be a callable. Given: {normalizer}")
  defaults = _checked_defaults(column_name, dimension, default_value, dtype)
  return _RealValuedColumn(column_name, dimension, defaults, dtype, normalizer)


def _checked_defaults(column_name, dimension, default_value, dtype):
  """Returns the defaults as a tuple of `dimension` numbers, or None."""
  if default_value is None:
    return None
  values = list(default_value) if isinstance(default_value, (list, tuple)) else [default_value] * dimension
  if len(values) != dimension:
    raise ValueError(
      "The length of default_value must be equal to dimension. default_value: "
      f"{default_value}, dimension: {dimension}, column_name: {column_name}"
    )
  for value in values:
    if not isinstance(value, (int, float)) or (dtype.is_integer and not isinstance(value, int)):
      raise TypeError(
        f"default_value must be compatible with dtype. default_value: {default_value}, dtype: {dtype}, column_name: {column_name}"
      )
  return tuple(int(value) if dtype.is_integer else float(value) for value in values)


class _RealValuedColumn(
  columns.OldColumn,
  collections.namedtuple("_RealValuedColumn", ("column_name", "dimension", "default_value", "dtype", "normalizer")),
):
  """See real_valued_column."""

  __slots__ = ()

  @property
  def name(self):
    return self.column_name

  @property
  def config(self):
    return {
      self.column_name: FixedLenFeature(
        [self.dimension], self.dtype, None if self.default_value is None else list(self.default_value)
      )
    }

  @property
  def key(self):
    return self._key(without=("normalizer",))

  def _transform(self, features):
    value = features.get(self.column_name)
    if isinstance(value, composite.SparseTensor):
      raise ValueError(f"Numbers have to be a dense tensor, not a SparseTensor. column_name: {self.column_name}")
    return self.normalizer(value) if self.normalizer is not None else value

  def _deep(self, value, output_rank):
    value = tf.cast(value, tf.float32)
    rank = value.get_shape().ndims
    if rank == output_rank - 1:
      value = tf.expand_dims(value, -1)
    value = columns.with_rank(value, output_rank, self.name)
    if value.get_shape().ndims is None or value.get_shape().as_list()[-1] is None:
      value = tf.reshape(value, tf.concat([tf.shape(value)[: output_rank - 1], [self.dimension]], 0))
    return value


def bucketized_column(source_column, boundaries):
  """Returns a column of the buckets into which numbers fall: (-inf, b0), [b0, b1), ..., [bn, inf).

  Raises TypeError for a source that is no real_valued_column, ValueError for boundaries that are none or not increasing.
  """
  if not isinstance(source_column, _RealValuedColumn):
    raise TypeError(f"source_column must be an instance of _RealValuedColumn. source_column: {source_column}")
  if not isinstance(boundaries, (list, tuple)) or not boundaries:
    raise ValueError(f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}")
  # Those that come twice are one.
  kept = []
  for low, high in zip(boundaries, boundaries[1:]):
    if low == high:
      continue
    if low > high:
      raise ValueError("boundaries must be a sorted list")
    kept.append(low)
  kept.append(boundaries[-1])
  return _BucketizedColumn(source_column, tuple(kept))


class _BucketizedColumn(columns.OldColumn, collections.namedtuple("_BucketizedColumn", ("source_column", "boundaries"))):
  """See bucketized_column. Its value is [batch, dimension] of numbers of buckets."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.source_column.name}_bucketized"

  @property
  def config(self):
    return self.source_column.config

  @property
  def key(self):
    return f"{type(self).__name__}(source_column={self.source_column.key}, boundaries={self.boundaries})"

  @property
  def length(self):
    """The number of buckets."""
    return len(self.boundaries) + 1

  @property
  def combiner(self):
    return "sum"

  def _transform(self, features):
    value = features.get(self.source_column)
    if value.get_shape().ndims == 1:
      value = tf.expand_dims(value, -1)
    return gen.bucketize(value, boundaries=[float(b) for b in self.boundaries])

  def _deep(self, value, output_rank):
    if output_rank != 2:
      raise ValueError(f"BucketizedColumn currently only supports output_rank=2. Given: {output_rank}")
    return tf.reshape(
      tf.one_hot(tf.cast(value, tf.int64), self.length, 1.0, 0.0), [-1, self.length * self.source_column.dimension]
    )

  def _wide_lookup(self, value):
    return columns.Lookup(
      ids=self._as_sparse(value),
      weights=None,
      vocab_size=self.length * self.source_column.dimension,
      initializer=tf.zeros_initializer(),
      combiner="sum",
    )

  def _as_sparse(self, value):
    """Returns the buckets as ids; each number of an example has ids of its own."""
    dimension = self.source_column.dimension
    batch_size = tf.shape(value)[0]
    rows = tf.reshape(tf.tile(tf.expand_dims(tf.range(batch_size), 1), [1, dimension]), [-1])
    places = tf.tile(tf.range(dimension), [batch_size])
    ids = tf.reshape(value, [-1]) + self.length * places
    indices = tf.cast(tf.stack([rows, places], axis=1), tf.int64)
    return composite.SparseTensor(indices, tf.cast(ids, tf.int64), tf.cast(tf.stack([batch_size, dimension]), tf.int64))
