"""One tensor of several columns of sequences, alone or with what does not change from step to step."""

import millrace as tf
from millrace.ops.feature_column import input_layer as layers
from millrace.ops.feature_column import inputs as feature_inputs
from millrace.ops.feature_column.column import SequenceDenseColumn


def sequence_input_layer(features, feature_columns, weight_collections=None, trainable=True):
  """Returns a float32 tensor [batch, longest, all columns' numbers of a step side by side], and int64 lengths [batch].

  Columns are in the order of their names; all have sequences of the same lengths, which is checked when a step runs.

  Args:
    features: Dict from keys to SparseTensors.
    feature_columns: One column, or several: of numbers of sequences, or embeddings and indicators of categories of sequences.
    weight_collections: Names of collections for the variables, beside those of all variables and of the model's.
    trainable: Whether variables are trained.

  Raises:
    ValueError: There are no columns, two have one name, one is no column of sequences, or a feature is missing.
  """
  feature_columns = layers.as_list(feature_columns)
  for column in feature_columns:
    if not isinstance(column, SequenceDenseColumn):
      raise ValueError(
        "All feature_columns must be of type _SequenceDenseColumn. You can wrap a sequence_categorical_column with an "
        f"embedding_column or indicator_column. Given (type {type(column)}): {column}"
      )
  weight_collections = layers.collections_of(weight_collections)
  ordered = layers.ordered(feature_columns)
  with tf.variable_scope(None, default_name="sequence_input_layer", values=features.values()):
    inputs = feature_inputs.Inputs(features)
    outputs, lengths = [], []
    for column in ordered:
      with tf.variable_scope(None, default_name=column._var_scope_name):
        dense, length = column._get_sequence_dense_tensor(inputs, weight_collections=weight_collections, trainable=trainable)
        shape = tf.shape(dense)
        outputs.append(tf.reshape(dense, [shape[0], shape[1], column._variable_shape.num_elements()]))
        lengths.append(length)
    layers.check_batch_sizes(outputs, ordered)
    layers.check_batch_sizes(lengths, ordered)
    return tf.concat(outputs, -1), _all_equal(lengths)


def _all_equal(tensors):
  """Returns the first tensor, checked when a step runs to be equal to the others."""
  with tf.name_scope(None, "assert_all_equal", values=tensors):
    if len(tensors) == 1:
      return tensors[0]
    checks = [tf.assert_equal(tensors[0], tensor) for tensor in tensors[1:]]
    with tf.control_dependencies(checks):
      return tf.identity(tensors[0])


def concatenate_context_input(context_input, sequence_input):
  """Returns [batch, longest, d1 + d0]: each step of `sequence_input` [batch, longest, d1] with `context_input` [batch, d0].

  Both are float32; the batch is checked to be the same when a step runs. Raises ValueError where ranks are known to be others.
  """
  batch_size = tf.shape(context_input)[0]
  steps = tf.shape(sequence_input)[1]
  checks = [
    tf.assert_rank(sequence_input, 3),
    tf.assert_type(sequence_input, tf.float32),
    tf.assert_rank(context_input, 2),
    tf.assert_type(context_input, tf.float32),
    tf.assert_equal(tf.shape(sequence_input)[0], batch_size),
  ]
  with tf.control_dependencies(checks):
    at_each_step = tf.tile(tf.expand_dims(context_input, 1), tf.concat([[1], tf.expand_dims(steps, 0), [1]], 0))
  return tf.concat([sequence_input, at_each_step], 2)
