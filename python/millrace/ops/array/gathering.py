"""Elements picked by index or by mask, and put at indices."""

from millrace import gen
from millrace.framework import convert, dtypes, graph, tensor_shape, tensor_values
from millrace.ops.array import filling, joining, moving, shapes
from millrace.ops.math.dispatch import other


@other
def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
  """Returns slices of `params` along `axis`, one for each index.

  Args:
    params: Tensor or variable; only the rows asked for are read of a resource variable.
    indices: Integers of any shape.
    validate_indices: Of no effect: indices are always checked.
    name: Name of the op.
    axis: Dimension that the indices count; `batch_dims` if None.
    batch_dims: How many first dimensions `params` and `indices` have in common.
  """
  del validate_indices
  if axis is None:
    axis = batch_dims
  if _static(axis) == 0 and _static(batch_dims) == 0:
    try:
      # Variables that cannot read rows say so by an AttributeError, as those do that have no such method.
      return params.sparse_read(indices, name=name)
    except AttributeError:
      pass
  return gen.gather_v2(params, indices, axis, batch_dims=batch_dims, name=name)


def _static(value):
  """Returns the value of an int, or of a tensor that is known; None else."""
  return tensor_values.constant_value(value) if tensor_values.is_tensor(value) else value


@other
def gather_nd(params, indices, name=None, batch_dims=0):
  """Returns slices of `params` at the indices that the last dimension of `indices` holds."""
  static = _static(batch_dims)
  if static == 0:
    try:
      return params.gather_nd(indices, name=name)
    except AttributeError:
      pass
    return gen.gather_nd(params, indices, name=name)
  return _batch_gather_nd(params, indices, batch_dims=static, name=name)


def _batch_gather_nd(params, indices, batch_dims, name=None):
  with graph.name_scope(name, "BatchGatherND", [params, indices]):
    indices = convert.convert_to_tensor(indices, name="indices")
    params = convert.convert_to_tensor(params, name="params")
    if not isinstance(batch_dims, int):
      raise TypeError(f"Argument `batch_dims` must be an int; got {batch_dims!r}")
    if batch_dims < 0:
      raise ValueError("gather_nd does not allow negative batch_dims.")
    params_ndims = params.get_shape().ndims
    indices_ndims = indices.get_shape().ndims
    if indices_ndims is not None and batch_dims >= indices_ndims:
      raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`indices`) = {indices_ndims}")
    if params_ndims is not None and batch_dims >= params_ndims:
      raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`params`) = {params_ndims}")
    expand = batch_dims == 0
    if expand:
      params = shapes.expand_dims(params, axis=0)
      indices = shapes.expand_dims(indices, axis=0)
      batch_dims = 1
    params_shape = shapes.shape(params)
    indices_shape = shapes.shape(indices)
    batch_shape = params_shape[:batch_dims]
    batch_size = gen.prod(batch_shape, [0])
    inner_ndims = shapes.rank(indices) - batch_dims - 1
    inner_shape = indices_shape[batch_dims:-1]
    dtype = indices.dtype
    ranges = [gen.cast(gen.range(0, gen.cast(x, dtype), 1), dtype) for x in joining.unstack(batch_shape, axis=0)]
    grids = joining.meshgrid(*ranges, indexing="ij") if ranges else []
    flat = [shapes.reshape(x, shape=(-1,)) for x in grids]
    grid = moving.transpose(joining.stack(flat, axis=0))
    grid_shape = shapes.shape(grid)
    grid = shapes.reshape(
      grid, joining.concat([grid_shape[:1], filling.ones(inner_ndims, dtype=dtypes.int32), grid_shape[1:]], axis=0)
    )
    grid = moving.tile(grid, multiples=joining.concat(((1,), inner_shape, (1,)), axis=0))
    flat_shape = joining.concat(([batch_size], indices_shape[batch_dims:]), axis=0)
    flat_indices = shapes.reshape(indices, shape=flat_shape)
    result = gen.gather_nd(params, joining.concat((grid, flat_indices), axis=-1))
    result_shape = shapes.shape(result)
    result = shapes.reshape(result, shape=joining.concat((batch_shape, result_shape[1:]), axis=0))
    return shapes.squeeze(result, axis=0) if expand else result


@other
def batch_gather(params, indices, name=None):
  """Returns elements of `params` along the last dimension of `indices`, for each of the dimensions before it.

  Raises ValueError where the rank of `indices` is not known or zero.
  """
  with graph.name_scope(name, "BatchGather", [params, indices]):
    indices = convert.convert_to_tensor(indices, name="indices")
    params = convert.convert_to_tensor(params, name="params")
    if indices.get_shape().ndims is None:
      raise ValueError("batch_gather does not allow indices with unknown shape.")
    return _batch_gather(params, indices, indices.get_shape().ndims - 1)


def _batch_gather(params, indices, batch_dims):
  ndims = indices.get_shape().ndims
  if batch_dims < 0 or (params.get_shape().ndims is not None and batch_dims >= params.get_shape().ndims):
    raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`params`) = {params.get_shape().ndims}")
  indices_shape = shapes.shape(indices)
  params_shape = shapes.shape(params)
  flat_indices = indices
  dtype = indices.dtype.base_dtype
  step = filling.ones((), dtype=dtype)
  sizes = gen.cast(params_shape, dtype)
  for dim in range(batch_dims, 0, -1):
    size = sizes[dim - 1]
    step *= sizes[dim]
    starts = gen.range(filling.zeros((), dtype=dtype), size, filling.ones((), dtype=dtype))
    starts *= step
    shape = joining.stack([1] * (dim - 1) + [size] + [1] * (ndims - dim), axis=0)
    flat_indices += shapes.reshape(starts, shape)
  flat_indices = shapes.reshape(flat_indices, [-1])
  outer = params_shape[batch_dims + 1 :]
  inner_size = gen.prod(params_shape[: batch_dims + 1], [0], False)
  flat = shapes.reshape(params, joining.concat([[inner_size], outer], axis=0))
  result = gather(flat, flat_indices)
  result = shapes.reshape(result, joining.concat([indices_shape, outer], axis=0))
  known = indices.get_shape()[:batch_dims].merge_with(params.get_shape()[:batch_dims])
  known = known.concatenate(indices.get_shape()[batch_dims:])
  if params.get_shape().ndims is not None:
    result.set_shape(known.concatenate(params.get_shape()[batch_dims + 1 :]))
  return result


@other
def where(condition, x=None, y=None, name=None):
  """Returns the indices of true elements, or elements of `x` where the condition is true and of `y` else.

  A condition of one dimension picks rows. Raises ValueError where only one of `x` and `y` is given.
  """
  if x is None and y is None:
    with graph.name_scope(name, "Where", [condition]) as scope:
      condition = convert.convert_to_tensor(condition, preferred_dtype=dtypes.bool, name="condition")
      return gen.where(condition, name=scope)
  if x is not None and y is not None:
    return gen.select(condition, x, y, name=name)
  raise ValueError("x and y must both be non-None or both be None.")


@other
def where_v2(condition, x=None, y=None, name=None):
  """As `where`; condition, `x` and `y` are broadcast."""
  if x is None and y is None:
    return where(condition, name=name)
  if x is not None and y is not None:
    return gen.select_v2(condition, x, y, name=name)
  raise ValueError("x and y must both be non-None or both be None.")


def boolean_mask(tensor, mask, name="boolean_mask", axis=None):
  """Returns the elements of a tensor where the mask is true, along one dimension in place of those of the mask.

  Args:
    tensor: Of N dimensions.
    mask: Bools, of K <= N dimensions, K known.
    name: Prefix of the names of what it makes.
    axis: First dimension of the tensor that the mask is for; 0 if None.

  Raises:
    ValueError: The shapes do not go together, or the mask is a scalar or of an unknown rank.
  """
  with graph.name_scope(name, None, [tensor, mask]):
    tensor = convert.convert_to_tensor(tensor, name="tensor")
    mask = convert.convert_to_tensor(mask, name="mask")
    mask_shape = mask.get_shape()
    ndims = mask_shape.ndims
    tensor_shape_ = tensor.get_shape()
    if ndims == 0:
      raise ValueError("mask cannot be scalar.")
    if ndims is None:
      raise ValueError(
        "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] is ok, but "
        "shape=None is not."
      )
    axis = 0 if axis is None else axis
    static_axis = _static(axis)
    if static_axis is not None:
      axis = static_axis = int(static_axis)
      tensor_shape_[axis : axis + ndims].assert_is_compatible_with(mask_shape)
    leading = gen.prod(shapes.shape(tensor)[axis : axis + ndims], [0])
    tensor = shapes.reshape(
      tensor, joining.concat([shapes.shape(tensor)[:axis], [leading], shapes.shape(tensor)[axis + ndims :]], 0)
    )
    if static_axis is not None:
      first = tensor_shape_[axis : axis + ndims].num_elements()
      known = tensor_shape.TensorShape(tensor_shape_[:axis]).concatenate([first])
      tensor.set_shape(known.concatenate(tensor_shape_[axis + ndims :]))
    indices = shapes.squeeze(where(shapes.reshape(mask, [-1])), axis=[1])
    return gather(tensor, indices, axis=axis)


def scatter_nd(indices, updates, shape, name=None):
  """Returns zeros of the given shape with the updates added at the indices."""
  return gen.scatter_nd(indices, updates, shape, name=name)


def tensor_scatter_update(tensor, indices, updates, name=None):
  """Returns the tensor with the updates in place of the slices at the indices."""
  return gen.tensor_scatter_update(tensor, indices, updates, name=name)


def tensor_scatter_add(tensor, indices, updates, name=None):
  """Returns the tensor with the updates added to the slices at the indices."""
  return gen.tensor_scatter_add(tensor, indices, updates, name=name)


def tensor_scatter_sub(tensor, indices, updates, name=None):
  """Returns the tensor with the updates subtracted from the slices at the indices."""
  return gen.tensor_scatter_sub(tensor, indices, updates, name=name)


def unravel_index(indices, dims, name=None):
  """Returns the coordinates of flat indices in a tensor of shape `dims`, one row a dimension."""
  return gen.unravel_index(indices, dims, name=name)
