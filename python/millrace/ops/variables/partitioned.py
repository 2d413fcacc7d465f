"""A variable that is kept in parts: a list of variables that are slices of one along one dimension."""

import millrace as tf
from millrace.framework import convert, dtypes, tensor_shape
from millrace.framework import graph as ops
from millrace.ops.variables.variable import Variable


class PartitionedVariable:
  """The parts `variable_list` of the variable `name` of shape `shape`.

  `partitions` says the number of parts of each dimension, of which one at most is not 1. Raises TypeError where the lists are
  no lists, ValueError where ranks differ, parts have no slice information, or more than one dimension is cut.
  """

  def __init__(self, name, shape, dtype, variable_list, partitions):
    if not isinstance(variable_list, (list, tuple)):
      raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
    if not isinstance(partitions, (list, tuple)):
      raise TypeError(f"partitions is not a list or tuple: {partitions}")
    if not all(p >= 1 for p in partitions):
      raise ValueError(f"partition values must be positive: {partitions}")
    if not variable_list:
      raise ValueError("variable_list may not be empty")
    for variable in variable_list:
      # The parts are saved as slices of one tensor.
      if not hasattr(variable, "_get_save_slice_info") or variable._get_save_slice_info() is None:
        raise ValueError("All variables must have a save_slice_info available: %s" % [v.name for v in variable_list])
      if len(tensor_shape.as_shape(shape)) != len(variable.get_shape()):
        raise ValueError(f"All variables' ranks must match partitioned shape: {shape}")
    axes = [i for i, p in enumerate(partitions) if p > 1]
    if len(axes) > 1:
      raise ValueError(f"Cannot concatenate along more than one dimension: {axes}.  Multi-axis partition concat is not supported")
    self._name = name
    self._shape = tensor_shape.as_shape(shape)
    self._dtype = dtypes.as_dtype(dtype).base_dtype
    self._partitions = list(partitions)
    self._variable_list = sorted(variable_list, key=lambda v: v._get_save_slice_info().var_offset)

  def __iter__(self):
    return iter(self._variable_list)

  def __len__(self):
    return len(self._variable_list)

  def _partition_axes(self):
    """Returns the dimensions that are cut, [0] where none is."""
    return [i for i, p in enumerate(self._partitions) if p > 1] or [0]

  def as_tensor(self):
    """Returns the value, its parts put together, without a cache and without the control inputs of the block around it, as the
    value of a variable that is no partitioned one has none."""
    with ops.control_dependencies(None):
      if len(self._variable_list) == 1:
        with ops.name_scope(None):
          return tf.identity(self._variable_list[0], name=self._name)
      axis = self._partition_axes()[0]
      with ops.name_scope(self._name + "/ConcatPartitions/"):
        whole = tf.concat(self._variable_list, axis)
      with ops.name_scope(None):
        return tf.identity(whole, name=self._name)

  @property
  def name(self):
    return self._name

  @property
  def dtype(self):
    return self._dtype

  @property
  def shape(self):
    return self._shape

  def get_shape(self):
    """Returns the shape of the whole."""
    return self._shape

  def _get_variable_list(self):
    return self._variable_list

  def _get_partitions(self):
    return self._partitions

  def _apply(self, op, value, name):
    """Applies an assignment part by part, `value` cut as the variable is."""
    axis = self._partition_axes()[0]
    sizes = [v.shape.as_list()[axis] for v in self._variable_list]
    parts = tf.split(value, sizes, axis=axis)
    return [op(v, part, name if name is None else "%s_%d" % (name, i)) for i, (v, part) in enumerate(zip(self, parts))]

  def assign(self, value, use_locking=False, name=None, read_value=True):
    """Writes `value`, cut into parts. Returns the list of what writing each part returns."""
    return self._apply(lambda v, part, n: v.assign(part, use_locking, n, read_value), value, name)

  def assign_add(self, value, use_locking=False, name=None, read_value=True):
    """Adds `value`, cut into parts."""
    return self._apply(lambda v, part, n: v.assign_add(part, use_locking, n, read_value), value, name)

  def assign_sub(self, value, use_locking=False, name=None, read_value=True):
    """Takes `value`, cut into parts."""
    return self._apply(lambda v, part, n: v.assign_sub(part, use_locking, n, read_value), value, name)


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
  """The conversion: the parts put together. NotImplementedError where an op asks for a reference."""
  if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(variable.dtype):
    raise ValueError(
      f"Incompatible type conversion requested to type '{dtypes.as_dtype(dtype).name}' for variable of type '{variable.dtype.name}'"
    )
  if as_ref:
    raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
  return variable.as_tensor()


convert.register_tensor_conversion_function(PartitionedVariable, _to_tensor)
Variable.PartitionedVariable = PartitionedVariable
