"""Losses of tf.contrib.nn: with logits before labels, and with sampled classes."""

import millrace as tf
from millrace.framework.deprecation import deprecated

_FLIPPED = "Use tf.nn.%s with labels before logits, by their names."


@deprecated(None, _FLIPPED % "softmax_cross_entropy_with_logits")
def deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels, dim=-1, name=None):
  """tf.nn.softmax_cross_entropy_with_logits with its arguments in the older order."""
  return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


@deprecated(None, _FLIPPED % "sparse_softmax_cross_entropy_with_logits")
def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, labels, name=None):
  """tf.nn.sparse_softmax_cross_entropy_with_logits with its arguments in the older order."""
  return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


@deprecated(None, _FLIPPED % "sigmoid_cross_entropy_with_logits")
def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, targets, name=None):
  """tf.nn.sigmoid_cross_entropy_with_logits with its arguments in the older order."""
  return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)


def sampled_sparse_softmax_loss(
  weights,
  biases,
  labels,
  inputs,
  num_sampled,
  num_classes,
  sampled_values=None,
  remove_accidental_hits=True,
  partition_strategy="mod",
  name="sampled_sparse_softmax_loss",
):
  """As tf.nn.sampled_softmax_loss with one true class an example: `labels` is [batch, 1]."""
  return tf.nn.sampled_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=sampled_values,
    remove_accidental_hits=remove_accidental_hits,
    partition_strategy=partition_strategy,
    name=name,
  )


def rank_sampled_softmax_loss(
  weights,
  biases,
  labels,
  inputs,
  num_sampled,
  num_resampled,
  num_classes,
  num_true,
  sampled_values,
  resampling_temperature,
  remove_accidental_hits,
  partition_strategy,
  name=None,
):
  """tf.nn.sampled_softmax_loss of the `num_resampled` of the sampled classes that have the largest logits in the batch.

  Classes are compared by the logarithm of the sum over the batch of exp(logit / `resampling_temperature`). `sampled_values` None draws
  `num_sampled` ones by tf.nn.log_uniform_candidate_sampler. Raises ValueError if more classes are kept than sampled.
  """
  if num_resampled > num_sampled:
    raise ValueError(f"num_resampled ({num_resampled}) must be less than num_sampled ({num_sampled})")
  with tf.name_scope(name, "RankSampledSoftmaxLoss", [labels, inputs]):
    if sampled_values is None:
      sampled_values = tf.nn.log_uniform_candidate_sampler(
        true_classes=tf.cast(labels, tf.int64), num_true=num_true, num_sampled=num_sampled, unique=True, range_max=num_classes
      )
    sampled, true_count, sampled_count = sampled_values
    sampled = tf.stop_gradient(sampled)
    rows = tf.nn.embedding_lookup(weights, sampled, partition_strategy=partition_strategy)
    offsets = tf.nn.embedding_lookup(biases, sampled, partition_strategy=partition_strategy)
    logits = tf.matmul(inputs, rows, transpose_b=True) + offsets
    strength = tf.reduce_logsumexp(logits / resampling_temperature, axis=0)
    _, chosen = tf.nn.top_k(strength, k=num_resampled, sorted=False)
    return tf.nn.sampled_softmax_loss(
      weights,
      biases,
      labels,
      inputs,
      num_resampled,
      num_classes,
      num_true=num_true,
      sampled_values=(tf.gather(sampled, chosen), true_count, tf.gather(sampled_count, chosen)),
      remove_accidental_hits=remove_accidental_hits,
      partition_strategy=partition_strategy,
    )
