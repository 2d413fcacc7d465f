"""The logits of networks and of linear models, of columns of tf.contrib.layers or tf.feature_column."""

import math

import millrace as tf

LINEAR_SCOPE = "linear"
DNN_SCOPE = "dnn"
LEARNING_RATE = 0.05


def as_map(features):
  """Features by name; a tensor alone is called ""."""
  return dict(features) if isinstance(features, dict) else {"": features}


def _flat(features):
  return list(features.values())


def dnn(features, columns, hidden_units, num_outputs, activation_fn, dropout, training, input_partitioner):
  """The logits of a network of fully connected layers; while it trains, `dropout` of their numbers are left out.

  Called in the scope of the model.
  """
  collections = [DNN_SCOPE]
  with tf.variable_scope("input_from_feature_columns", values=_flat(features), partitioner=input_partitioner) as columns_scope:
    net = tf.contrib.layers.input_from_feature_columns(
      columns_to_tensors=features, feature_columns=columns, weight_collections=collections, scope=columns_scope
    )
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
  """The logits of a linear model in its scope; with `joint_weights` all columns have one table of weights."""
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


def linear_optimizer(optimizer, columns):
  """The optimizer that is given, or Ftrl, whose rate falls with the number of columns."""
  if optimizer is not None:
    return optimizer
  return tf.train.FtrlOptimizer(learning_rate=min(0.2, 1.0 / math.sqrt(max(1, len(columns)))))


def train(loss, scope, optimizer, clip_norm=None, multipliers=None):
  """The op that trains the variables of a scope, without counting the step; gradients are clipped by their global norm.

  The optimizer is one, or the name of one, or a function or class without arguments.
  """
  variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope + "/")
  if not variables:
    return tf.no_op()
  if callable(optimizer) and not isinstance(optimizer, tf.train.Optimizer):
    optimizer = optimizer()
  return tf.contrib.layers.optimize_loss(
    loss,
    tf.train.get_global_step(),
    learning_rate=LEARNING_RATE,
    optimizer=optimizer,
    gradient_multipliers=multipliers or None,
    clip_gradients=clip_norm,
    name=scope,
    variables=variables,
    summaries=[],
    increment_global_step=False,
  )


def train_and_count(ops):
  """An op that runs others and counts the step."""
  with tf.control_dependencies(ops):
    return tf.assign_add(tf.train.get_global_step(), 1).op
