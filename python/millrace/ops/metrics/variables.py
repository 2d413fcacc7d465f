"""The local variables of metrics, and the collections of their results."""

import millrace as tf
from millrace.framework.graph import add_to_collections
from millrace.framework.graph_keys import GraphKeys


def metric_variable(shape, dtype, validate_shape=True, name=None):
  """A local variable that begins with zeros; it is in the collection of metrics' variables too."""
  return tf.Variable(
    lambda: tf.zeros(shape, dtype),
    trainable=False,
    collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
    validate_shape=validate_shape,
    name=name,
  )


def collected(value, update_op, metrics_collections, updates_collections):
  """(value, update_op), once they are in the collections, each a name or a list of names or None."""
  if metrics_collections:
    add_to_collections(metrics_collections, value)
  if updates_collections:
    add_to_collections(updates_collections, update_op)
  return value, update_op
