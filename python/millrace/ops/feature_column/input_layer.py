"""input_layer: one matrix of dense columns."""

import collections.abc

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.feature_column import inputs as feature_inputs
from millrace.ops.feature_column.column import DenseColumn, FeatureColumn


def input_layer(
  features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None, cols_to_output_tensors=None
):
  """Returns a float32 matrix [batch, all columns' numbers side by side], columns in the order of their names.

  Args:
    features: Dict from keys to tensors and SparseTensors.
    feature_columns: One dense column, or several.
    weight_collections: Names of collections for the variables, beside those of all variables and of the model's.
    trainable: Whether variables are trained.
    cols_to_vars: A dict that gets the list of variables of each column, or None.
    cols_to_output_tensors: A dict that gets the tensor [batch, numbers] of each column, or None.

  Raises:
    ValueError: There are no columns, two have one name, one is not dense, or a feature is missing.
  """
  feature_columns = as_list(feature_columns)
  for column in feature_columns:
    if not isinstance(column, DenseColumn):
      raise ValueError(
        "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an embedding_column or "
        f"indicator_column. Given: {column}"
      )
  weight_collections = collections_of(weight_collections)
  with tf.variable_scope(None, default_name="input_layer", values=features.values()):
    inputs = feature_inputs.Inputs(features)
    outputs = []
    for column in ordered(feature_columns):
      with tf.variable_scope(None, default_name=column._var_scope_name):
        tensor = column._get_dense_tensor(inputs, weight_collections=weight_collections, trainable=trainable)
        output = feature_inputs.flattened(tensor, column._variable_shape.num_elements())
        outputs.append(output)
        if cols_to_vars is not None:
          # The variables of this scope, so that tables that are shared are those of the first column.
          scope = tf.get_variable_scope().name
          cols_to_vars[column] = ops.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
        if cols_to_output_tensors is not None:
          cols_to_output_tensors[column] = output
    check_batch_sizes(outputs, ordered(feature_columns))
    return tf.concat(outputs, 1)


def resource_input_layer(features, feature_columns, trainable=True, name="input_layer"):
  """As input_layer, with tables that are resources, made before all ops of the layer, in no collection but that of all."""
  feature_columns = ordered(as_list(feature_columns))
  for column in feature_columns:
    if not isinstance(column, DenseColumn):
      raise ValueError(
        "Items of feature_columns must be a DenseColumn. You can wrap a categorical column with an embedding_column or "
        f"indicator_column. Given: {column}"
      )
  with tf.variable_scope(name, use_resource=True):
    inputs = feature_inputs.Inputs(features)
    for column in feature_columns:
      with tf.variable_scope(column.name, auxiliary_name_scope=False):
        inputs.make_table(column, trainable)
    outputs = []
    for column in feature_columns:
      with tf.name_scope(column.name):
        tensor = column._get_dense_tensor(inputs)
        outputs.append(feature_inputs.flattened(tensor, column._variable_shape.num_elements()))
    check_batch_sizes(outputs, feature_columns)
    return tf.concat(outputs, axis=-1)


def as_list(feature_columns):
  """Returns the columns as a list. Raises ValueError for dicts, for none, and for what is no column."""
  if isinstance(feature_columns, FeatureColumn):
    feature_columns = [feature_columns]
  elif isinstance(feature_columns, collections.abc.Iterator):
    feature_columns = list(feature_columns)
  if isinstance(feature_columns, dict):
    raise ValueError("Expected feature_columns to be iterable, found dict.")
  for column in feature_columns:
    if not isinstance(column, FeatureColumn) or not hasattr(column, "_var_scope_name"):
      raise ValueError(f"Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): {column}.")
  if not feature_columns:
    raise ValueError("feature_columns must not be empty.")
  by_name = {}
  for column in feature_columns:
    if column.name in by_name:
      raise ValueError(
        f"Duplicate feature column name found for columns: {column} and {by_name[column.name]}. This usually means that these "
        "columns refer to same base feature. Either one must be discarded or a duplicated but renamed item must be inserted in "
        "features dict."
      )
    by_name[column.name] = column
  return list(feature_columns)


def ordered(feature_columns):
  """Returns the columns in the order of their names."""
  return sorted(feature_columns, key=lambda column: column.name)


def collections_of(weight_collections):
  """Returns the names of the collections that variables of columns go into: those given, all variables, the model's."""
  found = list(weight_collections or [])
  for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES):
    if key not in found:
      found.append(key)
  return found


def check_batch_sizes(tensors, feature_columns):
  """Raises ValueError if two tensors are known to have another number of rows."""
  first = None
  for index, tensor in enumerate(tensors):
    size = tensor.get_shape().as_list()[0]
    if size is None:
      continue
    if first is None:
      first = (index, size)
    elif size != first[1]:
      raise ValueError(
        "Batch size (first dimension) of each feature must be same. Batch size of columns "
        f"({feature_columns[first[0]].name}, {feature_columns[index].name}): ({first[1]}, {size})"
      )
