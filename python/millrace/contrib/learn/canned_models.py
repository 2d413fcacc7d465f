"""Model functions of the premade estimators: networks, linear models, and both together."""

import millrace as tf
from millrace.contrib.learn import logits
from millrace.contrib.learn.mode_keys import ModeKeys


def dnn_model_fn(features, labels, mode, params, config):
  """A network with a head."""
  head = params["head"]
  features = logits.as_map(features)
  made = logits.dnn(
    features,
    params["feature_columns"],
    params["hidden_units"],
    head.logits_dimension,
    params.get("activation_fn") or tf.nn.relu,
    params.get("dropout"),
    mode == ModeKeys.TRAIN,
    logits.partitioner(config),
    tf.min_max_variable_partitioner(
      max_partitions=max(1, config.num_ps_replicas), min_slice_size=params.get("input_layer_min_slice_size") or 64 << 20
    ),
  )
  optimizer = params.get("optimizer") or "Adagrad"

  def train_op_fn(loss):
    multipliers = _multipliers(params.get("embedding_lr_multipliers"))
    return logits.train_and_count(
      [logits.train(loss, logits.DNN_SCOPE, optimizer, params.get("gradient_clip_norm"), multipliers)]
    )

  return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=made)


def _multipliers(by_column):
  """Factors of gradients by the names of variables: those of columns with embeddings."""
  found = {}
  for column, factor in (by_column or {}).items():
    name = getattr(column, "name", column)
    for variable in tf.trainable_variables():
      if f"/{name}/" in variable.op.name:
        found[variable.op.name] = factor
  return found


def linear_model_fn(features, labels, mode, params, config):
  """A linear model with a head."""
  head, columns = params["head"], params["feature_columns"]
  features = logits.as_map(features)
  made = logits.linear(features, columns, head.logits_dimension, params.get("joint_weights"), logits.partitioner(config))
  optimizer = logits.linear_optimizer(params.get("optimizer"), columns)

  def train_op_fn(loss):
    return logits.train_and_count([logits.train(loss, logits.LINEAR_SCOPE, optimizer, params.get("gradient_clip_norm"))])

  return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=made)


def combined_model_fn(features, labels, mode, params, config):
  """A linear model and a network, whose logits are added. Raises ValueError without columns."""
  head = params["head"]
  linear_columns, dnn_columns = params["linear_feature_columns"], params["dnn_feature_columns"]
  if not linear_columns and not dnn_columns:
    raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
  if dnn_columns and not params["dnn_hidden_units"]:
    raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
  features = logits.as_map(features)
  parts = []
  if dnn_columns:
    dnn_part = logits.dnn(
      features,
      dnn_columns,
      params["dnn_hidden_units"],
      head.logits_dimension,
      params.get("dnn_activation_fn") or tf.nn.relu,
      params.get("dnn_dropout"),
      mode == ModeKeys.TRAIN,
      logits.partitioner(config),
      tf.min_max_variable_partitioner(
        max_partitions=max(1, config.num_ps_replicas), min_slice_size=params.get("input_layer_min_slice_size") or 64 << 20
      ),
    )
    parts.append(dnn_part)
  if linear_columns:
    parts.append(
      logits.linear(
        features, linear_columns, head.logits_dimension, params.get("joint_linear_weights"), logits.partitioner(config)
      )
    )
  dnn_optimizer = params.get("dnn_optimizer") or "Adagrad"
  linear_optimizer = logits.linear_optimizer(params.get("linear_optimizer"), linear_columns or ())

  def train_op_fn(loss):
    ops = []
    if dnn_columns:
      multipliers = _multipliers(params.get("embedding_lr_multipliers"))
      ops.append(logits.train(loss, logits.DNN_SCOPE, dnn_optimizer, params.get("gradient_clip_norm"), multipliers))
    if linear_columns:
      ops.append(logits.train(loss, logits.LINEAR_SCOPE, linear_optimizer, params.get("gradient_clip_norm")))
    return logits.train_and_count(ops)

  made = parts[0] if len(parts) == 1 else parts[0] + parts[1]
  return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=made)
