"""Reductions of tensors along dimensions."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.deprecation import deprecated_argument_lookup as renamed
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor
from millrace.ops.math.casts import cast
from millrace.ops.math.dispatch import other


def all_dimensions(x):
  """The dimensions to reduce where none are said: a constant if the rank is known, else `range(rank(x))`."""
  import numpy as np

  rank = None
  if isinstance(x, (Tensor, tf.Variable)):
    rank = x.get_shape().rank
  elif isinstance(x, composite.SparseTensor) and x.dense_shape.get_shape().is_fully_defined():
    rank = x.dense_shape.get_shape().dims[0].value
  # A scalar goes the long way, as in graphs of TensorFlow.
  if rank:
    return tf.constant(np.arange(rank, dtype=np.int32), dtype=dtypes.int32)
  return tf.range(0, tf.rank(x))


def _reduce(make, x, axis, keepdims, name):
  keepdims = False if keepdims is None else bool(keepdims)
  result = make(x, all_dimensions(x) if axis is None else axis, keepdims, name=name)
  if axis is None and not keepdims and not result.get_shape().is_fully_defined():
    result.set_shape(())
  return result


def _v1(axis, keepdims, reduction_indices, keep_dims):
  axis = renamed("axis", axis, "reduction_indices", reduction_indices)
  return axis, renamed("keepdims", keepdims, "keep_dims", keep_dims)


@other
def reduce_sum(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """The sum along `axis`, a number or list of them, or along all dimensions; `keepdims` keeps these with size 1.

  Raises:
    ValueError: if an argument is given by its old and its new name.
  """
  axis, keepdims = _v1(axis, keepdims, reduction_indices, keep_dims)
  return _reduce(gen.sum, input_tensor, axis, keepdims, name)


@other
def reduce_mean(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """The mean along `axis`; arguments as of `reduce_sum`. Of integers it is an integer, rounded towards zero."""
  axis, keepdims = _v1(axis, keepdims, reduction_indices, keep_dims)
  return _reduce(gen.mean, input_tensor, axis, keepdims, name)


@other
def reduce_prod(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """The product along `axis`; arguments as of `reduce_sum`."""
  axis, keepdims = _v1(axis, keepdims, reduction_indices, keep_dims)
  return _reduce(gen.prod, input_tensor, axis, keepdims, name)


@other
def reduce_max(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """The largest element along `axis`; arguments as of `reduce_sum`."""
  axis, keepdims = _v1(axis, keepdims, reduction_indices, keep_dims)
  return _reduce(gen.max, input_tensor, axis, keepdims, name)


@other
def reduce_min(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """The smallest element along `axis`; arguments as of `reduce_sum`."""
  axis, keepdims = _v1(axis, keepdims, reduction_indices, keep_dims)
  return _reduce(gen.min, input_tensor, axis, keepdims, name)


@other
def reduce_all(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """Whether all elements along `axis` are true; arguments as of `reduce_sum`."""
  axis, keepdims = _v1(axis, keepdims, reduction_indices, keep_dims)
  return _reduce(gen.all, input_tensor, axis, keepdims, name)


@other
def reduce_any(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """Whether an element along `axis` is true; arguments as of `reduce_sum`."""
  axis, keepdims = _v1(axis, keepdims, reduction_indices, keep_dims)
  return _reduce(gen.any, input_tensor, axis, keepdims, name)


@other
def reduce_logsumexp(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
  """log(sum(exp(x))) along `axis`, without overflow; arguments as of `reduce_sum`."""
  axis, keepdims = _v1(axis, keepdims, reduction_indices, keep_dims)
  keepdims = False if keepdims is None else keepdims
  input_tensor = convert_to_tensor(input_tensor)
  with name_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
    largest = reduce_max(input_tensor, axis=axis, keepdims=True)
    # An infinite maximum would make differences that are no numbers.
    shift = tf.stop_gradient(gen.select_v2(gen.is_finite(largest), largest, 0))
    result = gen.log(reduce_sum(gen.exp(gen.sub(input_tensor, shift)), axis=axis, keepdims=keepdims))
    if not keepdims:
      shift = tf.reshape(shift, gen.shape(result))
    return tf.add(result, shift, name=scope)


@other
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
  """The square root of the sum of squares along `axis`."""
  return _reduce(gen.euclidean_norm, input_tensor, axis, keepdims, name)


@other
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
  """The mean squared distance from the mean along `axis`, real for complex numbers.

  Raises:
    TypeError: for integers.
  """
  with name_scope(name or "reduce_variance"):
    input_tensor = convert_to_tensor(input_tensor)
    means = reduce_mean(input_tensor, axis=axis, keepdims=True)
    if means.dtype.is_integer:
      raise TypeError(f"Input must be either real or complex. Received integer type {means.dtype}.")
    distance = input_tensor - means
    if distance.dtype.is_complex:
      squares = gen.real(gen.mul(gen.conj(distance), distance), Tout=distance.dtype.real_dtype)
    else:
      squares = gen.square(distance)
    return reduce_mean(squares, axis=axis, keepdims=keepdims)


@other
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
  """The square root of `reduce_variance`."""
  with name_scope(name or "reduce_std"):
    input_tensor = convert_to_tensor(input_tensor)
    return gen.sqrt(reduce_variance(input_tensor, axis=axis, keepdims=keepdims))


@other
def count_nonzero(
  input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None, reduction_indices=None, keep_dims=None, input=None
):
  """How many elements along `axis` are not 0, false or an empty text, as `dtype`."""
  keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
  input_tensor = renamed("input", input, "input_tensor", input_tensor)
  axis = renamed("axis", axis, "reduction_indices", reduction_indices)
  with name_scope(name, "count_nonzero", [input_tensor]):
    x = convert_to_tensor(input_tensor, name="input")
    if x.dtype == dtypes.bool:
      flags = x
    else:
      flags = gen.not_equal(x, tf.zeros([], dtype=x.dtype))
    count = reduce_sum(cast(flags, dtypes.int64), axis=axis, keepdims=keepdims)
    return cast(count, dtype=dtype)


def argmax(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
  """The index of the largest element along `axis`, 0 where none is said; of several the first."""
  axis = renamed("axis", axis, "dimension", dimension)
  return gen.arg_max(input, 0 if axis is None else axis, name=name, output_type=output_type)


def argmin(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
  """The index of the smallest element along `axis`, 0 where none is said; of several the first."""
  axis = renamed("axis", axis, "dimension", dimension)
  return gen.arg_min(input, 0 if axis is None else axis, name=name, output_type=output_type)


def arg_max(input, dimension, output_type=dtypes.int64, name=None):
  """The index of the largest element along `dimension`."""
  return gen.arg_max(input, dimension, output_type=output_type, name=name)


def arg_min(input, dimension, output_type=dtypes.int64, name=None):
  """The index of the smallest element along `dimension`."""
  return gen.arg_min(input, dimension, output_type=output_type, name=name)
