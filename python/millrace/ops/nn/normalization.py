"""Normalization of batches and of vectors."""

import millrace as tf
from millrace import gen
from millrace.framework import constants, convert, dtypes
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
  """Returns (x - mean) / sqrt(variance + variance_epsilon) * scale + offset; the last two may be None."""
  with ops.name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
    factor = gen.rsqrt(variance + variance_epsilon)
    if scale is not None:
      factor *= scale
    # The statistics may have more bits than x.
    return x * tf.cast(factor, x.dtype) + tf.cast(offset - mean * factor if offset is not None else -mean * factor, x.dtype)


def batch_norm_with_global_normalization(
  t=None,
  m=None,
  v=None,
  beta=None,
  gamma=None,
  variance_epsilon=None,
  scale_after_normalization=None,
  name=None,
  input=None,
  mean=None,
  variance=None,
):
  """Returns batch_normalization() of `t` (or `input`), with `gamma` only where `scale_after_normalization` says so."""
  t = deprecated_argument_lookup("input", input, "t", t)
  m = deprecated_argument_lookup("mean", mean, "m", m)
  v = deprecated_argument_lookup("variance", variance, "v", v)
  return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format="NHWC", is_training=True, name=None):
  """Returns (normalized x, mean, variance) in one op. In training the statistics are the batch's own.

  `mean` and `variance` are needed where `is_training` is False: ValueError without them.
  """
  if not is_training and (mean is None or variance is None):
    raise ValueError(
      "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or `exponential_avg_factor` != 1.0. Received: "
      f"`mean` {mean!r} and `variance` {variance!r}"
    )
  x = convert.convert_to_tensor(x, name="input")
  scale = convert.convert_to_tensor(scale, name="scale")
  offset = convert.convert_to_tensor(offset, name="offset")
  if mean is None:
    mean = constants.constant([])
  if variance is None:
    variance = constants.constant([])
  y, batch_mean, batch_variance = gen.fused_batch_norm_v3(
    x,
    scale,
    offset,
    mean,
    variance,
    epsilon=epsilon,
    data_format=data_format,
    is_training=is_training,
    name=name,
  )[:3]
  return y, batch_mean, batch_variance


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
  """Returns x / sqrt(max(sum(x^2), epsilon)) along `axis`; `dim` is its older name."""
  axis = deprecated_argument_lookup("axis", axis, "dim", dim)
  with ops.name_scope(name, "l2_normalize", [x]) as scope:
    x = convert.convert_to_tensor(x, name="x")
    if x.dtype.is_complex:
      squares = tf.square(tf.real(x)) + tf.square(tf.imag(x))
      total = tf.real(tf.reduce_sum(squares, axis, keepdims=True))
      factor = gen.rsqrt(tf.maximum(total, epsilon))
      real = tf.multiply(tf.real(x), factor)
      imag = tf.multiply(tf.imag(x), factor)
      return tf.complex(real, imag, name=scope)
    total = tf.reduce_sum(tf.square(x), axis, keepdims=True)
    return tf.multiply(x, gen.rsqrt(tf.maximum(total, epsilon)), name=scope)


def zero_fraction(value, name=None):
  """Returns the fraction of the elements that are zero, NaN where there are none. Beyond 2^31 elements it counts in int64."""
  with ops.name_scope(name, "zero_fraction", [value]):
    value = convert.convert_to_tensor(value, name="value")
    size = tf.size(value, out_type=dtypes.int64)
    nonzero = tf.cond(
      size <= dtypes.int32.max,
      true_fn=lambda: tf.cast(_count_nonzero(value, dtypes.int32), dtypes.int64),
      false_fn=lambda: _count_nonzero(value, dtypes.int64),
    )
    with ops.name_scope("counts_to_fraction"):
      zeros = size - nonzero
      fraction = tf.cast(zeros, dtypes.float32) / tf.cast(size, dtypes.float32)
    return tf.identity(fraction, "fraction")


def _count_nonzero(tensor, dtype):
  with ops.name_scope("count_nonzero", values=[tensor]):
    zero = tf.zeros([], dtype=tensor.dtype)
    return tf.reduce_sum(tf.cast(tf.not_equal(tensor, zero), dtype), name="nonzero_count")
