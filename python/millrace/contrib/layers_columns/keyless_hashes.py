"""Hashes of combinations of categories, where no key is given: the ids by which rows of older checkpoints stand.

A combination's hash is that of the categories before, mixed with a number: that of an integer, or the fingerprint of a text.
tf.sparse.cross_hashed() has the hashes with a key.
"""

import millrace as tf
from millrace.framework import composite

_SEED = 0xDECAFCAFFE
_ADDED = 0x9E3779B97F4A7800 - (1 << 64)  # as a signed number of 64 bits


def _numbers(values):
  if values.dtype == tf.string:
    return tf.bitcast(tf.fingerprint(values), tf.int64)
  return tf.cast(values, tf.int64)


def _mixed(hashes, values):
  shifted = tf.bitwise.left_shift(hashes, tf.constant(10, tf.int64)) + tf.bitwise.right_shift(hashes, tf.constant(4, tf.int64))
  return tf.bitwise.bitwise_xor(hashes, _numbers(values) + _ADDED + shifted)


def _beginning(values):
  return _mixed(tf.fill(tf.shape(values), tf.constant(_SEED, tf.int64)), values)


def _in_buckets(hashes, num_buckets):
  """Hashes modulo the number of buckets, as the unsigned numbers that their bits are."""
  size = tf.constant(num_buckets, tf.int64)
  high_bit = tf.cast(hashes < 0, tf.int64) * ((1 << 64) % num_buckets)
  return tf.floormod(tf.floormod(hashes, size) + high_bit, size)


def of_rows(columns, num_buckets):
  """The ids of the combinations that have the first elements of all columns, the second, ...; columns are vectors."""
  hashes = _beginning(columns[0])
  for values in columns[1:]:
    hashes = _mixed(hashes, values)
  return _in_buckets(hashes, num_buckets)


def of_products(columns, num_buckets):
  """A SparseTensor of the ids of all combinations of a row's elements, the last column's places fastest.

  Columns are SparseTensors, then tensors, [batch, ...].
  """
  sparse = [column for column in columns if isinstance(column, composite.SparseTensor)]
  columns = sparse + [_whole(column) for column in columns if not isinstance(column, composite.SparseTensor)]
  batch_size = columns[0].dense_shape[0]
  rows, hashes = columns[0].indices[:, 0], _beginning(columns[0].values)
  for column in columns[1:]:
    counts = _counts(column.indices[:, 0], batch_size)
    combinations, places = _repeated(tf.gather(counts, rows))
    rows = tf.gather(rows, combinations)
    values = tf.gather(column.values, tf.gather(tf.cumsum(counts, exclusive=True), rows) + places)
    hashes = _mixed(tf.gather(hashes, combinations), values)
  counts = _counts(rows, batch_size)
  _, places = _repeated(counts)
  width = tf.reduce_max(tf.concat([counts, tf.zeros([1], tf.int64)], 0))
  return composite.SparseTensor(tf.stack([rows, places], 1), _in_buckets(hashes, num_buckets), tf.stack([batch_size, width]))


def _whole(values):
  """A tensor as a SparseTensor with all of its elements."""
  sizes = tf.shape(values)
  return composite.SparseTensor(tf.where(tf.fill(sizes, True)), tf.reshape(values, [-1]), tf.cast(sizes, tf.int64))


def _counts(rows, batch_size):
  return tf.unsorted_segment_sum(tf.ones_like(rows), rows, batch_size)


def _repeated(counts):
  """Numbers 0, 1, ..., each as often as `counts` says, and of each element which one of these it is."""
  numbers = tf.repeat(tf.range(tf.size(counts, out_type=tf.int64)), counts)
  return numbers, tf.range(tf.size(numbers, out_type=tf.int64)) - tf.gather(tf.cumsum(counts, exclusive=True), numbers)
