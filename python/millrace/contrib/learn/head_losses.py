"""Losses of heads: functions of labels, logits and weights (or None) that return two scalars.

The first, by which models are trained, is the mean over the batch of losses times weights; the second, which evaluations and
summaries report, is divided by the sum of the weights.
"""

import inspect

import millrace as tf


def _weighted(losses, weights):
  """Both scalars; weights are broadcast to the losses."""
  if weights is None:
    loss = tf.reduce_mean(losses, name="loss")
    return loss, loss
  weights = weights * tf.ones_like(losses)
  weighted = losses * weights
  average = tf.div(tf.reduce_sum(weighted), tf.reduce_sum(weights), name="weighted_average_loss")
  return tf.reduce_mean(weighted, name="loss"), average


def column(labels):
  """Labels [batch] as [batch, 1], as logits are; others as they are."""
  return tf.expand_dims(labels, 1) if labels.get_shape().ndims == 1 else labels


def squared(labels, logits, weights):
  """Of numbers."""
  return _weighted(tf.square(logits - column(tf.cast(labels, tf.float32))), weights)


def poisson(labels, logits, weights):
  """Of counts whose means have the logits as logarithms."""
  losses = tf.nn.log_poisson_loss(column(tf.cast(labels, tf.float32)), logits, compute_full_loss=True)
  return _weighted(losses, weights)


def sigmoid_cross_entropy(labels, logits, weights):
  """Of zeros and ones, one for each logit."""
  labels = column(tf.cast(labels, tf.float32))
  return _weighted(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), weights)


def softmax_cross_entropy(labels, logits, weights):
  """Of numbers of classes, [batch] or [batch, 1]. Raises ValueError for labels that are no integers."""
  if not labels.dtype.is_integer:
    raise ValueError(f"Labels dtype should be integer Instead got {labels.dtype}.")
  if labels.get_shape().ndims == 2:
    labels = tf.squeeze(labels, [1])
  losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.cast(labels, tf.int64), logits=logits)
  return _weighted(tf.expand_dims(losses, 1), weights)


def of_function(loss_fn):
  """A loss whose scalars are both that of a program's function, called without weights where there are none.

  Raises ValueError if one of its arguments labels, logits and weights is missing.
  """
  function = loss_fn
  while hasattr(function, "func"):  # of a functools.partial
    function = function.func
  names = inspect.signature(function).parameters
  for name in ("labels", "logits", "weights"):
    if name not in names:
      raise ValueError(f"Argument {name} not found in loss_fn.")

  def call(labels, logits, weights):
    loss = loss_fn(labels, logits) if weights is None else loss_fn(labels, logits, weights)
    return loss, loss

  return call
