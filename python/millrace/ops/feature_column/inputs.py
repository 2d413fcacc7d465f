"""The features of a batch together with what columns have made of them, so that nothing is computed twice."""

import millrace as tf
from millrace.framework import composite, convert
from millrace.ops.feature_column.column import FeatureColumn


class Inputs:
  """Features by key, and the values of columns for them.

  Args:
    features: Dict from keys (or columns) to tensors, SparseTensors, or what can become one.
  """

  def __init__(self, features):
    self._features = dict(features)
    self._values = {}
    self._tables = {}

  def get(self, key):
    """Returns the value of a key or column, made when it is first asked for.

    That of a key has a rank of 2 at least. Raises ValueError for keys that are not there and for scalars, TypeError for what
    is neither a key nor a column.
    """
    if key in self._values:
      return self._values[key]
    if key in self._features:
      value = self._raw(key)
    elif isinstance(key, str):
      raise ValueError(f"Feature {key} is not in features dictionary.")
    elif not isinstance(key, FeatureColumn):
      raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
    else:
      value = key._transform_feature(self)
      if value is None:
        raise ValueError(f"Column {key.name} is not supported.")
    self._values[key] = value
    return value

  def make_table(self, column, trainable=True):
    """Makes the table of a column that has one, in the current scope, before the column is asked for."""
    make = getattr(column, "_table", None)
    if make is not None:
      self._tables[column] = make(None, trainable)

  def table_of(self, column):
    """Returns the table that make_table made for a column, or None."""
    return self._tables.get(column)

  def _raw(self, key):
    """Returns the feature as a tensor or SparseTensor of a rank of 2 at least: vectors become columns of a matrix."""
    value = convert.convert_to_tensor_or_sparse_tensor(self._features[key])
    scalar = f"Feature (key: {key}) cannot have rank 0. Given: {value}"
    rank = value.get_shape().ndims
    if rank is None:
      with tf.control_dependencies([tf.assert_positive(tf.rank(value), message=scalar)]):
        # What is known of the shape of a SparseTensor is what the first function knows.
        return tf.cond(tf.not_equal(1, tf.rank(value)), lambda: value, lambda: _as_column(value))
    if rank == 0:
      raise ValueError(scalar)
    return value if rank > 1 else _as_column(value)


def _as_column(vector):
  """Returns the matrix of one column that has the elements of a vector."""
  if isinstance(vector, composite.SparseTensor):
    return tf.sparse_reshape(vector, [tf.shape(vector)[0], 1])
  return tf.expand_dims(vector, -1)


def to_sparse(value):
  """Returns a tensor as a SparseTensor: without empty texts, -1 among integers, and 0 among other numbers."""
  if isinstance(value, composite.SparseTensor):
    return value
  with tf.name_scope(None, "to_sparse_input", [value]):
    if value.dtype == tf.string:
      ignored = ""
    elif value.dtype.is_integer:
      ignored = -1
    else:
      ignored = value.dtype.as_numpy_dtype()
    ignored = tf.cast(ignored, value.dtype, name="ignore_value")
    indices = tf.where(tf.not_equal(value, ignored), name="indices")
    return composite.SparseTensor(
      indices=indices,
      values=tf.gather_nd(value, indices, name="values"),
      dense_shape=tf.shape(value, out_type=tf.int64, name="dense_shape"),
    )


def flattened(tensor, size):
  """Returns [batch, size] of a tensor of `size` elements an example."""
  return tf.reshape(tensor, (tf.shape(tensor)[0], size))
