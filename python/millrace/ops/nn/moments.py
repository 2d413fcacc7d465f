"""Means and variances, also with weights and in parts that are put together later."""

import millrace as tf
from millrace import gen
from millrace.framework import constants, convert, dtypes
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup


def _kept(keepdims, keep_dims):
  return bool(deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims))


def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
  """Returns (mean, variance) of `x` along `axes`. float16 is computed as float32; `shift` is taken and not used."""
  keep = _kept(keepdims, keep_dims)
  with ops.name_scope(name, "moments", [x, axes]):
    half = x.dtype == dtypes.float16
    y = tf.cast(x, dtypes.float32) if half else x
    mean = tf.reduce_mean(y, axes, keepdims=True, name="mean")
    # No gradient goes through this mean: its sum is zero.
    squares = gen.squared_difference(y, gen.stop_gradient(mean))
    variance = tf.reduce_mean(squares, axes, keepdims=True, name="variance")
    if not keep:
      mean = tf.squeeze(mean, axes)
      variance = tf.squeeze(variance, axes)
    if half:
      return tf.cast(mean, dtypes.float16), tf.cast(variance, dtypes.float16)
    return mean, variance


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
  """Returns (mean, variance) of `x` along `axes`, where each element counts as often as its weight says."""
  keep = _kept(keepdims, keep_dims)
  with ops.name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
    x = convert.convert_to_tensor(x, name="x")
    weights = convert.convert_to_tensor(frequency_weights, name="frequency_weights")
    half = x.dtype == dtypes.float16
    if half:
      x = tf.cast(x, dtypes.float32)
    if weights.dtype != x.dtype:
      weights = tf.cast(weights, x.dtype)
    total = tf.reduce_sum(weights * x, axes, name="weighted_input_sum", keepdims=True)
    # Adding zeros gives every element its weight.
    count = tf.reduce_sum(weights + tf.zeros_like(x), axes, name="sum_of_weights", keepdims=True)
    mean = tf.div_no_nan(total, count)
    squares = tf.reduce_sum(weights * gen.squared_difference(x, mean), axes, name="weighted_distsq", keepdims=True)
    variance = tf.div_no_nan(squares, count)
    if not keep:
      mean = tf.squeeze(mean, axis=axes)
      variance = tf.squeeze(variance, axis=axes)
    if half:
      mean = tf.cast(mean, dtypes.float16)
      variance = tf.cast(variance, dtypes.float16)
    return mean, variance


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
  """Returns (number of elements, sum of x - shift, sum of (x - shift)^2, shift) along `axes`: see normalize_moments."""
  keep = _kept(keepdims, keep_dims)
  axes = list(set(axes))
  with ops.name_scope(name, "sufficient_statistics", [x, shift]):
    x = convert.convert_to_tensor(x, name="x")
    sizes = x.get_shape().as_list() if x.get_shape().ndims is not None else None
    if sizes is not None and all(sizes[axis] is not None for axis in axes):
      number = 1
      for axis in axes:
        number *= sizes[axis]
      counts = constants.constant(number, dtype=x.dtype)
    else:
      rank = tf.rank(x)
      positive = [axis + rank if axis < 0 else axis for axis in axes]
      counts = tf.reduce_prod(tf.gather(tf.cast(tf.shape(x), x.dtype), positive), name="count")
    if shift is not None:
      shift = convert.convert_to_tensor(shift, name="shift")
      differences = tf.subtract(x, shift)
      squares = gen.squared_difference(x, shift)
    else:
      differences = x
      squares = tf.square(x)
    mean_ss = tf.reduce_sum(differences, axes, keepdims=keep, name="mean_ss")
    variance_ss = tf.reduce_sum(squares, axes, keepdims=keep, name="var_ss")
  return counts, mean_ss, variance_ss, shift


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
  """Returns (mean, variance) from sums of sufficient_statistics with the same `shift`, or None."""
  with ops.name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
    divisor = gen.reciprocal(counts, name="divisor")
    if shift is not None:
      shifted = tf.multiply(mean_ss, divisor, name="shifted_mean")
      mean = tf.add(shifted, shift, name="mean")
    else:
      shifted = mean = tf.multiply(mean_ss, divisor, name="mean")
    variance = tf.subtract(tf.multiply(variance_ss, divisor), tf.square(shifted), name="variance")
  return mean, variance
