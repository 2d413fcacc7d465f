"""Metrics of the k classes that got the highest predictions, where an example may have several labels."""

import millrace as tf
from millrace.framework import composite, dtypes
from millrace.framework.graph import control_dependencies, name_scope
from millrace.ops.losses.broadcasting import assert_broadcastable
from millrace.ops.metrics.variables import collected, metric_variable


def with_labels_dimension(labels, predictions):
  """The labels as int64 with as many dimensions as the predictions: a last one is added where each example has one label.

  A SparseTensor stays one.

  Raises:
    ValueError: if that is impossible.
  """
  with name_scope(None, "maybe_expand_labels", (labels, predictions)):
    labels = tf.convert_to_tensor_or_sparse_tensor(labels)
    labels = tf.cast(labels, dtypes.int64)
    rank, wanted = labels.get_shape().ndims, predictions.get_shape().ndims
    if rank is not None and wanted is not None:
      if rank == wanted - 1:
        return _expanded(labels)
      if rank != wanted:
        raise ValueError(
          f"Unexpected labels shape {labels.get_shape()} for predictions shape {predictions.get_shape()}. "
          "Predictions rank should be the same rank as labels rank or labels rank plus one ."
        )
      return labels
    if isinstance(labels, composite.SparseTensor):
      return labels if rank is None or rank == wanted else _expanded(labels)
    return tf.cond(tf.equal(tf.rank(predictions), tf.rank(labels) + 1), lambda: _expanded(labels), lambda: labels)


def _expanded(labels):
  if isinstance(labels, composite.SparseTensor):
    shape = tf.concat([tf.shape(labels, out_type=dtypes.int64), [1]], 0)
    return tf.sparse_reshape(labels, shape)
  return tf.expand_dims(labels, -1)


def has_class(ids, class_id):
  """For each example, whether the class is among its ids."""
  if isinstance(ids, composite.SparseTensor):
    return tf.sets.size(tf.sparse_retain(ids, tf.equal(ids.values, class_id))) > 0
  return tf.reduce_any(tf.equal(ids, class_id), axis=-1)


def counts_of_ranking(labels, chosen, class_id, kinds, weights=None):
  """For each of the kinds "true_positive", "false_positive" and "false_negative" how often it is so in each example, as float64.

  `chosen` are the classes of highest predictions; without `class_id` sets of classes are compared, otherwise only whether that one
  is among them. `weights` has the shape of the counts or can be made so.
  """
  if class_id is None:
    counts = {
      "true_positive": lambda: tf.sets.size(tf.sets.intersection(chosen, labels)),
      "false_positive": lambda: tf.sets.size(tf.sets.difference(chosen, labels)),
      "false_negative": lambda: tf.sets.size(tf.sets.difference(labels, chosen, aminusb=True)),
    }
  else:
    is_label, is_chosen = has_class(labels, class_id), has_class(chosen, class_id)
    counts = {
      "true_positive": lambda: tf.logical_and(is_label, is_chosen),
      "false_positive": lambda: tf.logical_and(tf.logical_not(is_label), is_chosen),
      "false_negative": lambda: tf.logical_and(is_label, tf.logical_not(is_chosen)),
    }
  found = []
  for kind in kinds:
    count = tf.cast(counts[kind](), dtypes.float64)
    if weights is not None:
      with control_dependencies((assert_broadcastable(weights, count),)):
        count = tf.multiply(count, tf.cast(weights, dtypes.float64))
    found.append(count)
  return found


def name_at(prefix, k=None, class_id=None):
  """The name of a metric at k: "precision_at_5", "precision_at_5_class2", "precision_at_k" where k is not known."""
  text = prefix + ("_at_k" if k is None else f"_at_{k}")
  return text if class_id is None else f"{text}_class{class_id}"


def _quotient(
  what,
  other,
  labels,
  chosen,
  k=None,
  class_id=None,
  weights=None,
  metrics_collections=None,
  updates_collections=None,
  name=None,
):
  """The metric true_positive / (true_positive + other) of the classes that were chosen."""
  with name_scope(name, name_at(what, k, class_id), (chosen, labels, weights)) as scope:
    chosen = tf.cast(chosen, dtypes.int64)
    labels = with_labels_dimension(labels, chosen)
    kinds = ("true_positive", other)
    counts = counts_of_ranking(labels, chosen, class_id, kinds, weights)
    values, updates = [], []
    for kind, count in zip(kinds, counts):
      variable = metric_variable([], dtypes.float64, name=name_at(kind, k, class_id))
      values.append(variable)
      updates.append(tf.assign_add(variable, tf.reduce_sum(count)))
    value = tf.div(values[0], tf.add(*values), name=scope)
    update_op = tf.div(updates[0], tf.add(*updates), name="update")
    return collected(value, update_op, metrics_collections, updates_collections)


def precision_at_top_k(
  labels,
  predictions_idx,
  k=None,
  class_id=None,
  weights=None,
  metrics_collections=None,
  updates_collections=None,
  name=None,
):
  """The share of the classes in `predictions_idx`, those with the highest predictions, that are labels of their examples.

  `k` only names the metric. With `class_id`, the share of the examples with that class among those predicted which have that label.
  """
  return _quotient(
    "precision",
    "false_positive",
    labels,
    predictions_idx,
    k,
    class_id,
    weights,
    metrics_collections,
    updates_collections,
    name,
  )


def recall_at_top_k(
  labels,
  predictions_idx,
  k=None,
  class_id=None,
  weights=None,
  metrics_collections=None,
  updates_collections=None,
  name=None,
):
  """The share of the labels that are among the classes in `predictions_idx`, those with the highest predictions.

  `k` only names the metric. With `class_id`, only that label is looked at.
  """
  return _quotient(
    "recall", "false_negative", labels, predictions_idx, k, class_id, weights, metrics_collections, updates_collections, name
  )


def precision_at_k(
  labels, predictions, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The share of the `k` classes of highest predictions that are labels of their examples; see precision_at_top_k().

  `labels` is int64, a Tensor or SparseTensor with a last dimension for the labels of an example, or without it.
  """
  with name_scope(name, name_at("precision", k, class_id), (predictions, labels, weights)) as scope:
    _, chosen = tf.nn.top_k(predictions, k)
    return precision_at_top_k(
      labels=labels,
      predictions_idx=chosen,
      k=k,
      class_id=class_id,
      weights=weights,
      metrics_collections=metrics_collections,
      updates_collections=updates_collections,
      name=scope,
    )


def sparse_precision_at_k(
  labels, predictions, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The older name of precision_at_k()."""
  return precision_at_k(
    labels=labels,
    predictions=predictions,
    k=k,
    class_id=class_id,
    weights=weights,
    metrics_collections=metrics_collections,
    updates_collections=updates_collections,
    name=name,
  )


def recall_at_k(
  labels, predictions, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None
):
  """The share of the labels that are among the `k` classes of highest predictions; see recall_at_top_k().

  `labels` is int64, a Tensor or SparseTensor with a last dimension for the labels of an example, or without it.
  """
  with name_scope(name, name_at("recall", k, class_id), (predictions, labels, weights)) as scope:
    _, chosen = tf.nn.top_k(predictions, k)
    return recall_at_top_k(
      labels=labels,
      predictions_idx=chosen,
      k=k,
      class_id=class_id,
      weights=weights,
      metrics_collections=metrics_collections,
      updates_collections=updates_collections,
      name=scope,
    )
