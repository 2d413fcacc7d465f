"""Gradients that are zero throughout leave the state of an optimizer alone: for losses of which parts may be missing."""

import functools

import millrace as tf
from millrace.train.optimizers import optimizer

# The methods that apply a gradient, which is their first argument.
_APPLYING = (
  "_apply_dense",
  "_resource_apply_dense",
  "_apply_sparse_duplicate_indices",
  "_resource_apply_sparse_duplicate_indices",
)


def _is_all_zeros(grad):
  values = grad.values if isinstance(grad, tf.IndexedSlices) else grad
  return tf.equal(tf.count_nonzero(values), 0)


class MultitaskOptimizerWrapper:
  """Makes `opt`, which is changed, skip gradients whose elements are all zero, slots included; else it is `opt`.

  A part of a loss that a batch does not have gives such gradients, which would push averages towards zero. Raises TypeError if
  `opt` is no optimizer. To clip gradients by their norm, use `clip_gradients_by_global_norm`.
  """

  def __init__(self, opt):
    if not isinstance(opt, optimizer.Optimizer):
      raise TypeError("Supplied optimizer must be an instance of tf.train.Optimizer")
    self._opt = opt
    for name in _APPLYING:
      setattr(opt, name, self._skipping(getattr(opt, name)))

  @staticmethod
  def _skipping(apply):
    @functools.wraps(apply)
    def apply_unless_zero(grad, *args, **kwargs):
      def applied():
        done = apply(grad, *args, **kwargs)
        return getattr(done, "op", done)

      # The tensor of a conditional is no update op; the op behind it is.
      return tf.cond(_is_all_zeros(grad), tf.no_op, applied).op

    return apply_unless_zero

  def __getattr__(self, name):
    return getattr(self._opt, name)


def clip_gradients_by_global_norm(gradients_variables, clip_norm=20.0):
  """Scales the gradients of pairs (gradient, variable) so that their global norm is at most `clip_norm`.

  Returns the pairs and the norm as it was; gradients that are zero throughout, or None, count as missing.
  """
  gradients, variables = zip(*gradients_variables)
  norm = tf.global_norm([g for g in gradients if g is not None])
  clipped, _ = tf.clip_by_global_norm(gradients, clip_norm, use_norm=norm)
  return list(zip(clipped, variables)), norm
