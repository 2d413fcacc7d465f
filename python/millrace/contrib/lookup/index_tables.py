"""Tables and look-ups whose vocabulary is a tensor called `mapping`."""

import millrace as tf
from millrace.framework.deprecation import deprecated
from millrace.ops.lookup import index_tables, tables
from millrace.ops.lookup.vocabulary import FastHashSpec


class HashTable(tables.StaticHashTable):
  """A table that an initializer fills once. Sessions share it under `shared_name`."""

  def __init__(self, initializer, default_value, shared_name=None, name=None):
    self._given_shared_name = shared_name
    super().__init__(initializer, default_value, name)

  def _create_resource(self):
    if self._given_shared_name is not None:
      self._shared_name = self._given_shared_name
    return super()._create_resource()


def index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, dtype=tf.string, name=None):
  """Returns a table from the elements of a vector of strings or integers to their numbers.

  Others get `default_value`, or one of `num_oov_buckets` numbers behind them by `hasher_spec`. Raises ValueError without a mapping.
  """
  if mapping is None:
    raise ValueError("mapping must be specified.")
  return index_tables.index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, dtype, name)


@deprecated("2017-04-10", "Use `index_table_from_tensor`.")
def string_to_index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, name=None):
  """As index_table_from_tensor, for strings."""
  return index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, name=name)


@deprecated("2017-04-10", "Use `index_table_from_file`.")
def string_to_index_table_from_file(
  vocabulary_file=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=FastHashSpec, name=None
):
  """As index_table_from_file, for strings."""
  return index_tables.index_table_from_file(
    vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype=tf.string, name=name
  )


@deprecated(
  "2017-01-07",
  "This op will be removed after the deprecation date. Please switch to index_table_from_tensor and call the lookup method of the returned table.",
)
def string_to_index(tensor, mapping, default_value=-1, name=None):
  """Returns the int64 numbers of strings by their places in a vector of strings; tf.tables_initializer has to run before."""
  return index_table_from_tensor(mapping=mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string_table_from_tensor(mapping, default_value="UNK", name=None):
  """Returns a table from int64 numbers to the elements of a vector of strings. Raises ValueError without a mapping."""
  if mapping is None:
    raise ValueError("mapping must be specified.")
  return index_tables.index_to_string_table_from_tensor(mapping, default_value, name)


@deprecated(
  "2017-01-07",
  "This op will be removed after the deprecation date. Please switch to index_to_string_table_from_tensor and call the lookup method of the returned table.",
)
def index_to_string(tensor, mapping, default_value="UNK", name=None):
  """Returns the strings at int64 places of a vector of strings; tf.tables_initializer has to run before."""
  return index_to_string_table_from_tensor(mapping=mapping, default_value=default_value, name=name).lookup(tensor)
