"""The input of networks: one tensor of several columns."""

import millrace as tf
from millrace.contrib.layers_columns import numbers, tables, transform
from millrace.contrib.layers_columns import weighted as weighted_columns
from millrace.contrib.layers_columns.embedding import _EmbeddingColumn
from millrace.ops.feature_column.column import DenseColumn, FeatureColumn
from millrace.ops.feature_column.inputs import Inputs


def input_from_feature_columns(
  columns_to_tensors, feature_columns, weight_collections=None, trainable=True, scope=None, cols_to_outs=None
):
  """Returns a float32 matrix [batch, all columns' numbers side by side].

  Columns are in the order of the texts that they are as Python objects, so kind goes before name.

  Args:
    columns_to_tensors: Dict from keys, or columns, to tensors and SparseTensors.
    feature_columns: Columns of numbers and buckets, one-hot ones, embeddings; dense ones of tf.feature_column as well.
    weight_collections: Names of collections for the variables, beside those of all variables and of the model's.
    trainable: Whether variables are trained.
    scope: Name of the scope of variables, or None for `input_from_feature_columns`.
    cols_to_outs: A dict that gets the tensor of each column, or None.

  Raises:
    ValueError: Two columns are the same, one cannot be the input of a network, or a feature is missing.
  """
  return _input(
    columns_to_tensors,
    feature_columns,
    weight_collections,
    trainable,
    scope,
    output_rank=2,
    default_name="input_from_feature_columns",
    cols_to_outs=cols_to_outs,
  )


def sequence_input_from_feature_columns(columns_to_tensors, feature_columns, weight_collections=None, trainable=True, scope=None):
  """Returns a float32 tensor [batch, longest, all columns' numbers of a step side by side].

  Features have three dimensions: example, step, values of the step. Columns are of numbers, embeddings and one-hot ones. The rest:
  see input_from_feature_columns.
  """
  _check_sequences(feature_columns)
  return _input(
    columns_to_tensors,
    feature_columns,
    weight_collections,
    trainable,
    scope,
    output_rank=3,
    default_name="sequence_input_from_feature_columns",
  )


def _check_sequences(feature_columns):
  supported = (numbers._RealValuedColumn, _EmbeddingColumn, weighted_columns._OneHotColumn)
  for column in feature_columns:
    if not isinstance(column, supported):
      raise ValueError(
        f"FeatureColumn type {type(column).__name__} is not currently supported for sequence data. Columns of numbers, embeddings "
        "and one-hot ones are."
      )


def _input(
  columns_to_tensors, feature_columns, weight_collections, trainable, scope, output_rank, default_name, cols_to_outs=None
):
  columns_to_tensors = dict(columns_to_tensors)
  transform.check_feature_columns(feature_columns)
  if cols_to_outs is not None and not isinstance(cols_to_outs, dict):
    raise ValueError("cols_to_outs must be a dict unless None")  # noqa: TRY004
  with tf.variable_scope(scope, default_name=default_name, values=_tensors(columns_to_tensors)):
    features = transform.Features(columns_to_tensors)
    core = Inputs(features.raw())
    outputs = []
    for column in transform.ordered(feature_columns):
      with tf.variable_scope(None, default_name=column.name, values=_tensors(columns_to_tensors)):
        collections = tables.collections_of(weight_collections)
        if isinstance(column, FeatureColumn):
          output = _core_output(column, core, collections, trainable, output_rank)
        else:
          output = _output(column, features.get(column), collections, trainable, output_rank)
        outputs.append(output)
        if cols_to_outs is not None:
          cols_to_outs[column] = output
    return tf.concat(outputs, output_rank - 1)


def _tensors(columns_to_tensors):
  """Returns the tensors of features; of pairs of ids and weights both."""
  found = []
  for value in columns_to_tensors.values():
    found.extend(value if isinstance(value, tuple) else [value])
  return [value for value in found if isinstance(value, (tf.Tensor, tf.SparseTensor))]


def _core_output(column, inputs, collections, trainable, output_rank):
  if not isinstance(column, DenseColumn) or output_rank != 2:
    raise ValueError(f"Error creating input layer for column: {column.name}.\nOnly dense columns are the input of networks.")
  tensor = column._get_dense_tensor(inputs, weight_collections=collections, trainable=trainable)
  return tf.reshape(tensor, (tf.shape(tensor)[0], column._variable_shape.num_elements()))


def _output(column, value, collections, trainable, output_rank):
  lookup = column._deep_lookup(value)
  if lookup is not None:
    return tables.looked_up(column, lookup, collections, trainable, output_rank)
  return column._deep(value, output_rank)
