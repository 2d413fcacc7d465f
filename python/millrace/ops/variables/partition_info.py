"""Which part of a partitioned variable an initializer is to make."""


class PartitionInfo:
  """Which part of a variable an initializer is to fill: the whole's `full_shape` and the part's `var_offset`."""

  def __init__(self, full_shape, var_offset):
    if not isinstance(full_shape, (list, tuple)):
      raise TypeError("`full_shape` must be a sequence (like tuple or list) instead of " + type(full_shape).__name__)
    if not isinstance(var_offset, (list, tuple)):
      raise TypeError("`var_offset` must be a sequence (like tuple or list) instead of " + type(var_offset).__name__)
    if len(var_offset) != len(full_shape):
      raise ValueError(
        f"Expected equal length, but `var_offset` is of length {len(var_offset)} while full_shape is of length {len(full_shape)}."
      )
    for offset, size in zip(var_offset, full_shape):
      if offset < 0 or offset >= size:
        raise ValueError(
          f"Expected 0 <= offset < shape but found offset={offset}, shape={size} for var_offset={var_offset}, full_shape={full_shape}"
        )
    self.full_shape = full_shape
    self.var_offset = var_offset

  def single_offset(self, shape):
    """Returns the offset along the one dimension that is cut."""
    axis = self.single_slice_dim(shape)
    return 0 if axis is None else self.var_offset[axis]

  def single_slice_dim(self, shape):
    """Returns the one dimension that is cut, None where none is. Raises ValueError where several are."""
    if len(shape) != len(self.full_shape):
      raise ValueError(
        f"Expected equal length, but received shape={shape} of length {len(shape)} while self.full_shape={self.full_shape} is of length {len(self.full_shape)}."
      )
    axes = [i for i, (part, whole) in enumerate(zip(shape, self.full_shape)) if part < whole]
    if len(axes) > 1:
      raise ValueError(
        f"Cannot use single_slice_dim() with shape={shape} and self.full_shape={self.full_shape} since slice dim could be either dimension {axes[1]} "
        f"or {axes[0]}."
      )
    return axes[0] if axes else None
