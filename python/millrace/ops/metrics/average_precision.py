"""The mean, over examples, of the average precision of a ranking of classes."""

import millrace as tf
from millrace.framework import composite, dtypes
from millrace.framework.graph import control_dependencies, name_scope
from millrace.ops.losses.broadcasting import assert_broadcastable, broadcast_weights
from millrace.ops.metrics.ranking import name_at, with_labels_dimension
from millrace.ops.metrics.variables import collected, metric_variable

_NO_LABEL = -1


def average_precision_of_each(chosen, labels, num_classes=None):
  """For each example, the mean over its labels of the precision at the places where they are in the ranking, as float64.

  `chosen` are the k classes of highest predictions, best first; of more labels than k only k count. What is no number of a class
  is no label. NaN where there is none.

  Raises:
    ValueError: if k is not known.
  """
  with name_scope(None, "average_precision", (chosen, labels)) as scope:
    chosen = tf.cast(chosen, dtypes.int64)
    k = chosen.get_shape().dims[-1].value if chosen.get_shape().ndims is not None else None
    if k is None:
      raise ValueError(f"The last dimension of predictions_idx has to be known, its shape is {chosen.get_shape()}.")
    labels = with_labels_dimension(labels, chosen)
    if isinstance(labels, composite.SparseTensor):
      labels = tf.sparse_tensor_to_dense(labels, default_value=_NO_LABEL)
    is_label = tf.greater_equal(labels, 0)
    if num_classes is not None:
      is_label = tf.logical_and(is_label, tf.less(labels, tf.cast(num_classes, dtypes.int64)))
    meets = tf.logical_and(tf.equal(tf.expand_dims(chosen, -1), tf.expand_dims(labels, -2)), tf.expand_dims(is_label, -2))
    is_right = tf.cast(tf.reduce_any(meets, axis=-1), dtypes.float64)
    precision = tf.div(tf.cumsum(is_right, axis=-1), tf.cast(tf.range(1, k + 1), dtypes.float64))
    possible = tf.minimum(tf.reduce_sum(tf.cast(is_label, dtypes.int64), axis=-1), k)
    summed = tf.reduce_sum(tf.multiply(precision, is_right), axis=-1)
    return tf.div(summed, tf.cast(possible, dtypes.float64), name=scope)


def average_precision_at_top_k(
  labels, predictions_idx, weights=None, metrics_collections=None, updates_collections=None, name=None, num_classes=None
):
  """The weighted mean of average_precision_of_each(), in the local variables `max` and `total`."""
  with name_scope(name, "average_precision_at_k", (labels, predictions_idx, weights)) as scope:
    each = average_precision_of_each(predictions_idx, labels, num_classes)
    if weights is not None:
      weights = tf.cast(weights, dtypes.float64)
      with control_dependencies((assert_broadcastable(weights, each),)):
        each = tf.multiply(each, weights)
    with name_scope(None, "max", (each,)):
      number = tf.cast(tf.size(each), dtypes.float64) if weights is None else tf.reduce_sum(broadcast_weights(weights, each))
    most = metric_variable([], dtypes.float64, name="max")
    total = metric_variable([], dtypes.float64, name="total")
    most_update, total_update = tf.assign_add(most, number), tf.assign_add(total, tf.reduce_sum(each))
    value = tf.div_no_nan(total, tf.maximum(most, 0), name="mean")
    update_op = tf.div_no_nan(total_update, tf.maximum(most_update, 0), name=scope)
    return collected(value, update_op, metrics_collections, updates_collections)


def average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None):
  """The mean over the examples of the average precision of the `k` classes of highest predictions.

  `labels` is int64, a Tensor or SparseTensor with a last dimension for the labels of an example, or without it.

  Raises:
    ValueError: if k is not positive.
  """
  if k < 1:
    raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
  with name_scope(name, name_at("average_precision", k), (predictions, labels, weights)) as scope:
    predictions = tf.convert_to_tensor(predictions)
    _, chosen = tf.nn.top_k(predictions, k)
    return average_precision_at_top_k(
      labels, chosen, weights, metrics_collections, updates_collections, scope, tf.shape(predictions)[-1]
    )


def sparse_average_precision_at_k(
  labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The older name of average_precision_at_k()."""
  return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)
