"""The head of classes of which an example may have several."""

import millrace as tf
from millrace.estimator.canned import head_metrics as metrics
from millrace.estimator.canned import labels_and_logits, loss_functions, outputs
from millrace.estimator.canned.head import ModelHead


class MultiLabelHead(ModelHead):
  """Several classes at once, by a logit for each.

  Labels are [D0, ..., DN, n_classes] of 0 and 1, or a SparseTensor of numbers of classes, or of their words.

  Args:
    n_classes: Number of classes, 2 at least.
    weight_column: Name or numeric column of a feature of weights, or None.
    thresholds: Probabilities from 0 to 1, for each of which accuracy, precision and recall are metrics.
    label_vocabulary: The words of the classes if labels are words; None for numbers.
    loss_reduction: How losses become one number.
    loss_fn: Function of labels and logits (and features, loss_reduction if it has such arguments) that returns losses
      [D0, ..., DN, 1]; None for the mean of the classes' cross entropies.
    classes_for_class_based_metrics: Numbers or words of classes that have metrics of their own.
    name: Name that metrics and summaries have behind theirs.

  Raises:
    ValueError: There are too few classes, or other arguments are none that can be.
  """

  def __init__(
    self,
    n_classes,
    weight_column=None,
    thresholds=None,
    label_vocabulary=None,
    loss_reduction="sum_over_batch_size",
    loss_fn=None,
    classes_for_class_based_metrics=None,
    name=None,
  ):
    if n_classes is None or n_classes < 2:
      raise ValueError(f"n_classes must be > 1 for multi-label classification. Given: {n_classes}")
    self._thresholds = tuple(thresholds) if thresholds else ()
    for threshold in self._thresholds:
      if threshold <= 0.0 or threshold >= 1.0:
        raise ValueError(f"thresholds must be in (0, 1) range. Given: {threshold}")
    if label_vocabulary is not None:
      if not isinstance(label_vocabulary, (list, tuple)):
        raise ValueError(f"label_vocabulary must be a list or tuple. Given type: {type(label_vocabulary)}")  # noqa: TRY004
      if len(label_vocabulary) != n_classes:
        raise ValueError(f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(label_vocabulary)}")
    if loss_fn:
      loss_functions.check(loss_fn)
    self._n_classes = n_classes
    self._label_vocabulary = label_vocabulary
    self._loss_fn = loss_fn
    self._classes = self._class_numbers(classes_for_class_based_metrics)
    super().__init__(name, weight_column, loss_reduction)

  def _class_numbers(self, classes):
    """Returns the numbers of the classes that have metrics of their own."""
    if not classes:
      return []
    if isinstance(classes[0], str):
      if not self._label_vocabulary:
        raise ValueError("label_vocabulary must be provided when classes_for_class_based_metrics are strings.")
      return [list(self._label_vocabulary).index(word) for word in classes]
    for number in classes:
      if number < 0 or number >= self._n_classes:
        raise ValueError(f"All classes_for_class_based_metrics must be in range [0, {self._n_classes - 1}]. Given: {number}")
    return list(classes)

  def _class_names(self):
    """Returns what metrics of single classes are called behind theirs."""
    if self._label_vocabulary is None:
      return ["class%d" % number for number in self._classes]
    return [self._label_vocabulary[number] for number in self._classes]

  @property
  def logits_dimension(self):
    return self._n_classes

  def _processed_labels(self, labels, logits):
    labels_and_logits.check_given(labels)
    if isinstance(labels, tf.SparseTensor):
      labels = tf.cast(tf.sparse_to_indicator(self._as_ids(labels), self._n_classes), dtype=tf.int64)
      return labels_and_logits.fitted(labels, logits, self._n_classes)
    if self._label_vocabulary is not None and labels.dtype == tf.string:
      dense = labels_and_logits.as_ids(labels, self._label_vocabulary)
      labels = tf.reduce_sum(tf.one_hot(dense, self._n_classes, dtype=tf.int64), axis=-2)
    labels = labels_and_logits.fitted(labels, logits, self._n_classes)
    return labels_and_logits.in_range(labels, 2, message="labels must be an integer tensor with values 0 or 1")

  def _as_ids(self, labels):
    if labels.dtype == tf.string:
      values = labels_and_logits.as_ids(labels.values, self._label_vocabulary)
    else:
      values = labels.values
    values = labels_and_logits.in_range(
      values, self._n_classes, message=f"labels must be an integer SparseTensor with values in [0, {self._n_classes})"
    )
    return tf.SparseTensor(labels.indices, tf.cast(values, tf.int64), labels.dense_shape)

  def _losses(self, labels, logits, features):
    if self._loss_fn:
      return loss_functions.call(self._loss_fn, labels, logits, features)
    losses = tf.losses.sigmoid_cross_entropy(multi_class_labels=labels, logits=logits, reduction=tf.losses.Reduction.NONE)
    # The mean, so that the loss of a class counts as much whatever their number is.
    return tf.reduce_mean(losses, axis=-1, keepdims=True)

  def _predictions(self, logits):
    probabilities = tf.sigmoid(logits, name="probabilities")
    classes = outputs.words(logits, self._n_classes, self._label_vocabulary)
    return {"logits": logits, "probabilities": probabilities, "classes": classes}

  def _export_outputs(self, predictions):
    classification = outputs.classification(predictions["probabilities"], self._n_classes, self._label_vocabulary)
    return {
      "serving_default": classification,
      "classification": classification,
      "predict": tf.estimator.export.PredictOutput(predictions),
    }

  def _metric_names(self):
    names = ["average_loss", "auc", "auc_precision_recall"]
    for threshold in self._thresholds:
      names += [f"{kind}/positive_threshold_{threshold:g}" for kind in ("accuracy", "precision", "recall")]
    for name in self._class_names():
      names += [f"{kind}/{name}" for kind in ("probability_mean", "auc", "auc_precision_recall")]
    return names

  def _metric_ops(self, spec, predictions):
    labels, weights = spec.processed_labels, spec.weights
    probabilities = predictions["probabilities"]
    found = {
      "average_loss": tf.metrics.mean(values=spec.unreduced_loss, weights=weights, name="average_loss"),
      "auc": metrics.area(labels, probabilities, weights, "ROC", self._summation, "auc"),
      "auc_precision_recall": metrics.area(labels, probabilities, weights, "PR", self._summation, "auc_precision_recall"),
    }
    for threshold in self._thresholds:
      for kind, function in (
        ("accuracy", metrics.accuracy_at),
        ("precision", metrics.precision_at),
        ("recall", metrics.recall_at),
      ):
        key = f"{kind}/positive_threshold_{threshold:g}"
        found[key] = function(labels, probabilities, weights, threshold, key)
    for number, name in zip(self._classes, self._class_names()):
      rank = tf.rank(probabilities)
      begin = tf.one_hot(rank - 1, rank, on_value=number, off_value=0)
      size = tf.one_hot(rank - 1, rank, on_value=1, off_value=-1)
      ours = tf.slice(probabilities, begin=begin, size=size)
      our_labels = tf.slice(labels, begin=begin, size=size)
      found[f"probability_mean/{name}"] = metrics.mean_of_predictions(ours, weights, f"probability_mean/{name}")
      found[f"auc/{name}"] = metrics.area(our_labels, ours, weights, "ROC", self._summation, f"auc/{name}")
      found[f"auc_precision_recall/{name}"] = metrics.area(
        our_labels, ours, weights, "PR", self._summation, f"auc_precision_recall/{name}"
      )
    return found
