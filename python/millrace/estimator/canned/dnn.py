"""Premade estimators of deep networks: layers over dense feature columns."""

import millrace as tf
from millrace.estimator.canned import choice_of_head, optimizers
from millrace.estimator.canned.linear import check_features, has_shared_tables, partitioner_of
from millrace.estimator.estimator import Estimator
from millrace.estimator.mode_keys import ModeKeys
from millrace.ops.feature_column import input_layer

LEARNING_RATE = 0.05


def logits_of(
  features,
  mode,
  units,
  hidden_units,
  feature_columns,
  activation_fn,
  dropout,
  input_layer_partitioner,
  batch_norm,
):
  """Returns the logits [batch, units] of a network, with summaries of its layers.

  Its variables are below `input_from_feature_columns`, `hiddenlayer_0` and so on, and `logits` of the current scope.
  """
  training = mode == ModeKeys.TRAIN
  with tf.variable_scope("input_from_feature_columns", values=tuple(features.values()), partitioner=input_layer_partitioner):
    layer = tf.feature_column.input_layer if has_shared_tables(feature_columns) else input_layer.resource_input_layer
    net = layer(features, feature_columns)
  for number, size in enumerate(hidden_units):
    with tf.variable_scope("hiddenlayer_%d" % number, values=(net,), use_resource=True) as scope:
      net = _dense(net, size, activation_fn, scope)
    if dropout is not None and training:
      net = tf.layers.dropout(net, rate=dropout, training=True)
    if batch_norm:
      net = _normalized(net, scope, number, training)
    summarize(net, scope.name)
  with tf.variable_scope("logits", values=(net,), use_resource=True) as scope:
    logits = _dense(net, units, None, scope)
  summarize(logits, scope.name)
  return logits


def _normalized(net, scope, number, training):
  """Returns values normalized by a layer below the scope of the layer that they are of."""
  name = "batchnorm_%d" % number
  with tf.variable_scope(scope, auxiliary_name_scope=False), tf.name_scope(scope.original_name_scope):
    # Moving averages that follow quickly do for short trainings.
    return tf.layers.batch_normalization(net, momentum=0.999, training=training, name=name)


def _dense(net, units, activation_fn, scope):
  layer = tf.layers.Dense(
    units,
    activation=activation_fn,
    kernel_initializer=tf.glorot_uniform_initializer(),
    name=scope,
    _scope=scope,
  )
  return layer.apply(net)


def summarize(value, tag):
  """Adds the summaries of a layer: how many of its values are 0, and their histogram."""
  tf.summary.scalar("%s/fraction_of_zero_values" % tag, tf.nn.zero_fraction(value))
  tf.summary.histogram("%s/activation" % tag, value)


def model_fn(features, labels, mode, head, optimizer, config, input_layer_partitioner, **network):
  """Returns the EstimatorSpec of a network that ends in `head`."""
  check_features(features)
  optimizer = optimizers.instance(optimizer, learning_rate=LEARNING_RATE)
  servers = max(1, config.num_ps_replicas) if config else 1
  partitioner = tf.min_max_variable_partitioner(max_partitions=servers)
  with tf.variable_scope("dnn", values=tuple(features.values()), partitioner=partitioner):
    logits = logits_of(
      features,
      mode,
      units=head.logits_dimension,
      input_layer_partitioner=partitioner_of(config, input_layer_partitioner),
      **network,
    )
    return head.create_estimator_spec(features=features, mode=mode, labels=labels, optimizer=optimizer, logits=logits)


class DNNClassifier(Estimator):
  """Classes by a network of dense layers over feature columns.

  Args:
    hidden_units: Sizes of the layers.
    feature_columns: Dense columns.
    model_dir: Folder of checkpoints; None for that of `config`, or a temporary one.
    n_classes: Number of classes.
    weight_column: Name or numeric column of a feature of weights, or None.
    label_vocabulary: The words of the classes if labels are words; None for numbers.
    optimizer: "Adagrad", "Adam", "Ftrl", "RMSProp" or "SGD", with a learning rate of 0.05, an optimizer, or a function that
      makes one.
    activation_fn: Function at the end of each layer; None for none.
    dropout: The share of values that training leaves out behind each layer, or None.
    input_layer_partitioner: Partitioner of the tables of embeddings; None spreads large ones over the parameter servers.
    config: A tf.estimator.RunConfig.
    warm_start_from: Path of a checkpoint, or WarmStartSettings, that variables begin with.
    loss_reduction: A name of tf.losses.Reduction, but not that of none.
    batch_norm: Whether the values behind each layer are normalized.

  Raises:
    ValueError: Arguments are none that can be.
  """

  def __init__(
    self,
    hidden_units,
    feature_columns,
    model_dir=None,
    n_classes=2,
    weight_column=None,
    label_vocabulary=None,
    optimizer="Adagrad",
    activation_fn=tf.nn.relu,
    dropout=None,
    input_layer_partitioner=None,
    config=None,
    warm_start_from=None,
    loss_reduction="weighted_sum",
    batch_norm=False,
  ):
    head = choice_of_head.of_classes(n_classes, weight_column, label_vocabulary, loss_reduction)
    network = _network(hidden_units, feature_columns, activation_fn, dropout, batch_norm)
    _init(self, head, model_dir, optimizer, input_layer_partitioner, config, warm_start_from, network)


class DNNRegressor(Estimator):
  """Numbers by a network of dense layers over feature columns.

  `label_dimension` is the number of values an example. The other arguments: see DNNClassifier.
  """

  def __init__(
    self,
    hidden_units,
    feature_columns,
    model_dir=None,
    label_dimension=1,
    weight_column=None,
    optimizer="Adagrad",
    activation_fn=tf.nn.relu,
    dropout=None,
    input_layer_partitioner=None,
    config=None,
    warm_start_from=None,
    loss_reduction="weighted_sum",
    batch_norm=False,
  ):
    head = choice_of_head.of_values(label_dimension, weight_column, loss_reduction)
    network = _network(hidden_units, feature_columns, activation_fn, dropout, batch_norm)
    _init(self, head, model_dir, optimizer, input_layer_partitioner, config, warm_start_from, network)


class DNNEstimator(Estimator):
  """What `head` says by a network of dense layers over feature columns. The other arguments: see DNNClassifier."""

  def __init__(
    self,
    head,
    hidden_units,
    feature_columns,
    model_dir=None,
    optimizer="Adagrad",
    activation_fn=tf.nn.relu,
    dropout=None,
    input_layer_partitioner=None,
    config=None,
    warm_start_from=None,
    batch_norm=False,
  ):
    network = _network(hidden_units, feature_columns, activation_fn, dropout, batch_norm)
    _init(self, head, model_dir, optimizer, input_layer_partitioner, config, warm_start_from, network)


def _network(hidden_units, feature_columns, activation_fn, dropout, batch_norm):
  return {
    "hidden_units": hidden_units,
    "feature_columns": tuple(feature_columns or []),
    "activation_fn": activation_fn,
    "dropout": dropout,
    "batch_norm": batch_norm,
  }


def _init(estimator, head, model_dir, optimizer, input_layer_partitioner, config, warm_start_from, network):
  def call(features, labels, mode, config):
    return model_fn(
      features=features,
      labels=labels,
      mode=mode,
      head=head,
      optimizer=optimizer,
      config=config,
      input_layer_partitioner=input_layer_partitioner,
      **network,
    )

  Estimator.__init__(estimator, model_fn=call, model_dir=model_dir, config=config, warm_start_from=warm_start_from)
