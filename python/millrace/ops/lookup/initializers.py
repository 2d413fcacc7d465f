"""What fills tables: tensors, and columns of text files."""

from millrace import gen
from millrace.framework import convert, dtypes, scopes
from millrace.framework.graph import add_to_collection
from millrace.framework.graph_keys import GraphKeys
from millrace.ops.lookup import tables
from millrace.ops.lookup.types import KeyValueTypes

__all__ = [
  "KeyValueTensorInitializer",
  "TableInitializerBase",
  "TextFileIdTableInitializer",
  "TextFileIndex",
  "TextFileInitializer",
  "TextFileStringTableInitializer",
]


class TableInitializerBase(KeyValueTypes):
  """Knows the types of a table, and makes the operation that fills it."""

  def initialize(self, table):
    """Returns the operation that fills a table."""
    raise NotImplementedError

  @property
  def _shared_name(self):
    """The name under which tables with the same contents are one, or "" """
    return ""


class KeyValueTensorInitializer(TableInitializerBase):
  """Keys and values are tensors, or what becomes tensors, of one shape."""

  def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
    with scopes.outside_of_branches():
      self._keys = convert.convert_to_tensor(keys, dtype=key_dtype, name="keys")
      self._values = convert.convert_to_tensor(values, dtype=value_dtype, name="values")
    self._name = name if name is not None else "key_value_init"
    super().__init__(self._keys.dtype.base_dtype, self._values.dtype.base_dtype)

  def initialize(self, table):
    """Returns the operation that fills a table."""
    tables.check_table_dtypes(table, self._keys.dtype, self._values.dtype)
    with scopes.name_scope(self._name, values=(table.resource_handle, self._keys, self._values)):
      return tables.note_initializer(gen.lookup_table_import_v2(table.resource_handle, self._keys, self._values))


class TextFileIndex:
  """What of a line of a text file is meant, if not one of its columns."""

  WHOLE_LINE = -2
  LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
  """Keys and values are columns of the lines of a file, whole lines, or their numbers."""

  def __init__(
    self,
    filename,
    key_dtype,
    key_index,
    value_dtype,
    value_index,
    vocab_size=None,
    delimiter="\t",
    name=None,
  ):
    if not hasattr(filename, "dtype") and not filename:
      raise ValueError(f"Filename required for {name}.")
    key_dtype, value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
    _check_column("key", key_dtype, key_index)
    _check_column("value", value_dtype, value_index)
    if vocab_size is not None and vocab_size <= 0:
      raise ValueError(f"Invalid vocab_size {vocab_size}.")
    self._key_index = key_index
    self._value_index = value_index
    self._vocab_size = vocab_size
    self._delimiter = delimiter
    self._name = name if name is not None else "text_file_init"
    self._path = filename
    with scopes.init_scope(), scopes.device("CPU"):
      self._filename = convert.convert_to_tensor(filename, dtype=dtypes.string, name="asset_path")
    super().__init__(key_dtype, value_dtype)

  def initialize(self, table):
    """Returns the operation that fills a table."""
    tables.check_table_dtypes(table, self.key_dtype, self.value_dtype)
    with scopes.name_scope(self._name, values=(table.resource_handle,)):
      made = gen.initialize_table_from_text_file_v2(
        table.resource_handle,
        self._filename,
        key_index=self._key_index,
        value_index=self._value_index,
        vocab_size=-1 if self._vocab_size is None else self._vocab_size,
        delimiter=self._delimiter,
      )
    tables.note_initializer(made)
    if self._filename.op.type == "Const":
      add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
    return made

  @property
  def _shared_name(self):
    path = self._path
    if hasattr(path, "dtype"):
      path = self._filename.op.name
    if isinstance(path, bytes):
      path = path.decode()
    if self._vocab_size:
      return f"hash_table_{path}_{self._vocab_size}_{self._key_index}_{self._value_index}"
    return f"hash_table_{path}_{self._key_index}_{self._value_index}"


def _check_column(what, dtype, index):
  if index < -2:
    raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
  if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
    raise ValueError(f"`{what}_dtype` must be int64 if `{what}_index` is {index}, received: {dtype}")
  if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != dtypes.string:
    raise ValueError(f"`{what}_dtype` should be either integer or string for `{what}_index` {index}, received: {dtype}")


class TextFileStringTableInitializer(TextFileInitializer):
  """From numbers of lines, int64, to their texts."""

  def __init__(
    self,
    filename,
    key_column_index=TextFileIndex.LINE_NUMBER,
    value_column_index=TextFileIndex.WHOLE_LINE,
    vocab_size=None,
    delimiter="\t",
    name="text_file_string_table_init",
  ):
    super().__init__(filename, dtypes.int64, key_column_index, dtypes.string, value_column_index, vocab_size, delimiter, name)


class TextFileIdTableInitializer(TextFileInitializer):
  """From texts of lines, or integers that they are, to their numbers."""

  def __init__(
    self,
    filename,
    key_column_index=TextFileIndex.WHOLE_LINE,
    value_column_index=TextFileIndex.LINE_NUMBER,
    vocab_size=None,
    delimiter="\t",
    name="text_file_id_table_init",
    key_dtype=dtypes.string,
  ):
    super().__init__(filename, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size, delimiter, name)
