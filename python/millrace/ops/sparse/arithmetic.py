"""Sums, products, maxima and reductions of sparse tensors."""

import numpy as np

from millrace import gen
from millrace.framework import composite, constants, convert, dtypes, graph
from millrace.ops.array import moving
from millrace.ops.sparse import checks


def add(a, b, threshold=None, thresh=None):
  """Returns the sum of two tensors of which one at least is sparse; a sparse tensor if both are.

  Args:
    a: A sparse or dense tensor.
    b: A sparse or dense tensor.
    threshold: Elements of a sparse sum that are not larger in magnitude are left out; `thresh` is its older name.
    thresh: See `threshold`.

  Raises:
    TypeError: Both are dense.
  """
  threshold = checks.one_of("threshold", threshold, "thresh", thresh)
  if threshold is None:
    threshold = 0
  if not (checks.is_sparse(a) or checks.is_sparse(b)):
    raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
  if checks.is_sparse(a) and checks.is_sparse(b):
    a = checks.to_sparse(a)
    b = checks.to_sparse(b)
    threshold = convert.convert_to_tensor(threshold, dtype=a.values.dtype.real_dtype, name="threshold")
    indices, values, shape = gen.sparse_add(a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, threshold)
    a.get_shape().assert_is_compatible_with(b.get_shape())
    static = a.get_shape().merge_with(b.get_shape())
    if static.is_fully_defined():
      shape = static.as_list()
    return composite.SparseTensor(indices, values, shape)
  if checks.is_sparse(b):
    a, b = b, a
  return gen.sparse_tensor_dense_add(a.indices, a.values, a.dense_shape, b)


def matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
  """Returns the product of two matrices of which one is sparse, each conjugated and transposed if asked for."""
  if checks.is_sparse(b) and not checks.is_sparse(sp_a):
    product = matmul(b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a)
    return moving.transpose(product)
  sp_a = checks.to_sparse(sp_a)
  with graph.name_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, sp_a.values, b]):
    b = convert.convert_to_tensor(b, name="b")
    return gen.sparse_tensor_dense_mat_mul(
      sp_a.indices, sp_a.values, sp_a.dense_shape, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
    )


def maximum(sp_a, sp_b, name=None):
  """Returns the larger elements of two sparse tensors of one shape; what they do not have counts as zero."""
  return _merged(gen.sparse_sparse_maximum, "SparseSparseMaximum", sp_a, sp_b, name)


def minimum(sp_a, sp_b, name=None):
  """Returns the smaller elements of two sparse tensors of one shape; what they do not have counts as zero."""
  return _merged(gen.sparse_sparse_minimum, "SparseSparseMinimum", sp_a, sp_b, name)


def _merged(function, default_name, sp_a, sp_b, name):
  with graph.name_scope(name, default_name, [sp_a.indices, sp_a.values, sp_b.indices, sp_b.values]) as scope:
    indices, values = function(
      sp_a.indices, sp_a.values, sp_a.dense_shape, sp_b.indices, sp_b.values, sp_b.dense_shape, name=scope
    )
  return composite.SparseTensor(indices, values, sp_a.dense_shape)


def softmax(sp_input, name=None):
  """Returns the softmax along the last dimension, over the elements that a sparse tensor has."""
  with graph.name_scope(name, "SparseSoftmax", [sp_input.indices, sp_input.values]):
    values = gen.sparse_softmax(sp_input.indices, sp_input.values, sp_input.dense_shape)
    return composite.SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _reduction(function, sp_input, axis, keepdims, reduction_axes, keep_dims):
  keepdims = checks.one_of("keepdims", keepdims, "keep_dims", keep_dims)
  axis = checks.one_of("axis", axis, "reduction_axes", reduction_axes)
  if axis is None:
    ndims = sp_input.dense_shape.get_shape().as_list()[0] if sp_input.dense_shape.get_shape().ndims else None
    if ndims is not None:
      axis = constants.constant(np.arange(ndims), dtype=dtypes.int32)
    else:
      axis = gen.range(0, gen.size(sp_input.dense_shape, name="Rank"), 1, name="range")
  return function(sp_input.indices, sp_input.values, sp_input.dense_shape, axis, keep_dims=bool(keepdims))


def reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
  """Returns the largest elements along dimensions, all if `axis` is None, as a dense tensor."""
  return _reduction(gen.sparse_reduce_max, sp_input, axis, keepdims, reduction_axes, keep_dims)


def reduce_max_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
  """As `reduce_max`, as a sparse tensor."""
  return composite.SparseTensor(*_reduction(gen.sparse_reduce_max_sparse, sp_input, axis, keepdims, reduction_axes, keep_dims))


def reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
  """Returns the sums along dimensions, all if `axis` is None, as a dense tensor."""
  return _reduction(gen.sparse_reduce_sum, sp_input, axis, keepdims, reduction_axes, keep_dims)


def reduce_sum_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
  """As `reduce_sum`, as a sparse tensor."""
  return composite.SparseTensor(*_reduction(gen.sparse_reduce_sum_sparse, sp_input, axis, keepdims, reduction_axes, keep_dims))
