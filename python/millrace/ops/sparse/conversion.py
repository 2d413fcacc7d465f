"""Between sparse and dense tensors."""

from millrace import gen
from millrace.framework import composite, convert, dtypes, graph, tensor
from millrace.ops.array import filling, gathering, joining, shapes
from millrace.ops.sparse import checks


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
  """Returns a tensor with the values at the indices and the default elsewhere.

  Args:
    sparse_indices: [n, rank]; a vector for a vector, a scalar for one element.
    output_shape: Vector, the shape of the result.
    sparse_values: [n], or a scalar for all of them.
    default_value: A scalar.
    validate_indices: Fail where indices are out of order or twice.
    name: Name of the op.
  """
  return gen.sparse_to_dense(
    sparse_indices, output_shape, sparse_values, default_value, validate_indices=validate_indices, name=name
  )


def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
  """Returns a sparse tensor as a dense one, with the default (zero if None) where it has no value."""
  sp_input = checks.to_sparse(sp_input)
  if default_value is None:
    default_value = filling.zeros([], dtype=sp_input.dtype)
  return gen.sparse_to_dense(
    sp_input.indices,
    sp_input.dense_shape,
    sp_input.values,
    default_value,
    validate_indices=validate_indices,
    name=name,
  )


def from_dense(tensor, name=None):
  """Returns the elements of a tensor that are not zero as a sparse tensor."""
  with graph.name_scope(name, "dense_to_sparse"):
    tensor = convert.convert_to_tensor(tensor)
    indices = gathering.where_v2(gen.not_equal(tensor, filling.zeros_like(tensor)))
    values = gen.gather_nd(tensor, indices)
    return composite.SparseTensor(indices, values, shapes.shape(tensor, out_type=dtypes.int64))


def _int64(value, name):
  if isinstance(value, int):
    return convert.convert_to_tensor(value, name=name, dtype=dtypes.int64)
  if not isinstance(value, tensor.Tensor):
    raise TypeError(f"{name} must be an integer value")
  return value if value.dtype == dtypes.int64 else gen.cast(value, dtypes.int64)


def eye(num_rows, num_columns=None, dtype=dtypes.float32, name=None):
  """Returns a sparse matrix with ones on its diagonal; a square one if `num_columns` is None."""
  with graph.name_scope(name, "eye", [num_rows, num_columns]):
    num_rows = _int64(num_rows, "num_rows")
    num_columns = num_rows if num_columns is None else _int64(num_columns, "num_columns")
    size = gen.minimum(num_rows, num_columns)
    diagonal = gen.range(_int64_zero(), size, 1, name="range")
    return composite.SparseTensor(
      indices=joining.stack([diagonal, diagonal], axis=1),
      values=filling.ones(size, dtype=dtype),
      dense_shape=[num_rows, num_columns],
    )


def _int64_zero():
  import numpy as np

  return np.int64(0)


def to_indicator(sp_input, vocab_size, name=None):
  """Returns a dense tensor of bools whose last dimension, of `vocab_size`, says which ids a sparse tensor has."""
  from millrace.ops.sparse import shaping

  sp_input = checks.to_sparse(sp_input)
  with graph.name_scope(name, "SparseToIndicator", [sp_input]) as scope:
    count = shapes.shape(sp_input.indices)[0]
    ones = filling.fill(shapes.expand_dims(count, 0), True)
    merged = shaping.merge_ids(
      sp_input, composite.SparseTensor(sp_input.indices, ones, sp_input.dense_shape), vocab_size, already_sorted=False
    )
    return to_dense(merged, False, validate_indices=False, name=scope)


def mask(a, mask_indices, name=None):
  """Returns indexed slices without those of the given indices."""
  with graph.name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
    indices, to_gather = gen.list_diff(a.indices, mask_indices)
    values = gathering.gather(a.values, to_gather, name=scope)
    return composite.IndexedSlices(values, indices, a.dense_shape)
