"""Losses of classifiers with very many classes: the true ones and a few that are sampled."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework import graph as ops
from millrace.ops.nn import cross_entropy, embedding, samplers


def nce_loss(
  weights,
  biases,
  labels,
  inputs,
  num_sampled,
  num_classes,
  num_true=1,
  sampled_values=None,
  remove_accidental_hits=False,
  partition_strategy="mod",
  name="nce_loss",
):
  """Returns the noise contrastive loss of each example: of telling its true classes from sampled ones.

  weights: [num_classes, dim], or a list of parts; biases: [num_classes]; labels: [batch, num_true]; inputs: [batch, dim].
  `sampled_values` are those of a sampler, by default log_uniform_candidate_sampler.
  """
  logits, labels = compute_sampled_logits(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=num_true,
    sampled_values=sampled_values,
    remove_accidental_hits=remove_accidental_hits,
    partition_strategy=partition_strategy,
    name=name,
  )
  losses = cross_entropy.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="sampled_losses")
  return _sums_of_rows(losses)


def sampled_softmax_loss(
  weights,
  biases,
  labels,
  inputs,
  num_sampled,
  num_classes,
  num_true=1,
  sampled_values=None,
  remove_accidental_hits=True,
  partition_strategy="mod",
  name="sampled_softmax_loss",
  seed=None,
):
  """Returns the softmax loss of each example over its true classes and the sampled ones. Arguments: see nce_loss."""
  logits, labels = compute_sampled_logits(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=num_true,
    sampled_values=sampled_values,
    remove_accidental_hits=remove_accidental_hits,
    partition_strategy=partition_strategy,
    name=name,
    seed=seed,
  )
  labels = tf.stop_gradient(labels, name="labels_stop_gradient")
  return cross_entropy.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)


def _sums_of_rows(x):
  """Returns the sums of the rows of a matrix: by a product, whose gradient is a product."""
  columns = tf.shape(x)[1]
  ones = tf.ones(tf.stack([columns, 1]), x.dtype)
  return tf.reshape(tf.matmul(x, ones), [-1])


def compute_sampled_logits(
  weights,
  biases,
  labels,
  inputs,
  num_sampled,
  num_classes,
  num_true=1,
  sampled_values=None,
  subtract_log_q=True,
  remove_accidental_hits=False,
  partition_strategy="mod",
  name=None,
  seed=None,
):
  """Returns (logits, labels): [batch, num_true + num_sampled], true classes first, labels that add up to 1 for them.

  With `subtract_log_q` the logits are less the logarithms of how often a class is expected among the samples.
  """
  weights = embedding.parts_of(weights)
  with ops.name_scope(name, "compute_sampled_logits", [*weights, biases, inputs, labels]):
    if labels.dtype != dtypes.int64:
      labels = tf.cast(labels, dtypes.int64)
    flat_labels = tf.reshape(labels, [-1])
    if sampled_values is None:
      sampled_values = samplers.log_uniform_candidate_sampler(
        true_classes=labels,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=True,
        range_max=num_classes,
        seed=seed,
      )
    # No gradient goes through the sampler.
    sampled, true_expected, sampled_expected = (gen.stop_gradient(s) for s in sampled_values)
    sampled = tf.cast(sampled, dtypes.int64)
    ids = tf.concat([flat_labels, sampled], 0)
    rows = embedding.embedding_lookup(weights, ids, partition_strategy=partition_strategy)
    if rows.dtype != inputs.dtype:
      rows = tf.cast(rows, inputs.dtype)
    true_rows = tf.slice(rows, [0, 0], tf.stack([tf.shape(flat_labels)[0], -1]))
    sampled_rows = tf.slice(rows, tf.stack([tf.shape(flat_labels)[0], 0]), [-1, -1])
    sampled_logits = tf.matmul(inputs, sampled_rows, transpose_b=True)
    all_biases = embedding.embedding_lookup(biases, ids, partition_strategy=partition_strategy)
    if all_biases.dtype != inputs.dtype:
      all_biases = tf.cast(all_biases, inputs.dtype)
    true_biases = tf.slice(all_biases, [0], tf.shape(flat_labels))
    sampled_biases = tf.slice(all_biases, tf.shape(flat_labels), [-1])
    true_logits = _true_logits(true_rows, inputs, num_true)
    true_logits += tf.reshape(true_biases, [-1, num_true])
    sampled_logits += sampled_biases
    if remove_accidental_hits:
      sampled_logits = _without_hits(sampled_logits, labels, sampled, num_true, num_sampled)
    if subtract_log_q:
      true_logits -= gen.log(true_expected)
      sampled_logits -= gen.log(sampled_expected)
    logits = tf.concat([true_logits, sampled_logits], 1)
    labels = tf.concat([tf.ones_like(true_logits) / num_true, tf.zeros_like(sampled_logits)], 1)
    return logits, labels


def _true_logits(true_rows, inputs, num_true):
  """Returns the products of each input with the rows of its true classes, [batch, num_true]."""
  dim = tf.shape(true_rows)[1:2]
  shape = tf.concat([[-1, num_true], dim], 0)
  products = tf.multiply(tf.expand_dims(inputs, 1), tf.reshape(true_rows, shape))
  matrix = tf.reshape(products, tf.concat([[-1], dim], 0))
  return tf.reshape(_sums_of_rows(matrix), [-1, num_true])


def _without_hits(sampled_logits, labels, sampled, num_true, num_sampled):
  """Makes the logits of samples that are true classes so small that they do not count."""
  rows, positions, weights = samplers.compute_accidental_hits(labels, sampled, num_true=num_true)
  rows = tf.reshape(rows, [-1, 1])
  positions = tf.reshape(tf.cast(positions, dtypes.int32), [-1, 1])
  indices = tf.concat([rows, positions], 1, "sparse_indices")
  shape = tf.concat([tf.shape(labels)[:1], tf.expand_dims(num_sampled, 0)], 0)
  if sampled_logits.dtype != weights.dtype:
    weights = tf.cast(weights, sampled_logits.dtype)
  return sampled_logits + gen.sparse_to_dense(indices, shape, weights, default_value=0.0, validate_indices=False)
