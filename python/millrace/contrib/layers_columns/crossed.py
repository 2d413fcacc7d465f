"""Combinations of categories, of tf.contrib.layers."""

import collections

import millrace as tf
from millrace.contrib.layers_columns import column as columns
from millrace.contrib.layers_columns import keyless_hashes
from millrace.contrib.layers_columns.numbers import _BucketizedColumn
from millrace.contrib.layers_columns.sparse import _SparseColumn


def crossed_column(columns, hash_bucket_size, combiner="sum", ckpt_to_load_from=None, tensor_name_in_ckpt=None, hash_key=None):
  """Returns a column of all combinations of the categories of an example, as the hash of each modulo `hash_bucket_size`.

  With a key the hashes are those of tf.feature_column.crossed_column, without one those of keyless_hashes.py.

  Args:
    columns: Columns of categories, buckets and combinations: two at least.
    hash_bucket_size: How many ids there are.
    combiner: What becomes of several ids in a linear model: "mean", "sqrtn" or "sum".
    ckpt_to_load_from: Path of a checkpoint that has the first weights of a linear model.
    tensor_name_in_ckpt: Their name there.
    hash_key: Key of the hash, or None.

  Raises:
    TypeError: A column is of another kind.
    ValueError: There is one column only, there are no ids, or one of checkpoint and name is missing.
  """
  columns = tuple(columns)
  for column in columns:
    if not isinstance(column, (_SparseColumn, _BucketizedColumn, _CrossedColumn)):
      raise TypeError(
        "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn instances. "
        f"(column {column} is a {type(column).__name__})"
      )
  if len(columns) < 2:
    raise ValueError(f"columns must contain at least 2 elements. columns: {columns}")
  if hash_bucket_size < 1:
    raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}")
  _check_combiner(combiner)
  if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
    raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
  ordered = tuple(sorted(columns, key=lambda column: column.name))
  return _CrossedColumn(ordered, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt)


_check_combiner = columns.check_combiner


class _CrossedColumn(
  columns.OldColumn,
  collections.namedtuple(
    "_CrossedColumn",
    ("columns", "hash_bucket_size", "hash_key", "combiner", "ckpt_to_load_from", "tensor_name_in_ckpt"),
  ),
):
  """See crossed_column."""

  __slots__ = ()

  @property
  def name(self):
    return "_X_".join(sorted(column.name for column in self.columns))

  @property
  def config(self):
    found = {}
    for column in self.columns:
      found.update(column.config)
    return found

  @property
  def length(self):
    """The number of ids."""
    return self.hash_bucket_size

  def _leaves(self):
    found = []
    for column in self.columns:
      found.extend(column._leaves() if isinstance(column, _CrossedColumn) else [column])
    return found

  def _transform(self, features):
    values = []
    for column in self._leaves():
      if isinstance(column, _SparseColumn):
        values.append(features.get(column.column_name))
      else:
        values.append(column._as_sparse(features.get(column)))
    if not self.hash_key:
      return keyless_hashes.of_products(values, self.hash_bucket_size)
    return tf.sparse.cross_hashed(values, num_buckets=self.hash_bucket_size, hash_key=self.hash_key)

  def _wide_lookup(self, value):
    return columns.Lookup(
      ids=columns.with_rank(value, 2, self.name),
      weights=None,
      vocab_size=self.hash_bucket_size,
      initializer=tf.zeros_initializer(),
      combiner=self.combiner,
    )
