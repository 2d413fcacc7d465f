"""Premade estimators of a linear model and a deep network whose logits are added."""

import math

import millrace as tf
from millrace.estimator.canned import choice_of_head, dnn, linear, optimizers
from millrace.estimator.estimator import Estimator

LINEAR_LEARNING_RATE = 0.005
DNN_LEARNING_RATE = 0.001


def model_fn(
  features,
  labels,
  mode,
  head,
  linear_feature_columns,
  linear_optimizer,
  dnn_feature_columns,
  dnn_optimizer,
  dnn_hidden_units,
  dnn_activation_fn,
  dnn_dropout,
  input_layer_partitioner,
  config,
  batch_norm,
  linear_sparse_combiner,
):
  """Returns the EstimatorSpec of both models together; each is trained by its own optimizer."""
  linear.check_features(features)
  if not linear_feature_columns and not dnn_feature_columns:
    raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
  input_layer_partitioner = linear.partitioner_of(config, input_layer_partitioner)
  deep, deep_scope, wide, wide_scope = None, "dnn", None, "linear"
  if dnn_feature_columns:
    if not dnn_hidden_units:
      raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    dnn_optimizer = optimizers.instance(dnn_optimizer, learning_rate=DNN_LEARNING_RATE)
    deep, deep_scope = _deep_logits(
      features,
      mode,
      head,
      config,
      hidden_units=dnn_hidden_units,
      feature_columns=dnn_feature_columns,
      activation_fn=dnn_activation_fn,
      dropout=dnn_dropout,
      input_layer_partitioner=input_layer_partitioner,
      batch_norm=batch_norm,
    )
  if linear_feature_columns:
    rate = min(LINEAR_LEARNING_RATE, 1.0 / math.sqrt(len(linear_feature_columns)))
    linear_optimizer = optimizers.instance(linear_optimizer, learning_rate=rate)
    with tf.variable_scope("linear", values=tuple(features.values()), partitioner=input_layer_partitioner) as scope:
      wide = linear.logits_of(features, head.logits_dimension, linear_feature_columns, linear_sparse_combiner)
      dnn.summarize(wide, scope.name)
      wide_scope = scope.name

  def train(loss):
    """Returns the op that trains both parts and counts the step behind them."""
    ops = []
    if deep is not None:
      variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=deep_scope)
      ops.append(dnn_optimizer.minimize(loss, var_list=variables))
    if wide is not None:
      variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=wide_scope)
      ops.append(linear_optimizer.minimize(loss, var_list=variables))
    with tf.control_dependencies([tf.group(*ops)]):
      return tf.assign_add(tf.train.get_global_step(), 1).op

  parts = [part for part in (deep, wide) if part is not None]
  logits = deep + wide if len(parts) == 2 else parts[0]
  return head.create_estimator_spec(features=features, mode=mode, labels=labels, train_op_fn=train, logits=logits)


def _deep_logits(features, mode, head, config, **network):
  """Returns the logits of the network, and the name of its scope."""
  servers = max(1, config.num_ps_replicas) if config else 1
  partitioner = tf.min_max_variable_partitioner(max_partitions=servers)
  with tf.variable_scope("dnn", values=tuple(features.values()), partitioner=partitioner) as scope:
    return dnn.logits_of(features, mode, units=head.logits_dimension, **network), scope.name


def _init(estimator, head, model_dir, config, warm_start_from, **model):
  model["linear_feature_columns"] = model["linear_feature_columns"] or []
  model["dnn_feature_columns"] = model["dnn_feature_columns"] or []
  if not (list(model["linear_feature_columns"]) + list(model["dnn_feature_columns"])):
    raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")

  def call(features, labels, mode, config):
    return model_fn(features=features, labels=labels, mode=mode, head=head, config=config, **model)

  Estimator.__init__(estimator, model_fn=call, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(Estimator):
  """Classes by the sum of a linear model and a network of dense layers.

  Args:
    model_dir: Folder of checkpoints; None for that of `config`, or a temporary one.
    linear_feature_columns: Columns of any kind for the linear model.
    linear_optimizer: As of LinearClassifier; "Ftrl" has a learning rate of 0.005, and less for many columns.
    dnn_feature_columns: Dense columns for the network.
    dnn_optimizer: As of DNNClassifier; names have a learning rate of 0.001.
    dnn_hidden_units: Sizes of the layers.
    dnn_activation_fn: Function at the end of each layer; None for none.
    dnn_dropout: The share of values that training leaves out behind each layer, or None.
    n_classes: Number of classes.
    weight_column: Name or numeric column of a feature of weights, or None.
    label_vocabulary: The words of the classes if labels are words; None for numbers.
    input_layer_partitioner: Partitioner of the tables of embeddings; None spreads large ones over the parameter servers.
    config: A tf.estimator.RunConfig.
    warm_start_from: Path of a checkpoint, or WarmStartSettings, that variables begin with.
    loss_reduction: A name of tf.losses.Reduction, but not that of none.
    batch_norm: Whether the values behind each layer are normalized.
    linear_sparse_combiner: What becomes of several ids of an example: the "sum" of their weights, "mean" or "sqrtn".

  Raises:
    ValueError: There are no columns, columns of a network but no sizes of layers, or other arguments are none that can be.
  """

  def __init__(
    self,
    model_dir=None,
    linear_feature_columns=None,
    linear_optimizer="Ftrl",
    dnn_feature_columns=None,
    dnn_optimizer="Adagrad",
    dnn_hidden_units=None,
    dnn_activation_fn=tf.nn.relu,
    dnn_dropout=None,
    n_classes=2,
    weight_column=None,
    label_vocabulary=None,
    input_layer_partitioner=None,
    config=None,
    warm_start_from=None,
    loss_reduction="weighted_sum",
    batch_norm=False,
    linear_sparse_combiner="sum",
  ):
    _init(
      self,
      choice_of_head.of_classes(n_classes, weight_column, label_vocabulary, loss_reduction),
      model_dir,
      config,
      warm_start_from,
      linear_feature_columns=linear_feature_columns,
      linear_optimizer=linear_optimizer,
      dnn_feature_columns=dnn_feature_columns,
      dnn_optimizer=dnn_optimizer,
      dnn_hidden_units=dnn_hidden_units,
      dnn_activation_fn=dnn_activation_fn,
      dnn_dropout=dnn_dropout,
      input_layer_partitioner=input_layer_partitioner,
      batch_norm=batch_norm,
      linear_sparse_combiner=linear_sparse_combiner,
    )


class DNNLinearCombinedRegressor(Estimator):
  """Numbers by the sum of a linear model and a network of dense layers.

  `label_dimension` is the number of values an example. The other arguments: see DNNLinearCombinedClassifier.
  """

  def __init__(
    self,
    model_dir=None,
    linear_feature_columns=None,
    linear_optimizer="Ftrl",
    dnn_feature_columns=None,
    dnn_optimizer="Adagrad",
    dnn_hidden_units=None,
    dnn_activation_fn=tf.nn.relu,
    dnn_dropout=None,
    label_dimension=1,
    weight_column=None,
    input_layer_partitioner=None,
    config=None,
    warm_start_from=None,
    loss_reduction="weighted_sum",
    batch_norm=False,
    linear_sparse_combiner="sum",
  ):
    _init(
      self,
      choice_of_head.of_values(label_dimension, weight_column, loss_reduction),
      model_dir,
      config,
      warm_start_from,
      linear_feature_columns=linear_feature_columns,
      linear_optimizer=linear_optimizer,
      dnn_feature_columns=dnn_feature_columns,
      dnn_optimizer=dnn_optimizer,
      dnn_hidden_units=dnn_hidden_units,
      dnn_activation_fn=dnn_activation_fn,
      dnn_dropout=dnn_dropout,
      input_layer_partitioner=input_layer_partitioner,
      batch_norm=batch_norm,
      linear_sparse_combiner=linear_sparse_combiner,
    )


class DNNLinearCombinedEstimator(Estimator):
  """What `head` says by the sum of a linear model and a network. The other arguments: see DNNLinearCombinedClassifier."""

  def __init__(
    self,
    head,
    model_dir=None,
    linear_feature_columns=None,
    linear_optimizer="Ftrl",
    dnn_feature_columns=None,
    dnn_optimizer="Adagrad",
    dnn_hidden_units=None,
    dnn_activation_fn=tf.nn.relu,
    dnn_dropout=None,
    input_layer_partitioner=None,
    config=None,
    linear_sparse_combiner="sum",
  ):
    _init(
      self,
      head,
      model_dir,
      config,
      None,
      linear_feature_columns=linear_feature_columns,
      linear_optimizer=linear_optimizer,
      dnn_feature_columns=dnn_feature_columns,
      dnn_optimizer=dnn_optimizer,
      dnn_hidden_units=dnn_hidden_units,
      dnn_activation_fn=dnn_activation_fn,
      dnn_dropout=dnn_dropout,
      input_layer_partitioner=input_layer_partitioner,
      batch_norm=False,
      linear_sparse_combiner=linear_sparse_combiner,
    )
