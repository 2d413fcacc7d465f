"""The heads of classifiers and regressors, by the number of classes or values."""

from millrace.estimator.canned import reductions
from millrace.estimator.canned.binary_head import BinaryClassHead
from millrace.estimator.canned.multi_class_head import MultiClassHead
from millrace.estimator.canned.regression_head import RegressionHead


def of_classes(n_classes, weight_column, label_vocabulary, loss_reduction):
  """Returns a head of classes. Raises ValueError for arguments that cannot be."""
  if n_classes == 2:
    reductions.check(loss_reduction, "")
    head = BinaryClassHead(weight_column=weight_column, label_vocabulary=label_vocabulary, loss_reduction=loss_reduction)
    head._summation = "trapezoidal"
    return head
  if n_classes is None or n_classes > 2:
    reductions.check(loss_reduction, "")
  return MultiClassHead(n_classes, weight_column=weight_column, label_vocabulary=label_vocabulary, loss_reduction=loss_reduction)


def of_values(label_dimension, weight_column, loss_reduction):
  """Returns a head of numbers. Raises ValueError for arguments that cannot be."""
  reductions.check(loss_reduction, "")
  return RegressionHead(label_dimension=label_dimension, weight_column=weight_column, loss_reduction=loss_reduction)
