"""Handlers of tfexample_decoder for boxes and points, whose coordinates are fields of their own."""

import millrace as tf
from millrace.contrib.slim import item_handlers


class BoundingBox(item_handlers.ItemHandler):
  """The item is a matrix [boxes, 4] from four fields, by default ymin, xmin, ymax, xmax, whose names begin with `prefix`.

  Raises ValueError for another number of keys.
  """

  def __init__(self, keys=None, prefix=""):
    keys = ["ymin", "xmin", "ymax", "xmax"] if keys is None else keys
    if len(keys) != 4:
      raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
    self._prefix = prefix
    self._full_keys = [prefix + key for key in keys]
    super().__init__(self._full_keys)

  def tensors_to_item(self, keys_to_tensors):
    sides = []
    for key in self._full_keys:
      side = keys_to_tensors[key]
      sides.append(tf.expand_dims(side.values if isinstance(side, tf.SparseTensor) else side, 0))
    return tf.transpose(tf.concat(sides, 0))


class _CoordinatesSequence(item_handlers.ItemHandler):
  """The item is [steps, points, coordinates] of sparse fields [steps, points], one for each coordinate.

  It is dense, with `default_value` where a step has fewer points, or sparse if not `return_dense`.
  """

  def __init__(self, keys, prefix, return_dense, default_value):
    self._prefix = prefix
    self._keys = [prefix + key for key in keys]
    self._return_dense = return_dense
    self._default_value = default_value
    super().__init__(self._keys)

  def tensors_to_item(self, keys_to_tensors):
    coordinates = []
    for key in self._keys:
      value = keys_to_tensors[key]
      shape = tf.concat([tf.cast(tf.shape(value), tf.int64), tf.constant([1], tf.int64)], 0)
      coordinates.append(tf.sparse_reshape(value, shape))
    joined = tf.sparse_concat(2, coordinates)
    return tf.sparse_tensor_to_dense(joined, default_value=self._default_value) if self._return_dense else joined


class BoundingBoxSequence(_CoordinatesSequence):
  """The item is [steps, boxes, 4] of sparse fields [steps, boxes], by default ymin, xmin, ymax, xmax, whose names begin with `prefix`.

  It is dense, with `default_value` where a step has fewer boxes, or sparse if not `return_dense`.
  """

  def __init__(self, keys=None, prefix=None, return_dense=True, default_value=-1.0):
    super().__init__(keys or ["ymin", "xmin", "ymax", "xmax"], prefix or "", return_dense, default_value)


class KeypointsSequence(_CoordinatesSequence):
  """As BoundingBoxSequence for points: [steps, points, 2] of fields y and x."""

  def __init__(self, keys=None, prefix=None, return_dense=True, default_value=-1.0):
    super().__init__(keys or ["y", "x"], prefix or "", return_dense, default_value)


class NumBoxesSequence(item_handlers.ItemHandler):
  """The item is a vector with the number of boxes of each step, of sparse fields [steps, boxes].

  With `check_consistency`, it is an error at run time if the fields `keys` say different numbers. Raises ValueError without keys.
  """

  def __init__(self, keys=None, check_consistency=True):
    if not keys:
      raise ValueError("keys must not be empty.")
    self._check_consistency = check_consistency
    super().__init__(keys)

  def tensors_to_item(self, keys_to_tensors):
    counted = self._keys if self._check_consistency else self._keys[:1]
    numbers = [_elements_of_rows(keys_to_tensors[key]) for key in counted]
    checks = [tf.assert_equal(numbers[0], number) for number in numbers[1:]]
    with tf.control_dependencies(checks):
      return tf.identity(numbers[0])


def _elements_of_rows(sparse):
  """How many elements each row of a sparse matrix has, of those that stand without gaps from its begin."""
  columns = tf.sparse_tensor_to_dense(tf.SparseTensor(sparse.indices, sparse.indices[:, 1], sparse.dense_shape), -1)
  return tf.reduce_max(tf.pad(columns + 1, [[0, 0], [0, 1]]), 1)
