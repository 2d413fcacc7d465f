"""Heads: from logits to predictions, losses and metrics, as ModelFnOps."""

import abc

import millrace as tf
from millrace.contrib.learn.keys import MetricKey, PredictionKey, ProblemType
from millrace.contrib.learn.mode_keys import ModeKeys
from millrace.contrib.learn.model_fn_ops import ModelFnOps


def no_op_train_fn(loss):
  """An op that trains nothing, for heads whose training is another's."""
  del loss
  return tf.no_op()


class Head(metaclass=abc.ABCMeta):
  """Base class of heads."""

  @property
  @abc.abstractmethod
  def logits_dimension(self):
    """The size of the last dimension of the logits."""

  @abc.abstractmethod
  def create_model_fn_ops(self, features, mode, labels=None, train_op_fn=None, logits=None, logits_input=None, scope=None):
    """The ModelFnOps for logits, or for `logits_input`, of which a layer makes them."""


class _SingleHead(Head):
  """What heads with one kind of label share."""

  _SCOPE = None

  def __init__(
    self, problem_type, logits_dimension, label_name=None, weight_column_name=None, enable_centered_bias=False, head_name=None
  ):
    self._problem_type = problem_type
    self._logits_dimension = logits_dimension
    self._label_name = label_name
    self._weight_column_name = weight_column_name
    self._enable_centered_bias = enable_centered_bias
    self._head_name = head_name

  @property
  def logits_dimension(self):
    return self._logits_dimension

  @property
  def head_name(self):
    return self._head_name

  def create_model_fn_ops(self, features, mode, labels=None, train_op_fn=None, logits=None, logits_input=None, scope=None):
    """Raises ValueError for logits and their input together, or neither, and where a mode lacks labels or `train_op_fn`."""
    ModeKeys.validate(mode)
    with tf.variable_scope(None, default_name=self._head_name or self._SCOPE):
      if (logits is None) == (logits_input is None):
        raise ValueError("Exactly one of logits and logits_input must be supplied.")
      if logits is None:
        with tf.variable_scope(scope, default_name="logits"):
          logits = tf.contrib.layers.fully_connected(logits_input, self.logits_dimension, activation_fn=None)
      bias_step = None
      if self._enable_centered_bias:
        logits, bias_step = self._with_centered_bias(logits)
      predictions = self._predictions(logits)
      alternatives = {self._head_name: (self._problem_type, predictions)}
      if mode == ModeKeys.INFER:
        return ModelFnOps(mode, predictions=predictions, output_alternatives=alternatives)
      labels = self._checked_labels(labels)
      weights = self._weights_of(features)
      unweighted = self._loss_of_examples(logits, labels)
      loss, average = _weighted(unweighted, weights)
      tf.summary.scalar(self._named("loss"), loss)
      if mode == ModeKeys.EVAL:
        metrics = {self._named(key): value for key, value in self._metrics(predictions, labels, weights).items()}
        metrics[self._named(MetricKey.LOSS)] = tf.metrics.mean(average)
        return ModelFnOps(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics, output_alternatives=alternatives)
      if train_op_fn is None:
        raise ValueError("train_op_fn can not be None in TRAIN mode")
      train_op = train_op_fn(loss)
      if bias_step is not None:
        train_op = tf.group(train_op, bias_step(labels))
      return ModelFnOps(mode, predictions=predictions, loss=loss, train_op=train_op, output_alternatives=alternatives)

  def _named(self, key):
    return key if not self._head_name else f"{key}/{self._head_name}"

  def _checked_labels(self, labels):
    if labels is None:
      raise ValueError("No labels were given, which training and evaluation need.")
    if isinstance(labels, dict):
      if self._label_name is None:
        if len(labels) != 1:
          raise ValueError(f"label_name has to name one of the labels {sorted(labels)}.")
        (labels,) = labels.values()
      else:
        labels = labels[self._label_name]
    if isinstance(labels, tf.SparseTensor):
      labels = tf.sparse_tensor_to_dense(labels)
    return self._shaped_labels(tf.convert_to_tensor(labels))

  def _weights_of(self, features):
    if not self._weight_column_name:
      return None
    weights = tf.cast(features[self._weight_column_name], tf.float32)
    return tf.reshape(weights, [-1, 1])

  def _with_centered_bias(self, logits):
    """Logits with a bias for each class, and a function of the labels that makes the op which moves it."""
    with tf.variable_scope(tf.get_variable_scope()) as scope:
      scope.set_partitioner(None)
      bias = tf.get_variable(
        (self._head_name or "") + "centered_bias_weight",
        [self._logits_dimension],
        initializer=tf.zeros_initializer(),
        trainable=False,
      )
    for i in range(self._logits_dimension):
      tf.summary.scalar(self._named(f"centered_bias/bias_{i}"), bias[i])

    def step(labels):
      spread = tf.tile(bias, [tf.shape(labels)[0]])
      spread = tf.reshape(spread, [-1, self._logits_dimension])
      loss = tf.reduce_mean(self._loss_of_examples(spread, labels))
      return tf.train.AdagradOptimizer(0.1).minimize(loss, var_list=[bias])

    return tf.nn.bias_add(logits, bias), step

  def _metrics(self, predictions, labels, weights):
    del predictions, labels, weights
    return {}


def _weighted(losses, weights):
  """The mean over the batch, and the mean weighed by the weights."""
  if weights is None:
    loss = tf.reduce_mean(losses, name="loss")
    return loss, loss
  weighted = losses * weights
  return tf.reduce_mean(weighted, name="loss"), tf.div(tf.reduce_sum(weighted), tf.reduce_sum(weights))


class _RegressionHead(_SingleHead):
  _SCOPE = "regression_head"

  def __init__(self, label_dimension, loss_fn, link_fn, **kwargs):
    super().__init__(ProblemType.LINEAR_REGRESSION, label_dimension, **kwargs)
    self._loss_fn = loss_fn
    self._link_fn = link_fn

  def _shaped_labels(self, labels):
    labels = tf.cast(labels, tf.float32)
    return tf.expand_dims(labels, 1) if labels.get_shape().ndims == 1 else labels

  def _predictions(self, logits):
    key = PredictionKey.SCORES
    values = self._link_fn(logits)
    if self.logits_dimension == 1:
      values = tf.squeeze(values, axis=[1], name=key)
    else:
      values = tf.identity(values, name=key)
    return {key: values}

  def _loss_of_examples(self, logits, labels):
    return self._loss_fn(labels, logits)


def _squared_loss(labels, logits):
  return tf.square(logits - tf.cast(labels, tf.float32))


def _poisson_loss(labels, logits):
  return tf.nn.log_poisson_loss(tf.cast(labels, tf.float32), logits, compute_full_loss=True)


class _ClassHead(_SingleHead):
  """Heads of classes, with accuracies and means of labels."""

  def __init__(self, problem_type, logits_dimension, thresholds=None, loss_fn=None, label_keys=None, **kwargs):
    super().__init__(problem_type, logits_dimension, **kwargs)
    self._thresholds = list(thresholds or [])
    self._loss_fn = loss_fn
    self._label_keys = label_keys

  def _ids_of(self, labels):
    """Numbers of labels that are texts."""
    if self._label_keys is None:
      return labels
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(self._label_keys))
    return table.lookup(labels)


class _BinaryHead(_ClassHead):
  _SCOPE = "binary_logistic_head"

  def __init__(self, **kwargs):
    super().__init__(ProblemType.LOGISTIC_REGRESSION, 1, **kwargs)

  def _shaped_labels(self, labels):
    labels = self._ids_of(labels)
    return tf.expand_dims(labels, 1) if labels.get_shape().ndims == 1 else labels

  def _predictions(self, logits):
    two = tf.concat([tf.zeros_like(logits), logits], 1)
    return {
      PredictionKey.LOGITS: logits,
      PredictionKey.LOGISTIC: tf.sigmoid(logits, name=PredictionKey.LOGISTIC),
      PredictionKey.PROBABILITIES: tf.nn.softmax(two, name=PredictionKey.PROBABILITIES),
      PredictionKey.CLASSES: tf.argmax(two, 1, name=PredictionKey.CLASSES),
    }

  def _loss_of_examples(self, logits, labels):
    if self._loss_fn is not None:
      return self._loss_fn(labels, logits)
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.cast(labels, tf.float32), logits=logits)

  def _metrics(self, predictions, labels, weights):
    truth = tf.cast(labels, tf.float32)
    logistic = predictions[PredictionKey.LOGISTIC]
    found = {
      MetricKey.ACCURACY: tf.metrics.accuracy(labels, tf.expand_dims(predictions[PredictionKey.CLASSES], 1), weights),
      MetricKey.PREDICTION_MEAN: tf.metrics.mean(logistic, weights),
      MetricKey.LABEL_MEAN: tf.metrics.mean(truth, weights),
      MetricKey.ACCURACY_BASELINE: tf.metrics.mean(truth, weights),
      MetricKey.AUC: tf.metrics.auc(truth, logistic, weights),
      MetricKey.AUC_PR: tf.metrics.auc(truth, logistic, weights, curve="PR"),
    }
    for threshold in self._thresholds:
      positive = tf.cast(logistic >= threshold, tf.float32)
      found[MetricKey.ACCURACY_MEAN % threshold] = tf.metrics.accuracy(truth, positive, weights)
      found[MetricKey.PRECISION_MEAN % threshold] = tf.metrics.precision(truth, positive, weights)
      found[MetricKey.RECALL_MEAN % threshold] = tf.metrics.recall(truth, positive, weights)
    return found


class _MultiClassHead(_ClassHead):
  _SCOPE = "multi_class_head"

  def __init__(self, n_classes, metric_class_ids=None, **kwargs):
    super().__init__(ProblemType.CLASSIFICATION, n_classes, **kwargs)
    self._metric_class_ids = list(metric_class_ids or [])

  def _shaped_labels(self, labels):
    labels = self._ids_of(labels)
    if labels.get_shape().ndims == 2:
      labels = tf.squeeze(labels, [1])
    return tf.cast(labels, tf.int64)

  def _predictions(self, logits):
    return {
      PredictionKey.LOGITS: logits,
      PredictionKey.PROBABILITIES: tf.nn.softmax(logits, name=PredictionKey.PROBABILITIES),
      PredictionKey.CLASSES: tf.argmax(logits, 1, name=PredictionKey.CLASSES),
    }

  def _loss_of_examples(self, logits, labels):
    if self._loss_fn is not None:
      return self._loss_fn(labels, logits)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.expand_dims(losses, 1)

  def _metrics(self, predictions, labels, weights):
    flat = None if weights is None else tf.squeeze(weights, [1])
    found = {MetricKey.ACCURACY: tf.metrics.accuracy(labels, predictions[PredictionKey.CLASSES], flat)}
    for number in self._metric_class_ids:
      truth = tf.cast(tf.equal(labels, number), tf.float32)
      probability = predictions[PredictionKey.PROBABILITIES][:, number]
      found[MetricKey.CLASS_PROBABILITY_MEAN % number] = tf.metrics.mean(probability, flat)
      found[MetricKey.CLASS_LOGITS_MEAN % number] = tf.metrics.mean(predictions[PredictionKey.LOGITS][:, number], flat)
      found[MetricKey.CLASS_LABEL_MEAN % number] = tf.metrics.mean(truth, flat)
      found[MetricKey.CLASS_AUC % number] = tf.metrics.auc(truth, probability, flat)
    return found


class _MultiLabelHead(_ClassHead):
  _SCOPE = "multi_label_head"

  def __init__(self, n_classes, metric_class_ids=None, **kwargs):
    super().__init__(ProblemType.CLASSIFICATION, n_classes, **kwargs)
    self._metric_class_ids = list(metric_class_ids or [])

  def _shaped_labels(self, labels):
    return labels

  def _predictions(self, logits):
    probabilities = tf.sigmoid(logits, name=PredictionKey.PROBABILITIES)
    return {
      PredictionKey.LOGITS: logits,
      PredictionKey.PROBABILITIES: probabilities,
      PredictionKey.CLASSES: tf.cast(tf.greater(logits, 0), tf.int64, name=PredictionKey.CLASSES),
    }

  def _loss_of_examples(self, logits, labels):
    if self._loss_fn is not None:
      return self._loss_fn(labels, logits)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.cast(labels, tf.float32), logits=logits)
    return tf.reduce_mean(losses, 1, keepdims=True)

  def _metrics(self, predictions, labels, weights):
    truth = tf.cast(labels, tf.int64)
    found = {MetricKey.ACCURACY: tf.metrics.accuracy(truth, predictions[PredictionKey.CLASSES], weights)}
    for number in self._metric_class_ids:
      one = tf.cast(truth[:, number : number + 1], tf.float32)
      probability = predictions[PredictionKey.PROBABILITIES][:, number : number + 1]
      found[MetricKey.CLASS_PROBABILITY_MEAN % number] = tf.metrics.mean(probability, weights)
      found[MetricKey.CLASS_LABEL_MEAN % number] = tf.metrics.mean(one, weights)
      found[MetricKey.CLASS_AUC % number] = tf.metrics.auc(one, probability, weights)
    return found


def regression_head(
  label_name=None, weight_column_name=None, label_dimension=1, enable_centered_bias=False, head_name=None, link_fn=tf.identity
):
  """A head of squared errors; `link_fn` makes predictions of logits."""
  return _RegressionHead(
    label_dimension,
    _squared_loss,
    link_fn,
    label_name=label_name,
    weight_column_name=weight_column_name,
    enable_centered_bias=enable_centered_bias,
    head_name=head_name,
  )


def poisson_regression_head(
  label_name=None, weight_column_name=None, label_dimension=1, enable_centered_bias=False, head_name=None
):
  """A head of counts: logits are logarithms of means."""
  return _RegressionHead(
    label_dimension,
    _poisson_loss,
    tf.exp,
    label_name=label_name,
    weight_column_name=weight_column_name,
    enable_centered_bias=enable_centered_bias,
    head_name=head_name,
  )


def multi_class_head(
  n_classes,
  label_name=None,
  weight_column_name=None,
  enable_centered_bias=False,
  head_name=None,
  thresholds=None,
  metric_class_ids=None,
  loss_fn=None,
  label_keys=None,
):
  """A head of two or more classes, of which an example has one; `label_keys` are the texts that labels are, if they are any.

  `thresholds` are for metrics of two classes, `metric_class_ids` for those of more. Raises ValueError for less than two classes.
  """
  if n_classes is None or n_classes < 2:
    raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
  options = {
    "label_name": label_name,
    "weight_column_name": weight_column_name,
    "enable_centered_bias": enable_centered_bias,
    "head_name": head_name,
    "thresholds": thresholds,
    "loss_fn": loss_fn,
    "label_keys": label_keys,
  }
  if n_classes == 2:
    if metric_class_ids:
      raise ValueError("metric_class_ids invalid for n_classes==2.")
    return _BinaryHead(**options)
  return _MultiClassHead(n_classes, metric_class_ids=metric_class_ids, **options)


def multi_label_head(
  n_classes,
  label_name=None,
  weight_column_name=None,
  enable_centered_bias=False,
  head_name=None,
  thresholds=None,
  metric_class_ids=None,
  loss_fn=None,
):
  """A head of classes of which an example has any number, by rows of zeros and ones. Raises ValueError for less than two."""
  if n_classes < 2:
    raise ValueError("n_classes must be > 1 for classification.")
  return _MultiLabelHead(
    n_classes,
    metric_class_ids=metric_class_ids,
    label_name=label_name,
    weight_column_name=weight_column_name,
    enable_centered_bias=enable_centered_bias,
    head_name=head_name,
    thresholds=thresholds,
    loss_fn=loss_fn,
  )
