"""What the fields of an Example are: the descriptions that the parsing functions take, and what they say to the op."""

import collections
import re

from millrace.framework import constants, convert, dtypes, tensor_shape


class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
  """A field with any number of values; it is parsed to a SparseTensor."""

  __slots__ = ()


class SparseFeature(collections.namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])):
  """A sparse tensor by two fields: its indices (or several, one a dimension) and its values.

  Args:
    index_key: Name of the field of indices, or a list of names.
    value_key: Name of the field of values.
    dtype: Type of the values.
    size: Size of the dense shape, or a list with one for each index.
    already_sorted: The indices are in order.
  """

  __slots__ = ()

  def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
    return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class FixedLenFeature(collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
  """A field of a fixed shape; where an example lacks it, it has the default, or parsing fails."""

  __slots__ = ()

  def __new__(cls, shape, dtype, default_value=None):
    return super().__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(
  collections.namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])
):
  """A field that is a sequence of elements of a fixed shape, padded by the default to the longest of a batch."""

  __slots__ = ()

  def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
    return super().__new__(cls, shape, dtype, allow_missing, default_value)


class Fields:
  """Keys, types, shapes and defaults of fields, in the order in which the parsing ops take and give them."""

  def __init__(self, features=None, sequence=False):
    self.sparse_keys = []
    self.sparse_types = []
    self.dense_keys = []
    self.dense_types = []
    self.dense_shapes = []
    self.dense_defaults = {}
    for key in sorted(features or {}):
      self._add(key, features[key], sequence)

  def _add(self, key, feature, sequence):
    if isinstance(feature, VarLenFeature):
      if not feature.dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature}")
      self._add_sparse(key, feature.dtype)
    elif isinstance(feature, SparseFeature) and not sequence:
      self._add_sparse_feature(key, feature)
    elif isinstance(feature, FixedLenFeature) and not sequence:
      self._check_dense(key, feature)
      static = tensor_shape.as_shape(feature.shape)
      if feature.shape and static.ndims and static.as_list()[0] is None:
        raise ValueError(
          f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. Received "
          f"feature={feature}."
        )
      if not static.is_fully_defined():
        raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {feature.shape!s}.")
      self._add_dense(key, feature.dtype, feature.shape, feature.default_value)
    elif isinstance(feature, FixedLenSequenceFeature):
      self._check_dense(key, feature)
      self._add_dense(key, feature.dtype, feature.shape, feature.default_value)
      if feature.allow_missing and sequence:
        self.dense_defaults[key] = None
      if feature.default_value is not None and sequence:
        raise ValueError(f"Unsupported: default_value for feature {key} of a sequence. Received feature={feature}.")
    else:
      raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")

  def _check_dense(self, key, feature):
    if not feature.dtype:
      raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
    if feature.shape is None:
      raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")

  def _add_sparse(self, key, dtype):
    dtype = dtypes.as_dtype(dtype)
    if key in self.sparse_keys:
      found = self.sparse_types[self.sparse_keys.index(key)]
      if found != dtype:
        raise ValueError(f"Conflicting type {found} vs {dtype} for feature {key}.")
    else:
      self.sparse_keys.append(key)
      self.sparse_types.append(dtype)

  def _add_sparse_feature(self, key, feature):
    if not feature.index_key:
      raise ValueError(f"Missing index_key for SparseFeature {feature}.")
    if not feature.value_key:
      raise ValueError(f"Missing value_key for SparseFeature {feature}.")
    if not feature.dtype:
      raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
    index_keys = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
    for index_key in sorted(index_keys):
      self._add_sparse(index_key, dtypes.int64)
    self._add_sparse(feature.value_key, feature.dtype)

  def _add_dense(self, key, dtype, shape, default_value):
    self.dense_keys.append(key)
    self.dense_types.append(dtypes.as_dtype(dtype))
    self.dense_shapes.append(tensor_shape.as_shape(shape))
    if default_value is not None:
      self.dense_defaults[key] = default_value

  def defaults(self):
    """Makes and returns the tensors of the defaults, one for each dense field; an empty one says that there is none."""
    return [self._default(*field) for field in zip(self.dense_keys, self.dense_types, self.dense_shapes)]

  def _default(self, key, dtype, shape):
    from millrace.ops.array import shapes

    value = self.dense_defaults.get(key)
    variable = bool(shape.ndims) and shape.as_list()[0] is None
    if variable:
      if value is None:
        return convert.convert_to_tensor("" if dtype == dtypes.string else 0, dtype=dtype)
      value = convert.convert_to_tensor(value, dtype=dtype, name="padding_" + _part_of_name(key))
      return shapes.reshape(value, [])
    if value is None:
      return constants.constant([], dtype=dtype)
    if not hasattr(value, "op"):
      value = convert.convert_to_tensor(value, dtype=dtype, name="key_" + _part_of_name(key))
    return shapes.reshape(value, shape)


def _part_of_name(key):
  return re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)


def with_unknown_first(features):
  """Returns the features with a first dimension of unknown size for sequences of a fixed element shape.

  Raises ValueError where such a sequence does not allow that it is missing.
  """
  if not features:
    return features
  result = {}
  for key, feature in features.items():
    if isinstance(feature, FixedLenSequenceFeature):
      if not feature.allow_missing:
        raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
      result[key] = FixedLenSequenceFeature(
        [None, *tensor_shape.as_shape(feature.shape).as_list()],
        feature.dtype,
        feature.allow_missing,
        feature.default_value,
      )
    else:
      result[key] = feature
  return result


def with_sparse_features(features, tensors):
  """Returns the parsed tensors with the sparse tensors that several fields make in place of those fields."""
  from millrace.ops.sparse import shaping

  tensors = dict(tensors)
  parts = set()
  for key in sorted(features.keys()):
    feature = features[key]
    if not isinstance(feature, SparseFeature):
      continue
    if isinstance(feature.index_key, str):
      ids = tensors[feature.index_key]
      parts.add(feature.index_key)
    else:
      ids = [tensors[index_key] for index_key in feature.index_key]
      parts.update(feature.index_key)
    values = tensors[feature.value_key]
    parts.add(feature.value_key)
    tensors[key] = shaping.merge(ids, values, feature.size, already_sorted=feature.already_sorted)
  for key in parts:
    if key not in features:
      del tensors[key]
  return tensors
