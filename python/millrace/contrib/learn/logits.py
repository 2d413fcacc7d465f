"""The logits of networks and of linear models, of columns of tf.contrib.layers or tf.feature_column.

Their variables are in collections with the names of their scopes.
"""

import millrace as tf
from millrace.contrib.layers_columns.column import OldColumn

LINEAR_SCOPE = "linear"
DNN_SCOPE = "dnn"


def as_map(features):
  """Features by name; a tensor alone is called ""."""
  return dict(features) if isinstance(features, dict) else {"": features}


def _flat(features):
  return list(features.values())


def _are_old(columns):
  """Whether all are of tf.contrib.layers; otherwise the functions of tf.feature_column are for them, and name their variables."""
  return all(isinstance(column, OldColumn) for column in columns)


def dnn(features, columns, hidden_units, num_outputs, activation_fn, dropout, training, input_partitioner):
  """The logits of a network of fully connected layers; while it trains, `dropout` of their numbers are left out.

  Called in the scope of the model.
  """
  collections = [DNN_SCOPE]
  with tf.variable_scope("input_from_feature_columns", values=_flat(features), partitioner=input_partitioner) as columns_scope:
    if _are_old(columns):
      net = tf.contrib.layers.input_from_feature_columns(
        columns_to_tensors=features, feature_columns=columns, weight_collections=collections, scope=columns_scope
      )
    else:
      net = tf.feature_column.input_layer(features, columns, weight_collections=collections)
  for number, units in enumerate(hidden_units):
    with tf.variable_scope(f"hiddenlayer_{number}", values=(net,)) as layer_scope:
      net = tf.contrib.layers.fully_connected(
        net, units, activation_fn=activation_fn, variables_collections=collections, scope=layer_scope
      )
      if dropout is not None and training:
        net = tf.contrib.layers.dropout(net, keep_prob=1.0 - dropout)
    _summarize(net, layer_scope.name)
  with tf.variable_scope("logits", values=(net,)) as logits_scope:
    logits = tf.contrib.layers.fully_connected(
      net, num_outputs, activation_fn=None, variables_collections=collections, scope=logits_scope
    )
  _summarize(logits, logits_scope.name)
  return logits


def _summarize(value, tag):
  tf.summary.scalar(f"{tag}/fraction_of_zero_values", tf.nn.zero_fraction(value))
  tf.summary.histogram(f"{tag}/activation", value)


def linear(features, columns, num_outputs, joint_weights, scope):
  """The logits of a linear model in its scope; with `joint_weights` all columns of tf.contrib.layers have one table of weights."""
  if not _are_old(columns):
    return tf.feature_column.linear_model(features, columns, units=num_outputs, weight_collections=[LINEAR_SCOPE])
  layers = tf.contrib.layers
  sums = layers.joint_weighted_sum_from_feature_columns if joint_weights else layers.weighted_sum_from_feature_columns
  logits, _, _ = sums(
    columns_to_tensors=features,
    feature_columns=columns,
    num_outputs=num_outputs,
    weight_collections=[LINEAR_SCOPE],
    scope=scope,
  )
  return logits


def scope_of(name, features, config):
  """The scope of a model's variables, which are in as many parts as there are parameter servers, of 64 MiB at least."""
  return tf.variable_scope(name, values=_flat(features), partitioner=partitioner(config))


def partitioner(config, min_slice_size=None):
  """A function that cuts variables into as many parts as there are parameter servers, of so many bytes at least."""
  return tf.min_max_variable_partitioner(max_partitions=max(1, config.num_ps_replicas), min_slice_size=min_slice_size or 64 << 20)
