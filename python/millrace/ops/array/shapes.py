"""Shapes of tensors: asking for them and giving others.

`shape`, `size` and `rank` are constants where the static shape says enough and `optimize` allows it, as TensorFlow's.
"""

from millrace import gen
from millrace.framework import composite, constants, convert, dtypes, graph, tensor_shape
from millrace.ops.math.dispatch import other


def reshape(tensor, shape, name=None):
  """Returns the elements of `tensor` in the given shape, of which one dimension may be -1."""
  result = gen.reshape(tensor, shape, name=name)
  return result


def _is_sparse(value):
  return isinstance(value, (composite.SparseTensor, composite.SparseTensorValue))


def shape_internal(input, name=None, optimize=True, out_type=None):
  """Returns the shape as a vector of `out_type`, int32 without one; a constant where it is known and `optimize`."""
  with graph.name_scope(name, "Shape", [input]) as scope:
    if _is_sparse(input):
      return gen.cast(input.dense_shape, out_type or dtypes.int32)
    tensor = convert.convert_to_tensor(input)
    static = tensor.get_shape()
    if optimize and static.is_fully_defined():
      if out_type is None:
        return convert.convert_to_tensor(static)
      return constants.constant(static.as_list(), out_type, name=scope)
    return gen.shape(tensor, out_type=out_type or dtypes.int32, name=scope)


def shape(input, name=None, out_type=dtypes.int32):
  """Returns the shape of a tensor or sparse tensor as a vector of `out_type`."""
  return shape_internal(input, name, optimize=True, out_type=out_type or dtypes.int32)


def shape_n(input, out_type=dtypes.int32, name=None):
  """Returns the shapes of several tensors, a vector each."""
  return gen.shape_n(input, out_type=out_type, name=name)


def size_internal(input, name=None, optimize=True, out_type=dtypes.int32):
  """Returns the number of elements as a scalar; a constant where it is known and `optimize`."""
  with graph.name_scope(name, "Size", [input]) as scope:
    if _is_sparse(input):
      return gen.prod(gen.cast(input.dense_shape, out_type), 0, name=scope)
    tensor = convert.convert_to_tensor(input)
    static = tensor.get_shape()
    if optimize and static.is_fully_defined():
      return constants.constant(static.num_elements(), out_type, name=scope)
    return gen.size(tensor, out_type=out_type, name=scope)


@other
def size(input, name=None, out_type=dtypes.int32):
  """Returns the number of elements of a tensor or sparse tensor as a scalar of `out_type`."""
  return size_internal(input, name, optimize=True, out_type=out_type)


def rank_internal(input, name=None, optimize=True):
  """Returns the number of dimensions as a scalar of int32; a constant where it is known and `optimize`."""
  with graph.name_scope(name, "Rank", [input]) as scope:
    if _is_sparse(input):
      return gen.size(input.dense_shape, name=scope)
    tensor = convert.convert_to_tensor(input)
    ndims = tensor.get_shape().ndims
    if optimize and ndims is not None:
      return constants.constant(ndims, dtypes.int32, name=scope)
    return gen.rank(tensor, name=scope)


@other
def rank(input, name=None):
  """Returns the number of dimensions of a tensor or sparse tensor as a scalar of int32."""
  return rank_internal(input, name, optimize=True)


@other
def expand_dims(input, axis=None, name=None, dim=None):
  """Returns the tensor with a dimension of one before `axis`; a negative axis counts from behind the last one.

  Raises ValueError where neither or both of `axis` and its older name `dim` are given.
  """
  if dim is not None:
    if axis is not None:
      raise ValueError("Cannot specify both 'dim' and 'axis'.")
    axis = dim
  if axis is None:
    raise ValueError("Must specify an axis argument to tf.expand_dims()")
  return gen.expand_dims(input, axis, name=name)


def squeeze(input, axis=None, name=None, squeeze_dims=None):
  """Returns the tensor without dimensions of one: without those of `axis` (an int or a list), or without all."""
  if squeeze_dims is not None:
    if axis is not None:
      raise ValueError("Cannot specify both 'squeeze_dims' and 'axis'.")
    axis = squeeze_dims
  if axis is None:
    axis = []
  elif not isinstance(axis, (list, tuple)):
    axis = [axis]
  return gen.squeeze(input, squeeze_dims=list(axis), name=name)


def ensure_shape(x, shape, name=None):
  """Returns `x` with what `shape` says of its static shape; a step fails where the value has another one."""
  return gen.ensure_shape(x, tensor_shape.as_shape(shape), name=name)


def broadcast_to(input, shape, name=None):
  """Returns the tensor repeated along its dimensions of one, and along new ones before, to the given shape."""
  return gen.broadcast_to(input, shape, name=name)


def broadcast_dynamic_shape(shape_x, shape_y):
  """Returns the shape, as a vector, that tensors of two shapes have together."""
  return gen.broadcast_args(shape_x, shape_y)


def broadcast_static_shape(shape_x, shape_y):
  """Returns the TensorShape that tensors of two static shapes have together.

  Dimensions that nobody knows stay unknown; ValueError where the shapes do not go together.
  """
  if shape_x.ndims is None or shape_y.ndims is None:
    return tensor_shape.unknown_shape()
  ndims = max(shape_x.ndims, shape_y.ndims)
  one = tensor_shape.Dimension(1)
  left = [one] * (ndims - shape_x.ndims) + list(shape_x.dims)
  right = [one] * (ndims - shape_y.ndims) + list(shape_y.dims)
  dims = []
  for x, y in zip(left, right):
    if x.value is None or y.value is None:
      known = x.value if x.value is not None else y.value
      dims.append(known if known is not None and known > 1 else None)
    elif x.value == 1:
      dims.append(y.value)
    elif y.value == 1 or x.value == y.value:
      dims.append(x.value)
    else:
      raise ValueError(
        "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are either equal "
        f"or one of them is 1. Received: {shape_x} and {shape_y}."
      )
  return tensor_shape.TensorShape(dims)


def all_dimensions(x):
  """Returns the numbers of all dimensions of `x` as a vector of int32, a constant where the rank is known."""
  import numpy as np

  ndims = x.get_shape().ndims
  if ndims is not None:
    return constants.constant(np.arange(ndims), dtype=dtypes.int32)
  return gen.range(0, rank(x), 1)
