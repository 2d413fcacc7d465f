"""What logits of a model are for, as models of before heads say it: losses, predictions and metrics."""

import inspect

import millrace as tf


def regression_target(label_name=None, weight_column_name=None, label_dimension=1):
  """Returns the target of numbers, by squared errors.

  Args:
    label_name: Key of the labels if they are a dict.
    weight_column_name: Key of the feature of weights, or None.
    label_dimension: Number of values an example.
  """
  return _RegressionTarget(label_name, weight_column_name, label_dimension)


def multi_class_target(n_classes, label_name=None, weight_column_name=None):
  """Returns the target of classes of which each example has one: of two by one logit, of more by one each.

  Raises ValueError for fewer classes than two. The rest: see regression_target.
  """
  if n_classes < 2:
    raise ValueError("n_classes must be > 1 for classification.")
  if n_classes == 2:
    return _BinaryTarget(label_name, weight_column_name, 1)
  return _MultiClassTarget(label_name, weight_column_name, n_classes)


def binary_svm_target(label_name=None, weight_column_name=None):
  """Returns the target of two classes by hinge losses of one logit. The rest: see regression_target."""
  return _SvmTarget(label_name, weight_column_name, 1)


class _Target:
  """Losses, predictions and metrics of logits [batch, num_label_columns]."""

  def __init__(self, label_name, weight_column_name, num_label_columns):
    self._label_name = label_name
    self._weight_column_name = weight_column_name
    self._num_label_columns = num_label_columns

  @property
  def label_name(self):
    return self._label_name

  @property
  def weight_column_name(self):
    return self._weight_column_name

  @property
  def num_label_columns(self):
    """The number of logits an example."""
    return self._num_label_columns

  def _losses(self, logits, labels):
    raise NotImplementedError("%s._losses" % type(self).__name__)

  def logits_to_predictions(self, logits, proba=False):
    """Returns what is predicted; probabilities if `proba`."""
    raise NotImplementedError("%s.logits_to_predictions" % type(self).__name__)

  def get_weight_tensor(self, features):
    """Returns the weights of examples as a float vector, or None."""
    if not self._weight_column_name:
      return None
    return tf.reshape(tf.cast(features[self._weight_column_name], tf.float32), [-1])

  def _labels(self, target):
    return target[self._label_name] if isinstance(target, dict) else target

  def _unweighted(self, logits, target):
    labels = tf.convert_to_tensor(self._labels(target))
    if labels.get_shape().ndims == 1 and logits.get_shape().ndims == 2:
      labels = tf.expand_dims(labels, -1)
    return self._losses(logits, labels)

  def training_loss(self, logits, target, features, name="training_loss"):
    """Returns the mean of losses times weights, over the number of losses: what is trained."""
    losses, weights = self._unweighted(logits, target), self.get_weight_tensor(features)
    if weights is not None:
      losses = self._weighted(losses, weights)
    return tf.reduce_mean(losses, name=name)

  def loss(self, logits, target, features):
    """Returns the mean of losses times weights, over the sum of weights: what is looked at."""
    losses, weights = self._unweighted(logits, target), self.get_weight_tensor(features)
    if weights is None:
      return tf.reduce_mean(losses, name="loss")
    total = tf.reduce_sum(self._weighted(losses, weights))
    return tf.div(total, tf.reduce_sum(weights), name="loss")

  def _weighted(self, losses, weights):
    return tf.reshape(losses, [-1]) * weights

  def _default_metrics(self, predictions, labels, weights):
    del predictions, labels, weights
    return {}

  def _by_kind(self, logits):
    """Returns what metrics can ask for by a kind of predictions."""
    return {None: self.logits_to_predictions(logits, proba=False)}

  def get_eval_ops(self, features, logits, labels, metrics=None):
    """Returns a dict from names to pairs (value, update): the loss, and `metrics`.

    Those are a dict from names, or (name, "classes", "probabilities" or "logits"), to functions of predictions, labels and, if
    they have such an argument, weights.
    """
    weights = self.get_weight_tensor(features)
    found = {"loss": tf.metrics.mean(self.loss(logits, labels, features))}
    by_kind, labels = self._by_kind(logits), self._labels(labels)
    found.update(self._default_metrics(by_kind[None], labels, weights))
    for key, function in (metrics or {}).items():
      name, kind = key if isinstance(key, tuple) else (key, None)
      if kind not in by_kind:
        raise ValueError(f"The metric {name} asks for {kind}; there are {[k for k in by_kind if k]}.")
      arguments = inspect.signature(function).parameters
      more = {"weights": weights} if weights is not None and "weights" in arguments else {}
      found[name] = function(by_kind[kind], labels, **more)
    return found


class _RegressionTarget(_Target):
  def _losses(self, logits, labels):
    return tf.squared_difference(logits, tf.cast(labels, tf.float32))

  def logits_to_predictions(self, logits, proba=False):
    """Returns the logits, as a vector if there is one an example. Raises ValueError if `proba`."""
    if proba:
      raise ValueError("Numbers have no probabilities.")
    return tf.squeeze(logits, axis=[1]) if self.num_label_columns == 1 else logits

  def _weighted(self, losses, weights):
    if self.num_label_columns == 1:
      return super()._weighted(losses, weights)
    return losses * tf.expand_dims(weights, -1)


class _Classes(_Target):
  def _default_metrics(self, predictions, labels, weights):
    labels = tf.reshape(tf.convert_to_tensor(labels), [-1])
    return {"accuracy": tf.metrics.accuracy(labels, tf.cast(predictions, labels.dtype), weights)}

  def _by_kind(self, logits):
    classes = self.logits_to_predictions(logits, proba=False)
    return {None: classes, "classes": classes, "logits": logits, **self._probabilities(logits)}

  def _probabilities(self, logits):
    return {"probabilities": self.logits_to_predictions(logits, proba=True)}


class _BinaryTarget(_Classes):
  def _losses(self, logits, labels):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.cast(labels, tf.float32), logits=logits)

  def logits_to_predictions(self, logits, proba=False):
    """Returns the class of each example, or the probabilities of both classes."""
    both = tf.concat([tf.zeros_like(logits), logits], 1)
    return tf.nn.softmax(both) if proba else tf.argmax(both, 1)


class _SvmTarget(_Classes):
  def _losses(self, logits, labels):
    return tf.losses.hinge_loss(labels=labels, logits=logits, reduction=tf.losses.Reduction.NONE, loss_collection=None)

  def logits_to_predictions(self, logits, proba=False):
    """Returns the class of each example. Raises ValueError if `proba`."""
    if proba:
      raise ValueError("logits to probabilities is not supported for _BinarySvmTargetColumn")
    return tf.argmax(tf.concat([tf.zeros_like(logits), logits], 1), 1)

  def _probabilities(self, logits):
    return {}


class _MultiClassTarget(_Classes):
  def _losses(self, logits, labels):
    labels = tf.reshape(labels, [-1])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.cast(labels, tf.int64), logits=logits)

  def logits_to_predictions(self, logits, proba=False):
    """Returns the class of each example, or the probabilities of all classes."""
    return tf.nn.softmax(logits) if proba else tf.argmax(logits, 1)
