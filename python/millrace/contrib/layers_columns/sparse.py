"""Columns of categories: by a vocabulary, by their hash, or numbers already."""

import collections

import millrace as tf
from millrace import gen
from millrace.contrib.layers_columns import column as columns
from millrace.framework import composite
from millrace.ops.parsing.features import VarLenFeature

_FIELDS = ("column_name", "is_integerized", "bucket_size", "lookup_config", "combiner", "dtype", "hash_keys")
_Vocabulary = collections.namedtuple("_Vocabulary", ("file", "keys", "num_oov_buckets", "vocab_size", "default_value"))


class _SparseColumn(columns.OldColumn, collections.namedtuple("_SparseColumn", _FIELDS)):
  """Categories. A kind of its own says what `_ids` makes of values and how many there are, `length`."""

  __slots__ = ()

  @property
  def name(self):
    return self.column_name

  @property
  def config(self):
    return {self.column_name: VarLenFeature(self.dtype)}

  @property
  def length(self):
    """The number of ids."""
    return self.bucket_size

  def _ids(self, value):
    raise NotImplementedError("%s._ids" % type(self).__name__)

  def _transform(self, features):
    return self._ids(columns.as_sparse(features.get(self.column_name)))

  def _wide_lookup(self, value):
    return columns.Lookup(
      ids=columns.with_rank(value, 2, self.name),
      weights=None,
      vocab_size=self.length,
      initializer=tf.zeros_initializer(),
      combiner=self.combiner,
    )


class _SparseColumnIntegerized(_SparseColumn):
  """See sparse_column_with_integerized_feature."""

  __slots__ = ()

  def _ids(self, value):
    ids = tf.floormod(value.values, self.bucket_size, name="mod")
    return composite.SparseTensor(value.indices, tf.cast(ids, tf.int64), value.dense_shape)


class _SparseColumnHashed(_SparseColumn):
  """See sparse_column_with_hash_bucket."""

  __slots__ = ()

  def _ids(self, value):
    texts = tf.as_string(value.values) if self.dtype.is_integer else value.values
    if not self.hash_keys:
      ids = gen.string_to_hash_bucket_fast(texts, num_buckets=self.bucket_size, name="lookup")
      return composite.SparseTensor(value.indices, ids, value.dense_shape)
    # One id for each key, all of an example side by side.
    parts = [
      composite.SparseTensor(
        value.indices,
        gen.string_to_hash_bucket_strong(texts, num_buckets=self.bucket_size, key=list(key), name="lookup"),
        value.dense_shape,
      )
      for key in self.hash_keys
    ]
    return tf.sparse_concat(1, parts)


class _SparseColumnKeys(_SparseColumn):
  """See sparse_column_with_keys and sparse_column_with_vocabulary_file."""

  __slots__ = ()

  @property
  def length(self):
    """The number of ids."""
    return self.lookup_config.vocab_size + self.lookup_config.num_oov_buckets

  def _ids(self, value):
    from millrace.ops.lookup import index_tables

    words = self.lookup_config
    if words.keys is not None:
      table = index_tables.index_table_from_tensor(
        list(words.keys), default_value=words.default_value, dtype=self.dtype, name="lookup"
      )
    else:
      table = index_tables.index_table_from_file(
        words.file,
        num_oov_buckets=words.num_oov_buckets,
        vocab_size=words.vocab_size,
        default_value=words.default_value,
        key_dtype=self.dtype,
        name=f"{self.column_name}_lookup",
      )
    return table.lookup(value)


class _SparseColumnVocabulary(_SparseColumnKeys):
  """See sparse_column_with_vocabulary_file."""

  __slots__ = ()


def _check_type(dtype, column_name):
  if dtype != tf.string and not dtype.is_integer:
    raise ValueError(f"dtype must be string or integer. dtype: {dtype}, column_name: {column_name}")


def sparse_column_with_integerized_feature(column_name, bucket_size, combiner="sum", dtype=tf.int64):
  """Returns a column of categories that are ids, modulo `bucket_size`.

  Args:
    column_name: Name of the feature.
    bucket_size: How many ids there are.
    combiner: What becomes of several ids in a linear model: "mean", "sqrtn" or "sum".
    dtype: Type of the feature: a kind of integer.

  Raises:
    ValueError: There are no ids, or the combiner or the type is none that can be.
  """
  if bucket_size is None or bucket_size < 1:
    raise ValueError(f"bucket_size must be at least 1. bucket_size: {bucket_size}, column_name: {column_name}")
  if not dtype.is_integer:
    raise ValueError(f"dtype must be an integer if is_integerized is True. dtype: {dtype}, column_name: {column_name}.")
  columns.check_combiner(combiner)
  return _SparseColumnIntegerized(column_name, True, bucket_size, None, combiner, dtype, None)


def sparse_column_with_hash_bucket(column_name, hash_bucket_size, combiner="sum", dtype=tf.string, hash_keys=None):
  """Returns a column of categories whose ids are their hash, modulo `hash_bucket_size`.

  `hash_keys` are pairs of integers, for each of which a category has an id of its own; None for one usual id. The rest: see
  sparse_column_with_integerized_feature.
  """
  if hash_bucket_size is None or hash_bucket_size < 1:
    raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, column_name: {column_name}")
  _check_type(dtype, column_name)
  columns.check_combiner(combiner)
  keys = None if hash_keys is None else tuple(tuple(key) for key in hash_keys)
  return _SparseColumnHashed(column_name, False, hash_bucket_size, None, combiner, dtype, keys)


def sparse_column_with_keys(column_name, keys, default_value=-1, combiner="sum", dtype=tf.string):
  """Returns a column of categories whose ids are their places in the list `keys`; others get `default_value`.

  The rest: see sparse_column_with_integerized_feature.
  """
  _check_type(dtype, column_name)
  columns.check_combiner(combiner)
  keys = tuple(keys)
  words = _Vocabulary(None, keys, 0, len(keys), default_value)
  return _SparseColumnKeys(column_name, False, None, words, combiner, dtype, None)


def sparse_column_with_vocabulary_file(
  column_name, vocabulary_file, num_oov_buckets=0, vocab_size=None, default_value=-1, combiner="sum", dtype=tf.string
):
  """Returns a column of categories whose ids are the numbers of the lines of a file, of which `vocab_size` count.

  Others share `num_oov_buckets` ids behind them, or get `default_value`. The rest: see sparse_column_with_integerized_feature.
  Raises ValueError without a path or a size as well.
  """
  _check_type(dtype, column_name)
  if not vocabulary_file:
    raise ValueError(f"vocabulary_file must be set. column_name: {column_name}")
  if vocab_size is None:
    raise ValueError(f"vocab_size should be defined. column_name: {column_name}")
  columns.check_combiner(combiner)
  words = _Vocabulary(vocabulary_file, None, num_oov_buckets, vocab_size, default_value)
  return _SparseColumnVocabulary(column_name, False, None, words, combiner, dtype, None)
