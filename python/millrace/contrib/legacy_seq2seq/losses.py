"""Losses of lists of logits, and models for several lengths of sequences."""

import millrace as tf


def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True, softmax_loss_function=None, name=None):
  """The weighted cross entropy of each sequence, [batch], of lists: logits [batch, symbols], targets [batch], weights [batch].

  It is divided by the sum of the weights if `average_across_timesteps`. `softmax_loss_function(labels=, logits=)` replaces the cross
  entropy. Raises ValueError for lists of different lengths.
  """
  if len(targets) != len(logits) or len(weights) != len(logits):
    raise ValueError(f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}.")
  with tf.name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
    losses = []
    for logit, target, weight in zip(logits, targets, weights):
      if softmax_loss_function is None:
        target = tf.reshape(target, [-1])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logit)
      else:
        loss = softmax_loss_function(labels=target, logits=logit)
      losses.append(loss * weight)
    total = tf.add_n(losses)
    if average_across_timesteps:
      # Where all weights are 0, nothing is divided by 0.
      total = total / (tf.add_n(weights) + 1e-12)
  return total


def sequence_loss(
  logits,
  targets,
  weights,
  average_across_timesteps=True,
  average_across_batch=True,
  softmax_loss_function=None,
  name=None,
):
  """The sum of `sequence_loss_by_example` over the batch, divided by its size if `average_across_batch`."""
  with tf.name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
    total = tf.reduce_sum(
      sequence_loss_by_example(
        logits,
        targets,
        weights,
        average_across_timesteps=average_across_timesteps,
        softmax_loss_function=softmax_loss_function,
      )
    )
    if not average_across_batch:
      return total
    return total / tf.cast(tf.shape(targets[0])[0], total.dtype)


def model_with_buckets(
  encoder_inputs,
  decoder_inputs,
  targets,
  weights,
  buckets,
  seq2seq,
  softmax_loss_function=None,
  per_example_loss=False,
  name=None,
):
  """Builds a model for each of `buckets`, pairs of lengths, with the same variables: seq2seq(encoder inputs, decoder inputs).

  Returns (list of each one's outputs, list of their losses); `per_example_loss` says that these are [batch]. Raises ValueError for lists
  shorter than the last bucket.
  """
  last = buckets[-1]
  for what, values, length in (
    ("encoder_inputs", encoder_inputs, last[0]),
    ("targets", targets, last[1]),
    ("weights", weights, last[1]),
  ):
    if len(values) < length:
      raise ValueError(f"Length of {what} ({len(values)}) must be at least that of last bucket ({length}).")
  outputs, losses = [], []
  loss = sequence_loss_by_example if per_example_loss else sequence_loss
  with tf.name_scope(name, "model_with_buckets", [*encoder_inputs, *decoder_inputs, *targets, *weights]):
    for i, (inputs, steps) in enumerate(buckets):
      with tf.variable_scope(tf.get_variable_scope(), reuse=True if i > 0 else None):
        made, _ = seq2seq(encoder_inputs[:inputs], decoder_inputs[:steps])
        outputs.append(made)
        losses.append(loss(made, targets[:steps], weights[:steps], softmax_loss_function=softmax_loss_function))
  return outputs, losses
