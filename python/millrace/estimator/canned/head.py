"""Heads: what the logits of a model mean, how good they are, and how the model is trained for them."""

import abc
import collections

import millrace as tf
from millrace.estimator.canned import reductions, weights_of_examples
from millrace.estimator.mode_keys import ModeKeys
from millrace.estimator.spec import EstimatorSpec

LossSpec = collections.namedtuple("LossSpec", ["training_loss", "unreduced_loss", "weights", "processed_labels"])


class Head(metaclass=abc.ABCMeta):
  """What a model ends in: what its logits mean, and how good they are. Heads of a program's own derive from this."""

  @property
  @abc.abstractmethod
  def name(self):
    """The name that its metrics, summaries and outputs have behind theirs, or None."""

  @property
  @abc.abstractmethod
  def logits_dimension(self):
    """The last dimension of logits."""

  @property
  @abc.abstractmethod
  def loss_reduction(self):
    """How losses of examples become one number: a name of tf.losses.Reduction, or one of those without `weighted_`."""

  @abc.abstractmethod
  def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
    """Returns the loss of a batch, a scalar, with the regularization losses, a list of scalars, added."""

  @abc.abstractmethod
  def predictions(self, logits, keys=None):
    """Returns a dict of what is predicted. `keys` are those that are wanted; None for the usual ones."""

  @abc.abstractmethod
  def metrics(self, regularization_losses=None):
    """Returns a dict of metrics that update_metrics fills."""

  @abc.abstractmethod
  def update_metrics(self, eval_metrics, features, logits, labels, mode=None, regularization_losses=None):
    """Returns `eval_metrics`, those of metrics(), which have got values and ops that update them with a batch."""

  def create_estimator_spec(
    self,
    features,
    mode,
    logits,
    labels=None,
    optimizer=None,
    trainable_variables=None,
    train_op_fn=None,
    update_ops=None,
    regularization_losses=None,
  ):
    """Returns the EstimatorSpec of a model.

    Args:
      features: Dict of the batch's features, for weights and losses of functions.
      mode: One of tf.estimator.ModeKeys.
      logits: Float tensor [D0, ..., DN, logits_dimension].
      labels: Labels, in modes other than prediction.
      optimizer: What minimizes the loss; this or `train_op_fn` is needed for training.
      trainable_variables: Variables that it changes; None for all that are trained.
      train_op_fn: Function of the loss that returns the op of training.
      update_ops: Ops that run before training's, such as those of moving averages.
      regularization_losses: List of scalars that are added to the loss.

    Raises:
      ValueError: Training has neither, or both, of `optimizer` and `train_op_fn`, or labels or logits do not fit.
    """
    raise NotImplementedError("%s.create_estimator_spec" % type(self).__name__)


class ModelHead(Head):
  """What the heads of this package share. Logits are [D0, ..., DN, logits_dimension].

  A class of its own says what `_processed_labels`, `_losses`, `_predictions`, `_metric_ops` and `_export_outputs` are, and
  which metrics it has (`_metric_names`).
  """

  # How areas under curves are added up: what premade estimators have, of_classes() says.
  _summation = "careful_interpolation"

  def __init__(self, name, weight_column, loss_reduction):
    self._name = name
    self._weight_column = weight_column
    self._loss_reduction = reductions.check(loss_reduction)

  @property
  def name(self):
    """The name that its metrics, summaries and outputs have behind theirs, or None."""
    return self._name

  @property
  def loss_reduction(self):
    """How losses of examples become one number."""
    return self._loss_reduction

  # What classes of their own say.

  def _processed_labels(self, labels, logits):
    """Returns labels as the losses take them, [D0, ..., DN, ...]."""
    raise NotImplementedError("%s._processed_labels" % type(self).__name__)

  def _losses(self, labels, logits, features):
    """Returns the losses of examples, [D0, ..., DN, 1], of processed labels."""
    raise NotImplementedError("%s._losses" % type(self).__name__)

  def _predictions(self, logits):
    """Returns a dict of what is predicted."""
    raise NotImplementedError("%s._predictions" % type(self).__name__)

  def _metric_names(self):
    """Returns the keys of the metrics, in order, without the head's name."""
    raise NotImplementedError("%s._metric_names" % type(self).__name__)

  def _metric_ops(self, loss_spec, predictions):
    """Returns a dict from the keys of `_metric_names` to pairs (value, update)."""
    raise NotImplementedError("%s._metric_ops" % type(self).__name__)

  def _export_outputs(self, predictions):
    """Returns a dict of the outputs of signatures."""
    raise NotImplementedError("%s._export_outputs" % type(self).__name__)

  def _check_logits(self, logits):
    from millrace.estimator.canned import labels_and_logits

    return labels_and_logits.check_logits(logits, self.logits_dimension)

  def _weights(self, features, logits):
    return weights_of_examples.read(features, self._weight_column, logits)

  def _key(self, key):
    """Returns a key of a summary or a metric with the head's name."""
    return f"{key}/{self._name}" if self._name else key

  # What models and programs call.

  def create_loss(self, features, mode, logits, labels):
    """Returns the LossSpec of logits: loss of the batch, losses, weights and labels of the examples.

    Raises ValueError where labels or weights are known not to fit. Is for heads of a LinearEstimator and its like.
    """
    del mode  # no head has other losses in another mode
    logits = self._logits_tensor(logits)
    labels = self._processed_labels(labels, logits)
    losses = self._losses(labels, logits, features)
    weights = self._weights(features, logits)
    return LossSpec(reductions.reduced(losses, weights, self._loss_reduction), losses, weights, labels)

  def _logits_tensor(self, logits):
    return tf.convert_to_tensor(logits)

  def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
    """Returns the loss of a batch, a scalar, with the regularization losses, a list of scalars, added.

    Raises ValueError where labels or weights are known not to fit the logits.
    """
    with tf.name_scope(None, "losses", [labels, logits, *(regularization_losses or [])]):
      logits = self._check_logits(logits)
      loss = self.create_loss(features, mode, logits, labels).training_loss
      regularization = tf.add_n(regularization_losses) if regularization_losses else None
      return loss if regularization is None else tf.add_n([loss, regularization])

  def predictions(self, logits, keys=None):
    """Returns a dict of what is predicted. `keys` are those that are wanted; None for all."""
    return self._chosen_predictions(logits, keys)

  def _chosen_predictions(self, logits, keys):
    found = self._all_predictions(logits)
    if keys is None:
      return found
    for key in keys:
      if key not in found:
        raise ValueError(f"Prediction key must be in PredictionKeys, given: {key}.Valid prediction keys include {list(found)}.")
    return {key: found[key] for key in keys}

  def _all_predictions(self, logits):
    with tf.name_scope(None, "predictions", [logits]):
      return self._predictions(self._check_logits(logits))

  def metrics(self, regularization_losses=None):
    """Returns a dict of metrics that update_metrics fills."""
    from millrace.estimator.canned.head_metrics import HeadMetric

    names = list(self._metric_names())
    if regularization_losses is not None:
      names.append("regularization_loss")
    return {self._key(name): HeadMetric(self._key(name)) for name in names}

  def update_metrics(self, eval_metrics, features, logits, labels, regularization_losses=None):
    """Returns `eval_metrics`, those of metrics(), which have got values and ops that update them with a batch."""
    logits = self._check_logits(logits)
    spec = self.create_loss(features, ModeKeys.EVAL, logits, labels)
    found = self._all_metric_ops(spec, logits, self._all_predictions(logits), _sum_of(regularization_losses))
    for key, pair in found.items():
      eval_metrics[key].fill(pair)
    return eval_metrics

  def _all_metric_ops(self, spec, logits, predictions, regularization_loss):
    values = [spec.processed_labels, logits, spec.unreduced_loss]
    with tf.name_scope(None, "metrics", [v for v in values if v is not None]):
      found = self._metric_ops(spec, predictions)
      if regularization_loss is not None:
        found["regularization_loss"] = tf.metrics.mean(values=regularization_loss, name="regularization_loss")
      return {self._key(key): pair for key, pair in found.items()}

  def create_estimator_spec(
    self,
    features,
    mode,
    logits,
    labels=None,
    optimizer=None,
    trainable_variables=None,
    train_op_fn=None,
    update_ops=None,
    regularization_losses=None,
  ):
    """Returns the EstimatorSpec of a model. The rest: see Head."""
    with tf.name_scope(self._name, "head"):
      with tf.name_scope(None, "predictions", [logits]):
        logits = self._check_logits(logits)
        predictions = self._predictions(logits)
      if mode == ModeKeys.PREDICT:
        return EstimatorSpec(mode=mode, predictions=predictions, export_outputs=self._export_outputs(predictions))
      spec = self.create_loss(features=features, mode=mode, logits=logits, labels=labels)
      regularization = _sum_of(regularization_losses)
      loss = spec.training_loss if regularization is None else tf.add_n([spec.training_loss, regularization])
      if mode == ModeKeys.TRAIN:
        train_op = training_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        mean_loss = self._mean_loss(spec)
    if mode == ModeKeys.EVAL:
      metrics = self._all_metric_ops(spec, logits, predictions, regularization)
      return EstimatorSpec(mode=mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
    self._summarize(loss, mean_loss, regularization)
    return EstimatorSpec(mode=mode, predictions=predictions, loss=loss, train_op=train_op)

  def _mean_loss(self, spec):
    """Returns the loss over the weights, for a summary, where the loss is a sum; otherwise None."""
    if self._loss_reduction != tf.losses.Reduction.SUM:
      return None
    return spec.training_loss / tf.reduce_sum(spec.weights * tf.ones_like(spec.unreduced_loss))

  def _summarize(self, loss, mean_loss, regularization):
    with tf.name_scope(""):
      tf.summary.scalar(self._key("loss"), loss)
      if mean_loss is not None:
        tf.summary.scalar(self._key("average_loss"), mean_loss)
      if regularization is not None:
        tf.summary.scalar(self._key("regularization_loss"), regularization)


def _sum_of(regularization_losses):
  return tf.add_n(regularization_losses) if regularization_losses else None


def training_op(loss, optimizer, trainable_variables=None, train_op_fn=None, update_ops=None):
  """Returns the op that trains, which runs behind the update ops."""
  if optimizer is not None and train_op_fn is not None:
    raise ValueError("train_op_fn and optimizer cannot both be set.")
  if optimizer is None and train_op_fn is None:
    raise ValueError("train_op_fn and optimizer cannot both be None.")
  if train_op_fn is not None:
    train_op = train_op_fn(loss)
  else:
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step(), var_list=trainable_variables)
  updates = list(update_ops or []) or tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  return tf.group(train_op, *updates) if updates else train_op
