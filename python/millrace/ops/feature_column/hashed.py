"""Categories by their hash, and categories that are numbers already."""

import collections

import millrace as tf
from millrace import gen
from millrace.framework import composite, dtypes
from millrace.ops.feature_column import column as columns
from millrace.ops.feature_column import inputs as feature_inputs
from millrace.ops.parsing.features import VarLenFeature


def check_type(dtype, prefix):
  """Raises ValueError for types other than strings and integers."""
  if dtype != dtypes.string and not dtype.is_integer:
    raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
  """Returns a column of categories whose ids are the hash of their text, modulo `hash_bucket_size`.

  Args:
    key: Name of the feature, and of the column. Of dense features, "" and -1 mean that there is none.
    hash_bucket_size: How many ids there are.
    dtype: Type of the feature: string or a kind of integer.

  Raises:
    ValueError: There are no ids, the type is another one, or the key is no string.
  """
  if hash_bucket_size is None:
    raise ValueError(f"hash_bucket_size must be set. key: {key}")
  if hash_bucket_size < 1:
    raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
  columns.check_key(key)
  check_type(dtype, f"column_name: {key}")
  return HashedCategoricalColumn(key, hash_bucket_size, dtype)


class HashedCategoricalColumn(
  columns.CategoricalColumn,
  collections.namedtuple("HashedCategoricalColumn", ("key", "hash_bucket_size", "dtype")),
):
  """See categorical_column_with_hash_bucket."""

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
  def num_buckets(self):
    return self.hash_bucket_size

  def _transform_feature(self, inputs):
    return self._transformed(feature_inputs.to_sparse(inputs.get(self.key)))

  def _transformed(self, value):
    check_type(value.dtype, f"column_name: {self.key} input_tensor")
    if self.dtype.is_integer != value.dtype.is_integer:
      raise ValueError(
        f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: {self.dtype}, tensor dtype: "
        f"{value.dtype}"
      )
    texts = value.values if self.dtype == dtypes.string else tf.as_string(value.values)
    ids = gen.string_to_hash_bucket_fast(texts, num_buckets=self.hash_bucket_size, name="lookup")
    return composite.SparseTensor(value.indices, ids, value.dense_shape)


def categorical_column_with_identity(key, num_buckets, default_value=None):
  """Returns a column of categories that are ids already.

  Args:
    key: Name of the feature, and of the column: integers. Of dense ones, -1 means that there is none.
    num_buckets: How many ids there are.
    default_value: The id in place of those below 0 or not below `num_buckets`. With None, those below 0 are none, and larger ones
      fail where a table is read.

  Raises:
    ValueError: There are no ids, the default is none of them, or the key is no string.
  """
  if num_buckets < 1:
    raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
  if default_value is not None and not 0 <= default_value < num_buckets:
    raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
  columns.check_key(key)
  return IdentityCategoricalColumn(key=key, number_buckets=num_buckets, default_value=default_value)


class IdentityCategoricalColumn(
  columns.CategoricalColumn,
  collections.namedtuple("IdentityCategoricalColumn", ("key", "number_buckets", "default_value")),
):
  """See categorical_column_with_identity."""

  __slots__ = ()

  @property
  def name(self):
    return self.key

  @property
  def parse_example_spec(self):
    return {self.key: VarLenFeature(dtypes.int64)}

  @property
  def parents(self):
    return [self.key]

  @property
  def num_buckets(self):
    return self.number_buckets

  def _transform_feature(self, inputs):
    return self._transformed(feature_inputs.to_sparse(inputs.get(self.key)))

  def _transformed(self, value):
    if not value.dtype.is_integer:
      raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {value.dtype}")
    ids = value.values
    if ids.dtype != dtypes.int64:
      ids = tf.cast(ids, dtypes.int64, name="values")
    if self.default_value is not None:
      ids = self._in_range(tf.cast(value.values, dtypes.int64, name="values") if ids is not value.values else ids)
    return composite.SparseTensor(value.indices, ids, value.dense_shape)

  def _in_range(self, ids):
    count = tf.cast(self.number_buckets, dtypes.int64, name="num_buckets")
    zero = tf.cast(0, dtypes.int64, name="zero")
    outside = tf.logical_or(tf.less(ids, zero), tf.greater_equal(ids, count), name="out_of_range")
    defaults = tf.fill(dims=tf.shape(ids), value=tf.cast(self.default_value, dtypes.int64), name="default_values")
    return gen.select_v2(outside, defaults, ids)
