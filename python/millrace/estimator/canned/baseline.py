"""Premade estimators that look at no features: they learn how often classes come, or the mean of numbers."""

import millrace as tf
from millrace.estimator.canned import choice_of_head, optimizers
from millrace.estimator.canned.linear import check_features
from millrace.estimator.estimator import Estimator

LEARNING_RATE = 0.3


def _batch_size(features):
  """Returns the number of examples of features, checked when a step runs to be the same for all."""
  sizes, names = [], []
  for name, feature in features.items():
    shape = feature.dense_shape if isinstance(feature, tf.SparseTensor) else tf.shape(feature)
    sizes.append(tf.cast(shape[0], tf.int32))
    names.append(name)
  checks = [
    tf.assert_equal(sizes[0], size, message=f"Batch size mismatch: features {names[0]} and {name}.")
    for name, size in zip(names[1:], sizes[1:])
  ]
  with tf.control_dependencies(checks):
    return tf.identity(sizes[0])


def model_fn(features, labels, mode, head, optimizer, config):
  """Returns the EstimatorSpec of a bias alone."""
  check_features(features)
  del config
  optimizer = optimizers.instance(optimizer, learning_rate=LEARNING_RATE)
  size = _batch_size(features)
  with tf.variable_scope("baseline", values=tuple(features.values())):
    bias = tf.get_variable("bias", shape=[head.logits_dimension], initializer=tf.zeros_initializer)
    logits = tf.multiply(bias, tf.ones(shape=[size, head.logits_dimension]))

  def train(loss):
    """Returns the op that trains the bias and counts the step."""
    return optimizer.minimize(loss, global_step=tf.train.get_global_step())

  return head.create_estimator_spec(features=features, mode=mode, logits=logits, labels=labels, train_op_fn=train)


class BaselineClassifier(Estimator):
  """Classes by how often they come.

  Args:
    model_dir: Folder of checkpoints; None for that of `config`, or a temporary one.
    n_classes: Number of classes.
    weight_column: Name or numeric column of a feature of weights, or None.
    label_vocabulary: The words of the classes if labels are words; None for numbers.
    optimizer: "Adagrad", "Adam", "Ftrl", "RMSProp" or "SGD", with a learning rate of 0.3, an optimizer, or a function that
      makes one.
    config: A tf.estimator.RunConfig.
    loss_reduction: A name of tf.losses.Reduction, but not that of none.

  Raises:
    ValueError: Arguments are none that can be.
  """

  def __init__(
    self,
    model_dir=None,
    n_classes=2,
    weight_column=None,
    label_vocabulary=None,
    optimizer="Ftrl",
    config=None,
    loss_reduction="weighted_sum",
  ):
    head = choice_of_head.of_classes(n_classes, weight_column, label_vocabulary, loss_reduction)
    _init(self, head, model_dir, optimizer, config)


class BaselineRegressor(Estimator):
  """Numbers by their mean.

  `label_dimension` is the number of values an example. The other arguments: see BaselineClassifier.
  """

  def __init__(
    self,
    model_dir=None,
    label_dimension=1,
    weight_column=None,
    optimizer="Ftrl",
    config=None,
    loss_reduction="weighted_sum",
  ):
    _init(self, choice_of_head.of_values(label_dimension, weight_column, loss_reduction), model_dir, optimizer, config)


class BaselineEstimator(Estimator):
  """What `head` says by a bias alone. The other arguments: see BaselineClassifier."""

  def __init__(self, head, model_dir=None, optimizer="Ftrl", config=None):
    _init(self, head, model_dir, optimizer, config)


def _init(estimator, head, model_dir, optimizer, config):
  def call(features, labels, mode, config):
    return model_fn(features=features, labels=labels, mode=mode, head=head, optimizer=optimizer, config=config)

  Estimator.__init__(estimator, model_fn=call, model_dir=model_dir, config=config)
