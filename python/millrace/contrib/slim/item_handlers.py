"""Handlers of tfexample_decoder: each makes an item from fields of an Example. Those of images and boxes are in modules of their own."""

import abc

import millrace as tf


class ItemHandler(metaclass=abc.ABCMeta):
  """Makes an item from the fields `keys`, a name or a list of names."""

  def __init__(self, keys):
    self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

  @property
  def keys(self):
    return self._keys

  @abc.abstractmethod
  def tensors_to_item(self, keys_to_tensors):
    """Returns the item's tensor, of a dictionary with the tensors of all keys."""


class ItemHandlerCallback(ItemHandler):
  """The item is what `func` returns for the dictionary of tensors."""

  def __init__(self, keys, func):
    super().__init__(keys)
    self._func = func

  def tensors_to_item(self, keys_to_tensors):
    return self._func(keys_to_tensors)


class Tensor(ItemHandler):
  """The item is one field, made dense with `default_value`, in the shape `shape` or in one that the fields `shape_keys` say.

  `shape_keys` is the name of a field with the whole shape, or a list of fields with one dimension each. Raises ValueError for both.
  """

  def __init__(self, tensor_key, shape_keys=None, shape=None, default_value=0):
    if shape_keys and shape is not None:
      raise ValueError("Cannot specify both shape_keys and shape parameters.")
    if shape_keys and not isinstance(shape_keys, list):
      shape_keys = [shape_keys]
    self._tensor_key = tensor_key
    self._shape_keys = shape_keys
    self._shape = shape
    self._default_value = default_value
    super().__init__([tensor_key, *(shape_keys or [])])

  def tensors_to_item(self, keys_to_tensors):
    tensor = keys_to_tensors[self._tensor_key]
    shape = self._shape
    if self._shape_keys:
      dimensions = [_dense(keys_to_tensors[key]) for key in self._shape_keys]
      if len({dimension.dtype for dimension in dimensions}) > 1:
        dimensions = [tf.cast(dimension, tf.int64) for dimension in dimensions]
      shape = tf.reshape(tf.stack(dimensions), [-1])
    if isinstance(tensor, tf.SparseTensor):
      if shape is not None:
        tensor = tf.sparse_reshape(tensor, shape)
      tensor = tf.sparse_tensor_to_dense(tensor, self._default_value)
    return tensor if shape is None else tf.reshape(tensor, shape)


def _dense(tensor):
  return tf.sparse_tensor_to_dense(tensor) if isinstance(tensor, tf.SparseTensor) else tensor


class LookupTensor(Tensor):
  """As Tensor; the item is what `table`, a lookup table, has for the field's strings."""

  def __init__(self, tensor_key, table, shape_keys=None, shape=None, default_value=""):
    self._table = table
    super().__init__(tensor_key, shape_keys, shape, default_value)

  def tensors_to_item(self, keys_to_tensors):
    return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
  """The item is that of `handler`, or that of `backup` where the first one has no elements.

  Raises ValueError if one of them is no handler.
  """

  def __init__(self, handler, backup):
    if not isinstance(handler, ItemHandler):
      raise ValueError(f"Primary handler is of type {type(handler)} instead of ItemHandler")  # noqa: TRY004 (TensorFlow's class)
    if not isinstance(backup, ItemHandler):
      raise ValueError(f"Backup handler is of type {type(backup)} instead of ItemHandler")  # noqa: TRY004 (TensorFlow's class)
    self._handler = handler
    self._backup = backup
    super().__init__(handler.keys + backup.keys)

  def tensors_to_item(self, keys_to_tensors):
    item = self._handler.tensors_to_item(keys_to_tensors)
    backup = self._backup.tensors_to_item(keys_to_tensors)
    return tf.cond(tf.equal(tf.reduce_prod(tf.shape(item)), 0), lambda: backup, lambda: item)


class SparseTensor(ItemHandler):
  """The item is a sparse tensor of rank 1 from fields with its indices, values and shape; with `densify` it is made dense.

  By default the fields are "indices" and "values", and the shape is the field `shape_key`, `shape`, or that of the indices.
  """

  def __init__(self, indices_key=None, values_key=None, shape_key=None, shape=None, densify=False, default_value=0):
    self._indices_key = indices_key or "indices"
    self._values_key = values_key or "values"
    self._shape_key = shape_key
    self._shape = shape
    self._densify = densify
    self._default_value = default_value
    keys = [self._indices_key, self._values_key]
    super().__init__([*keys, shape_key] if shape_key else keys)

  def tensors_to_item(self, keys_to_tensors):
    indices = keys_to_tensors[self._indices_key]
    values = keys_to_tensors[self._values_key]
    if self._shape_key:
      shape = _dense(keys_to_tensors[self._shape_key])
    elif self._shape:
      shape = self._shape
    else:
      shape = indices.dense_shape
    # The last column of where an index stood is the index itself.
    columns = tf.shape(indices.indices)[1]
    before = tf.slice(indices.indices, [0, 0], tf.stack([-1, columns - 1]))
    new_indices = tf.concat([before, tf.reshape(indices.values, [-1, 1])], 1)
    tensor = tf.SparseTensor(new_indices, values.values, shape)
    return tf.sparse_tensor_to_dense(tensor, self._default_value) if self._densify else tensor
