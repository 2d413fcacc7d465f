"""Tensors put together and taken apart: stack, unstack, concat, split, and grids."""

from millrace import gen
from millrace.framework import convert, dtypes, graph, tensor_shape
from millrace.ops.array import filling, identities, shapes
from millrace.ops.math.dispatch import other


def _check_axis(axis, ndims):
  if axis < -ndims or axis >= ndims:
    raise ValueError(f"Argument `axis` = {axis} not in range [{-ndims}, {ndims})")


@other
def stack(values, axis=0, name="stack"):
  """Returns tensors of one shape joined along a new dimension `axis`.

  Values that convert to one tensor by themselves are one constant. Raises ValueError for an axis out of range.
  """
  if axis == 0:
    try:
      return convert.convert_to_tensor(values, name=name)
    except (TypeError, ValueError):
      pass
  first = convert.convert_to_tensor(values[0], name=name)
  ndims = first.get_shape().ndims
  if ndims is not None:
    _check_axis(axis, ndims + 1)
  return gen.pack(values, axis=axis, name=name)


def parallel_stack(values, name="parallel_stack"):
  """Returns tensors of one fully defined shape joined along a new first dimension, each copied when it is there."""
  with graph.name_scope(name):
    first = convert.convert_to_tensor(values[0])
    shape = tensor_shape.TensorShape([len(values)]).concatenate(first.get_shape())
    return gen.parallel_concat([gen.expand_dims(value, 0) for value in values], shape=shape)


def unstack(value, num=None, axis=0, name="unstack"):
  """Returns the list of `num` tensors along `axis`; ValueError where `num` is neither given nor in the static shape."""
  if num is None:
    value = convert.convert_to_tensor(value)
    shape = value.get_shape()
    if shape.ndims is not None:
      _check_axis(axis, shape.ndims)
      num = tensor_shape.dimension_value(shape[axis])
    if num is None:
      raise ValueError(f"Cannot infer argument `num` from shape {shape}")
  return gen.unpack(value, num=num, axis=axis, name=name)


@other
def concat(values, axis, name="concat"):
  """Returns tensors joined along their dimension `axis`, a scalar; one value alone is passed on."""
  if not isinstance(values, (list, tuple)):
    values = [values]
  if len(values) == 1:
    with graph.name_scope(name):
      axis = convert.convert_to_tensor(axis, name="concat_dim", dtype=dtypes.int32)
      axis.get_shape().assert_has_rank(0)
      return identities.identity(values[0], name=name)
  return gen.concat_v2(values, axis, name=name)


def split(value, num_or_size_splits, axis=0, num=None, name="split"):
  """Returns parts of `value` along `axis`: as many of one size as an int says, or of the sizes in a vector.

  One size may be -1. `num` is needed where the length of the vector is not known (ValueError).
  """
  if isinstance(num_or_size_splits, (int, tensor_shape.Dimension)) or _is_integer(num_or_size_splits):
    return gen.split(axis, value, num_split=int(num_or_size_splits), name=name)
  sizes = convert.convert_to_tensor(num_or_size_splits)
  if sizes.get_shape().ndims == 0:
    raise ValueError(
      f"Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: {num_or_size_splits}"
    )
  if num is None:
    shape = sizes.get_shape()
    num = tensor_shape.dimension_value(shape[0]) if shape.ndims else None
    if num is None:
      raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
  return gen.split_v(value, sizes, axis, num_split=num, name=name)


def _is_integer(value):
  import numbers

  return isinstance(value, numbers.Integral)


def meshgrid(*args, **kwargs):
  """Returns, for each of N vectors, a tensor of N dimensions that repeats it along the others.

  Args:
    *args: Vectors of one type.
    indexing: "xy" (the default: the first two dimensions are swapped) or "ij".
    name: Prefix of the names of what it makes.
  """
  indexing = kwargs.pop("indexing", "xy")
  name = kwargs.pop("name", "meshgrid")
  if kwargs:
    raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
  if indexing not in ("xy", "ij"):
    raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
  with graph.name_scope(name, "meshgrid", args):
    ndim = len(args)
    ones = (1,) * ndim
    if not ndim:
      return []
    output = [shapes.reshape(stack(x), ones[:i] + (-1,) + ones[i + 1 :]) for i, x in enumerate(args)]
    sizes = [shapes.size(x) for x in args]
    dtype = convert.convert_to_tensor(args[0]).dtype.base_dtype
    if indexing == "xy" and ndim > 1:
      output[0] = shapes.reshape(output[0], (1, -1) + (1,) * (ndim - 2))
      output[1] = shapes.reshape(output[1], (-1, 1) + (1,) * (ndim - 2))
      sizes[0], sizes[1] = sizes[1], sizes[0]
    factor = filling.ones(sizes, dtype)
    return [x * factor for x in output]
