"""The loss of sequences of logits."""

import millrace as tf


def sequence_loss(
  logits,
  targets,
  weights,
  average_across_timesteps=True,
  average_across_batch=True,
  sum_over_timesteps=False,
  sum_over_batch=False,
  softmax_loss_function=None,
  name=None,
):
  """The weighted cross entropy of `logits` [batch, time, classes] and `targets` [batch, time], with `weights` [batch, time].

  Along the times, and along the batch, it is averaged by the weights, or with `sum_over_...` (and no average) summed and divided by the
  number of weights that are not zero, or with neither left as it is. `softmax_loss_function(labels=, logits=)` replaces the cross
  entropy. Raises ValueError for other ranks, and for an average and a sum along the same dimension.
  """
  if len(logits.get_shape()) != 3:
    raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
  if len(targets.get_shape()) != 2:
    raise ValueError("Targets must be a [batch_size x sequence_length] tensor")
  if len(weights.get_shape()) != 2:
    raise ValueError("Weights must be a [batch_size x sequence_length] tensor")
  for averages, sums, what in (
    (average_across_timesteps, sum_over_timesteps, ("average_across_timesteps", "sum_over_timesteps")),
    (average_across_batch, sum_over_batch, ("average_across_batch", "sum_over_batch")),
  ):
    if averages and sums:
      raise ValueError("%s and %s cannot be set to True at same time." % what)
  with tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
    flat_logits = tf.reshape(logits, [-1, tf.shape(logits)[2]])
    flat_targets = tf.reshape(targets, [-1])
    if softmax_loss_function is None:
      losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=flat_targets, logits=flat_logits)
    else:
      losses = softmax_loss_function(labels=flat_targets, logits=flat_logits)
    losses = losses * tf.reshape(weights, [-1])
    if average_across_timesteps and average_across_batch:
      return _averaged(losses, weights, None)
    if sum_over_timesteps and sum_over_batch:
      return _summed(losses, weights, None)
    losses = tf.reshape(losses, tf.shape(logits)[0:2])
    if average_across_timesteps or average_across_batch:
      return _averaged(losses, weights, 0 if average_across_batch else 1)
    if sum_over_timesteps or sum_over_batch:
      return _summed(losses, weights, 0 if sum_over_batch else 1)
    return losses


def _averaged(losses, weights, axis):
  return tf.div_no_nan(tf.reduce_sum(losses, axis=axis), tf.reduce_sum(weights, axis=axis))


def _summed(losses, weights, axis):
  count = tf.cast(tf.count_nonzero(weights, axis=axis), losses.dtype)
  return tf.div_no_nan(tf.reduce_sum(losses, axis=axis), count)
