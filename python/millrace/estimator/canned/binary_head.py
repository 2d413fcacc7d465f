"""The head of two classes."""

import millrace as tf
from millrace.estimator.canned import head_metrics as metrics
from millrace.estimator.canned import labels_and_logits, loss_functions, outputs
from millrace.estimator.canned.head import ModelHead


class BinaryClassHead(ModelHead):
  """Two classes, by the logit of the second: labels are [D0, ..., DN, 1] or [D0, ..., DN], from 0 to 1 or words.

  Args:
    weight_column: Name or numeric column of a feature of weights, or None.
    thresholds: Probabilities from 0 to 1, for each of which accuracy, precision and recall are metrics.
    label_vocabulary: The words of the two classes if labels are words; None for numbers.
    loss_reduction: How losses become one number.
    loss_fn: Function of labels and logits (and features, loss_reduction if it has such arguments) that returns losses
      [D0, ..., DN, 1]; None for the cross entropy.
    name: Name that metrics and summaries have behind theirs.

  Raises:
    ValueError: A threshold is none that can be, or other arguments are not.
  """

  def __init__(
    self,
    weight_column=None,
    thresholds=None,
    label_vocabulary=None,
    loss_reduction="sum_over_batch_size",
    loss_fn=None,
    name=None,
  ):
    self._thresholds = checked_thresholds(thresholds)
    if label_vocabulary is not None:
      labels_and_logits.check_words(label_vocabulary)
    if loss_fn:
      loss_functions.check(loss_fn)
    self._label_vocabulary = label_vocabulary
    self._loss_fn = loss_fn
    super().__init__(name, weight_column, loss_reduction)

  @property
  def logits_dimension(self):
    return 1

  def _processed_labels(self, labels, logits):
    labels = labels_and_logits.fitted(labels, logits, 1)
    if self._label_vocabulary is not None:
      labels = labels_and_logits.as_ids(labels, self._label_vocabulary)
    labels = tf.cast(labels, tf.float32)
    return labels_and_logits.in_range(labels, n_classes=2)

  def _losses(self, labels, logits, features):
    if self._loss_fn:
      return loss_functions.call(self._loss_fn, labels, logits, features)
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

  def _predictions(self, logits):
    logistic = tf.sigmoid(logits, name="logistic")
    both = tf.concat((tf.zeros_like(logits), logits), axis=-1, name="two_class_logits")
    probabilities = tf.nn.softmax(both, name="probabilities")
    class_ids = tf.argmax(both, axis=-1, name="class_ids")
    class_ids = tf.expand_dims(class_ids, axis=-1)
    every = outputs.all_classes(logits, 2, self._label_vocabulary)
    return {
      "logits": logits,
      "logistic": logistic,
      "probabilities": probabilities,
      "class_ids": class_ids,
      "classes": labels_and_logits.as_words(class_ids, self._label_vocabulary),
      **every,
    }

  def _export_outputs(self, predictions):
    classification = outputs.classification(predictions["probabilities"], 2, self._label_vocabulary)
    return {
      "serving_default": classification,
      "classification": classification,
      "regression": tf.estimator.export.RegressionOutput(value=predictions["logistic"]),
      "predict": tf.estimator.export.PredictOutput(predictions),
    }

  def _metric_names(self):
    names = [
      "average_loss",
      "accuracy",
      "precision",
      "recall",
      "prediction/mean",
      "label/mean",
      "accuracy_baseline",
      "auc",
      "auc_precision_recall",
    ]
    for threshold in self._thresholds:
      names += [f"{kind}/positive_threshold_{threshold:g}" for kind in ("accuracy", "precision", "recall")]
    return names

  def _metric_ops(self, spec, predictions):
    labels, weights = spec.processed_labels, spec.weights
    logistic, class_ids = predictions["logistic"], predictions["class_ids"]
    labels_mean = metrics.mean_of_labels(labels, weights, "label/mean")
    found = {
      "average_loss": tf.metrics.mean(values=spec.unreduced_loss, weights=weights, name="average_loss"),
      "accuracy": tf.metrics.accuracy(labels=labels, predictions=class_ids, weights=weights, name="accuracy"),
      "precision": tf.metrics.precision(labels=labels, predictions=class_ids, weights=weights, name="precision"),
      "recall": tf.metrics.recall(labels=labels, predictions=class_ids, weights=weights, name="recall"),
      "prediction/mean": metrics.mean_of_predictions(logistic, weights, "prediction/mean"),
      "label/mean": labels_mean,
      "accuracy_baseline": metrics.accuracy_baseline(labels_mean),
      "auc": metrics.area(labels, logistic, weights, "ROC", self._summation, "auc"),
      "auc_precision_recall": metrics.area(labels, logistic, weights, "PR", self._summation, "auc_precision_recall"),
    }
    for threshold in self._thresholds:
      for kind, function in (
        ("accuracy", metrics.accuracy_at),
        ("precision", metrics.precision_at),
        ("recall", metrics.recall_at),
      ):
        key = f"{kind}/positive_threshold_{threshold:g}"
        found[key] = function(labels, logistic, weights, threshold, key)
    return found


def checked_thresholds(thresholds):
  """Returns thresholds as a tuple, empty for None. Raises ValueError for those that are not between 0 and 1."""
  thresholds = tuple(thresholds) if thresholds else ()
  for threshold in thresholds:
    if threshold <= 0.0 or threshold >= 1.0:
      raise ValueError(f"thresholds not in (0, 1): {thresholds}.")
  return thresholds
