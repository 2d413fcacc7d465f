"""Lookup tables that are filled once, by an initializer."""

import uuid

from millrace import gen
from millrace.framework import composite, convert, scopes
from millrace.framework.graph import add_to_collection, get_collection
from millrace.framework.graph_keys import GraphKeys
from millrace.ops.lookup.types import KeyValueTypes

__all__ = [
  "HashTable",
  "InitializableLookupTableBase",
  "LookupInterface",
  "StaticHashTable",
  "check_table_dtypes",
  "tables_initializer",
]


class LookupInterface(KeyValueTypes):
  """What all tables have: types, a name, `size` and `lookup`."""

  @property
  def name(self):
    """The name of the table."""
    raise NotImplementedError

  def size(self, name=None):
    """Returns an int64 tensor: the number of keys."""
    raise NotImplementedError

  def lookup(self, keys, name=None):
    """Returns the values of keys."""
    raise NotImplementedError


class InitializableLookupTableBase(LookupInterface):
  """A table that an operation of an initializer fills; `tf.tables_initializer` runs those of all tables."""

  def __init__(self, default_value, initializer):
    super().__init__(initializer.key_dtype, initializer.value_dtype)
    self._default_value = convert.convert_to_tensor(default_value, dtype=self._value_dtype)
    self._default_value.get_shape().merge_with([])
    self._initializer = initializer
    with scopes.init_scope():
      self._resource_handle = self._create_resource()
    with scopes.outside_of_branches():
      self._init_op = self._initialize()

  def _create_resource(self):
    raise NotImplementedError

  def _initialize(self):
    return self._initializer.initialize(self)

  @property
  def resource_handle(self):
    """The tensor that stands for the table."""
    return self._resource_handle

  @property
  def table_ref(self):
    """The same as resource_handle."""
    return self._resource_handle

  @property
  def default_value(self):
    """The value of keys that the table does not have."""
    return self._default_value

  @property
  def initializer(self):
    """The operation that fills the table."""
    return self._init_op

  @property
  def init(self):
    """The same as initializer."""
    return self._init_op

  def size(self, name=None):
    """Returns an int64 tensor: the number of keys."""
    with scopes.name_scope(name, f"{self.name}_Size", [self.resource_handle]):
      return gen.lookup_table_size_v2(self.resource_handle)

  def lookup(self, keys, name=None):
    """Returns the values of keys, a tensor or SparseTensor of the keys' type; the default value for those that are not there."""
    key_tensor = keys.values if isinstance(keys, composite.SparseTensor) else keys
    if keys.dtype.base_dtype != self._key_dtype:
      raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}")
    with scopes.name_scope(name, f"{self.name}_Lookup", (self.resource_handle, key_tensor, self._default_value)):
      values = gen.lookup_table_find_v2(self.resource_handle, key_tensor, self._default_value)
    values.set_shape(key_tensor.get_shape())
    if isinstance(keys, composite.SparseTensor):
      return composite.SparseTensor(keys.indices, values, keys.dense_shape)
    return values


class StaticHashTable(InitializableLookupTableBase):
  """A table whose contents do not change once it is filled. Sessions that share a table of a file share its memory."""

  def __init__(self, initializer, default_value, name=None):
    self._shared_name = initializer._shared_name or f"hash_table_{uuid.uuid4()}"
    self._name = name or "hash_table"
    self._table_name = None
    super().__init__(default_value, initializer)
    self._value_shape = self._default_value.get_shape()

  def _create_resource(self):
    table = gen.hash_table_v2(
      shared_name=self._shared_name, key_dtype=self._key_dtype, value_dtype=self._value_dtype, name=self._name
    )
    self._table_name = table.op.name.split("/")[-1]
    return table

  @property
  def name(self):
    return self._table_name

  def export(self, name=None):
    """Returns (keys, values) of the whole table, in any order."""
    with scopes.name_scope(name, f"{self.name}_Export", [self.resource_handle]):
      keys, values = gen.lookup_table_export_v2(self.resource_handle, self._key_dtype, self._value_dtype)
    values.set_shape(keys.get_shape().concatenate(self._value_shape))
    return keys, values


class HashTable(StaticHashTable):
  """The older name of StaticHashTable."""


def check_table_dtypes(table, key_dtype, value_dtype):
  """Raises TypeError unless a table has these types."""
  if key_dtype.base_dtype != table.key_dtype:
    raise TypeError(f"Invalid key dtype for table, expected {table.key_dtype} but got {key_dtype}.")
  if value_dtype.base_dtype != table.value_dtype:
    raise TypeError(f"Invalid value dtype for table, expected {table.value_dtype} but got {value_dtype}.")


def tables_initializer(name="init_all_tables"):
  """Returns the operation that fills all tables of the graph, or does nothing if there are none."""
  from millrace.ops.control_flow import basics

  initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
  return basics.group(*initializers, name=name) if initializers else basics.no_op(name=name)


def initialize_all_tables(name="init_all_tables"):
  """The older name of tables_initializer."""
  return tables_initializer(name)


def note_initializer(operation):
  """Makes tables_initializer run an operation, which it returns."""
  add_to_collection(GraphKeys.TABLE_INITIALIZERS, operation)
  return operation
