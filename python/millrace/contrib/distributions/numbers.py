"""Functions of numbers that parameters of distributions are made with."""

import numpy as np

import millrace as tf
from millrace.framework.graph import name_scope


def softplus_inverse(x, name=None):
  """The number whose softplus is x, for positive x: log(exp(x) - 1), precise for small and large x."""
  with name_scope(name, "softplus_inverse", values=[x]):
    x = tf.convert_to_tensor(x, name="x")
    # Below the first limit it is log(x), above the second x, to the last digit.
    limit = np.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0
    is_small, is_large = tf.less(x, np.exp(limit)), tf.greater(x, -limit)
    inner = tf.where(tf.logical_or(is_small, is_large), tf.ones_like(x), x)
    result = inner + tf.log(-tf.expm1(-inner))
    return tf.where(is_small, tf.log(x), tf.where(is_large, x, result))


def fill_triangular(x, upper=False, name=None):
  """Triangular matrices of the numbers along the last dimension, n (n + 1) / 2 of them: [1, 2, 3, 4, 5, 6] is
  [[4, 0, 0], [6, 5, 0], [3, 2, 1]], and with `upper` [[1, 2, 3], [0, 5, 6], [0, 0, 4]].

  Raises:
    ValueError: if there is no such n.
  """
  with name_scope(name, "fill_triangular", values=[x]):
    x = tf.convert_to_tensor(x, name="x")
    shape = x.get_shape().with_rank_at_least(1)
    count = shape[-1].value
    if count is not None:
      size = int((np.sqrt(1 + 8 * count) - 1) / 2)
      if size * (size + 1) // 2 != count:
        raise ValueError(f"Input right-most shape ({count}) does not correspond to a triangular matrix.")
    else:
      size = tf.cast((tf.sqrt(1.0 + 8.0 * tf.cast(tf.shape(x)[-1], tf.float32)) - 1.0) / 2.0 + 0.5, tf.int32)
    # All numbers, then those behind the first row from their end: n^2 of them, whose triangle is what is wanted.
    if upper:
      both = tf.concat([x, tf.reverse(x[..., size:], axis=[-1])], axis=-1)
    else:
      both = tf.concat([x[..., size:], tf.reverse(x, axis=[-1])], axis=-1)
    square = tf.reshape(both, tf.concat([tf.shape(x)[:-1], [size, size]], axis=0))
    result = tf.matrix_band_part(square, 0 if upper else -1, -1 if upper else 0)
    if shape.ndims is not None:
      known = size if count is not None else None
      result.set_shape(shape[:-1].concatenate([known, known]))
    return result


def matrix_diag_transform(matrix, transform=None, name=None):
  """The matrices with `transform` of their diagonals in place of these."""
  with name_scope(name, "matrix_diag_transform", values=[matrix]):
    matrix = tf.convert_to_tensor(matrix, name="matrix")
    if transform is None:
      return matrix
    return tf.matrix_set_diag(matrix, transform(tf.matrix_diag_part(matrix)))


def percentile(x, q, axis=None, interpolation=None, keep_dims=False, validate_args=False, name=None):
  """The number below which q percent of the elements along `axis` are, or of all elements.

  `interpolation` is "nearest" (also for None), "lower" or "higher". `validate_args` adds a check of q, which is a scalar.

  Raises:
    ValueError: for another interpolation.
  """
  interpolation = "nearest" if interpolation is None else interpolation
  if interpolation not in ("lower", "higher", "nearest"):
    raise ValueError(f"Argument 'interpolation' must be in ['lower', 'higher', 'nearest'].  Found {interpolation}")
  with name_scope(name, "percentile", values=[x, q]):
    x = tf.convert_to_tensor(x, name="x")
    q = tf.cast(q, tf.float64)
    if validate_args:
      checks = [
        tf.assert_rank(q, 0),
        tf.assert_greater_equal(q, tf.cast(0.0, q.dtype)),
        tf.assert_less_equal(q, tf.cast(100.0, q.dtype)),
      ]
      with tf.control_dependencies(checks):
        q = tf.identity(q)
    rank = x.get_shape().ndims
    if axis is None:
      kept, flat = [], tf.reshape(x, [-1])
      axes = list(range(rank)) if rank is not None else []
    else:
      axes = [place % rank for place in ([axis] if isinstance(axis, int) else list(axis))]
      kept = [place for place in range(rank) if place not in axes]
      moved = tf.transpose(x, kept + axes)
      flat = tf.reshape(moved, tf.concat([tf.gather(tf.shape(x), kept), [-1]], 0)) if kept else tf.reshape(x, [-1])
    # The greatest first, as TensorFlow counts: of two elements that are equally near it takes another one than from below.
    ordered = tf.sort(flat, axis=-1, direction="DESCENDING")
    last = tf.cast(tf.shape(ordered)[-1] - 1, tf.float64)
    place = last * (1.0 - q / 100.0)
    rounding = {"lower": tf.ceil, "higher": tf.floor, "nearest": tf.round}[interpolation]
    result = tf.gather(ordered, tf.cast(tf.clip_by_value(rounding(place), 0.0, last), tf.int32), axis=-1)
    if not keep_dims:
      return result
    sizes = [1 if place in axes else tf.shape(x)[place] for place in range(rank)]
    return tf.reshape(result, sizes)
