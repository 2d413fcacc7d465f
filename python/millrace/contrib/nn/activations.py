"""Activations of tf.contrib.nn."""

import millrace as tf

# What selu gives for a very small number: -scale * alpha.
_SELU_LIMIT = -1.7580993408473766


def alpha_dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
  """Dropout behind selu: sets elements to selu's lower limit instead of zero, and keeps mean and variance of such inputs.

  Elements are kept with the probability `keep_prob`, a number or a scalar tensor, by a noise of `noise_shape`. Raises ValueError for numbers
  outside of (0, 1].
  """
  with tf.name_scope(name, "alpha_dropout", [x]):
    x = tf.convert_to_tensor(x, name="x")
    if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1.0:
      raise ValueError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob:g}")
    keep_prob = tf.convert_to_tensor(keep_prob, dtype=x.dtype, name="keep_prob")
    keep_prob.shape.assert_is_compatible_with([])
    if tf.contrib.util.constant_value(keep_prob) == 1:
      return x
    noise_shape = tf.shape(x) if noise_shape is None else noise_shape
    noise = tf.floor(tf.random_uniform(noise_shape, seed=seed, dtype=x.dtype) + keep_prob)
    dropped = x * noise + _SELU_LIMIT * (1 - noise)
    a = tf.pow(keep_prob + _SELU_LIMIT**2 * keep_prob * (1 - keep_prob), -0.5)
    b = -a * (1 - keep_prob) * _SELU_LIMIT
    made = a * dropped + b
    made.set_shape(x.shape)
    return made


def scaled_softplus(x, alpha, clip=None, name=None):
  """Returns alpha * softplus(x / alpha), at most `clip` if it is given. `alpha` and `clip` are positive, and have shapes that x's fits."""
  with tf.name_scope(name, "scaled_softplus", [x, alpha] if clip is None else [x, alpha, clip]):
    x = tf.convert_to_tensor(x, name="x")
    alpha = tf.convert_to_tensor(alpha, dtype=x.dtype, name="alpha")
    y = alpha * tf.nn.softplus(x / alpha)
    return y if clip is None else tf.minimum(y, tf.convert_to_tensor(clip, dtype=x.dtype, name="clip"))
