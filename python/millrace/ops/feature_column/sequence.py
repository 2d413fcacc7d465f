"""Columns of sequences: categories and numbers of each step, for recurrent models."""

import collections

import millrace as tf
from millrace import gen
from millrace.framework import composite, dtypes, tensor_shape
from millrace.ops.feature_column import column as columns
from millrace.ops.feature_column import hashed, numeric, vocabulary
from millrace.ops.parsing.features import VarLenFeature


def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
  """Returns a column of sequences of categories that are ids. The rest: see categorical_column_with_identity."""
  return SequenceCategoricalColumn(hashed.categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
  """Returns a column of sequences of categories by their hash. The rest: see categorical_column_with_hash_bucket."""
  return SequenceCategoricalColumn(hashed.categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(
  key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=dtypes.string
):
  """Returns a column of sequences of categories of a file. The rest: see categorical_column_with_vocabulary_file."""
  return SequenceCategoricalColumn(
    vocabulary.categorical_column_with_vocabulary_file(
      key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    )
  )


def sequence_categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
  """Returns a column of sequences of categories of a list. The rest: see categorical_column_with_vocabulary_list."""
  return SequenceCategoricalColumn(
    vocabulary.categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets)
  )


class SequenceCategoricalColumn(
  columns.CategoricalColumn,
  collections.namedtuple("SequenceCategoricalColumn", ("categorical_column",)),
):
  """The categories of another column, as ids of shape [batch, step, id of the step]: what has two dimensions gets a third."""

  __slots__ = ()

  @property
  def name(self):
    return self.categorical_column.name

  @property
  def parse_example_spec(self):
    return self.categorical_column._parse_example_spec

  @property
  def parents(self):
    return [self.categorical_column]

  @property
  def num_buckets(self):
    return self.categorical_column._num_buckets

  def _transform_feature(self, inputs):
    return self.categorical_column._transform_feature(inputs)

  def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
    pair = self.categorical_column._get_sparse_tensors(inputs)
    weights = pair.weight_tensor
    return columns.CategoricalColumn.IdWeightPair(_with_steps(pair.id_tensor), None if weights is None else _with_steps(weights))


def _with_steps(value):
  """Returns a SparseTensor [batch, step, ...] with all that a step has as its last dimension."""
  shape = tf.shape(value)
  ids = tf.cond(gen.greater(tf.rank(value), 2), lambda: shape[2], lambda: 1) if value.get_shape().ndims is None else None
  if ids is None:
    ids = shape[2] if value.get_shape().ndims > 2 else 1
  return tf.sparse_reshape(value, [shape[0], shape[1], ids])


def lengths(value, num_elements=1):
  """Returns an int64 vector: how many steps each example of a SparseTensor has.

  A step has `num_elements` values; examples without any have length 0.
  """
  with tf.name_scope(None, "sequence_length"):
    rows = value.indices[:, 0]
    steps = value.indices[:, 1]
    if num_elements > 1:
      steps = tf.floor_div(steps, num_elements)
    counts = gen.segment_max(steps + 1, rows)
    # Examples without values behind the last one that has some.
    missing = tf.maximum(value.dense_shape[0] - tf.shape(counts, out_type=dtypes.int64)[0], 0)
    return tf.concat([counts, tf.zeros(tf.expand_dims(missing, 0), dtypes.int64)], axis=0)


def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=dtypes.float32, normalizer_fn=None):
  """Returns a column of sequences of numbers.

  Args:
    key: Name of the feature, and of the column.
    shape: Shape of the numbers of one step.
    default_value: The number that fills up shorter sequences.
    dtype: Type of the feature: a kind of integer or float.
    normalizer_fn: Function of the dense tensor, called before the conversion to float32.

  Raises:
    ValueError: The key is no string, or the shape or the type is none that can be.
    TypeError: A dimension is no integer, or the normalizer cannot be called.
  """
  shape = numeric.checked_shape(shape, key)
  numeric.check_type(dtype, key)
  numeric.check_normalizer(normalizer_fn)
  return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)


class SequenceNumericColumn(
  columns.SequenceDenseColumn,
  collections.namedtuple("SequenceNumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn")),
):
  """See sequence_numeric_column."""

  __slots__ = ()

  @property
  def name(self):
    return self.key

  @property
  def parse_example_spec(self):
    return {self.key: VarLenFeature(self.dtype)}

  @property
  def parents(self):
    return [self.key]

  @property
  def variable_shape(self):
    return tensor_shape.TensorShape(self.shape)

  @property
  def _variable_shape(self):
    return self.variable_shape

  def _transform_feature(self, inputs):
    value = inputs.get(self.key)
    if not isinstance(value, composite.SparseTensor):
      raise TypeError(f"sequence_column feature must be a SparseTensor. key: {self.key}. Given: {value}")
    dense = tf.sparse_tensor_to_dense(value, default_value=self.default_value)
    dense = tf.reshape(dense, shape=tf.concat([tf.shape(dense)[:1], [-1], self.variable_shape.as_list()], axis=0))
    if self.normalizer_fn is not None:
      dense = self.normalizer_fn(dense)
    return tf.cast(dense, dtypes.float32)

  def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    value = inputs.get(self.key)
    dense = inputs.get(self)
    # Values of three dimensions say their steps themselves.
    elements = self.variable_shape.num_elements() if _rank(value) == 2 else 1
    return columns.SequenceDenseColumn.TensorSequenceLengthPair(dense, lengths(value, elements))


def _rank(value):
  rank = value.dense_shape.get_shape().as_list()[0] if value.dense_shape.get_shape().ndims else None
  return 2 if rank is None else rank
