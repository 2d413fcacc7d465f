"""Roots of matrices by iterations of products, for symmetric positive semidefinite matrices."""

import millrace as tf


def matrix_square_root(mat_a, mat_a_size, iter_count=100, ridge_epsilon=1e-4):
  """The square root of `mat_a` + ridge_epsilon * norm * I, of `mat_a_size` rows, by the coupled Newton-Schulz iteration.

  It ends after `iter_count` products, or when it gets no nearer.
  """
  identity = tf.eye(mat_a_size, dtype=mat_a.dtype.base_dtype)
  ridged = mat_a + ridge_epsilon * tf.norm(mat_a) * identity
  norm = tf.norm(ridged)
  start = ridged / norm

  def distance(y):
    return tf.norm(tf.matmul(y, y) - start)

  def goes_on(i, y, z, error, before):
    return tf.logical_and(i < iter_count, error < before)

  def iterate(i, y, z, error, before):
    correction = 0.5 * (3.0 * identity - tf.matmul(z, y))
    following = tf.matmul(y, correction)
    return i + 1, following, tf.matmul(correction, z), distance(following), error

  first = distance(start)
  _, y, _, _, _ = tf.while_loop(goes_on, iterate, [0, start, identity, first, first + 1.0])
  return y * tf.sqrt(norm)


def matrix_inverse_pth_root(mat_g, mat_g_size, alpha, iter_count=100, epsilon=1e-6, ridge_epsilon=1e-6):
  """(`mat_g` + ridge_epsilon * largest eigenvalue * I) ** alpha for alpha = -1/p, p a whole number, by the coupled Newton iteration.

  With M approaching I: X = X ((1 + 1/p) I - M / p), M = ((1 + 1/p) I - M / p)^p M, from X = c I and M = c^p mat_g. It ends after
  `iter_count` products, or when all elements of M are nearer than `epsilon` to I. Raises ValueError for another alpha.
  """
  p = round(-1.0 / alpha) if alpha < 0 else 0
  if p < 1 or abs(-1.0 / p - alpha) > 1e-6:
    raise ValueError(f"alpha must be -1/p for a whole number p, but is {alpha}.")
  identity = tf.eye(mat_g_size, dtype=mat_g.dtype.base_dtype)
  # The largest sum of a row is at least the largest eigenvalue.
  bound = tf.reduce_max(tf.reduce_sum(tf.abs(mat_g), axis=-1))
  ridged = mat_g + ridge_epsilon * tf.maximum(bound, 1e-20) * identity
  scale = (1.0 + p) / (2.0 * tf.norm(ridged))

  def power(matrix):
    result = None
    exponent = p
    while exponent:
      if exponent % 2:
        result = matrix if result is None else tf.matmul(result, matrix)
      exponent //= 2
      if exponent:
        matrix = tf.matmul(matrix, matrix)
    return result

  def distance(m):
    return tf.reduce_max(tf.abs(m - identity))

  def goes_on(i, x, m, error, before):
    return tf.logical_and(i < iter_count, tf.logical_and(error > epsilon, error < 1.2 * before))

  def iterate(i, x, m, error, before):
    step = (1.0 + 1.0 / p) * identity - m / p
    following = tf.matmul(power(step), m)
    return i + 1, tf.matmul(x, step), following, distance(following), error

  m = ridged * scale
  first = distance(m)
  _, x, _, _, _ = tf.while_loop(goes_on, iterate, [0, tf.pow(scale, 1.0 / p) * identity, m, first, first + 1.0])
  return x
