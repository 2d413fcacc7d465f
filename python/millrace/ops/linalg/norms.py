"""Norms of vectors and matrices."""

import numbers

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework.convert import convert_to_tensor
from millrace.framework.deprecation import deprecated_argument_lookup
from millrace.framework.graph import name_scope
from millrace.ops.linalg.decompositions import svd

_MATRIX_NORMS = ("euclidean", "fro", 1, 2, np.inf)
_VECTOR_NORMS = ("euclidean", 1, 2, np.inf)


def _is_integer(value):
  return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _checked_axis(order, axis):
  """`axis` as None or a tuple. Raises ValueError for one that is wrong, or a norm that there is not."""
  wrong = f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
  if isinstance(axis, (list, tuple)) and len(axis) == 2:
    axis = tuple(axis)
    if not all(_is_integer(value) for value in axis) or axis[0] == axis[1]:
      raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    if order not in _MATRIX_NORMS:
      raise ValueError(f"'ord' must be a supported matrix norm in {list(_MATRIX_NORMS)}, got {order}")
    return axis
  if axis is not None and not _is_integer(axis):
    raise ValueError(wrong)
  is_number = isinstance(order, numbers.Real) and not isinstance(order, bool)
  if not (is_number and order > 0) and order not in _VECTOR_NORMS:
    raise ValueError(f"'ord' must be a supported vector norm, got {order}")
  return None if axis is None else (axis,)


def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None, keep_dims=None):
  """The norm of the vectors along `axis`, of the matrices of a pair of them, or of all elements as one vector.

  `ord` is "euclidean", a positive number or infinity for vectors; "euclidean", "fro", 1, 2 (the largest singular value) or
  infinity for matrices.

  Raises:
    ValueError: for an axis or a norm that there is not.
  """
  keepdims = deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims)
  axis = _checked_axis(ord, axis)
  is_matrix_norm = axis is not None and len(axis) == 2
  with name_scope(name, "norm", [tensor]):
    tensor = convert_to_tensor(tensor)
    if ord in ("fro", "euclidean", 2, 2.0):
      if is_matrix_norm and ord in (2, 2.0):
        result = _largest_singular_value(tensor, axis)
      else:
        result = gen.sqrt(tf.reduce_sum(tensor * tf.conj(tensor), axis, keepdims=True))
    else:
      result = _by_absolute_values(tf.abs(tensor), ord, axis, is_matrix_norm)
    return result if keepdims else tf.squeeze(result, axis)


def _by_absolute_values(values, order, axis, is_matrix_norm):
  if order == 1:
    result = tf.reduce_sum(values, None if axis is None else axis[0], keepdims=True)
    return tf.reduce_max(result, axis[-1], keepdims=True) if is_matrix_norm else result
  if order == np.inf:
    if is_matrix_norm:
      values = tf.reduce_sum(values, axis[1], keepdims=True)
    return tf.reduce_max(values, None if axis is None else axis[0], keepdims=True)
  return tf.pow(tf.reduce_sum(tf.pow(values, order), axis, keepdims=True), 1.0 / order)


def _largest_singular_value(tensor, axis):
  """The 2-norm of the matrices of two dimensions, which stay with size 1."""
  rank = tf.rank(tensor)
  positive = tf.map_fn(lambda i: tf.cond(i >= 0, lambda: i, lambda: i + rank), tf.constant(axis))
  axes = tf.range(rank)
  order = tf.concat([tf.setdiff1d(axes, positive)[0], positive], 0)
  back = tf.map_fn(lambda i: tf.cast(tf.squeeze(tf.where_v2(tf.equal(order, i))), dtype="int32"), axes)
  values = svd(tf.transpose(tensor, perm=order), compute_uv=False)
  largest = tf.expand_dims(tf.reduce_max(tf.abs(values), axis=-1, keepdims=True), axis=-1)
  return tf.transpose(largest, perm=back)


def normalize(tensor, ord="euclidean", axis=None, name=None):
  """The tensor divided by its norms, and the norms with the dimensions of `axis` kept; arguments as of `norm`."""
  with name_scope(name, "normalize", [tensor]):
    tensor = convert_to_tensor(tensor)
    norms = tf.cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
    return tensor / norms, norms
