"""The head of several classes of which each example has one."""

import millrace as tf
from millrace.estimator.canned import labels_and_logits, loss_functions, outputs
from millrace.estimator.canned.head import ModelHead


class MultiClassHead(ModelHead):
  """Several classes, by a logit for each: labels are [D0, ..., DN, 1] or [D0, ..., DN], from 0 to n_classes - 1 or words.

  Args:
    n_classes: Number of classes, 3 at least.
    weight_column: Name or numeric column of a feature of weights, or None.
    label_vocabulary: The words of the classes if labels are words; None for numbers.
    loss_reduction: How losses become one number.
    loss_fn: Function of labels and logits (and features, loss_reduction if it has such arguments) that returns losses
      [D0, ..., DN, 1]; None for the cross entropy.
    name: Name that metrics and summaries have behind theirs.

  Raises:
    ValueError: There are too few classes, or other arguments are none that can be.
  """

  def __init__(
    self,
    n_classes,
    weight_column=None,
    label_vocabulary=None,
    loss_reduction="sum_over_batch_size",
    loss_fn=None,
    name=None,
  ):
    if n_classes is None:
      raise ValueError("n_classes cannot be None")
    if n_classes <= 2:
      raise ValueError(f"n_classes must be > 2: {n_classes}.")
    if label_vocabulary is not None:
      labels_and_logits.check_words(label_vocabulary)
    if loss_fn:
      loss_functions.check(loss_fn)
    self._n_classes = n_classes
    self._label_vocabulary = label_vocabulary
    self._loss_fn = loss_fn
    super().__init__(name, weight_column, loss_reduction)

  @property
  def logits_dimension(self):
    return self._n_classes

  def _processed_labels(self, labels, logits):
    labels = labels_and_logits.fitted(labels, logits, 1)
    if not self._label_vocabulary:
      if not labels.dtype.is_integer:
        raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
    else:
      if labels.dtype != tf.string:
        raise ValueError(f"Labels dtype should be string if there is a vocabulary. Instead got {labels.dtype}")
      labels = labels_and_logits.as_ids(labels, self._label_vocabulary)
    return labels_and_logits.in_range(labels, self._n_classes)

  def _losses(self, labels, logits, features):
    if self._loss_fn:
      return loss_functions.call(self._loss_fn, labels, logits, features)
    losses = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits, reduction=tf.losses.Reduction.NONE)
    return tf.expand_dims(losses, axis=-1)

  def _predictions(self, logits):
    class_ids = tf.argmax(logits, axis=-1, name="class_ids")
    every = outputs.all_classes(logits, self._n_classes, self._label_vocabulary)
    class_ids = tf.expand_dims(class_ids, axis=-1)
    classes = labels_and_logits.as_words(class_ids, self._label_vocabulary)
    probabilities = tf.nn.softmax(logits, name="probabilities")
    return {
      "logits": logits,
      "probabilities": probabilities,
      "class_ids": class_ids,
      "classes": classes,
      **every,
    }

  def _export_outputs(self, predictions):
    classification = outputs.classification(predictions["probabilities"], self._n_classes, self._label_vocabulary)
    return {
      "serving_default": classification,
      "classification": classification,
      "predict": tf.estimator.export.PredictOutput(predictions),
    }

  def _metric_names(self):
    return ["average_loss", "accuracy"]

  def _metric_ops(self, spec, predictions):
    labels, weights = spec.processed_labels, spec.weights
    return {
      "average_loss": tf.metrics.mean(values=spec.unreduced_loss, weights=weights, name="average_loss"),
      "accuracy": tf.metrics.accuracy(labels=labels, predictions=predictions["class_ids"], weights=weights, name="accuracy"),
    }
