"""Sums over several dimensions of two tensors, as one product of matrices."""

import numpy as np

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.ops.math.products import matmul


def tensordot(a, b, axes, name=None):
  """The sum of products of `a` and `b` over `axes`.

  `axes` is a number n (the last n dimensions of `a` and the first of `b`) or a pair of lists, one for each tensor. The
  result has the other dimensions, those of `a` first.

  Raises:
    ValueError: if `axes` says other dimensions than there are, or unequal numbers of them.
  """
  with name_scope(name, "Tensordot", [a, b, axes]) as scope:
    a = convert_to_tensor(a, name="a")
    b = convert_to_tensor(b, name="b")
    a_axes, b_axes = _axes(a, axes)
    a_matrix, a_free, a_free_static = _as_matrix(a, a_axes, is_right=False)
    b_matrix, b_free, b_free_static = _as_matrix(b, b_axes, is_right=True)
    product = matmul(a_matrix, b_matrix)
    if isinstance(a_free, list) and isinstance(b_free, list):
      if product.get_shape().is_fully_defined() and product.get_shape().as_list() == a_free + b_free:
        return product
      return tf.reshape(product, a_free + b_free, name=scope)
    a_free = convert_to_tensor(a_free, dtype=dtypes.int32)
    b_free = convert_to_tensor(b_free, dtype=dtypes.int32)
    result = tf.reshape(product, tf.concat([a_free, b_free], 0), name=scope)
    if a_free_static is not None and b_free_static is not None:
      result.set_shape(a_free_static + b_free_static)
    return result


def _axes(a, axes):
  """The dimensions of `a` and of `b` that are summed, as lists or tensors."""
  rank = a.get_shape().ndims
  if isinstance(axes, (int, np.integer)) and not isinstance(axes, bool):
    if axes < 0:
      raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
    if rank is not None:
      if axes > rank:
        raise ValueError(
          f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, vs tensor dimensions {rank}."
        )
      return list(range(rank - axes, rank)), list(range(axes))
    rank = tf.rank(a)
    return tf.range(rank - axes, rank, dtype=dtypes.int32), tf.range(axes, dtype=dtypes.int32)
  if isinstance(axes, (list, tuple)):
    if len(axes) != 2:
      raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    a_axes, b_axes = axes
    if isinstance(a_axes, (int, np.integer)) and isinstance(b_axes, (int, np.integer)):
      a_axes, b_axes = [a_axes], [b_axes]
    if len(a_axes) != len(b_axes):
      raise ValueError(f"Different number of contraction axes `a` and `b`, {len(a_axes)} != {len(b_axes)}.")
    return a_axes, b_axes
  axes = convert_to_tensor(axes, name="axes", dtype=dtypes.int32)
  return axes[0], axes[1]


def _as_matrix(x, axes, is_right):
  """`x` as a matrix with the summed dimensions last (first, if `is_right`), and its other sizes.

  Returns the matrix, the other sizes (a list where they are known, else a tensor), and what is known of them.
  """
  shape = x.get_shape()
  if shape.is_fully_defined() and isinstance(axes, (list, tuple)):
    sizes = shape.as_list()
    summed = [axis if axis >= 0 else axis + len(sizes) for axis in axes]
    free = [axis for axis in range(len(sizes)) if axis not in summed]
    free_sizes = [sizes[axis] for axis in free]
    rows, columns = int(np.prod(free_sizes)), int(np.prod([sizes[axis] for axis in summed]))
    order, matrix_shape = (summed + free, [columns, rows]) if is_right else (free + summed, [rows, columns])
    if order != list(range(len(sizes))):
      x = tf.transpose(x, order)
    if x.get_shape().as_list() != matrix_shape:
      x = tf.reshape(x, matrix_shape)
    return x, free_sizes, free_sizes
  return _as_matrix_dynamic(x, axes, is_right)


def _as_matrix_dynamic(x, axes, is_right):
  shape = x.get_shape()
  free_static = None
  if shape.ndims is not None and isinstance(axes, (list, tuple)):
    summed = [axis if axis >= 0 else axis + shape.ndims for axis in axes]
    free = [axis for axis in range(shape.ndims) if axis not in summed]
    free_static = [shape[axis] for axis in free]
    summed = convert_to_tensor(summed, dtype=dtypes.int32, name="axes")
    free = convert_to_tensor(free, dtype=dtypes.int32, name="free")
    sizes = tf.shape(x)
  else:
    sizes = tf.shape(x)
    rank = tf.rank(x)
    summed = convert_to_tensor(axes, dtype=dtypes.int32, name="axes")
    summed = tf.where(summed >= 0, summed, summed + rank)
    free, _ = tf.setdiff1d(tf.range(rank), summed, dtypes.int32)
  free_sizes = tf.gather(sizes, free)
  summed_sizes = tf.gather(sizes, summed)
  rows = tf.reduce_prod(free_sizes)
  columns = tf.reduce_prod(summed_sizes)
  if is_right:
    order = tf.concat([summed, free], axis=0)
    matrix_shape = tf.stack([columns, rows])
  else:
    order = tf.concat([free, summed], axis=0)
    matrix_shape = tf.stack([rows, columns])
  x = tf.reshape(tf.transpose(x, order), matrix_shape)
  return x, free_sizes, free_static
