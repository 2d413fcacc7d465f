"""Categories with a weight for each."""

import collections

import millrace as tf
from millrace.framework import composite, dtypes
from millrace.ops.feature_column import column as columns
from millrace.ops.feature_column import inputs as feature_inputs
from millrace.ops.parsing.features import VarLenFeature


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=dtypes.float32):
  """Returns a column of the categories of another one, with weights that are another feature, one for each value.

  Args:
    categorical_column: A categorical column.
    weight_feature_key: Name of the feature of weights.
    dtype: Type of that: a kind of integer or float.

  Raises:
    ValueError: Weights of that type cannot be numbers.
  """
  if dtype is None or not (dtype.is_integer or dtype.is_floating):
    raise ValueError(f"dtype {dtype} is not convertible to float.")
  return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


class WeightedCategoricalColumn(
  columns.CategoricalColumn,
  collections.namedtuple("WeightedCategoricalColumn", ("categorical_column", "weight_feature_key", "dtype")),
):
  """See weighted_categorical_column."""

  __slots__ = ()

  @property
  def name(self):
    return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

  @property
  def parse_example_spec(self):
    found = dict(self.categorical_column._parse_example_spec)
    if self.weight_feature_key in found:
      raise ValueError(f"Parse config {found[self.weight_feature_key]} already exists for {self.weight_feature_key}.")
    found[self.weight_feature_key] = VarLenFeature(self.dtype)
    return found

  @property
  def parents(self):
    return [self.categorical_column, self.weight_feature_key]

  @property
  def num_buckets(self):
    return self.categorical_column._num_buckets

  def _transform_feature(self, inputs):
    """Returns the SparseTensors of ids and of weights."""
    weights = inputs.get(self.weight_feature_key)
    if self.dtype != weights.dtype.base_dtype:
      raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
    if not isinstance(weights, composite.SparseTensor):
      weights = feature_inputs.to_sparse(weights)
    if not weights.dtype.is_floating:
      weights = tf.cast(weights, dtypes.float32)
    return inputs.get(self.categorical_column), weights

  def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
    return columns.CategoricalColumn.IdWeightPair(*inputs.get(self))
