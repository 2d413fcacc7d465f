"""Indexed slices as tensors: rows of the same index add up."""

from millrace import gen
from millrace.framework import composite, convert


def to_tensor(value, dtype=None, name=None, as_ref=False):
  """The dense tensor of `IndexedSlices`.

  Raises:
    ValueError: if its shape or type is not as it has to be.
  """
  del as_ref
  if dtype is not None and not dtype.is_compatible_with(value.dtype):
    raise ValueError(
      f"Incompatible tensor conversion requested to `dtype` {dtype.name} for IndexedSlices ({value}) with dtype {value.dtype.name}"
    )
  if value.dense_shape is None:
    raise ValueError(f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {value}")
  return gen.unsorted_segment_sum(value.values, value.indices, value.dense_shape[0], name=name)


convert.register_tensor_conversion_function(composite.IndexedSlices, to_tensor)
