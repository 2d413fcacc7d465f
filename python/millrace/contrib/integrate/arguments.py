"""Arguments of the functions that integrate."""

import millrace as tf


def checked_values(y0, t):
  """(y0, t) as tensors: y0 floating or complex, t a vector of increasing floating times.

  Raises:
    TypeError: for other types.
    ValueError: for times that are no vector.
  """
  y0 = tf.convert_to_tensor(y0, name="y0")
  if not (y0.dtype.is_floating or y0.dtype.is_complex):
    raise TypeError(f"`y0` must have a floating point or complex floating point dtype, but has {y0.dtype!r}")
  t = tf.convert_to_tensor(t, preferred_dtype=tf.float64, name="t")
  if not t.dtype.is_floating:
    raise TypeError(f"`t` must have a floating point dtype, but has {t.dtype!r}")
  if t.get_shape().ndims not in (None, 1):
    raise ValueError(f"t must be a 1D tensor: {t}")
  check = tf.Assert(tf.reduce_all(t[1:] > t[:-1]), ["`t` must be monotonic increasing"])
  with tf.control_dependencies([check]):
    return y0, tf.identity(t)
