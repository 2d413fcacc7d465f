"""Heads: from logits to predictions, losses and metrics, as ModelFnOps."""

import millrace as tf
from millrace.contrib.learn import class_heads, head_losses
from millrace.contrib.learn.head_base import Head, SingleHead  # noqa: F401 (a name of this module)
from millrace.contrib.learn.keys import PredictionKey, ProblemType


def no_op_train_fn(loss):
  """An op that trains nothing, for heads whose training is another's."""
  del loss
  return tf.no_op()


class _RegressionHead(SingleHead):
  """A head of numbers, which `link_fn` makes of logits."""

  _SCOPE = "regression_head"

  def __init__(self, label_dimension, loss, link_fn, **kwargs):
    super().__init__(ProblemType.LINEAR_REGRESSION, label_dimension, loss, **kwargs)
    self._link_fn = link_fn

  def _predictions(self, logits):
    key = PredictionKey.SCORES
    values = tf.squeeze(logits, axis=[1], name=key) if self.logits_dimension == 1 else logits
    return {key: self._link_fn(values)}


def regression_head(
  label_name=None, weight_column_name=None, label_dimension=1, enable_centered_bias=False, head_name=None, link_fn=tf.identity
):
  """A head of squared errors; `link_fn` makes predictions of logits."""
  return _RegressionHead(
    label_dimension,
    head_losses.squared,
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
    head_losses.poisson,
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
  """A head of two or more classes, of which an example has one.

  `thresholds` ([0.5] by default) are for metrics of two classes. `metric_class_ids`, for metrics, and `label_keys`, the texts that
  labels are, are for more than two. `loss_fn(labels, logits, weights)` returns a scalar, and is called without weights where there
  are none. Raises ValueError for less than two classes, and for arguments that don't fit their number.
  """
  if n_classes is None or n_classes < 2:
    raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
  options = {
    "label_name": label_name,
    "weight_column_name": weight_column_name,
    "enable_centered_bias": enable_centered_bias,
    "head_name": head_name,
    "loss_fn": loss_fn,
  }
  if n_classes == 2:
    if metric_class_ids:
      raise ValueError("metric_class_ids invalid for n_classes==2.")
    if label_keys:
      raise ValueError("label_keys is not supported for n_classes=2.")
    return class_heads.BinaryHead(thresholds=thresholds, **options)
  return class_heads.MultiClassHead(n_classes, metric_class_ids=metric_class_ids, label_keys=label_keys, **options)


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
  """A head of classes of which an example has any number, by rows of zeros and ones or a SparseTensor of their numbers.

  `loss_fn` is as for multi_class_head; `thresholds` are of no effect, as in TensorFlow. Raises ValueError for less than two
  classes.
  """
  del thresholds
  if n_classes < 2:
    raise ValueError("n_classes must be > 1 for classification.")
  return class_heads.MultiLabelHead(
    n_classes,
    metric_class_ids=metric_class_ids,
    label_name=label_name,
    weight_column_name=weight_column_name,
    enable_centered_bias=enable_centered_bias,
    head_name=head_name,
    loss_fn=loss_fn,
  )
