"""What heads are, and what those with one kind of label share."""

import abc

import millrace as tf
from millrace.contrib.learn.keys import MetricKey
from millrace.contrib.learn.mode_keys import ModeKeys
from millrace.contrib.learn.model_fn_ops import ModelFnOps


class Head(metaclass=abc.ABCMeta):
  """Base class of heads."""

  @property
  @abc.abstractmethod
  def logits_dimension(self):
    """The size of the last dimension of the logits."""

  @abc.abstractmethod
  def create_model_fn_ops(self, features, mode, labels=None, train_op_fn=None, logits=None, logits_input=None, scope=None):
    """The ModelFnOps for logits, or for `logits_input`, of which a layer makes them."""


class SingleHead(Head):
  """A head with one kind of label. `loss` is one of head_losses.py; derived classes have the rest.

  Its scope is the `scope` of create_model_fn_ops, or the head's name or kind, and has the layer `logits` and the variable
  `centered_bias_weight`, if there are any.
  """

  _SCOPE = None

  def __init__(
    self,
    problem_type,
    logits_dimension,
    loss,
    label_name=None,
    weight_column_name=None,
    enable_centered_bias=False,
    head_name=None,
  ):
    self._problem_type = problem_type
    self._logits_dimension = logits_dimension
    self._loss = loss
    self._label_name = label_name
    self._weight_column_name = weight_column_name
    self._enable_centered_bias = enable_centered_bias
    self._head_name = head_name

  @property
  def logits_dimension(self):
    return self._logits_dimension

  @property
  def head_name(self):
    return self._head_name

  def create_model_fn_ops(self, features, mode, labels=None, train_op_fn=None, logits=None, logits_input=None, scope=None):
    """Raises ValueError for logits and their input together, or neither, and where a mode lacks labels or `train_op_fn`."""
    ModeKeys.validate(mode)
    with tf.variable_scope(scope, default_name=self._head_name or self._SCOPE):
      logits = self._logits(logits, logits_input)
      bias = None
      if self._enable_centered_bias:
        bias = self._centered_bias()
        logits = tf.nn.bias_add(logits, bias)
      with tf.name_scope("predictions"):
        predictions = self._predictions(logits)
      alternatives = {self._head_name: (self._problem_type, self._exported(predictions))}
      if mode == ModeKeys.INFER:
        return ModelFnOps(mode, predictions=predictions, output_alternatives=alternatives)
      labels = self._checked_labels(labels)
      weights = self._weights_of(features)
      loss, average = self._loss(labels, logits, weights)
      with tf.name_scope(""):
        tf.summary.scalar(self._named(MetricKey.LOSS), average)
      if mode == ModeKeys.EVAL:
        metrics = {self._named(key): value for key, value in self._metrics(predictions, labels, weights).items()}
        metrics[self._named(MetricKey.LOSS)] = tf.metrics.mean(average)
        return ModelFnOps(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics, output_alternatives=alternatives)
      if train_op_fn is None:
        raise ValueError("train_op_fn can not be None in TRAIN mode")
      train_op = train_op_fn(loss)
      if bias is not None:
        train_op = tf.group(train_op, self._bias_step(bias, tf.shape(logits)[0], labels, weights))
      return ModelFnOps(mode, predictions=predictions, loss=loss, train_op=train_op, output_alternatives=alternatives)

  def _named(self, key):
    return key if not self._head_name else f"{key}/{self._head_name}"

  def _logits(self, logits, logits_input):
    if logits is None:
      if logits_input is None:
        raise ValueError("Neither logits nor logits_input supplied.")
      return tf.contrib.layers.linear(logits_input, self.logits_dimension, scope="logits")
    if logits_input is not None:
      raise ValueError("Both logits and logits_input supplied.")
    return tf.convert_to_tensor(logits, name="logits")

  def _checked_labels(self, labels):
    if labels is None:
      raise ValueError("No labels were given, which training and evaluation need.")
    if isinstance(labels, dict):
      if self._label_name is None:
        if len(labels) != 1:
          raise ValueError(f"label_name has to name one of the labels {sorted(labels)}.")
        (labels,) = labels.values()
      else:
        labels = labels[self._label_name]
    if isinstance(labels, tf.SparseTensor):
      return self._dense_labels(labels)
    return self._ids_of(tf.convert_to_tensor(labels))

  def _dense_labels(self, labels):
    """A tensor of a SparseTensor of labels."""
    raise ValueError("SparseTensor is not supported.")

  def _ids_of(self, labels):
    """Labels as losses take them."""
    return labels

  def _weights_of(self, features):
    """Weights as a scalar or a column, or of more dimensions, or None."""
    if not self._weight_column_name:
      return None
    if self._weight_column_name not in features:
      raise ValueError(f"Weights {self._weight_column_name} missing from features.")
    weights = tf.cast(features[self._weight_column_name], tf.float32)
    return tf.reshape(weights, [-1, 1]) if weights.get_shape().ndims in (1, None) else weights

  def _centered_bias(self):
    """A bias for each class, in one part on any number of parameter servers."""
    bias = tf.Variable(tf.zeros([self._logits_dimension]), name="centered_bias_weight")
    for i in range(self._logits_dimension):
      tf.summary.scalar(self._named(f"centered_bias/bias_{i}"), bias[i])
    return bias

  def _bias_step(self, bias, batch_size, labels, weights):
    """The op that moves the bias to where it alone would have the least loss."""
    logits = tf.reshape(tf.tile(bias, [batch_size]), [-1, self._logits_dimension])
    loss = tf.reduce_mean(self._loss(labels, logits, weights))
    return tf.train.AdagradOptimizer(0.1).minimize(loss, var_list=[bias])

  @abc.abstractmethod
  def _predictions(self, logits):
    """A map of PredictionKeys to tensors."""

  def _exported(self, predictions):
    """Those of the predictions, or what is made of them, that exports have."""
    return predictions

  def _metrics(self, predictions, labels, weights):
    """A map of MetricKeys to metrics, beside the loss."""
    del predictions, labels, weights
    return {}
