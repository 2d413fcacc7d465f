"""All names of tables in one module, as programs import them."""

from millrace.ops.lookup.index_tables import (
  index_table_from_file,
  index_table_from_tensor,
  index_to_string_table_from_file,
  index_to_string_table_from_tensor,
)
from millrace.ops.lookup.initializers import (
  KeyValueTensorInitializer,
  TableInitializerBase,
  TextFileIdTableInitializer,
  TextFileIndex,
  TextFileInitializer,
  TextFileStringTableInitializer,
)
from millrace.ops.lookup.mutable import DenseHashTable, MutableDenseHashTable, MutableHashTable
from millrace.ops.lookup.tables import (
  HashTable,
  InitializableLookupTableBase,
  LookupInterface,
  StaticHashTable,
  initialize_all_tables,
  tables_initializer,
)
from millrace.ops.lookup.vocabulary import FastHashSpec, HasherSpec, IdTableWithHashBuckets, StaticVocabularyTable, StrongHashSpec

__all__ = [
  "DenseHashTable",
  "FastHashSpec",
  "HashTable",
  "HasherSpec",
  "IdTableWithHashBuckets",
  "InitializableLookupTableBase",
  "KeyValueTensorInitializer",
  "LookupInterface",
  "MutableDenseHashTable",
  "MutableHashTable",
  "StaticHashTable",
  "StaticVocabularyTable",
  "StrongHashSpec",
  "TableInitializerBase",
  "TextFileIdTableInitializer",
  "TextFileIndex",
  "TextFileInitializer",
  "TextFileStringTableInitializer",
  "index_table_from_file",
  "index_table_from_tensor",
  "index_to_string_table_from_file",
  "index_to_string_table_from_tensor",
  "initialize_all_tables",
  "tables_initializer",
]
