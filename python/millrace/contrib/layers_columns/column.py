"""What the columns of tf.contrib.layers are, and how they say what layers look up for them."""

import collections

import millrace as tf
from millrace.framework import composite

# Ids [batch, ...] and their weights or None, the number of ids, and for a table its row, initializer and how rows are combined.
# `hash_key` is that of a column whose rows are put together of hashed places; the others are an embedding's.
Lookup = collections.namedtuple(
  "Lookup",
  [
    "ids",
    "weights",
    "vocab_size",
    "initializer",
    "combiner",
    "dimension",
    "shared_name",
    "hash_key",
    "max_norm",
    "trainable",
  ],
)
Lookup.__new__.__defaults__ = (None, None, None, None, True)


class OldColumn:
  """A column. `name` is that of its scope; `config` says what is parsed for it; `key` puts columns in order."""

  __slots__ = ()

  @property
  def name(self):
    """The name of the scope of the column's variables."""
    raise NotImplementedError("%s.name" % type(self).__name__)

  @property
  def config(self):
    """A dict from keys of an Example to how they are parsed."""
    raise NotImplementedError("%s.config" % type(self).__name__)

  @property
  def key(self):
    """A text that says all that the column is, by which columns are put in order and told apart."""
    return self._key()

  def _key(self, without=()):
    fields = ", ".join(f"{name}={value}" for name, value in zip(self._fields, self) if name not in without)
    return f"{type(self).__name__}({fields})"

  def _transform(self, features):
    """Returns the column's value for Features (see transform.py)."""
    raise NotImplementedError("%s._transform" % type(self).__name__)

  def _wide_lookup(self, value):
    """Returns the Lookup of a linear model, or None for columns of numbers, which have `_dense`."""
    del value

  def _deep_lookup(self, value):
    """Returns the Lookup of a network, or None for columns that have `_deep`."""
    del value

  def _deep(self, value, output_rank):
    """Returns the numbers of a network, of the given rank."""
    raise ValueError(
      f"Error creating input layer for column: {self.name}.\n{type(self).__name__} is not supported in DNN. Please use "
      "embedding_column or one_hot_column."
    )


def check_combiner(combiner, allowed=("mean", "sqrtn", "sum")):
  """Raises ValueError for other ways to combine."""
  if combiner not in allowed:
    raise ValueError(f"combiner must be one of {', '.join(repr(word) for word in allowed)}, got {combiner!r}.")


def as_sparse(value):
  """Returns a feature as a SparseTensor, without empty texts and without -1 among numbers."""
  if isinstance(value, composite.SparseTensor):
    return value
  ignored = "" if value.dtype == tf.string else -1
  indices = tf.where(tf.not_equal(value, tf.constant(ignored, value.dtype)))
  return composite.SparseTensor(indices, tf.gather_nd(value, indices), tf.shape(value, out_type=tf.int64))


def with_rank(value, rank, name):
  """Returns a tensor or SparseTensor with all dimensions from number `rank` - 1 on as one.

  Raises ValueError if it is known to have fewer.
  """
  known = value.get_shape().ndims
  if known is None and isinstance(value, composite.SparseTensor):
    known = value.dense_shape.get_shape().as_list()[0] if value.dense_shape.get_shape().ndims else None
  if known is not None and known < rank:
    raise ValueError(
      f"inputs has rank less than new_rank. inputs must have rank at least {rank}. Received rank {known} for {name}."
    )
  if known == rank:
    return value
  if isinstance(value, composite.SparseTensor):
    front = tf.slice(value.dense_shape, [0], [rank - 1])
    return tf.sparse_reshape(value, tf.concat([front, [-1]], 0))
  flat = tf.reshape(value, tf.concat([tf.shape(value)[: rank - 1], [-1]], 0))
  if known is not None:
    sizes = value.get_shape().as_list()
    last = None
    if all(size is not None for size in sizes[rank - 1 :]):
      last = 1
      for size in sizes[rank - 1 :]:
        last *= size
    flat.set_shape(sizes[: rank - 1] + [last])
  return flat
