"""Dropout."""

import numbers

import millrace as tf
from millrace import gen
from millrace.framework import constants, convert, seeds, tensor_shape
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.framework.tensor import Tensor


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
  """Returns `x` with elements set to zero at random, and the others divided by the fraction that is kept.

  `rate` is the fraction that is dropped, `keep_prob` (its older name) the one that is kept: numbers or scalar tensors.
  `noise_shape` says which elements are dropped together: those along dimensions of 1. A number 0 as the rate gives `x` itself.
  Raises ValueError where no rate or both are given, for rates out of [0, 1), and for types that are not floating.
  """
  try:
    rate_of_keep_prob = 1.0 - keep_prob if keep_prob is not None else None
  except TypeError:
    raise ValueError(f"`keep_prob` must be a floating point number or Tensor. Received: keep_prob={keep_prob}") from None
  rate = deprecated_argument_lookup("rate", rate, "keep_prob", rate_of_keep_prob)
  if rate is None:
    raise ValueError(f"`rate` must be provided. Received: rate={rate}")
  with ops.name_scope(name, "dropout", [x]):
    is_number = isinstance(rate, numbers.Real)
    if is_number and (rate < 0 or rate >= 1):
      raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    x = convert.convert_to_tensor(x, name="x")
    if not x.dtype.is_floating:
      raise ValueError(f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}")
    if is_number and rate == 0:
      # The seed is drawn all the same: others do not depend on the rate.
      seeds.get_seed(seed)
      return x
    if is_number:
      scaled = gen.mul(x, convert.convert_to_tensor(1.0 / (1 - rate), dtype=x.dtype))
    else:
      rate = _checked_rate(rate, x.dtype)
      one = constants.constant(1, dtype=x.dtype)
      scaled = gen.real_div(x, gen.sub(one, rate))
    noise = tf.random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype)
    kept = noise >= rate
    result = gen.select_v2(kept, scaled, constants.constant(0, dtype=x.dtype))
    result.set_shape(x.get_shape())
    return result


def _checked_rate(rate, dtype):
  if not isinstance(rate, Tensor):
    if not hasattr(rate, "value") or not hasattr(rate, "dtype"):
      raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    rate = convert.convert_to_tensor(rate)
  rate.get_shape().assert_has_rank(0)
  if rate.dtype != dtype:
    if not rate.dtype.is_compatible_with(dtype):
      raise ValueError(f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={dtype} and rate.dtype={rate.dtype}")
    rate = tf.cast(rate, dtype)
  return rate


def _noise_shape(x, noise_shape):
  """Returns the shape of the noise: that of `x`, or the one given with the dimensions of `x` in place of None."""
  if noise_shape is None:
    return tf.shape(x)
  if isinstance(noise_shape, Tensor):
    return noise_shape
  try:
    wanted = tensor_shape.as_shape(noise_shape)
  except (TypeError, ValueError):
    return noise_shape
  if x.shape.ndims is not None and wanted.ndims == x.shape.ndims:
    sizes = [size if w is None and size is not None else w for w, size in zip(wanted.as_list(), x.shape.as_list())]
    return tensor_shape.TensorShape(sizes)
  return noise_shape
