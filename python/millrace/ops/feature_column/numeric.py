"""Numbers as they are."""

import collections

import numpy as np

import millrace as tf
from millrace.framework import composite, dtypes, tensor_shape
from millrace.ops.feature_column import column as columns
from millrace.ops.parsing.features import FixedLenFeature


def numeric_column(key, shape=(1,), default_value=None, dtype=dtypes.float32, normalizer_fn=None):
  """Returns a column of numbers, given to the model as float32.

  Args:
    key: Name of the feature, and of the column.
    shape: Shape of one example's numbers: a number or a sequence of numbers.
    default_value: For examples that lack the feature: a number, or numbers of that shape; None lets parsing fail.
    dtype: Type of the feature: a kind of integer or float.
    normalizer_fn: Function of the tensor, called before the conversion to float32.

  Raises:
    ValueError: The key is no string, or the shape, the type or the shape of the default is none that can be.
    TypeError: A dimension is no integer, the default is of another type, or the normalizer cannot be called.
  """
  shape = checked_shape(shape, key)
  check_type(dtype, key)
  default_value = checked_default(shape, default_value, dtype, key)
  check_normalizer(normalizer_fn)
  columns.check_key(key)
  return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def checked_shape(shape, key):
  """Returns the shape as a tuple of integers."""
  columns.check_key(key)
  if not isinstance(shape, (list, tuple)):
    shape = shape.as_list() if isinstance(shape, tensor_shape.TensorShape) else [shape]
  shape = tuple(shape)
  for dimension in shape:
    if not isinstance(dimension, int):
      raise TypeError(f"shape dimensions must be integer. shape: {shape}, key: {key}")
    if dimension < 1:
      raise ValueError(f"shape dimensions must be greater than 0. shape: {shape}, key: {key}")
  return shape


def check_type(dtype, key):
  """Raises ValueError for types of which no float can be made."""
  if not (dtype.is_integer or dtype.is_floating):
    raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")


def check_normalizer(normalizer_fn):
  if normalizer_fn is not None and not callable(normalizer_fn):
    raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")


def _as_tuple(value):
  return tuple(_as_tuple(part) for part in value) if isinstance(value, (list, tuple)) else value


def _filled(shape, value):
  for size in reversed(shape):
    value = (value,) * size
  return value


def checked_default(shape, default_value, dtype, key):
  """Returns the default as nested tuples of the given shape, or None."""
  if default_value is None:
    return None
  if isinstance(default_value, int):
    return _filled(shape, default_value)
  if isinstance(default_value, float) and dtype.is_floating:
    return _filled(shape, default_value)
  if hasattr(default_value, "tolist"):
    default_value = default_value.tolist()
  if _has_shape(default_value, shape):
    numbers = np.array(default_value)
    if not (np.issubdtype(numbers.dtype, np.floating) and dtype.is_integer):
      return _as_tuple(default_value)
  elif isinstance(default_value, (list, tuple, dict)):
    raise ValueError(
      f"The shape of default_value must be equal to given shape. default_value: {default_value}, shape: {shape}, key: {key}"
    )
  raise TypeError(f"default_value must be compatible with dtype. default_value: {default_value}, dtype: {dtype}, key: {key}")


def _has_shape(value, shape):
  if not shape:
    return not isinstance(value, (list, tuple, dict, str, float))
  return isinstance(value, (list, tuple)) and len(value) == shape[0] and all(_has_part(part, shape[1:]) for part in value)


def _has_part(value, shape):
  return _has_shape(value, shape) if shape else not isinstance(value, (list, tuple, dict))


class NumericColumn(
  columns.DenseColumn,
  collections.namedtuple("NumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn")),
):
  """See numeric_column."""

  __slots__ = ()

  @property
  def name(self):
    return self.key

  @property
  def parse_example_spec(self):
    return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

  @property
  def parents(self):
    return [self.key]

  @property
  def variable_shape(self):
    return tensor_shape.TensorShape(self.shape)

  def _transform_feature(self, inputs):
    value = inputs.get(self.key)
    if isinstance(value, composite.SparseTensor):
      raise ValueError(
        f"The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: {self.key}"
      )
    if self.normalizer_fn is not None:
      value = self.normalizer_fn(value)
    return tf.cast(value, dtypes.float32)

  def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    return inputs.get(self)
