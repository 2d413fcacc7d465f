"""The values of columns for the features of a batch."""

import millrace as tf
from millrace.contrib.layers_columns.column import OldColumn
from millrace.framework import composite
from millrace.ops.feature_column.column import FeatureColumn


class Features:
  """Features by their keys, and what columns make of them, which is made once.

  A dict of features may have values of columns as well, as parse_feature_columns_from_examples() returns.
  """

  def __init__(self, columns_to_tensors):
    self._raw = columns_to_tensors
    self._values = {}

  def get(self, key):
    """Returns the feature of a name, or the value of a column. Raises ValueError for features that are not there."""
    if key in self._values:
      return self._values[key]
    if key in self._raw:
      value = self._raw[key]
      if isinstance(value, composite.SparseTensorValue):
        value = composite.SparseTensor.from_value(value)
      elif not isinstance(value, (composite.SparseTensor, tuple)):
        value = tf.convert_to_tensor(value)
    elif isinstance(key, OldColumn):
      value = key._transform(self)
    else:
      raise ValueError(f"The feature {key} is not among the features {sorted(str(name) for name in self._raw)}.")
    self._values[key] = value
    return value

  def raw(self):
    """Returns the features of names alone, as a dict."""
    return {key: value for key, value in self._raw.items() if isinstance(key, str)}


def ordered(feature_columns):
  """Returns the columns, each once, in the order in which layers take them."""
  return sorted(set(feature_columns), key=key_of)


def key_of(column):
  """Returns the text that puts columns in order: of tf.feature_column, the name."""
  return column.name if isinstance(column, FeatureColumn) else column.key


def check_feature_columns(feature_columns):
  """Raises ValueError where two columns say the same."""
  seen = set()
  for column in feature_columns:
    key = key_of(column)
    if key in seen:
      raise ValueError(
        f"Duplicate feature column key found for column: {column.name}. This usually means that the column is almost identical "
        "to another column, and one must be discarded."
      )
    seen.add(key)


def transform_features(features, feature_columns):
  """Returns a dict from columns to their values for a dict of features."""
  features = Features(dict(features))
  check_feature_columns(feature_columns)
  return {column: features.get(column) for column in ordered(feature_columns)}
