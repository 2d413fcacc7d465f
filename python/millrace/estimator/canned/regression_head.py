"""The heads of numbers: squared errors, counts of Poisson's distribution, shares from 0 to 1."""

import millrace as tf
from millrace.estimator.canned import head_metrics, labels_and_logits, loss_functions, weights_of_examples
from millrace.estimator.canned.head import ModelHead


class RegressionHead(ModelHead):
  """Numbers by squared errors: labels are [D0, ..., DN, label_dimension], and [D0, ..., DN] for a dimension of 1.

  Args:
    label_dimension: Number of values an example.
    weight_column: Name or numeric column of a feature of weights, of an example or of each of its values; or None.
    loss_reduction: How losses become one number.
    loss_fn: Function of labels and logits (and features, loss_reduction if it has such arguments) that returns losses
      [D0, ..., DN, label_dimension]; None for the squared error.
    inverse_link_fn: Function from logits to predictions; None if they are the same.
    name: Name that metrics and summaries have behind theirs.

  Raises:
    ValueError: There are no values, or other arguments are none that can be.
  """

  def __init__(
    self,
    label_dimension=1,
    weight_column=None,
    loss_reduction="sum_over_batch_size",
    loss_fn=None,
    inverse_link_fn=None,
    name=None,
  ):
    if label_dimension < 1:
      raise ValueError(f"Invalid label_dimension {label_dimension}.")
    if loss_fn:
      loss_functions.check(loss_fn)
    self._label_dimension = label_dimension
    self._loss_fn = loss_fn
    self._inverse_link_fn = inverse_link_fn
    super().__init__(name, weight_column, loss_reduction)

  @property
  def logits_dimension(self):
    return self._label_dimension

  def _weights(self, features, logits):
    return weights_of_examples.read(features, self._weight_column, logits, per_logit=True)

  def _processed_labels(self, labels, logits):
    labels = labels_and_logits.fitted(labels, logits, self._label_dimension)
    return tf.cast(labels, tf.float32)

  def _losses(self, labels, logits, features):
    if self._loss_fn:
      return loss_functions.call(self._loss_fn, labels, logits, features, self._label_dimension)
    return tf.losses.mean_squared_error(labels=labels, predictions=logits, reduction=tf.losses.Reduction.NONE)

  def predictions(self, logits):
    """Returns a dict of what is predicted: "predictions", and "logits" if they are others."""
    return self._chosen_predictions(logits, None)

  def _predictions(self, logits):
    if self._inverse_link_fn is None:
      return {"predictions": logits}
    return {"predictions": self._inverse_link_fn(logits), "logits": logits}

  def _export_outputs(self, predictions):
    regression = tf.estimator.export.RegressionOutput(value=predictions["predictions"])
    return {
      "serving_default": regression,
      "regression": regression,
      "predict": tf.estimator.export.PredictOutput(predictions),
    }

  def _metric_names(self):
    return ["average_loss", "prediction/mean", "label/mean"]

  def _metric_ops(self, spec, predictions):
    labels, weights = spec.processed_labels, spec.weights
    return {
      "average_loss": tf.metrics.mean(values=spec.unreduced_loss, weights=weights, name="average_loss"),
      "prediction/mean": head_metrics.mean_of_predictions(predictions["predictions"], weights, "prediction/mean"),
      "label/mean": head_metrics.mean_of_labels(labels, weights, "label/mean"),
    }


class PoissonRegressionHead(RegressionHead):
  """Counts, by Poisson's distribution: predictions are exp(logits).

  `compute_full_loss` says whether the loss has the term that depends on labels alone, by Stirling's formula. The other
  arguments: see RegressionHead.
  """

  def __init__(
    self,
    label_dimension=1,
    weight_column=None,
    loss_reduction="sum_over_batch_size",
    compute_full_loss=True,
    name=None,
  ):
    self._compute_full_loss = compute_full_loss
    super().__init__(
      label_dimension=label_dimension,
      weight_column=weight_column,
      loss_reduction=loss_reduction,
      loss_fn=self._poisson_loss,
      inverse_link_fn=tf.exp,
      name=name,
    )

  def _poisson_loss(self, labels, logits):
    return tf.nn.log_poisson_loss(targets=labels, log_input=logits, compute_full_loss=self._compute_full_loss)


class LogisticRegressionHead(RegressionHead):
  """Shares from 0 to 1, by the cross entropy: predictions are sigmoid(logits). The arguments: see RegressionHead."""

  def __init__(self, weight_column=None, loss_reduction="sum_over_batch_size", name=None):
    super().__init__(
      label_dimension=1,
      weight_column=weight_column,
      loss_reduction=loss_reduction,
      loss_fn=_share_loss,
      inverse_link_fn=tf.sigmoid,
      name=name,
    )


def _share_loss(labels, logits):
  labels = labels_and_logits.in_range(labels, n_classes=2, message="Labels must be in range [0, 1]")
  return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
