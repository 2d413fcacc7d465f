"""The losses of a graph: the collections that hold them, and their sum."""

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework.graph_keys import GraphKeys


def add_loss(loss, loss_collection=GraphKeys.LOSSES):
  """Adds a loss to a collection of losses, if one is named."""
  if loss_collection:
    ops.add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
  """The losses of a collection, or those whose names begin with `scope`."""
  return ops.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
  """What the regularizers of variables have added, or of this those whose names begin with `scope`."""
  return ops.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name="total_regularization_loss"):
  """The sum of get_regularization_losses(scope): 0 if there are none."""
  losses = get_regularization_losses(scope)
  return tf.add_n(losses, name=name) if losses else tf.constant(0.0)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
  """The sum of the losses whose names begin with `scope`, by default of all, and of those of regularizers if they are wanted.

  Raises:
    ValueError: if there are none.
  """
  losses = get_losses(scope=scope)
  if add_regularization_losses:
    losses = losses + get_regularization_losses(scope=scope)
  return tf.add_n(losses, name=name)
