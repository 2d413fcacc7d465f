"""Windows of raised cosines."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor_values import constant_value


def hann_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
  """0.5 - 0.5 cos: zero at the ends. A periodic window of even length leaves out the last point of a symmetric one.

  Raises:
    ValueError: if `dtype` is no floating type.
  """
  return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
  """0.54 - 0.46 cos; arguments as of `hann_window`."""
  return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(name, default_name, window_length, periodic, dtype, mean, amplitude):
  if not dtypes.as_dtype(dtype).is_floating:
    raise ValueError(f"dtype must be a floating point type. Found {dtypes.as_dtype(dtype)}")
  with name_scope(name, default_name, [window_length, periodic]):
    window_length = convert_to_tensor(window_length, dtype=dtypes.int32, name="window_length")
    window_length.get_shape().assert_has_rank(0)
    known = constant_value(window_length)
    if known == 1:
      return tf.ones([1], dtype=dtype)
    periodic = tf.cast(convert_to_tensor(periodic, dtype=dtypes.bool, name="periodic"), dtypes.int32)
    periodic.get_shape().assert_has_rank(0)
    even = 1 - window_length % 2
    steps = tf.cast(window_length + periodic * even - 1, dtype=dtype)
    positions = tf.cast(tf.range(window_length), dtype)
    angles = tf.constant(2 * np.pi, dtype=dtype) * positions / steps
    if known is not None:
      return tf.cast(mean - amplitude * gen.cos(angles), dtype=dtype)
    return tf.cond(
      tf.equal(window_length, 1),
      lambda: tf.ones([window_length], dtype=dtype),
      lambda: tf.cast(mean - amplitude * gen.cos(angles), dtype=dtype),
    )
