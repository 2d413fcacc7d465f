"""Operations of sets: the elements of the last dimension, one set for each index of the others.

Arguments are tensors or sparse tensors of the same first dimensions; results are sparse tensors with the elements in order.
"""

from millrace import gen
from millrace.framework import composite, dtypes
from millrace.framework.convert import convert_to_tensor_or_sparse_tensor

_TYPES = frozenset([dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.string])


def set_size(a, validate_indices=True):
  """How many different elements each set of a sparse tensor has, as int32.

  Raises:
    TypeError: if `a` is not a `SparseTensor`, or has elements of another kind.
  """
  a = convert_to_tensor_or_sparse_tensor(a, name="a")
  if not isinstance(a, composite.SparseTensor):
    raise TypeError(f"Expected `SparseTensor`, got {a}.")
  if a.values.dtype.base_dtype not in _TYPES:
    raise TypeError(f"Invalid dtype `{a.values.dtype}` not in supported dtypes: `{_TYPES}`.")
  return gen.set_size(a.indices, a.values, a.dense_shape, validate_indices)


def set_intersection(a, b, validate_indices=True):
  """The elements that both sets have."""
  a, b, _ = _converted(a, b)
  return _operation(a, b, "intersection", validate_indices)


def set_difference(a, b, aminusb=True, validate_indices=True):
  """The elements of `a` that `b` does not have; those of `b` that `a` does not have unless `aminusb`."""
  a, b, is_flipped = _converted(a, b)
  if is_flipped:
    aminusb = not aminusb
  return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


def set_union(a, b, validate_indices=True):
  """The elements that at least one of the sets has."""
  a, b, _ = _converted(a, b)
  return _operation(a, b, "union", validate_indices)


def _converted(a, b):
  """Both as tensors or sparse tensors, a dense one first, and whether their order changed."""
  a = convert_to_tensor_or_sparse_tensor(a, name="a")
  if a.dtype.base_dtype not in _TYPES:
    raise TypeError(f"'a' has invalid dtype `{a.dtype}` not in supported dtypes: `{_TYPES}`.")
  b = convert_to_tensor_or_sparse_tensor(b, name="b")
  if b.dtype.base_dtype != a.dtype.base_dtype:
    raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
  if isinstance(a, composite.SparseTensor) and not isinstance(b, composite.SparseTensor):
    return b, a, True
  return a, b, False


def _operation(a, b, operation, validate_indices):
  if isinstance(a, composite.SparseTensor):
    result = gen.sparse_to_sparse_set_operation(
      a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, operation, validate_indices
    )
  elif isinstance(b, composite.SparseTensor):
    result = gen.dense_to_sparse_set_operation(a, b.indices, b.values, b.dense_shape, operation, validate_indices)
  else:
    result = gen.dense_to_dense_set_operation(a, b, operation, validate_indices)
  return composite.SparseTensor(*result)
