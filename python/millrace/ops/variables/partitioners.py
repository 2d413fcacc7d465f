"""Functions that decide in how many parts a variable is kept: partitioner(shape, dtype) -> number of parts a dimension."""

import math

from millrace.framework import dtypes, tensor_shape


def fixed_size_partitioner(num_shards, axis=0):
  """Returns a partitioner that cuts dimension `axis` into `num_shards` parts, or into as many as it has elements."""

  def _partitioner(shape, **unused_args):
    partitions = [1] * len(shape)
    partitions[axis] = min(num_shards, tensor_shape.dimension_value(shape[axis]))
    return partitions

  return _partitioner


def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None):
  """Returns a partitioner that cuts dimension `axis` so that no part has more than `max_shard_bytes` bytes.

  `max_shards` limits the number of parts. A text counts `bytes_per_string_element` bytes. Raises ValueError for numbers
  below 1; the partitioner does so for shapes that are not known.
  """
  if max_shard_bytes < 1 or bytes_per_string_element < 1:
    raise ValueError(
      f"Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is {max_shard_bytes} and"
      f"bytes_per_string_element is {bytes_per_string_element}"
    )
  if max_shards and max_shards < 1:
    raise ValueError("max_shards must be positive.")

  def _partitioner(shape, dtype):
    _check_shape(shape, dtype)
    dtype = dtypes.as_dtype(dtype)
    element_size = bytes_per_string_element if dtype.base_dtype == dtypes.string else dtype.size
    partitions = [1] * shape.ndims
    slice_bytes = element_size
    for i, dimension in enumerate(shape.as_list()):
      if i != axis:
        slice_bytes *= dimension
    # Parts have whole slices, and one at least.
    slices_per_part = max(1, math.floor(max_shard_bytes / slice_bytes))
    wanted = math.ceil(shape.as_list()[axis] / slices_per_part)
    partitions[axis] = min(max_shards, wanted) if max_shards else wanted
    return partitions

  return _partitioner


def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10, bytes_per_string_element=16):
  """Returns a partitioner with at most `max_partitions` parts along `axis`, of at least `min_slice_size` bytes each."""

  def _partitioner(shape, dtype):
    _check_axis(axis, shape)
    dtype = dtypes.as_dtype(dtype)
    element_size = bytes_per_string_element if dtype.base_dtype == dtypes.string else dtype.size
    partitions = [1] * shape.ndims
    total_bytes = shape.num_elements() * element_size
    parts = max(1, min(math.ceil(total_bytes / min_slice_size), shape.as_list()[axis], max_partitions))
    partitions[axis] = parts
    return partitions

  def _check_axis(axis, shape):
    if axis >= len(shape):
      raise ValueError("Cannot partition variable along axis %d when shape is only %s" % (axis, shape))

  return _partitioner


def _check_shape(shape, dtype):
  if not isinstance(shape, tensor_shape.TensorShape):
    raise ValueError(f"shape is not a TensorShape: {shape}")
  if not shape.is_fully_defined():
    raise ValueError(f"shape is not fully defined: {shape}")
  if not isinstance(dtype, dtypes.DType):
    raise ValueError(f"dtype is not a DType: {dtype}")


def check_partitions(partitioner, shape, dtype):
  """Calls the partitioner and returns its list. Raises ValueError where it is no list of one number a dimension."""
  if not shape.is_fully_defined():
    raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
  if shape.ndims < 1:
    raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
  partitions = partitioner(shape=shape, dtype=dtype)
  if not isinstance(partitions, (list, tuple)):
    raise ValueError(f"Partitioner must return a sequence, but saw: {partitions}")
  if len(partitions) != shape.ndims:
    raise ValueError(f"Partitioner returned a partition list that does not match the Variable's rank: {partitions} vs. {shape}")
  if any(p < 1 for p in partitions):
    raise ValueError(f"Partitioner returned zero partitions for some axes: {partitions}")
  if sum(p > 1 for p in partitions) > 1:
    raise ValueError(f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {partitions}")
  return partitions


def parts(shape, partitions):
  """Returns (offset, shape) of each part of a variable, lists: the first parts have one element more where it does not fit."""
  axis = next((i for i, p in enumerate(partitions) if p > 1), 0)
  count = partitions[axis]
  each, more = divmod(shape[axis], count)
  found = []
  offset = [0] * len(shape)
  for i in range(count):
    part = list(shape)
    part[axis] = each + (1 if i < more else 0)
    found.append((list(offset), part))
    offset[axis] += part[axis]
  return found


def create_partitioned_variables(
  shape, slicing, initializer, dtype=dtypes.float32, trainable=True, collections=None, name=None, reuse=None
):
  """Returns the parts of a variable of shape `shape`, cut as the list `slicing` says: parts of each dimension.

  An older way than get_variable with a partitioner. Raises ValueError where the lists do not fit.
  """
  from millrace.ops.variables import scope

  if len(shape) != len(slicing):
    raise ValueError(
      f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, slicing: {slicing}"
    )
  if len(shape) < 1:
    raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
  with scope.variable_scope(name, "PartitionedVariable", reuse=reuse):
    whole = scope.get_variable_scope()._get_partitioned_variable(
      scope._get_default_variable_store(),
      None,
      shape=shape,
      dtype=dtype,
      initializer=initializer,
      trainable=trainable,
      partitioner=lambda **_: slicing,
      collections=collections,
    )
    return list(whole)
