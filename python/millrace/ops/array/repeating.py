"""Elements repeated, each as often as a number or a vector says."""

from millrace import gen
from millrace.framework import constants, convert, dtypes, graph, tensor_shape, tensor_values
from millrace.ops.array import filling, gathering, joining, moving, shapes


def repeat(input, repeats, axis=None, name=None):
  """Returns the tensor with each slice along `axis` repeated; the flattened tensor's elements if `axis` is None.

  Args:
    input: A tensor.
    repeats: How often: a scalar, or a vector with a number for each slice.
    axis: A dimension.
    name: Prefix of the names of what it makes.
  """
  if axis is None:
    input = shapes.reshape(input, [-1])
    axis = 0
  return repeat_with_axis(input, repeats, axis, name)


def _axis_of(axis, ndims):
  if not isinstance(axis, int):
    raise TypeError(f"Argument `axis` must be an int. Received `axis` = {axis} of type {type(axis)}")
  if ndims is not None:
    if not -ndims <= axis < ndims:
      raise ValueError(f"Argument `axis` = {axis} out of range [{-ndims}, {ndims})")
    return axis + ndims if axis < 0 else axis
  if axis < 0:
    raise ValueError(f"Argument `axis` may only be negative if ndims is statically known. Received: `axis` = {axis}")
  return axis


def _with_a_dimension(data):
  """Returns the data, a scalar as a vector of one."""
  ndims = data.get_shape().ndims
  if ndims is not None:
    return data if ndims else shapes.expand_dims(data, 0)
  data_shape = shapes.shape(data)
  ndims = shapes.rank(data)
  return shapes.reshape(data, joining.concat([[1], data_shape], axis=0)[-ndims:])


def repeat_with_axis(data, repeats, axis, name=None):
  """Returns the slices of `data` along `axis`, each repeated as `repeats` says."""
  with graph.name_scope(name, "Repeat", [data, repeats]):
    data = convert.convert_to_tensor(data, name="data")
    repeats = gen.cast(convert.convert_to_tensor(repeats, name="repeats"), dtypes.int32)
    repeats.get_shape().with_rank_at_most(1)
    data = _with_a_dimension(data)
    axis = _axis_of(axis, data.get_shape().ndims)
    data_shape = shapes.shape(data)
    if repeats.get_shape().num_elements() == 1:
      return _repeat_all(data, data_shape, shapes.reshape(repeats, []), axis)
    return _repeat_each(data, data_shape, repeats, axis)


def _multiples(data, axis, count):
  """Returns multiples for Tile that repeat dimension `axis` alone."""
  ndims = data.get_shape().ndims
  if ndims is not None:
    return [1] * axis + [count] + [1] * (ndims - axis - 1)
  ones = filling.ones(shapes.rank(data), dtypes.int32)
  return joining.concat([ones[:axis], [count], ones[axis + 1 :]], axis=0)


def _repeat_all(data, data_shape, count, axis):
  expanded = shapes.expand_dims(data, axis + 1)
  tiled = moving.tile(expanded, _multiples(expanded, axis + 1, count))
  shape = joining.concat([data_shape[:axis], [count * data_shape[axis]], data_shape[axis + 1 :]], axis=0)
  return shapes.reshape(tiled, shape)


def _repeat_each(data, data_shape, repeats, axis):
  known = tensor_values.constant_value(repeats)
  count = None if known is None or known.ndim != 1 else int(known.sum())
  repeats = gen.broadcast_to(repeats, [data_shape[axis]])
  original = repeats
  if repeats.get_shape().ndims != axis + 1:
    repeats_shape = shapes.shape(repeats)
    repeats_ndims = shapes.rank(repeats)
    wanted = joining.concat([data_shape[: axis + 1 - repeats_ndims], repeats_shape], axis=0)
    repeats = gen.broadcast_to(repeats, wanted)
    repeats.set_shape([None] * (axis + 1))
  largest = gen.max(repeats, shapes.all_dimensions(repeats))
  largest = gen.maximum(constants.constant(0, dtypes.int32, name="zero"), largest)
  mask = filling.sequence_mask(repeats, largest)
  expanded = shapes.expand_dims(data, axis + 1)
  tiled = moving.tile(expanded, _multiples(expanded, axis + 1, largest))
  masked = gathering.boolean_mask(tiled, mask)
  if axis == 0:
    return masked
  total = gen.sum(original, gen.range(0, shapes.rank(original), 1))
  result = shapes.reshape(masked, joining.concat([data_shape[:axis], [total], data_shape[axis + 1 :]], axis=0))
  if data.get_shape().ndims is not None:
    known = tensor_shape.TensorShape(data.get_shape()[:axis]).concatenate([count])
    result.set_shape(known.concatenate(data.get_shape()[axis + 1 :]))
  return result
