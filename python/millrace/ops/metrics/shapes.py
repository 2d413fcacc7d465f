"""Dimensions of size 1 that labels, predictions or weights have too many or too few."""

import millrace as tf
from millrace.framework.convert import convert_to_tensor
from millrace.ops.math.counts import remove_squeezable_dimensions


def fitted(predictions, labels, weights):
  """(predictions, labels, weights) as tensors of one rank, where a last dimension of size 1 makes the difference.

  `labels` and `weights` may be None, weights a scalar.

  Raises:
    ValueError: if the labels are known to have another shape than the predictions.
  """
  predictions = convert_to_tensor(predictions)
  if labels is not None:
    labels, predictions = remove_squeezable_dimensions(labels, predictions)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
  return predictions, labels, None if weights is None else _fitted_weights(convert_to_tensor(weights), predictions)


def _fitted_weights(weights, predictions):
  rank, wanted = weights.get_shape().ndims, predictions.get_shape().ndims
  if rank == 0:
    return weights
  if rank is not None and wanted is not None:
    if rank - wanted == 1:
      return tf.squeeze(weights, [-1])
    return tf.expand_dims(weights, [-1]) if wanted - rank == 1 else weights
  actual_rank = tf.rank(weights)
  difference = actual_rank - tf.rank(predictions)

  def longer_or_as_it_is():
    return tf.cond(tf.equal(-1, difference), lambda: tf.expand_dims(weights, [-1]), lambda: weights)

  def of_no_scalar():
    # A last dimension that is known not to be 1 cannot be too many.
    if rank is not None and not weights.get_shape().dims[-1].is_compatible_with(1):
      return longer_or_as_it_is()
    return tf.cond(tf.equal(1, difference), lambda: tf.squeeze(weights, [-1]), longer_or_as_it_is)

  return tf.cond(tf.equal(actual_rank, 0), lambda: weights, of_no_scalar)
