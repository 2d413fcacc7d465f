"""tf.keras.activations: functions of tensors, some with arguments that those of tf.nn have not."""

import millrace as tf


def elu(x, alpha=1.0):
  """x where it is positive, alpha * (exp(x) - 1) elsewhere."""
  result = tf.nn.elu(x)
  return result if alpha == 1 else tf.where(tf.greater(result, 0), result, alpha * result)


def relu(x, alpha=0.0, max_value=None, threshold=0):
  """x above `threshold`, `max_value` at most, and alpha * (x - threshold) below."""
  x = tf.convert_to_tensor(x)
  if alpha == 0 and threshold == 0:
    if max_value == 6:
      return tf.nn.relu6(x)
    result = tf.nn.relu(x)
  else:
    result = tf.where(tf.greater(x, threshold), x, alpha * (x - threshold))
  return result if max_value is None else tf.minimum(result, tf.cast(max_value, result.dtype))


def softmax(x, axis=-1):
  """The softmax along an axis.

  Raises ValueError for a vector, which has no rows.
  """
  x = tf.convert_to_tensor(x)
  if x.get_shape().ndims is not None and x.get_shape().ndims < 2:
    raise ValueError("Cannot apply softmax to a tensor that is 1D")
  return tf.nn.softmax(x, axis=axis)


def sigmoid(x):
  """1 / (1 + exp(-x))."""
  return tf.nn.sigmoid(x)


def tanh(x):
  """The hyperbolic tangent."""
  return tf.nn.tanh(x)


def exponential(x):
  """e to the power of x."""
  return tf.exp(x)
