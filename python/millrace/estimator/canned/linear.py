"""Premade linear estimators: a weighted sum of feature columns."""

import math

import millrace as tf
from millrace.estimator.canned import choice_of_head, optimizers
from millrace.estimator.estimator import Estimator
from millrace.ops.feature_column import linear_model
from millrace.ops.feature_column.shared_embedding import _SharedEmbeddingColumn

LEARNING_RATE = 0.2
_MIN_SLICE_BYTES = 64 << 20


def partitioner_of(config, partitioner=None, min_slice_bytes=_MIN_SLICE_BYTES):
  """Returns the partitioner that is given, or one that spreads large variables over the parameter servers."""
  if partitioner is not None:
    return partitioner
  servers = max(1, config.num_ps_replicas) if config else 1
  return tf.min_max_variable_partitioner(max_partitions=servers, min_slice_size=min_slice_bytes)


def logits_of(features, units, feature_columns, sparse_combiner="sum"):
  """Returns the sums [batch, units] of a linear model, with summaries of its weights."""
  if has_shared_tables(feature_columns):
    model = linear_model.LinearModel(feature_columns, units=units, sparse_combiner=sparse_combiner, own_scope=False)
  else:
    model = linear_model.ResourceLinearModel(feature_columns, units=units, sparse_combiner=sparse_combiner)
  logits = model(features)
  by_column = dict(model.cols_to_vars())
  bias = by_column.pop("bias")
  bias = bias[0] if len(bias) == 1 else tf.concat(bias, axis=0)
  if units > 1:
    tf.summary.histogram("bias", bias)
  else:
    tf.summary.scalar("bias", bias[0])
  weights = [variable for found in by_column.values() for variable in found]
  tf.summary.scalar("fraction_of_zero_weights", zero_fraction(weights))
  return logits


def has_shared_tables(feature_columns):
  """Returns whether columns share tables, which belong to the graph and so are no layer's."""
  return any(isinstance(column, _SharedEmbeddingColumn) for column in feature_columns)


def zero_fraction(variables):
  """Returns the share of the elements of all variables that are 0; it is not a number if there are no elements."""
  with tf.name_scope("zero_fraction"):
    with tf.name_scope("total_size"):
      sizes = [tf.size(variable, out_type=tf.int64) for variable in variables]
      total_size = tf.add_n(sizes)
    with tf.name_scope("total_zero"):
      total_zero = tf.add_n([_zeros(variable, size) for variable, size in zip(variables, sizes)])
    with tf.name_scope("compute"):
      fraction = total_zero / tf.cast(total_size, tf.float32, name="float32_size")
    return tf.identity(fraction, name="zero_fraction_or_nan")


def _zeros(variable, size):
  """Returns how many elements of a variable are 0, as a float."""
  return tf.cond(
    tf.equal(size, tf.constant(0, dtype=tf.int64)),
    true_fn=lambda: tf.constant(0, dtype=tf.float32),
    false_fn=lambda: tf.nn.zero_fraction(variable) * tf.cast(size, dtype=tf.float32),
    name="zero_count",
  )


def check_features(features):
  """Raises ValueError if features are no dict."""
  if not isinstance(features, dict):
    raise ValueError(  # noqa: TRY004
      f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
    )


def model_fn(features, labels, mode, head, feature_columns, optimizer, partitioner, config, sparse_combiner="sum"):
  """Returns the EstimatorSpec of a linear model that ends in `head`."""
  check_features(features)
  feature_columns = tuple(feature_columns or [])
  rate = min(LEARNING_RATE, 1.0 / math.sqrt(len(feature_columns))) if feature_columns else LEARNING_RATE
  optimizer = optimizers.instance(optimizer or tf.train.FtrlOptimizer(learning_rate=rate), learning_rate=LEARNING_RATE)
  with tf.variable_scope("linear", values=tuple(features.values()), partitioner=partitioner_of(config, partitioner)):
    logits = logits_of(features, head.logits_dimension, feature_columns, sparse_combiner)
    return head.create_estimator_spec(features=features, mode=mode, labels=labels, optimizer=optimizer, logits=logits)


class LinearClassifier(Estimator):
  """Classes by a linear model of feature columns.

  Args:
    feature_columns: Columns of any kind.
    model_dir: Folder of checkpoints; None for that of `config`, or a temporary one.
    n_classes: Number of classes.
    weight_column: Name or numeric column of a feature of weights, or None.
    label_vocabulary: The words of the classes if labels are words; None for numbers.
    optimizer: "Adagrad", "Adam", "Ftrl", "RMSProp" or "SGD", an optimizer, or a function that makes one. "Ftrl" has a learning
      rate of 0.2, and less for more than 25 columns.
    config: A tf.estimator.RunConfig.
    partitioner: Partitioner of variables; None spreads large ones over the parameter servers.
    warm_start_from: Path of a checkpoint, or WarmStartSettings, that variables begin with.
    loss_reduction: A name of tf.losses.Reduction, but not that of none.
    sparse_combiner: What becomes of several ids of an example: the "sum" of their weights, "mean" or "sqrtn".

  Raises:
    ValueError: Arguments are none that can be.
  """

  def __init__(
    self,
    feature_columns,
    model_dir=None,
    n_classes=2,
    weight_column=None,
    label_vocabulary=None,
    optimizer="Ftrl",
    config=None,
    partitioner=None,
    warm_start_from=None,
    loss_reduction="weighted_sum",
    sparse_combiner="sum",
  ):
    head = choice_of_head.of_classes(n_classes, weight_column, label_vocabulary, loss_reduction)
    _init(self, head, feature_columns, model_dir, optimizer, config, partitioner, warm_start_from, sparse_combiner)


class LinearRegressor(Estimator):
  """Numbers by a linear model of feature columns.

  `label_dimension` is the number of values an example. The other arguments: see LinearClassifier.
  """

  def __init__(
    self,
    feature_columns,
    model_dir=None,
    label_dimension=1,
    weight_column=None,
    optimizer="Ftrl",
    config=None,
    partitioner=None,
    warm_start_from=None,
    loss_reduction="weighted_sum",
    sparse_combiner="sum",
  ):
    head = choice_of_head.of_values(label_dimension, weight_column, loss_reduction)
    _init(self, head, feature_columns, model_dir, optimizer, config, partitioner, warm_start_from, sparse_combiner)


class LinearEstimator(Estimator):
  """What `head` says by a linear model of feature columns. The other arguments: see LinearClassifier."""

  def __init__(
    self, head, feature_columns, model_dir=None, optimizer="Ftrl", config=None, partitioner=None, sparse_combiner="sum"
  ):
    _init(self, head, feature_columns, model_dir, optimizer, config, partitioner, None, sparse_combiner)


def _init(estimator, head, feature_columns, model_dir, optimizer, config, partitioner, warm_start_from, sparse_combiner):
  def call(features, labels, mode, config):
    return model_fn(
      features=features,
      labels=labels,
      mode=mode,
      head=head,
      feature_columns=tuple(feature_columns or []),
      optimizer=optimizer,
      partitioner=partitioner,
      config=config,
      sparse_combiner=sparse_combiner,
    )

  Estimator.__init__(estimator, model_fn=call, model_dir=model_dir, config=config, warm_start_from=warm_start_from)
