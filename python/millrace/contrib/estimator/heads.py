"""Heads of estimators by functions. What they take and are: see the classes of tf.estimator that they make."""

from millrace.estimator.canned.binary_head import BinaryClassHead
from millrace.estimator.canned.multi_class_head import MultiClassHead
from millrace.estimator.canned.multi_head import MultiHead
from millrace.estimator.canned.multi_label_head import MultiLabelHead
from millrace.estimator.canned.regression_head import LogisticRegressionHead, PoissonRegressionHead, RegressionHead
from millrace.ops.losses.reduction import Reduction


def _with_trapezoids(head):
  """Returns a head whose areas under curves are those of straight lines between points."""
  head._summation = "trapezoidal"
  return head


def binary_classification_head(
  weight_column=None,
  thresholds=None,
  label_vocabulary=None,
  loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
  loss_fn=None,
  name=None,
):
  """Returns a head of two classes."""
  return _with_trapezoids(BinaryClassHead(weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name))


def multi_class_head(
  n_classes,
  weight_column=None,
  label_vocabulary=None,
  loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
  loss_fn=None,
  name=None,
):
  """Returns a head of several classes of which each example has one."""
  return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def multi_label_head(
  n_classes,
  weight_column=None,
  thresholds=None,
  label_vocabulary=None,
  loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
  loss_fn=None,
  classes_for_class_based_metrics=None,
  name=None,
):
  """Returns a head of classes of which an example may have several."""
  return _with_trapezoids(
    MultiLabelHead(
      n_classes,
      weight_column,
      thresholds,
      label_vocabulary,
      loss_reduction,
      loss_fn,
      classes_for_class_based_metrics,
      name,
    )
  )


def regression_head(
  weight_column=None,
  label_dimension=1,
  loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
  loss_fn=None,
  inverse_link_fn=None,
  name=None,
):
  """Returns a head of numbers."""
  return RegressionHead(label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)


def poisson_regression_head(
  weight_column=None,
  label_dimension=1,
  loss_reduction=Reduction.SUM_OVER_BATCH_SIZE,
  compute_full_loss=True,
  name=None,
):
  """Returns a head of counts."""
  return PoissonRegressionHead(label_dimension, weight_column, loss_reduction, compute_full_loss, name)


def logistic_regression_head(weight_column=None, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE, name=None):
  """Returns a head of shares from 0 to 1."""
  return LogisticRegressionHead(weight_column, loss_reduction, name)


def multi_head(heads, head_weights=None):
  """Returns a head of several heads."""
  return MultiHead(heads, head_weights)
