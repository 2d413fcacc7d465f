"""Model functions of the premade estimators: networks, linear models, and both together."""

import millrace as tf
from millrace.contrib.learn import canned_training, logits
from millrace.contrib.learn.mode_keys import ModeKeys

_ACTIVATIONS = {"relu": tf.nn.relu, "tanh": tf.nn.tanh, "sigmoid": tf.nn.sigmoid}


def _activation(spec):
  """A function, or that of a name; None for layers that are linear."""
  return _ACTIVATIONS[spec] if isinstance(spec, str) else spec


def _dnn_logits(features, columns, hidden_units, activation_fn, dropout, mode, params, config):
  return logits.dnn(
    features,
    columns,
    hidden_units,
    params["head"].logits_dimension,
    activation_fn,
    dropout,
    mode == ModeKeys.TRAIN,
    logits.partitioner(config, params.get("input_layer_min_slice_size")),
  )


def dnn_model_fn(features, labels, mode, params, config):
  """A network with a head."""
  features = logits.as_map(features)

  def train_op_fn(loss):
    return canned_training.optimize(
      loss,
      logits.DNN_SCOPE,
      params.get("optimizer") or "Adagrad",
      canned_training.DNN_RATE,
      params.get("gradient_clip_norm"),
      _multipliers(params.get("embedding_lr_multipliers")),
    )

  with logits.scope_of(logits.DNN_SCOPE, features, config):
    made = _dnn_logits(
      features,
      params["feature_columns"],
      params["hidden_units"],
      _activation(params.get("activation_fn")),
      params.get("dropout"),
      mode,
      params,
      config,
    )
    return params["head"].create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=made)


def _multipliers(by_column):
  """Factors of gradients by the names of variables: those of columns with embeddings."""
  found = {}
  for column, factor in (by_column or {}).items():
    name = getattr(column, "name", column)
    for variable in tf.trainable_variables():
      if f"/{name}/" in variable.op.name:
        found[variable.name] = factor
  return found


def linear_model_fn(features, labels, mode, params, config):
  """A linear model with a head."""
  head, columns = params["head"], params["feature_columns"]
  features = logits.as_map(features)

  def train_op_fn(loss):
    return canned_training.train_linear(loss, params.get("optimizer"), columns, params.get("gradient_clip_norm"))

  with logits.scope_of(logits.LINEAR_SCOPE, features, config) as scope:
    made = logits.linear(features, columns, head.logits_dimension, params.get("joint_weights"), scope)
    return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=made)


def combined_model_fn(features, labels, mode, params, config):
  """A linear model and a network, whose logits are added. Raises ValueError for a network without layers.

  Each has an optimizer of its own, and both count the step, unless `fix_global_step_increment_bug`.
  """
  head = params["head"]
  linear_columns, dnn_columns = params["linear_feature_columns"], params["dnn_feature_columns"]
  if dnn_columns and not params["dnn_hidden_units"]:
    raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
  features = logits.as_map(features)
  parts = []
  if dnn_columns:
    with logits.scope_of(logits.DNN_SCOPE, features, config):
      parts.append(
        _dnn_logits(
          features,
          dnn_columns,
          params["dnn_hidden_units"],
          params.get("dnn_activation_fn") or tf.nn.relu,
          params.get("dnn_dropout"),
          mode,
          params,
          config,
        )
      )
  if linear_columns:
    with logits.scope_of(logits.LINEAR_SCOPE, features, config) as scope:
      parts.append(logits.linear(features, linear_columns, head.logits_dimension, params.get("joint_linear_weights"), scope))
  is_counted_once = params["fix_global_step_increment_bug"]

  def optimize(loss, name, optimizer, rate, multipliers=None):
    variables = tf.get_collection(name)
    clip_norm = params.get("gradient_clip_norm")
    return canned_training.optimize(loss, name, optimizer, rate, clip_norm, multipliers, variables, not is_counted_once)

  def train_op_fn(loss):
    ops = []
    if dnn_columns:
      multipliers = _multipliers(params.get("embedding_lr_multipliers"))
      optimizer = params.get("dnn_optimizer") or "Adagrad"
      ops.append(optimize(loss, logits.DNN_SCOPE, optimizer, canned_training.DNN_RATE, multipliers))
    if linear_columns:
      rate = canned_training.linear_rate(linear_columns)
      ops.append(optimize(loss, logits.LINEAR_SCOPE, params.get("linear_optimizer") or "Ftrl", rate))
    if not is_counted_once:
      return tf.group(*ops)
    with tf.control_dependencies(ops):
      return tf.assign_add(tf.train.get_global_step(), 1).op

  made = parts[0] if len(parts) == 1 else parts[0] + parts[1]
  return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=made)
