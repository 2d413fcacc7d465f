"""Tables from words to ids that give words they do not know an id by their hash."""

import collections

import numpy as np

from millrace import gen
from millrace.framework import composite, convert, dtypes, scopes
from millrace.ops.lookup import tables

__all__ = ["FastHashSpec", "HasherSpec", "IdTableWithHashBuckets", "StaticVocabularyTable", "StrongHashSpec"]


class HasherSpec(collections.namedtuple("HasherSpec", ["hasher", "key"])):
  """How strings become numbers of buckets: the name of the function and its key."""

  __slots__ = ()


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
  """The function that nobody can foresee who does not know the key, a list of two unsigned integers."""

  __slots__ = ()

  def __new__(cls, key):
    if len(key) != 2:
      raise ValueError(f"`key` must have size 2, received {len(key)}")
    if not all(isinstance(part, (int, np.integer)) for part in key):
      raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
    return super().__new__(cls, "stronghash", key)


def _is_number(dtype):
  return dtype.is_integer or dtype.is_floating


class _TableWithBuckets(tables.LookupInterface):
  """Looks up in `self._table`, if there is one; what it does not have gets one of the buckets behind its ids."""

  def _bucket(self, strings):
    if self._hasher_spec.hasher == "fasthash":
      return gen.string_to_hash_bucket_fast(strings, num_buckets=self._num_oov_buckets, name="hash_bucket")
    if self._hasher_spec.hasher == "legacy":
      return gen.string_to_hash_bucket(strings, num_buckets=self._num_oov_buckets, name="hash_bucket")
    return gen.string_to_hash_bucket_strong(
      strings, num_buckets=self._num_oov_buckets, key=list(self._hasher_spec.key), name="hash_bucket"
    )

  @property
  def name(self):
    return self._table_name

  @property
  def resource_handle(self):
    """The tensor that stands for the inner table, or None if there is none."""
    return None if self._table is None else self._table.resource_handle

  @property
  def initializer(self):
    """The operation that fills the inner table; without a table one that does nothing."""
    if self._table is not None:
      return self._table.initializer
    from millrace.ops.control_flow import basics

    with scopes.name_scope(None, "init"):
      return basics.no_op()

  init = initializer

  def size(self, name=None):
    """Returns an int64 tensor: the number of ids, those of the buckets among them."""
    with scopes.name_scope(name, f"{self.name}_Size"):
      known = convert.convert_to_tensor(0, dtype=dtypes.int64) if self._table is None else self._table.size()
      return known + self._num_oov_buckets

  def lookup(self, keys, name=None):
    """Returns int64 ids for keys, a tensor or a SparseTensor."""
    if keys.dtype.base_dtype != self._key_dtype:
      raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}")
    values = keys.values if isinstance(keys, composite.SparseTensor) else keys
    if self._table is not None and self._table.key_dtype.base_dtype == dtypes.int64:
      from millrace.ops.math.casts import cast

      values = cast(values, dtypes.int64)
    if self._num_oov_buckets == 0:
      ids = self._table.lookup(values, name=name)
    else:
      with scopes.name_scope(name, f"{self.name}_Lookup"):
        ids = self._ids(values)
    if isinstance(keys, composite.SparseTensor):
      return composite.SparseTensor(keys.indices, ids, keys.dense_shape)
    return ids

  def _ids(self, values):
    from millrace.ops.math import binary

    strings = gen.as_string(values) if _is_number(values.dtype) else values
    buckets = self._bucket(strings)
    if self._table is None:
      return buckets
    ids = self._table.lookup(values)
    buckets = binary.add(buckets, self._table.size(), name="Add")
    found = binary.not_equal(ids, self._table.default_value)
    return gen.select_v2(found, ids, buckets)


class IdTableWithHashBuckets(_TableWithBuckets):
  """Adds buckets for unknown words to a table from words to ids, or is made of buckets alone if the table is None."""

  def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None, key_dtype=None):
    if key_dtype is None:
      key_dtype = dtypes.string if table is None else table.key_dtype
    key_dtype = dtypes.as_dtype(key_dtype)
    if table is not None:
      name = name or table.name
      if not key_dtype.is_integer and key_dtype != dtypes.string:
        raise TypeError(f"Invalid `key_dtype`, expected integer or string, but got {key_dtype}.")
      if table.key_dtype.is_integer != key_dtype.is_integer:
        raise TypeError(
          "Invalid `key dtype`, expected {} but got {}.".format(
            "integer" if key_dtype.is_integer else "non-integer", table.key_dtype
          )
        )
      if table.value_dtype != dtypes.int64:
        raise TypeError(f"Invalid `value_dtype`, expected int64 but got {table.value_dtype}.")
      self._table = table
    else:
      if num_oov_buckets <= 0:
        raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
      self._table = None
      name = name or "hash_bucket"
    self._num_oov_buckets = num_oov_buckets
    _check_hasher(hasher_spec)
    self._hasher_spec = hasher_spec
    super().__init__(key_dtype, dtypes.int64)
    self._table_name = name.split("/")[-1]

  @property
  def resource_handle(self):
    """The tensor that stands for the inner table, or None if there is none."""
    return None if self._table is None else self._table.resource_handle


def _check_hasher(spec):
  if not isinstance(spec, HasherSpec):
    raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {spec}")


class StaticVocabularyTable(_TableWithBuckets):
  """From words to ids: those of an initializer have their own, all others share `num_oov_buckets` ids behind them."""

  def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None):
    if num_oov_buckets <= 0:
      raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
    if initializer:
      if initializer.value_dtype != dtypes.int64:
        raise TypeError(f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}.")
      if initializer.key_dtype not in (dtypes.int64, dtypes.string):
        raise TypeError(f"Invalid `key_dtype`, expected one of {(dtypes.int64, dtypes.string)}, but got {initializer.key_dtype}.")
      self._table = tables.HashTable(initializer, default_value=-1)
      name = name or self._table.name
      key_dtype = dtypes.as_dtype(lookup_key_dtype or initializer.key_dtype)
      if key_dtype.is_integer != initializer.key_dtype.is_integer:
        raise TypeError(
          "Invalid `key_dtype`, expected {} but got {}.".format(
            "integer" if key_dtype.is_integer else "non-integer", initializer.key_dtype
          )
        )
    else:
      self._table = None
      name = name or "hash_bucket"
      key_dtype = dtypes.as_dtype(lookup_key_dtype or dtypes.string)
    self._num_oov_buckets = num_oov_buckets
    self._hasher_spec = FastHashSpec
    self._table_name = name.split("/")[-1]
    super().__init__(key_dtype, dtypes.int64)
