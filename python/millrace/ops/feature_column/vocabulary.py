"""Categories by their place in a list or a file of words."""

import collections

import numpy as np

import millrace as tf
from millrace.framework import composite, dtypes
from millrace.ops.feature_column import column as columns
from millrace.ops.feature_column import inputs as feature_inputs
from millrace.ops.feature_column.hashed import check_type
from millrace.ops.parsing.features import VarLenFeature


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
  """Returns a column of categories whose ids are their places in a list.

  Args:
    key: Name of the feature, and of the column. Of dense features, "" and -1 mean that there is none.
    vocabulary_list: The words, or integers, each once.
    dtype: Type of the feature: string or a kind of integer; None takes that of the list.
    default_value: The id of others; -1 means that they are none.
    num_oov_buckets: How many ids behind those of the list others share, by their hash; not together with a default.

  Raises:
    ValueError: The list is empty or has something twice, types do not fit, or the other arguments are none that can be.
  """
  if vocabulary_list is None or len(vocabulary_list) < 1:
    raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
  if len(set(vocabulary_list)) != len(vocabulary_list):
    raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
  of_list = dtypes.as_dtype(np.array(vocabulary_list).dtype)
  _check_others(key, default_value, num_oov_buckets)
  check_type(of_list, f"column_name: {key} vocabulary")
  dtype = of_list if dtype is None else dtypes.as_dtype(dtype)
  if dtype.is_integer != of_list.is_integer:
    raise ValueError(f"dtype {dtype} and vocabulary dtype {of_list} do not match, column_name: {key}")
  check_type(dtype, f"column_name: {key}")
  columns.check_key(key)
  return VocabularyListCategoricalColumn(
    key=key,
    vocabulary_list=tuple(vocabulary_list),
    dtype=dtype,
    default_value=default_value,
    num_oov_buckets=num_oov_buckets,
  )


def _check_others(key, default_value, num_oov_buckets):
  if not num_oov_buckets:
    return
  if default_value not in (-1, None):
    raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
  if num_oov_buckets < 0:
    raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


class _VocabularyColumn(columns.CategoricalColumn):
  """What both kinds of vocabularies share. `_lookup_table` makes the table of a graph, for keys of the type `key_dtype`."""

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

  def _lookup_table(self, key_dtype):
    raise NotImplementedError("%s._lookup_table" % type(self).__name__)

  def _transform_feature(self, inputs):
    return self._transformed(feature_inputs.to_sparse(inputs.get(self.key)))

  def _transformed(self, value):
    if self.dtype.is_integer != value.dtype.is_integer:
      raise ValueError(
        f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: {self.dtype}, tensor dtype: "
        f"{value.dtype}"
      )
    check_type(value.dtype, f"column_name: {self.key} input_tensor")
    key_dtype = self.dtype
    if value.dtype.is_integer:
      # Tables have keys of int64 for all integers.
      key_dtype = dtypes.int64
      if value.dtype != dtypes.int64:
        value = composite.SparseTensor(value.indices, tf.cast(value.values, dtypes.int64), value.dense_shape)
    return self._lookup_table(key_dtype).lookup(value)


class VocabularyListCategoricalColumn(
  _VocabularyColumn,
  collections.namedtuple(
    "VocabularyListCategoricalColumn", ("key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets")
  ),
):
  """See categorical_column_with_vocabulary_list."""

  __slots__ = ()

  @property
  def num_buckets(self):
    return len(self.vocabulary_list) + self.num_oov_buckets

  def _lookup_table(self, key_dtype):
    from millrace.ops.lookup import index_tables

    return index_tables.index_table_from_tensor(
      vocabulary_list=tuple(self.vocabulary_list),
      default_value=self.default_value,
      num_oov_buckets=self.num_oov_buckets,
      dtype=key_dtype,
      name=f"{self.key}_lookup",
    )


def categorical_column_with_vocabulary_file(
  key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=dtypes.string
):
  """Returns a column of categories whose ids are the numbers of the lines of a file that they are.

  Args:
    key: Name of the feature, and of the column. Of dense features, "" and -1 mean that there is none.
    vocabulary_file: Path of a file with a word or an integer a line.
    vocabulary_size: How many of the lines count; None for all.
    num_oov_buckets: How many ids behind those of the file others share, by their hash; not together with a default.
    default_value: The id of others; None, as -1, means that they are none.
    dtype: Type of the feature: string or a kind of integer.

  Raises:
    ValueError: There is no such file, or the other arguments are none that can be.
  """
  if not vocabulary_file:
    raise ValueError(f"Missing vocabulary_file in {key}.")
  if vocabulary_size is None:
    vocabulary_size = _count_lines(key, vocabulary_file)
  elif vocabulary_size < 1:
    raise ValueError(f"Invalid vocabulary_size in {key}.")
  _check_others(key, default_value, num_oov_buckets)
  check_type(dtype, f"column_name: {key}")
  columns.check_key(key)
  return VocabularyFileCategoricalColumn(
    key=key,
    vocabulary_file=vocabulary_file,
    vocabulary_size=vocabulary_size,
    num_oov_buckets=0 if num_oov_buckets is None else num_oov_buckets,
    default_value=-1 if default_value is None else default_value,
    dtype=dtype,
  )


def _count_lines(key, path):
  from millrace.platform import gfile, logging

  if not gfile.Exists(path):
    raise ValueError(f"vocabulary_file in {key} does not exist.")
  with gfile.GFile(path, mode="rb") as file:
    count = sum(1 for _ in file)
  logging.info("vocabulary_size = %d in %s is inferred from the number of elements in the vocabulary_file %s.", count, key, path)
  return count


class VocabularyFileCategoricalColumn(
  _VocabularyColumn,
  collections.namedtuple(
    "VocabularyFileCategoricalColumn",
    ("key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value"),
  ),
):
  """See categorical_column_with_vocabulary_file."""

  __slots__ = ()

  @property
  def num_buckets(self):
    return self.vocabulary_size + self.num_oov_buckets

  def _lookup_table(self, key_dtype):
    from millrace.ops.lookup import index_tables

    return index_tables.index_table_from_file(
      vocabulary_file=self.vocabulary_file,
      num_oov_buckets=self.num_oov_buckets,
      vocab_size=self.vocabulary_size,
      default_value=self.default_value,
      key_dtype=key_dtype,
      name=f"{self.key}_lookup",
    )
