"""How premade estimators train: optimizers by name, and which variables they move.

An optimizer is one, or the name of one, or a function or class without arguments that returns one.
"""

import math

import millrace as tf
from millrace.contrib.learn.logits import LINEAR_SCOPE

DNN_RATE = 0.05
_LINEAR_RATE = 0.2


def linear_rate(columns):
  """The rate of a linear model, which falls with the number of columns."""
  return min(_LINEAR_RATE, 1.0 / math.sqrt(max(1, len(columns))))


def _called(optimizer):
  return optimizer() if callable(optimizer) else optimizer


def train_linear(loss, optimizer, columns, clip_norm=None):
  """The op that trains a linear model alone and counts the step; by default an Ftrl optimizer's.

  What the optimizer remembers has names in the current scope.
  """
  if optimizer is None:
    optimizer = tf.train.FtrlOptimizer(linear_rate(columns))
  elif isinstance(optimizer, str):
    optimizer = tf.contrib.layers.OPTIMIZER_CLS_NAMES[optimizer](learning_rate=_LINEAR_RATE)
  variables = tf.get_collection(LINEAR_SCOPE)
  gradients = tf.gradients(loss, variables)
  if clip_norm:
    gradients, _ = tf.clip_by_global_norm(gradients, clip_norm)
  return _called(optimizer).apply_gradients(zip(gradients, variables), global_step=tf.train.get_global_step())


def optimize(loss, name, optimizer, rate, clip_norm=None, multipliers=None, variables=None, increment_global_step=True):
  """The op of optimize_loss, in a scope `name`: trains variables, by default all."""
  return tf.contrib.layers.optimize_loss(
    loss,
    tf.train.get_global_step(),
    learning_rate=rate,
    optimizer=_called(optimizer),
    gradient_multipliers=multipliers or None,
    clip_gradients=clip_norm,
    name=name,
    variables=variables,
    summaries=[],
    increment_global_step=increment_global_step,
  )
