"""Combinations of categories."""

import collections

from millrace.framework import dtypes
from millrace.ops.feature_column import column as columns
from millrace.ops.feature_column.hashed import HashedCategoricalColumn
from millrace.ops.parsing.features import VarLenFeature


def crossed_column(keys, hash_bucket_size, hash_key=None):
  """Returns a column of all combinations of the categories of an example, as the hash of each modulo `hash_bucket_size`.

  Args:
    keys: Names of features, and categorical columns, but no hashed ones: two at least.
    hash_bucket_size: How many ids there are.
    hash_key: The key of the hash; None for the usual one.

  Raises:
    ValueError: There are no ids, fewer than two keys, or one of another kind.
  """
  if not hash_bucket_size or hash_bucket_size < 1:
    raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
  if not keys or len(keys) < 2:
    raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
  for key in keys:
    if not isinstance(key, (str, columns.CategoricalColumn)):
      raise ValueError(
        "Unsupported key type. All keys must be either string, or categorical column except HashedCategoricalColumn. "
        f"Given: {key}"
      )
    if isinstance(key, HashedCategoricalColumn):
      raise ValueError(
        "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will increase probability of "
        f"collision. Instead, use the feature name as a string. Given: {key}"
      )
  return CrossedColumn(keys=tuple(keys), hash_bucket_size=hash_bucket_size, hash_key=hash_key)


class CrossedColumn(
  columns.CategoricalColumn,
  collections.namedtuple("CrossedColumn", ("keys", "hash_bucket_size", "hash_key")),
):
  """See crossed_column."""

  __slots__ = ()

  @property
  def name(self):
    names = [key if isinstance(key, str) else key.name for key in self._leaves()]
    return "_X_".join(sorted(names))

  @property
  def parse_example_spec(self):
    found = {}
    for key in self.keys:
      found.update({key: VarLenFeature(dtypes.string)} if isinstance(key, str) else key._parse_example_spec)
    return found

  @property
  def parents(self):
    return list(self.keys)

  @property
  def num_buckets(self):
    return self.hash_bucket_size

  def _leaves(self):
    """Returns the keys, with those of crossed columns in their place."""
    found = []
    for key in self.keys:
      found.extend(key._leaves() if isinstance(key, CrossedColumn) else [key])
    return found

  def _transform_feature(self, inputs):
    from millrace.ops.sparse import shaping

    values = []
    for key in self._leaves():
      if isinstance(key, str):
        values.append(inputs.get(key))
        continue
      pair = key._get_sparse_tensors(inputs)
      if pair.weight_tensor is not None:
        raise ValueError(
          f"crossed_column does not support weight_tensor, but the given column populates weight_tensor. Given column: {key.name}"
        )
      values.append(pair.id_tensor)
    return shaping.cross_hashed(values, num_buckets=self.hash_bucket_size, hash_key=self.hash_key)
