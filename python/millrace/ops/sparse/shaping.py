"""Sparse tensors in another order or shape, put together and taken apart."""

import numpy as np

from millrace import gen
from millrace.framework import composite, constants, convert, dtypes, graph, tensor_values
from millrace.ops.array import filling, gathering, identities, joining, moving, shapes
from millrace.ops.sparse import checks


def reorder(sp_input, name=None):
  """Returns a sparse tensor with its elements in row-major order."""
  sp_input = checks.to_sparse(sp_input)
  indices, values = gen.sparse_reorder(sp_input.indices, sp_input.values, sp_input.dense_shape, name=name)
  if sp_input.get_shape().is_fully_defined():
    return composite.SparseTensor(indices, values, sp_input.get_shape().as_list())
  shape = identities.identity(sp_input.dense_shape)
  result = composite.SparseTensor(indices, values, shape)
  result.set_shape(sp_input.get_shape())
  return result


def reshape(sp_input, shape, name=None):
  """Returns a sparse tensor with its elements in another shape, of which one dimension may be -1."""
  from millrace.ops.math import casts

  sp_input = checks.to_sparse(sp_input)
  shape = casts.cast(shape, dtype=dtypes.int64)
  with graph.name_scope(name, "SparseReshape", [sp_input]) as scope:
    indices, new_shape = gen.sparse_reshape(sp_input.indices, sp_input.dense_shape, shape, name=scope)
    known = tensor_values.constant_value(shape)
    if known is not None and sp_input.get_shape().is_fully_defined():
      known = _with_rest(np.array(known), sp_input.get_shape().num_elements())
      new_shape = constants.constant(known, dtype=dtypes.int64)
    values = identities.identity(sp_input.values)
    return composite.SparseTensor(indices, values, new_shape)


def _with_rest(sizes, count):
  """Returns the sizes with what is left of `count` elements for -1. Raises ValueError where the product is another."""
  missing = [i for i, size in enumerate(sizes) if size == -1]
  if len(missing) > 1:
    raise ValueError(f"At most one dimension can be inferred (-1). Found: {sizes}")
  if missing:
    others = np.prod(np.delete(sizes, missing[0]))
    sizes[missing[0]] = count // others if others else 0
  total = np.prod(sizes)
  if total != count:
    raise ValueError("Cannot reshape a tensor with %d elements to shape %s (%d elements)." % (count, list(sizes.tolist()), total))
  return sizes


def split(keyword_required=None, sp_input=None, num_split=None, axis=None, name=None, split_dim=None):
  """Returns `num_split` sparse tensors, parts along `axis`. All arguments are given by their names."""
  if keyword_required is not None and not isinstance(keyword_required, KeywordRequired):
    raise ValueError("Keyword arguments are required for this function.")
  if sp_input is None:
    raise ValueError("sp_input is required")
  if num_split is None:
    raise ValueError("num_split is required")
  if axis is None:
    raise ValueError("axis is required")
  axis = checks.one_of("axis", axis, "split_dim", split_dim)
  sp_input = checks.to_sparse(sp_input)
  indices, values, sizes = gen.sparse_split(
    axis, sp_input.indices, sp_input.values, sp_input.dense_shape, num_split=num_split, name=name
  )
  return [composite.SparseTensor(*parts) for parts in zip(indices, values, sizes)]


class KeywordRequired:
  """Stands for no value where arguments have to be given by their names."""

  def __repr__(self):
    return "KeywordRequired()"


split.__defaults__ = (KeywordRequired(), None, None, None, None, None)


def concat(axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, expand_nonconcat_dims=None):
  """Returns sparse tensors joined along `axis`.

  Args:
    axis: A dimension; `concat_dim` is its older name.
    sp_inputs: Sparse tensors of one rank; one alone is returned as it is.
    name: Name of the op.
    expand_nonconcat_dim: Let the other dimensions be the largest of the inputs', which may differ.
    concat_dim: See `axis`.
    expand_nonconcat_dims: Another name of `expand_nonconcat_dim`.
  """
  expand_nonconcat_dim = checks.one_of(
    "expand_nonconcat_dims", expand_nonconcat_dims, "expand_nonconcat_dim", expand_nonconcat_dim
  )
  axis = checks.one_of("axis", axis, "concat_dim", concat_dim)
  sp_inputs = checks.to_sparse_list(sp_inputs)
  if len(sp_inputs) == 1:
    return sp_inputs[0]
  sizes = [sp_input.dense_shape for sp_input in sp_inputs]
  if expand_nonconcat_dim:
    rows = joining.concat([shapes.reshape(size, [1, -1]) for size in sizes], 0)
    largest = gen.max(rows, 0)
    end = None if axis == -1 else axis + 1
    sizes = [joining.concat([largest[:axis], size[axis:end], [] if axis == -1 else largest[axis + 1 :]], 0) for size in sizes]
  indices, values, shape = gen.sparse_concat(
    [sp_input.indices for sp_input in sp_inputs],
    [sp_input.values for sp_input in sp_inputs],
    sizes,
    concat_dim=axis,
    name=name,
  )
  known = [sp_input.get_shape() for sp_input in sp_inputs]
  if all(size.is_fully_defined() for size in known):
    total = [max(sizes) for sizes in zip(*[size.as_list() for size in known])]
    total[axis] = sum(size.as_list()[axis] for size in known)
    shape = constants.constant(total, dtype=dtypes.int64)
  return composite.SparseTensor(indices, values, shape)


def slice_(sp_input, start, size, name=None):
  """Returns the part of a sparse tensor from `start` on, of the given size."""
  sp_input = checks.to_sparse(sp_input)
  start = convert.convert_to_tensor(start, dtypes.int64)
  size = convert.convert_to_tensor(size, dtypes.int64)
  with graph.name_scope(name, "SparseSlice", [sp_input]) as scope:
    parts = gen.sparse_slice(sp_input.indices, sp_input.values, sp_input.dense_shape, start, size, name=scope)
    return composite.SparseTensor(*parts)


def retain(sp_input, to_retain):
  """Returns the elements of a sparse tensor that a vector of bools, one an element, says to keep."""
  sp_input = checks.to_sparse(sp_input)
  to_retain = convert.convert_to_tensor(to_retain)
  retained = to_retain.get_shape()
  if retained.ndims is not None:
    retained.assert_has_rank(1)
  sp_input.values.get_shape().dims[0].assert_is_compatible_with(retained.dims[0] if retained.ndims else None)
  where = shapes.reshape(gathering.where_v2(to_retain), [-1])
  indices = gathering.gather(sp_input.indices, where)
  values = gathering.gather(sp_input.values, where)
  return composite.SparseTensor(indices, values, identities.identity(sp_input.dense_shape))


def reset_shape(sp_input, new_shape=None):
  """Returns a sparse tensor with another dense shape, of the same rank and not smaller; the tightest one if None."""
  sp_input = checks.to_sparse(sp_input)
  indices = identities.identity(sp_input.indices)
  values = identities.identity(sp_input.values)
  in_shape = identities.identity(sp_input.dense_shape)
  if new_shape is None:
    low = gen.max(indices, 0)
    shape = gen.maximum(constants.constant(0, dtypes.int64), gen.add_v2(low, filling.ones_like(in_shape), name="Add"))
    return composite.SparseTensor(indices, values, shape)
  shape = convert.convert_to_tensor(new_shape)
  shape.get_shape().assert_has_rank(1)
  if shape.dtype != dtypes.int64:
    shape = gen.cast(shape, dtypes.int64)
  return composite.SparseTensor(indices, values, _checked_shape(sp_input, in_shape, shape))


def _checked_shape(sp_input, in_shape, shape):
  """Returns the new shape, checked to be no smaller: now where both are known, else when a step runs."""
  sp_input.get_shape().assert_has_rank(
    shape.get_shape().as_list()[0]
  ) if shape.get_shape().is_fully_defined() and sp_input.get_shape().ndims is not None else None
  known = tensor_values.constant_value(shape)
  if known is not None and sp_input.get_shape().is_fully_defined():
    old = np.array(sp_input.get_shape().as_list())
    if not np.all(old <= known):
      raise ValueError(
        f"Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape ({old}), sp_input.shape ({known})."
      )
    return known
  from millrace.ops.control_flow import basics
  from millrace.ops.debugging import comparisons

  equal = comparisons.assert_equal(shapes.shape(in_shape), shapes.shape(shape))
  shape = basics.with_dependencies([equal], shape)
  return basics.with_dependencies([comparisons.assert_less_equal(in_shape, shape)], shape)


def expand_dims(sp_input, axis=None, name=None):
  """Returns a sparse tensor with a dimension of one before `axis`, the last one if None."""
  rank = sp_input.dense_shape.get_shape()[0]
  rank = getattr(rank, "value", rank)
  axis = -1 if axis is None else axis
  with graph.name_scope(name, "expand_dims", [sp_input]):
    axis = convert.convert_to_tensor(axis, name="axis")
    if rank is None:
      rank = shapes.shape(sp_input.dense_shape)[0]
    axis = gathering.where_v2(gen.greater_equal(axis, 0), axis, axis + rank + 1)
    count = shapes.shape(sp_input.indices)[0]
    new_index = filling.zeros([count, 1], dtype=dtypes.int64)
    before = gen.slice(sp_input.indices, [0, 0], [-1, axis])
    after = gen.slice(sp_input.indices, [0, axis], [-1, -1])
    indices = joining.concat([before, new_index, after], axis=1)
    shape_before = gen.slice(sp_input.dense_shape, [0], [axis])
    shape_after = gen.slice(sp_input.dense_shape, [axis], [-1])
    one = convert.convert_to_tensor([1], name="new_shape", dtype=dtypes.int64)
    shape = joining.concat([shape_before, one, shape_after], axis=0)
    return composite.SparseTensor(indices=indices, values=sp_input.values, dense_shape=shape)


def transpose(sp_input, perm=None, name=None):
  """Returns a sparse tensor with its dimensions in the order `perm`, reversed if None."""
  with graph.name_scope(name, "SparseTranspose", [sp_input]):
    if perm is None:
      if sp_input.get_shape().ndims is not None:
        rank = sp_input.get_shape().ndims
        perm = (rank - 1) - np.arange(0, rank, 1)
      else:
        rank = shapes.rank(sp_input)
        perm = (rank - 1) - gen.range(0, rank, 1, name="range")
    indices = moving.transpose(gathering.gather(moving.transpose(sp_input.indices), perm))
    known = tensor_values.constant_value(convert.convert_to_tensor(perm))
    if known is not None and sp_input.get_shape().is_fully_defined():
      old = sp_input.get_shape().as_list()
      shape = [old[axis] for axis in known]
    else:
      shape = gathering.gather(sp_input.dense_shape, perm)
    return reorder(composite.SparseTensor(indices, sp_input.values, shape))


def fill_empty_rows(sp_input, default_value, name=None):
  """Returns a sparse tensor with the default in the first column of empty rows, and a vector that says which were."""
  sp_input = checks.to_sparse(sp_input)
  with graph.name_scope(name, "SparseFillEmptyRows", [sp_input]):
    default_value = convert.convert_to_tensor(default_value, dtype=sp_input.values.dtype)
    filled = gen.sparse_fill_empty_rows(sp_input.indices, sp_input.values, sp_input.dense_shape, default_value)
    indices, values, empty = filled[0], filled[1], filled[2]
    return composite.SparseTensor(indices=indices, values=values, dense_shape=sp_input.dense_shape), empty


def merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
  """Returns a sparse tensor whose last dimensions are the ids, with the values there.

  Args:
    sp_ids: Sparse tensor of ids, or a list of them.
    sp_values: Sparse tensor of the same shape.
    vocab_size: Number of ids; a list for a list.
    name: Prefix of the names of what it makes.
    already_sorted: The result is in row-major order by itself.
  """
  return merge_ids(sp_ids, sp_values, vocab_size, "SparseMerge" if name is None else name, already_sorted, name is None)


def merge_ids(sp_ids, sp_values, vocab_size, name=None, already_sorted=False, is_default=False):
  """As `merge`, in a scope of its own only where a name is given."""
  from millrace.ops.math import casts

  if isinstance(sp_ids, (composite.SparseTensorValue, composite.SparseTensor)):
    sp_ids = [sp_ids]
    if isinstance(vocab_size, (list, tuple)):
      raise TypeError(f"vocab_size has to be a scalar for one SparseTensor. Found {vocab_size}")
    vocab_size = [vocab_size]
  else:
    if not isinstance(vocab_size, (list, tuple)):
      raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}")
    sp_ids = list(sp_ids)
    vocab_size = list(vocab_size)
    if len(sp_ids) != len(vocab_size):
      raise ValueError("sp_ids and vocab_size have to have equal lengths.")
  scope = _NoScope() if name is None else graph.name_scope(None if is_default else name, name, [sp_ids, sp_values])
  with scope:
    sp_ids = [checks.to_sparse(ids) for ids in sp_ids]
    sp_values = checks.to_sparse(sp_values)
    ids = []
    for sp in sp_ids:
      values = sp.values if sp.values.dtype == dtypes.int64 else casts.cast(sp.values, dtypes.int64)
      ids.append(shapes.expand_dims(values, axis=1))
    vocab_size = [casts.cast(size, dtypes.int64) for size in vocab_size]
    indices = joining.concat([sp_ids[0].indices[:, :-1], *ids], 1)
    shape = joining.concat([sp_ids[0].dense_shape[:-1], vocab_size], 0)
    result = composite.SparseTensor(indices, sp_values.values, shape)
    if already_sorted:
      return result
    ordered = reorder(result)
    return composite.SparseTensor(ordered.indices, ordered.values, shape)


class _NoScope:
  """A context that changes nothing."""

  def __enter__(self):
    return None

  def __exit__(self, *unused):
    return False


def cross(inputs, name=None):
  """Returns all combinations of the strings of each row, of sparse and dense tensors, joined by `_X_`."""
  sparse, dense = _cross_inputs(inputs)
  parts = gen.sparse_cross(
    [sp.indices for sp in sparse],
    [sp.values for sp in sparse],
    [sp.dense_shape for sp in sparse],
    dense,
    hashed_output=False,
    num_buckets=0,
    hash_key=_DEFAULT_HASH_KEY,
    out_type=dtypes.string,
    internal_type=dtypes.string,
    name=name,
  )
  return composite.SparseTensor(*parts)


_DEFAULT_HASH_KEY = 0xDECAFCAFFE


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
  """As `cross`, with hashes of the combinations; in `num_buckets` buckets if that is not 0."""
  sparse, dense = _cross_inputs(inputs)
  parts = gen.sparse_cross(
    [sp.indices for sp in sparse],
    [sp.values for sp in sparse],
    [sp.dense_shape for sp in sparse],
    dense,
    hashed_output=True,
    num_buckets=num_buckets,
    hash_key=hash_key or _DEFAULT_HASH_KEY,
    out_type=dtypes.int64,
    internal_type=dtypes.int64,
    name=name,
  )
  return composite.SparseTensor(*parts)


def _cross_inputs(inputs):
  """Returns the sparse and the dense inputs, whose numbers are int64."""
  from millrace.ops.math import casts

  if not isinstance(inputs, (list, tuple)):
    raise TypeError("Inputs must be a list")
  for value in inputs:
    if isinstance(value, composite.SparseTensorValue):
      raise TypeError("All inputs must be Tensor or SparseTensor.")
  sparse = [value for value in inputs if isinstance(value, composite.SparseTensor)]
  dense = [convert.convert_to_tensor(value) for value in inputs if not isinstance(value, composite.SparseTensor)]
  sparse = [
    value
    if value.values.dtype == dtypes.string
    else composite.SparseTensor(value.indices, casts.cast(value.values, dtypes.int64), value.dense_shape)
    for value in sparse
  ]
  dense = [value if value.dtype == dtypes.string else casts.cast(value, dtypes.int64) for value in dense]
  return sparse, dense
