"""Tables whose contents change as steps run, and which savers write into checkpoints."""

from millrace import gen
from millrace.framework import convert, dtypes, scopes
from millrace.framework.graph import add_to_collection
from millrace.framework.graph_keys import GraphKeys
from millrace.ops.lookup.tables import LookupInterface

__all__ = ["DenseHashTable", "MutableDenseHashTable", "MutableHashTable"]


class _MutableTable(LookupInterface):
  """What both kinds have in common: `_default_value`, `_resource_handle`, `_name` and `_value_shape`."""

  @property
  def name(self):
    return self._name

  @property
  def resource_handle(self):
    """The tensor that stands for the table."""
    return self._resource_handle

  table_ref = resource_handle

  def _take_handle(self, handle, name, checkpoint):
    self._resource_handle = handle
    self._name = handle.op.name.split("/")[-1]
    if checkpoint:
      add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _saveable(self, name))

  def _check_keys(self, keys):
    if keys.dtype.base_dtype != self._key_dtype:
      raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}")

  def size(self, name=None):
    """Returns an int64 tensor: the number of keys."""
    with scopes.name_scope(name, f"{self.name}_Size", [self.resource_handle]), scopes.colocate_with(self.resource_handle):
      return gen.lookup_table_size_v2(self.resource_handle)

  def remove(self, keys, name=None):
    """Returns the operation that removes keys; those that are not there are ignored."""
    self._check_keys(keys)
    with scopes.name_scope(name, f"{self.name}_lookup_table_remove", (self.resource_handle, keys)):
      return gen.lookup_table_remove_v2(self.resource_handle, keys)

  def lookup(self, keys, name=None):
    """Returns the values of keys; the default value for those that are not there."""
    with scopes.name_scope(name, f"{self.name}_lookup_table_find", (self.resource_handle, keys, self._default_value)):
      keys = convert.convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
      with scopes.colocate_with(self.resource_handle):
        values = gen.lookup_table_find_v2(self.resource_handle, keys, self._default_value)
    values.set_shape(keys.get_shape().concatenate(self._value_shape))
    return values

  def insert(self, keys, values, name=None):
    """Returns the operation that gives keys values, also those that have one."""
    with scopes.name_scope(name, f"{self.name}_lookup_table_insert", [self.resource_handle]):
      keys = convert.convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
      values = convert.convert_to_tensor(values, dtype=self._value_dtype, name="values")
      with scopes.colocate_with(self.resource_handle):
        return gen.lookup_table_insert_v2(self.resource_handle, keys, values)

  def export(self, name=None):
    """Returns (keys, values) of the whole table, in any order."""
    scope = scopes.name_scope(name, f"{self.name}_lookup_table_export_values", [self.resource_handle])
    with scope, scopes.colocate_with(self.resource_handle):
      return gen.lookup_table_export_v2(self.resource_handle, self._key_dtype, self._value_dtype)


class MutableHashTable(_MutableTable):
  """A table whose values are scalars, or tensors of the default value's shape."""

  def __init__(self, key_dtype, value_dtype, default_value, shared_name=None, name="MutableHashTable", checkpoint=True):
    super().__init__(key_dtype, value_dtype)
    self._default_value = convert.convert_to_tensor(default_value, dtype=self._value_dtype)
    self._value_shape = self._default_value.get_shape()
    options = {
      "key_dtype": self._key_dtype,
      "value_dtype": self._value_dtype,
      "shared_name": shared_name or "",
      "use_node_name_sharing": checkpoint and shared_name is None,
      "name": name,
    }
    if self._value_shape.ndims == 0:
      handle = gen.mutable_hash_table_v2(**options)
    else:
      handle = gen.mutable_hash_table_of_tensors_v2(value_shape=self._value_shape, **options)
    self._take_handle(handle, name, checkpoint)


class DenseHashTable(_MutableTable):
  """A table in one array: fast, and with two keys that are never used. `initial_num_buckets` is a power of two."""

  def __init__(
    self,
    key_dtype,
    value_dtype,
    default_value,
    empty_key,
    deleted_key,
    initial_num_buckets=None,
    name="MutableDenseHashTable",
    checkpoint=True,
  ):
    self._open(key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets, None, name, checkpoint)

  def _open(
    self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets, shared_name, name, checkpoint
  ):
    LookupInterface.__init__(self, key_dtype, value_dtype)
    self._default_value = convert.convert_to_tensor(default_value, dtype=self._value_dtype, name="default_value")
    self._value_shape = self._default_value.get_shape()
    empty_key = convert.convert_to_tensor(empty_key, dtype=self._key_dtype, name="empty_key")
    deleted_key = convert.convert_to_tensor(deleted_key, dtype=self._key_dtype, name="deleted_key")
    handle = gen.mutable_dense_hash_table_v2(
      empty_key=empty_key,
      deleted_key=deleted_key,
      value_dtype=self._value_dtype,
      value_shape=self._value_shape,
      initial_num_buckets=initial_num_buckets or 131072,
      shared_name=shared_name or "",
      use_node_name_sharing=checkpoint and shared_name is None,
      name=name,
    )
    self._take_handle(handle, name, checkpoint)

  def insert_or_assign(self, keys, values, name=None):
    """The same as insert."""
    return self.insert(keys, values, name)

  def erase(self, keys, name=None):
    """The same as remove."""
    return self.remove(keys, name)


class MutableDenseHashTable(DenseHashTable):
  """DenseHashTable as tf.contrib.lookup has it, with a name under which sessions share it."""

  def __init__(
    self,
    key_dtype,
    value_dtype,
    default_value,
    empty_key,
    deleted_key=None,
    initial_num_buckets=None,
    shared_name=None,
    name="MutableDenseHashTable",
    checkpoint=True,
  ):
    if deleted_key is None:
      deleted_key = "$" if dtypes.as_dtype(key_dtype) == dtypes.string else -1
    self._open(key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets, shared_name, name, checkpoint)


def _saveable(table, name):
  """What savers write of a table: its keys and values."""
  from millrace.train.saver.saveable import SaveableObject, SaveSpec

  class TableSaveable(SaveableObject):
    def __init__(self):
      keys, values = table.export()
      specs = [SaveSpec(keys, "", name + "-keys"), SaveSpec(values, "", name + "-values")]
      super().__init__(table, specs, name)

    def restore(self, restored_tensors, restored_shapes):
      with scopes.name_scope(f"{name}_table_restore"), scopes.colocate_with(table.resource_handle):
        return gen.lookup_table_import_v2(table.resource_handle, restored_tensors[0], restored_tensors[1])

  return TableSaveable()
