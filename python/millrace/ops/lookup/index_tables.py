"""Functions that make the usual tables between words and their numbers."""

from millrace.framework import convert, dtypes, scopes
from millrace.ops.lookup import initializers, tables
from millrace.ops.lookup.initializers import TextFileIndex
from millrace.ops.lookup.vocabulary import FastHashSpec, IdTableWithHashBuckets

__all__ = [
  "index_table_from_file",
  "index_table_from_tensor",
  "index_to_string_table_from_file",
  "index_to_string_table_from_tensor",
]


def _is_missing(name):
  return not hasattr(name, "dtype") and not name


def index_table_from_file(
  vocabulary_file=None,
  num_oov_buckets=0,
  vocab_size=None,
  default_value=-1,
  hasher_spec=FastHashSpec,
  key_dtype=dtypes.string,
  name=None,
  key_column_index=TextFileIndex.WHOLE_LINE,
  value_column_index=TextFileIndex.LINE_NUMBER,
  delimiter="\t",
):
  """Returns a table from the lines of a file to their numbers; others get `default_value`, or one of the buckets' ids."""
  if _is_missing(vocabulary_file):
    raise ValueError("`vocabulary_file` must be specified and must not be empty.")
  if num_oov_buckets < 0:
    raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
  if vocab_size is not None and vocab_size < 1:
    raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size} for vocabulary_file: {vocabulary_file}.")
  key_dtype = dtypes.as_dtype(key_dtype)
  if not key_dtype.is_integer and key_dtype.base_dtype != dtypes.string:
    raise TypeError("Dtype for `keys` should be either integer or string.")
  with scopes.name_scope(name, "string_to_index"), scopes.name_scope(None, "hash_table"):
    init = initializers.TextFileIdTableInitializer(
      vocabulary_file,
      vocab_size=vocab_size,
      key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype,
      name="table_init",
      key_column_index=key_column_index,
      value_column_index=value_column_index,
      delimiter=delimiter,
    )
    return _with_buckets(tables.StaticHashTable(init, default_value), num_oov_buckets, hasher_spec, key_dtype)


def _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype):
  if not num_oov_buckets:
    return table
  return IdTableWithHashBuckets(table, num_oov_buckets=num_oov_buckets, hasher_spec=hasher_spec, key_dtype=key_dtype)


def index_table_from_tensor(
  vocabulary_list, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, dtype=dtypes.string, name=None
):
  """Returns a table from the elements of a vector to their numbers; others get `default_value`, or one of the buckets' ids."""
  if vocabulary_list is None:
    raise ValueError("`vocabulary_list` must be specified.")
  if num_oov_buckets < 0:
    raise ValueError(f"`num_oov_buckets` must be greater or equal than 0, got {num_oov_buckets}.")
  dtype = dtypes.as_dtype(dtype)
  if not dtype.is_integer and dtype.base_dtype != dtypes.string:
    raise TypeError("`dtype` must either be integer or string.")
  from millrace.ops.math.casts import cast

  with scopes.name_scope(name, "string_to_index"):
    keys = convert.convert_to_tensor(vocabulary_list)
    if keys.dtype.is_integer != dtype.is_integer:
      raise ValueError(
        "Invalid `dtype`: Expected {}, got {}.".format("integer" if dtype.is_integer else "non-integer", keys.dtype)
      )
    if not dtype.is_integer and keys.dtype.base_dtype != dtype:
      raise ValueError(f"Invalid `dtype`: Expected {dtype}, got {keys.dtype}.")
    values = _numbers(keys)
    with scopes.name_scope(None, "hash_table"):
      table_keys = cast(keys, dtypes.int64) if keys.dtype.is_integer else keys
      init = initializers.KeyValueTensorInitializer(
        table_keys, values, table_keys.dtype.base_dtype, dtypes.int64, name="table_init"
      )
      return _with_buckets(tables.StaticHashTable(init, default_value), num_oov_buckets, hasher_spec, dtype)


def _numbers(elements):
  """Returns 0, 1, ... as int64, one for each element."""
  from millrace.ops.array.shapes import size
  from millrace.ops.math.casts import cast
  from millrace.ops.math.sequences import range as numbers

  return cast(numbers(size(elements)), dtypes.int64)


def index_to_string_table_from_file(
  vocabulary_file,
  vocab_size=None,
  default_value="UNK",
  name=None,
  key_column_index=TextFileIndex.LINE_NUMBER,
  value_column_index=TextFileIndex.WHOLE_LINE,
  delimiter="\t",
):
  """Returns a table from int64 numbers of lines to the lines of a file; other numbers get `default_value`."""
  if _is_missing(vocabulary_file):
    raise ValueError("`vocabulary_file` must be specified and must not be empty.")
  if vocab_size is not None and vocab_size < 1:
    raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
  with scopes.name_scope(name, "index_to_string"):
    init = initializers.TextFileStringTableInitializer(
      vocabulary_file,
      vocab_size=vocab_size,
      name="table_init",
      key_column_index=key_column_index,
      value_column_index=value_column_index,
      delimiter=delimiter,
    )
    return tables.StaticHashTable(init, default_value)


def index_to_string_table_from_tensor(vocabulary_list, default_value="UNK", name=None):
  """Returns a table from int64 numbers to the elements of a string vector; other numbers get `default_value`."""
  if vocabulary_list is None:
    raise ValueError("`vocabulary_list` argument must be specified.")
  with scopes.name_scope(name, "index_to_string"):
    words = convert.convert_to_tensor(vocabulary_list, dtype=dtypes.string)
    init = initializers.KeyValueTensorInitializer(_numbers(words), words, dtypes.int64, dtypes.string, name="table_init")
    return tables.StaticHashTable(init, default_value)
