"""Model functions of the premade estimators: networks, linear models, and both together."""

import millrace as tf
from millrace.contrib.learn import logits
from millrace.contrib.learn.mode_keys import ModeKeys


def _dnn_logits(features, columns, hidden_units, activation_fn, dropout, mode, params, config):
  return logits.dnn(
    features,
    columns,
    hidden_units,
    params["head"].logits_dimension,
    activation_fn or tf.nn.relu,
    dropout,
    mode == ModeKeys.TRAIN,
    logits.partitioner(config, params.get("input_layer_min_slice_size")),
  )


def dnn_model_fn(features, labels, mode, params, config):
  """A network with a head."""
  features = logits.as_map(features)

  def train_op_fn(loss):
    multipliers = _multipliers(params.get("embedding_lr_multipliers"))
    optimizer = params.get("optimizer") or "Adagrad"
    return logits.train_and_count(
      [logits.train(loss, logits.DNN_SCOPE, optimizer, params.get("gradient_clip_norm"), multipliers)]
    )

  with logits.scope_of(logits.DNN_SCOPE, features, config):
    made = _dnn_logits(
      features,
      params["feature_columns"],
      params["hidden_units"],
      params.get("activation_fn"),
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
  optimizer = logits.linear_optimizer(params.get("optimizer"), columns)

  def train_op_fn(loss):
    return logits.train_and_count([logits.train(loss, logits.LINEAR_SCOPE, optimizer, params.get("gradient_clip_norm"))])

  with logits.scope_of(logits.LINEAR_SCOPE, features, config) as scope:
    made = logits.linear(features, columns, head.logits_dimension, params.get("joint_weights"), scope)
    return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=made)


def combined_model_fn(features, labels, mode, params, config):
  """A linear model and a network, whose logits are added. Raises ValueError for a network without layers."""
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
          params.get("dnn_activation_fn"),
          params.get("dnn_dropout"),
          mode,
          params,
          config,
        )
      )
  if linear_columns:
    with logits.scope_of(logits.LINEAR_SCOPE, features, config) as scope:
      parts.append(logits.linear(features, linear_columns, head.logits_dimension, params.get("joint_linear_weights"), scope))
  linear_optimizer = logits.linear_optimizer(params.get("linear_optimizer"), linear_columns or ())

  def train_op_fn(loss):
    ops = []
    if dnn_columns:
      multipliers = _multipliers(params.get("embedding_lr_multipliers"))
      optimizer = params.get("dnn_optimizer") or "Adagrad"
      ops.append(logits.train(loss, logits.DNN_SCOPE, optimizer, params.get("gradient_clip_norm"), multipliers))
    if linear_columns:
      ops.append(logits.train(loss, logits.LINEAR_SCOPE, linear_optimizer, params.get("gradient_clip_norm")))
    return logits.train_and_count(ops)

  made = parts[0] if len(parts) == 1 else parts[0] + parts[1]
  return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=made)
