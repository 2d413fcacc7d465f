"""How losses of examples become one number: by the names of tf.losses.Reduction, and those without `weighted_`."""

import millrace as tf

# Names of tf.keras.losses.Reduction, which the public heads have, by what they mean.
_OTHER_NAMES = {
  "sum": "weighted_sum",
  "sum_over_batch_size": "weighted_sum_over_batch_size",
}


def check(reduction, advice=" See `tf.losses.Reduction` for valid options."):
  """Returns the reduction. Raises ValueError for one that there is not, and for none: training needs one number."""
  names = set(tf.losses.Reduction.all()) | set(_OTHER_NAMES)
  if reduction not in names or reduction == tf.losses.Reduction.NONE:
    raise ValueError(f"Invalid loss_reduction: {reduction}{advice and '.' + advice}")
  return reduction


def reduced(losses, weights, reduction):
  """Returns losses [D0, ..., DN, 1] times weights as one number."""
  if reduction in _OTHER_NAMES:
    return tf.losses.compute_weighted_loss(losses, weights=weights, loss_collection=None, reduction=_OTHER_NAMES[reduction])
  return tf.losses.compute_weighted_loss(losses, weights=weights, reduction=reduction)
