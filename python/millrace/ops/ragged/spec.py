"""RaggedTensorSpec: describes ragged tensors."""

from millrace.framework import composite, dtypes, tensor_shape


class RaggedTensorSpec(composite.TypeSpec):
  """Describes ragged tensors: shape, type, number of ragged dimensions, and type of the places where rows end.

  `ragged_rank` is one less than the rank of the shape if None. Raises ValueError if that is not known, or too small.
  """

  __slots__ = ("_dtype", "_ragged_rank", "_row_splits_dtype", "_shape")

  def __init__(self, shape=None, dtype=dtypes.float32, ragged_rank=None, row_splits_dtype=dtypes.int64):
    self._shape = tensor_shape.as_shape(shape)
    self._dtype = dtypes.as_dtype(dtype)
    self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
    rank = self._shape.ndims
    if ragged_rank is None:
      if rank is None:
        raise ValueError("Must specify ragged_rank or a shape with a known rank.")
      ragged_rank = rank - 1
    self._ragged_rank = ragged_rank
    if not isinstance(ragged_rank, int):
      raise TypeError("Argument `ragged_rank` must be an int. Received %r." % (ragged_rank,))
    if rank is not None and ragged_rank >= rank:
      raise ValueError("Argument `ragged_rank` (%d) must be less than rank (%d)." % (ragged_rank, rank))

  @property
  def value_type(self):
    from millrace.ops.ragged.tensor import RaggedTensor

    return RaggedTensor if self._ragged_rank > 0 else _tensor_class()

  dtype = property(lambda self: self._dtype)
  shape = property(lambda self: self._shape)
  ragged_rank = property(lambda self: self._ragged_rank)
  row_splits_dtype = property(lambda self: self._row_splits_dtype)

  def _serialize(self):
    return (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)

  @property
  def _component_specs(self):
    from millrace.framework.tensor_spec import TensorSpec

    if self._ragged_rank == 0:
      return [TensorSpec(self._shape, self._dtype)]
    flat_shape = tensor_shape.TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :])
    rows = tensor_shape.dimension_at_index(self._shape, 0).value if self._shape.ndims else None
    outer = TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)
    inner = [TensorSpec([None], self._row_splits_dtype) for _ in range(1, self._ragged_rank)]
    return [TensorSpec(flat_shape, self._dtype), outer, *inner]

  def _to_components(self, value):
    if self._ragged_rank == 0:
      return [value]
    return [value.flat_values, *value.nested_row_splits]

  def _from_components(self, components):
    import numpy as np

    from millrace.ops.ragged.tensor import RaggedTensor
    from millrace.ops.ragged.value import RaggedTensorValue

    result = components[0]
    is_value = all(isinstance(part, np.ndarray) for part in components)
    for splits in reversed(components[1:]):
      result = RaggedTensorValue(result, splits) if is_value else RaggedTensor(result, splits, internal=True)
    return result

  @classmethod
  def from_value(cls, value):
    """Returns the spec of a ragged tensor, of its value, or of a tensor."""
    from millrace.ops.ragged.tensor import RaggedTensor
    from millrace.ops.ragged.value import RaggedTensorValue

    if isinstance(value, (RaggedTensor, RaggedTensorValue)):
      return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)
    return cls(value.shape, value.dtype, 0)


def _tensor_class():
  from millrace.framework.tensor import Tensor

  return Tensor
