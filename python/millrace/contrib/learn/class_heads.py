"""Heads of classes: of two, of more, and of any number for an example."""

import millrace as tf
from millrace.contrib.learn import head_losses
from millrace.contrib.learn.head_base import SingleHead
from millrace.contrib.learn.keys import MetricKey, PredictionKey, ProblemType


def _spread(weights, values):
  """Weights broadcast to values, or None."""
  return None if weights is None else weights * tf.ones_like(values, tf.float32)


def _of_class(number, values, weights):
  """The column of a class of values, as floats, and that of their weights."""
  weights = _spread(weights, values)
  return tf.cast(values[:, number], tf.float32), None if weights is None else weights[:, number]


class _ClassHead(SingleHead):
  """What heads of classes share. A function of a program as `loss_fn` replaces `loss`."""

  _label_keys = None

  def __init__(self, problem_type, logits_dimension, loss, loss_fn=None, **kwargs):
    super().__init__(problem_type, logits_dimension, head_losses.of_function(loss_fn) if loss_fn else loss, **kwargs)

  def _exported(self, predictions):
    """The probabilities, and for each the text of its class, as servers want them."""
    probabilities = predictions[PredictionKey.PROBABILITIES]
    size = tf.shape(probabilities)
    texts = self._label_keys or tf.as_string(tf.range(size[1]))
    classes = tf.tile(tf.expand_dims(texts, 0), tf.stack([size[0], 1]), name="classes_tensor")
    return {PredictionKey.PROBABILITIES: probabilities, PredictionKey.CLASSES: classes}


def _checked_ids(metric_class_ids, n_classes):
  for number in metric_class_ids or ():
    if not 0 <= number < n_classes:
      raise ValueError(f"Class ID {number} not in [0, {n_classes}).")
  return list(metric_class_ids or [])


class BinaryHead(_ClassHead):
  """A head of two classes, with one logit; its metrics at `thresholds` are those of 0.5 by default."""

  _SCOPE = "binary_logistic_head"

  def __init__(self, thresholds=None, **kwargs):
    super().__init__(ProblemType.LOGISTIC_REGRESSION, 1, head_losses.sigmoid_cross_entropy, **kwargs)
    self._thresholds = list(thresholds or [0.5])

  def _predictions(self, logits):
    two = tf.concat([tf.zeros_like(logits), logits], 1)
    return {
      PredictionKey.LOGITS: logits,
      PredictionKey.LOGISTIC: tf.sigmoid(logits, name=PredictionKey.LOGISTIC),
      PredictionKey.PROBABILITIES: tf.nn.softmax(two, name=PredictionKey.PROBABILITIES),
      PredictionKey.CLASSES: tf.argmax(two, 1, name=PredictionKey.CLASSES),
    }

  def _metrics(self, predictions, labels, weights):
    labels = head_losses.column(labels)
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
      precision = tf.metrics.precision_at_thresholds(truth, logistic, [threshold], weights)
      found[MetricKey.PRECISION_MEAN % threshold] = tuple(tf.squeeze(value) for value in precision)
      recall = tf.metrics.recall_at_thresholds(truth, logistic, [threshold], weights)
      found[MetricKey.RECALL_MEAN % threshold] = tuple(tf.squeeze(value) for value in recall)
    return found


class MultiClassHead(_ClassHead):
  """A head of more than two classes. With `label_keys` labels and predicted classes are these texts."""

  _SCOPE = "multi_class_head"

  def __init__(self, n_classes, metric_class_ids=None, label_keys=None, **kwargs):
    super().__init__(ProblemType.CLASSIFICATION, n_classes, head_losses.softmax_cross_entropy, **kwargs)
    self._metric_class_ids = _checked_ids(metric_class_ids, n_classes)
    if label_keys and len(label_keys) != n_classes:
      raise ValueError("Length of label_keys must equal n_classes.")
    self._label_keys = list(label_keys) if label_keys else None

  def _ids_of(self, labels):
    if self._label_keys is None:
      return labels
    return tf.contrib.lookup.index_table_from_tensor(tf.constant(self._label_keys), name="label_id_lookup").lookup(labels)

  def _predictions(self, logits):
    classes = tf.argmax(logits, 1, name=PredictionKey.CLASSES)
    if self._label_keys is not None:
      table = tf.contrib.lookup.index_to_string_table_from_tensor(tf.constant(self._label_keys), name="class_string_lookup")
      classes = table.lookup(classes)
    return {
      PredictionKey.LOGITS: logits,
      PredictionKey.PROBABILITIES: tf.nn.softmax(logits, name=PredictionKey.PROBABILITIES),
      PredictionKey.CLASSES: classes,
    }

  def _metrics(self, predictions, labels, weights):
    ids = tf.argmax(predictions[PredictionKey.LOGITS], 1)
    found = {MetricKey.ACCURACY: tf.metrics.accuracy(labels, ids, weights)}
    if self._label_keys is not None:
      return found
    ids, labels = tf.expand_dims(ids, 1), head_losses.column(labels)
    for number in self._metric_class_ids:
      found[MetricKey.CLASS_PREDICTION_MEAN % number] = tf.metrics.mean(tf.equal(ids, number), weights)
      found[MetricKey.CLASS_LABEL_MEAN % number] = tf.metrics.mean(tf.equal(tf.cast(labels, tf.int64), number), weights)
      for key, name in (
        (MetricKey.CLASS_PROBABILITY_MEAN, PredictionKey.PROBABILITIES),
        (MetricKey.CLASS_LOGITS_MEAN, PredictionKey.LOGITS),
      ):
        found[key % number] = tf.metrics.mean(*_of_class(number, predictions[name], weights))
    return found


class MultiLabelHead(_ClassHead):
  """A head of classes of which an example has any number: labels are rows of zeros and ones, or a SparseTensor of numbers."""

  _SCOPE = "multi_label_head"

  def __init__(self, n_classes, metric_class_ids=None, **kwargs):
    super().__init__(ProblemType.CLASSIFICATION, n_classes, head_losses.sigmoid_cross_entropy, **kwargs)
    self._metric_class_ids = _checked_ids(metric_class_ids, n_classes)

  def _dense_labels(self, labels):
    return tf.cast(tf.sparse_to_indicator(labels, self._logits_dimension), tf.int64)

  def _predictions(self, logits):
    return {
      PredictionKey.LOGITS: logits,
      PredictionKey.PROBABILITIES: tf.sigmoid(logits, name=PredictionKey.PROBABILITIES),
      PredictionKey.CLASSES: tf.cast(tf.greater(logits, 0), tf.int64, name=PredictionKey.CLASSES),
    }

  def _metrics(self, predictions, labels, weights):
    probabilities = predictions[PredictionKey.PROBABILITIES]
    spread = _spread(weights, probabilities)
    found = {
      MetricKey.ACCURACY: tf.metrics.accuracy(labels, predictions[PredictionKey.CLASSES], spread),
      MetricKey.AUC: tf.metrics.auc(labels, probabilities, spread),
      MetricKey.AUC_PR: tf.metrics.auc(labels, probabilities, spread, curve="PR"),
    }
    for number in self._metric_class_ids:
      for key, values in (
        (MetricKey.CLASS_PREDICTION_MEAN, predictions[PredictionKey.CLASSES]),
        (MetricKey.CLASS_LABEL_MEAN, labels),
        (MetricKey.CLASS_PROBABILITY_MEAN, probabilities),
        (MetricKey.CLASS_LOGITS_MEAN, predictions[PredictionKey.LOGITS]),
      ):
        found[key % number] = tf.metrics.mean(*_of_class(number, values, weights))
      probability, of_class = _of_class(number, probabilities, weights)
      found[MetricKey.CLASS_AUC % number] = tf.metrics.auc(labels[:, number], probability, of_class)
      found[MetricKey.CLASS_AUC_PR % number] = tf.metrics.auc(labels[:, number], probability, of_class, curve="PR")
    return found
