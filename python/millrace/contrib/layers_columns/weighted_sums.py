"""Linear models: weighted sums of columns."""

import millrace as tf
from millrace.contrib.framework.variables import model_variable
from millrace.contrib.layers_columns import column as columns
from millrace.contrib.layers_columns import tables, transform
from millrace.contrib.layers_columns.input_layers import _tensors
from millrace.framework import composite
from millrace.ops.feature_column.column import CategoricalColumn, DenseColumn, FeatureColumn
from millrace.ops.feature_column.inputs import Inputs


def weighted_sum_from_feature_columns(
  columns_to_tensors, feature_columns, num_outputs, weight_collections=None, trainable=True, scope=None
):
  """Returns (sums [batch, num_outputs], dict from columns to lists of their variables, bias).

  Columns of categories have a row of `weights` for each id, those of numbers a row of `weight` for each number; all begin with 0,
  as `bias_weight` does.

  Args:
    columns_to_tensors: Dict from keys, or columns, to tensors and SparseTensors.
    feature_columns: Columns, but no one-hot ones and embeddings; those of tf.feature_column as well.
    num_outputs: Number of sums.
    weight_collections: Names of collections for the variables, beside those of all variables and of the model's.
    trainable: Whether variables are trained.
    scope: Name of the scope of variables, or None for `weighted_sum_from_feature_columns`.

  Raises:
    ValueError: Two columns are the same, one cannot be summed, or a feature is missing.
  """
  columns_to_tensors = dict(columns_to_tensors)
  transform.check_feature_columns(feature_columns)
  with tf.variable_scope(scope, default_name="weighted_sum_from_feature_columns", values=_tensors(columns_to_tensors)):
    features = transform.Features(columns_to_tensors)
    core = Inputs(features.raw())
    sums, variables = [], {}
    for column in transform.ordered(feature_columns):
      collections = tables.collections_of(weight_collections)
      with tf.variable_scope(None, default_name=column.name, values=_tensors(columns_to_tensors)):
        if isinstance(column, FeatureColumn):
          total, variable = _core_sum(column, core, num_outputs, collections, trainable)
        else:
          total, variable = _sum(column, features.get(column), num_outputs, collections, trainable)
      sums.append(total)
      variables[column] = tables.parts_of(variable)
    bias = _bias(num_outputs, weight_collections, trainable)
    return tf.nn.bias_add(tf.add_n(sums), bias), variables, bias


def _bias(num_outputs, weight_collections, trainable):
  return _zeros("bias_weight", [num_outputs], tables.collections_of(weight_collections), trainable)


def _zeros(name, shape, collections, trainable):
  return model_variable(
    name, shape=shape, dtype=tf.float32, initializer=tf.zeros_initializer(), trainable=trainable, collections=collections
  )


def _sum(column, value, num_outputs, collections, trainable):
  lookup = column._wide_lookup(value)
  if lookup is not None:
    weights = _zeros("weights", [lookup.vocab_size, num_outputs], collections, trainable)
    tables.restore(column, weights)
    return _of_ids(column.name, weights, lookup.ids, lookup.weights, lookup.combiner), weights
  if column._deep_lookup(value) is not None or not hasattr(column, "dimension"):
    raise ValueError(
      f"Error creating weighted sum for column: {column.name}.\n{type(column).__name__} is not supported in linear models. "
      "Use the column of categories itself."
    )
  return _of_numbers(column._deep(value, 2), column.dimension, num_outputs, collections, trainable)


def _of_ids(name, weights, ids, of_ids, combiner):
  return tf.nn.safe_embedding_lookup_sparse(
    tables.parts_of(weights), ids, sparse_weights=of_ids, combiner=combiner, name=name + "_weights"
  )


def _of_numbers(value, size, num_outputs, collections, trainable):
  weight = _zeros("weight", [size, num_outputs], collections, trainable)
  return tf.matmul(value, weight, name="matmul"), weight


def _core_sum(column, inputs, num_outputs, collections, trainable):
  if isinstance(column, CategoricalColumn):
    pair = column._get_sparse_tensors(inputs, weight_collections=collections, trainable=trainable)
    weights = _zeros("weights", [column._num_buckets, num_outputs], collections, trainable)
    of_ids = None if pair.weight_tensor is None else columns.with_rank(pair.weight_tensor, 2, column.name)
    return _of_ids(column.name, weights, columns.with_rank(pair.id_tensor, 2, column.name), of_ids, "sum"), weights
  if not isinstance(column, DenseColumn):
    raise ValueError(f"Error creating weighted sum for column: {column.name}.\nIt has neither categories nor numbers.")
  size = column._variable_shape.num_elements()
  tensor = column._get_dense_tensor(inputs, weight_collections=collections, trainable=trainable)
  return _of_numbers(tf.reshape(tensor, [-1, size]), size, num_outputs, collections, trainable)


def joint_weighted_sum_from_feature_columns(
  columns_to_tensors, feature_columns, num_outputs, weight_collections=None, trainable=True, scope=None
):
  """As weighted_sum_from_feature_columns, with one variable for all columns, which are of categories without weights.

  Returns (sums, list of the parts of that variable, bias). Raises NotImplementedError for columns of numbers, ValueError for
  weighted ones, for other combiners than "sum", and without columns.
  """
  columns_to_tensors = dict(columns_to_tensors)
  transform.check_feature_columns(feature_columns)
  with tf.variable_scope(scope, default_name="joint_weighted_sum_from_feature_columns", values=_tensors(columns_to_tensors)):
    features = transform.Features(columns_to_tensors)
    lookups = []
    for column in transform.ordered(feature_columns):
      lookup = None if isinstance(column, FeatureColumn) else column._wide_lookup(features.get(column))
      if lookup is None:
        raise NotImplementedError(
          "Real-valued columns are not supported. Use weighted_sum_from_feature_columns instead, or bucketize these columns."
        )
      lookups.append(lookup)
    ids, size = _joined(lookups)
    collections = tables.collections_of(weight_collections)
    with tf.variable_scope(None, default_name="linear_weights", values=_tensors(columns_to_tensors)):
      weights = _zeros("weights", [size, num_outputs], collections, trainable)
      total = _of_ids("", weights, ids, None, "sum")
    bias = _bias(num_outputs, weight_collections, trainable)
    return tf.nn.bias_add(total, bias), tables.parts_of(weights), bias


def _joined(lookups):
  """Returns the ids of all columns side by side, each column's behind those of the ones before, and how many there are."""
  if not lookups:
    raise ValueError("At least one column must be in the model.")
  parts, size = [], 0
  for lookup in lookups:
    if lookup.weights is not None:
      raise ValueError(
        "Joint sums for weighted sparse columns are not supported. Please use weighted_sum_from_feature_columns instead."
      )
    if lookup.combiner != "sum":
      raise ValueError(
        "Combiners other than sum are not supported for joint sums. Please use weighted_sum_from_feature_columns instead."
      )
    parts.append(composite.SparseTensor(lookup.ids.indices, lookup.ids.values + size, lookup.ids.dense_shape))
    size += lookup.vocab_size
  return tf.sparse_concat(1, parts), size
