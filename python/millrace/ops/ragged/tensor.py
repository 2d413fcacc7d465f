"""RaggedTensor: a tensor whose rows may differ in length, kept as all rows' values in one and the places where rows end."""

from millrace import gen
from millrace.client import fetches
from millrace.framework import composite, convert, dtypes, graph, tensor_shape
from millrace.ops.array import gathering, joining, shapes
from millrace.ops.math import reductions
from millrace.ops.math.casts import cast
from millrace.ops.ragged import partitions
from millrace.ops.ragged.spec import RaggedTensorSpec
from millrace.ops.ragged.value import RaggedTensorValue


def convert_to_tensor_or_ragged_tensor(value, dtype=None, preferred_dtype=None, name=None):
  """Returns a ragged tensor for a RaggedTensor or a RaggedTensorValue, and a tensor for all else.

  Raises ValueError if a ragged value is not of `dtype`.
  """
  if isinstance(value, (RaggedTensor, RaggedTensorValue)):
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
      raise ValueError("Tensor conversion requested dtype %s for RaggedTensor with dtype %s: %r" % (dtype, value.dtype, value))
    if isinstance(value, RaggedTensor):
      return value
    with graph.name_scope(name, "ConvertToTensorOrRaggedTensor", []):
      flat = convert.convert_to_tensor(value.flat_values, dtype=dtype, preferred_dtype=preferred_dtype, name="flat_values")
      return RaggedTensor.from_nested_row_splits(flat, value.nested_row_splits, validate=False)
  return convert.convert_to_tensor(value, dtype=dtype, preferred_dtype=preferred_dtype, name=name)


class RaggedTensor(composite.CompositeTensor):
  """Row i has the elements `values[row_splits[i]:row_splits[i + 1]]`; `values` may be ragged itself.

  Ragged tensors are made by `tf.ragged.constant` and by the class's own functions, not by its constructor.
  """

  def __init__(self, values, row_splits, cached_row_lengths=None, cached_value_rowids=None, cached_nrows=None, internal=False):
    if not internal:
      raise ValueError(
        "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., RaggedTensor.from_row_lengths())"
      )
    if isinstance(values, RaggedTensor) and values.row_splits.dtype != row_splits.dtype:
      raise ValueError("values and row_splits must have the same row_splits dtype")
    row_splits.get_shape().assert_has_rank(1)
    values.get_shape().with_rank_at_least(1)
    if not isinstance(values, RaggedTensor):
      row_splits.set_shape([None])
    self._values = values
    self._row_splits = row_splits
    self._row_lengths = cached_row_lengths
    self._value_rowids = cached_value_rowids
    self._nrows = cached_nrows

  # How to make one.

  @classmethod
  def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
    """Returns the rows of values by the number of the row that each is in, in order; `nrows` of them."""
    with graph.name_scope(name, "RaggedFromValueRowIds", [values, value_rowids, nrows]):
      splits, cached = partitions.from_value_rowids(value_rowids, nrows, validate)
      values = convert_to_tensor_or_ragged_tensor(values, name="values")
      return cls._of(values, splits, cached_value_rowids=cached[0], cached_nrows=cached[1])

  @classmethod
  def from_row_splits(cls, values, row_splits, name=None, validate=True):
    """Returns the rows of values: row i is `values[row_splits[i]:row_splits[i + 1]]`."""
    with graph.name_scope(name, "RaggedFromRowSplits", [values, row_splits]):
      if isinstance(row_splits, (list, tuple)) and not row_splits:
        raise ValueError("row_splits tensor may not be empty.")
      splits = partitions.from_row_splits(row_splits, validate)
      return cls._of(convert_to_tensor_or_ragged_tensor(values, name="values"), splits, validate)

  @classmethod
  def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
    """Returns the rows of values, by their lengths."""
    with graph.name_scope(name, "RaggedFromRowLengths", [values, row_lengths]):
      splits, lengths = partitions.from_row_lengths(row_lengths, validate)
      return cls._of(convert_to_tensor_or_ragged_tensor(values, name="values"), splits, validate, cached_row_lengths=lengths)

  @classmethod
  def from_row_starts(cls, values, row_starts, name=None, validate=True):
    """Returns the rows of values, by where each starts; the last goes on to the end."""
    with graph.name_scope(name, "RaggedFromRowStarts", [values, row_starts]):
      values = convert_to_tensor_or_ragged_tensor(values, name="values")
      return cls._of(values, partitions.from_row_starts(row_starts, _nvals(values), validate))

  @classmethod
  def from_row_limits(cls, values, row_limits, name=None, validate=True):
    """Returns the rows of values, by where each ends; the first starts at 0."""
    with graph.name_scope(name, "RaggedFromRowLimits", [values, row_limits]):
      values = convert_to_tensor_or_ragged_tensor(values, name="values")
      return cls._of(values, partitions.from_row_limits(row_limits, validate), validate)

  @classmethod
  def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
    """Returns rows of rows of values; the last of `nested_value_rowids` is that of the innermost rows."""
    _check_list(nested_value_rowids, "nested_value_rowids")
    if nested_nrows is None:
      nested_nrows = [None] * len(nested_value_rowids)
    else:
      _check_list(nested_nrows, "nested_nrows")
      if len(nested_nrows) != len(nested_value_rowids):
        raise ValueError("nested_nrows must have the same length as nested_value_rowids")
    with graph.name_scope(name, "RaggedFromNestedValueRowIds", [flat_values] + list(nested_value_rowids)):
      result = flat_values
      for rowids, nrows in reversed(list(zip(nested_value_rowids, nested_nrows))):
        result = cls.from_value_rowids(result, rowids, nrows, validate=validate)
      return result

  @classmethod
  def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
    """Returns rows of rows of values; the last of `nested_row_splits` is that of the innermost rows."""
    _check_list(nested_row_splits, "nested_row_splits")
    with graph.name_scope(name, "RaggedFromNestedRowSplits", [flat_values] + list(nested_row_splits)):
      result = flat_values
      for splits in reversed(nested_row_splits):
        result = cls.from_row_splits(result, splits, validate=validate)
      return result

  @classmethod
  def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
    """Returns rows of rows of values; the last of `nested_row_lengths` is that of the innermost rows."""
    _check_list(nested_row_lengths, "nested_row_lengths")
    with graph.name_scope(name, "RaggedFromNestedRowlengths", [flat_values] + list(nested_row_lengths)):
      result = flat_values
      for lengths in reversed(nested_row_lengths):
        result = cls.from_row_lengths(result, lengths, validate=validate)
      return result

  @classmethod
  def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=dtypes.int64):
    """Returns a tensor as a ragged one.

    Args:
      tensor: A tensor of rank `ragged_rank` + 1 or more.
      lengths: Length of each row, or a list of those of the rows of each level; the rest of the rows is left out.
      padding: A value that is left out where it ends a row.
      ragged_rank: The number of dimensions, after the first, that become ragged.
      name: Prefix of the names of what it makes.
      row_splits_dtype: Type of the places where rows end.
    """
    from millrace.ops.ragged import conversion

    return conversion.from_tensor(tensor, lengths, padding, ragged_rank, name, dtypes.as_dtype(row_splits_dtype))

  @classmethod
  def from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
    """Returns the rows of a sparse matrix; the elements of each have to be at its beginning, without gaps."""
    from millrace.ops.ragged import conversion

    return conversion.from_sparse(st_input, name, dtypes.as_dtype(row_splits_dtype))

  @classmethod
  def _of(cls, values, splits, checks_end=False, **cached):
    if checks_end:
      splits = partitions.checked_end(splits, _nvals(values))
    if isinstance(values, RaggedTensor) and values.row_splits.dtype != splits.dtype:
      values = values.with_row_splits_dtype(dtypes.int64)
      splits = cast(splits, dtypes.int64)
      cached = {}
    return cls(values, splits, internal=True, **cached)

  # What it is.

  @property
  def dtype(self):
    return self._values.dtype

  @property
  def shape(self):
    """What is known of its shape, a TensorShape: ragged dimensions are unknown."""
    nrows = tensor_shape.dimension_at_index(self._row_splits.get_shape(), 0)
    nrows = tensor_shape.Dimension(None if nrows.value is None else nrows.value - 1)
    return tensor_shape.TensorShape([nrows, None]).concatenate(self._values.get_shape()[1:])

  def get_shape(self):
    return self.shape

  @property
  def ragged_rank(self):
    return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

  @property
  def values(self):
    return self._values

  @property
  def row_splits(self):
    return self._row_splits

  @property
  def flat_values(self):
    """The innermost values: a tensor."""
    return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

  @property
  def nested_row_splits(self):
    """A tuple of the places where rows end, one of each level, the outermost first."""
    inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
    return (self._row_splits,) + inner

  @property
  def graph(self):
    return self._row_splits.graph

  def value_rowids(self, name=None):
    """Returns the number of the row that each of `values` is in."""
    if self._value_rowids is not None:
      return self._value_rowids
    with graph.name_scope(name, "RaggedValueRowIds", [self]):
      return partitions.segment_ids(self._row_splits)

  def nested_value_rowids(self, name=None):
    """Returns `value_rowids()` of each level, a tuple."""
    with graph.name_scope(name, "RaggedNestedValueRowIds", [self]):
      return tuple([level.value_rowids() for level in self._levels()])

  def nrows(self, out_type=None, name=None):
    """Returns the number of rows, a scalar of the type of `row_splits` if None."""
    out_type = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
    if self._nrows is not None:
      return cast(self._nrows, out_type)
    with graph.name_scope(name, "RaggedNRows", [self]):
      return shapes.shape(self._row_splits, out_type=out_type)[0] - 1

  def row_starts(self, name=None):
    """Returns where each row starts in `values`."""
    with graph.name_scope(name, "RaggedRowStarts", [self]):
      return self._row_splits[:-1]

  def row_limits(self, name=None):
    """Returns where each row ends in `values`."""
    with graph.name_scope(name, "RaggedRowLimits", [self]):
      return self._row_splits[1:]

  def row_lengths(self, axis=1, name=None):
    """Returns the lengths of the rows of a level; those of the first are a vector, others are ragged."""
    if axis == 0:
      return self.nrows()
    if axis == 1:
      if self._row_lengths is not None:
        return self._row_lengths
      splits = self._row_splits
      return splits[1:] - splits[:-1]
    with graph.name_scope(name, "RaggedRowLengths", [self]):
      if axis < 0:
        axis += self.shape.ndims
        if axis < 0:
          raise ValueError("axis out of bounds")
        if axis < 2:
          return self.row_lengths(axis)
      if isinstance(self._values, RaggedTensor):
        return self.with_values(self._values.row_lengths(axis - 1))
      shape = shapes.shape(self._values, out_type=self._row_splits.dtype)
      return self.with_values(shapes.broadcast_to(shape[axis - 1], shape[: axis - 1]))

  def nested_row_lengths(self, name=None):
    """Returns the lengths of the rows of each level, a tuple of vectors."""
    with graph.name_scope(name, "RaggedNestedRowLengths", [self]):
      return tuple([level.row_lengths() for level in self._levels()])

  def _levels(self):
    found, level = [], self
    while isinstance(level, RaggedTensor):
      found.append(level)
      level = level.values
    return found

  def bounding_shape(self, axis=None, name=None, out_type=None):
    """Returns the shape of the smallest dense tensor that holds all, or its size in some dimensions.

    Args:
      axis: A number or a list of numbers of dimensions; all if None.
      name: Prefix of the names of what it makes.
      out_type: Type of the result; that of `row_splits` if None.
    """
    out_type = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
    with graph.name_scope(name, "RaggedBoundingBox", [self, axis]):
      if isinstance(axis, int) and axis == 0:
        return self.nrows(out_type)
      if isinstance(axis, int) and axis == 1:
        return cast(self._longest(self), out_type)
      levels = self._levels()
      inner = shapes.shape(self.flat_values, out_type=self._row_splits.dtype)[1:]
      sizes = [self.nrows()] + [self._longest(level) for level in levels]
      box = cast(joining.concat([joining.stack(sizes), inner], axis=0), out_type)
      return box if axis is None else gathering.gather(box, axis)

  @staticmethod
  def _longest(level):
    return gen.maximum(reductions.reduce_max(level.row_lengths()), cast(0, level.row_splits.dtype))

  # Others made of it.

  def with_values(self, new_values):
    """Returns rows of the same lengths with other values."""
    new_values = convert_to_tensor_or_ragged_tensor(new_values)
    new_values.get_shape().with_rank_at_least(1)
    self._values.get_shape()[:1].assert_is_compatible_with(new_values.get_shape()[:1])
    if isinstance(new_values, RaggedTensor) and new_values.row_splits.dtype != self._row_splits.dtype:
      return self.with_row_splits_dtype(dtypes.int64).with_values(new_values.with_row_splits_dtype(dtypes.int64))
    return RaggedTensor(new_values, self._row_splits, self._row_lengths, self._value_rowids, self._nrows, internal=True)

  def with_flat_values(self, new_values):
    """Returns rows of rows of the same lengths with other innermost values."""
    if isinstance(self._values, RaggedTensor):
      return self.with_values(self._values.with_flat_values(new_values))
    return self.with_values(new_values)

  def with_row_splits_dtype(self, dtype):
    """Returns the same rows with `row_splits` of type int32 or int64."""
    dtype = dtypes.as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
      raise ValueError("dtype must be int32 or int64")
    if self._row_splits.dtype == dtype:
      return self
    values = self._values
    if isinstance(values, RaggedTensor):
      values = values.with_row_splits_dtype(dtype)
    return RaggedTensor(values, cast(self._row_splits, dtype), internal=True)

  def to_tensor(self, default_value=None, name=None):
    """Returns a dense tensor of the bounding shape, with `default_value` (zero if None) where rows are shorter."""
    from millrace.ops.ragged import conversion

    return conversion.to_tensor(self, default_value, name)

  def to_sparse(self, name=None):
    """Returns a SparseTensor with an element for each of the flat values."""
    with graph.name_scope(name, "RaggedToSparse", [self]):
      indices, values, dense_shape = gen.ragged_tensor_to_sparse(self.nested_row_splits, self.flat_values, name=None)
      return composite.SparseTensor(indices, values, dense_shape)

  def to_list(self):
    """Raises ValueError: in a graph there are no values before a step. `RaggedTensorValue.to_list()` has them."""
    raise ValueError("to_list can only be used in eager mode.")

  def eval(self, feed_dict=None, session=None):
    """Returns its RaggedTensorValue in the given session or the default one."""
    from millrace.client import default_session

    parts = [self.flat_values, *self.nested_row_splits]
    return _value_of(default_session.eval_using_default_session(parts, feed_dict, self.graph, session))

  def __getitem__(self, key):
    from millrace.ops.ragged import getitem

    return getitem.getitem(self, key)

  def __len__(self):
    raise TypeError("object of type 'RaggedTensor' has no len()")

  def __str__(self):
    return "tf.RaggedTensor(values=%s, row_splits=%s)" % (self._values, self._row_splits)

  __repr__ = __str__

  @property
  def _type_spec(self):
    return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._row_splits.dtype)

  def _shape_invariant_to_type_spec(self, shape):
    return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self._row_splits.dtype)


def _check_list(value, name):
  if not isinstance(value, (list, tuple)):
    raise TypeError("%s must be a list of Tensors. Received: %s." % (name, value))


def _nvals(values):
  return values.nrows() if isinstance(values, RaggedTensor) else shapes.shape(values)[0]


def _value_of(parts):
  result = parts[0]
  for splits in reversed(parts[1:]):
    result = RaggedTensorValue(result, splits)
  return result


def _parts(ragged):
  return [ragged.flat_values, *ragged.nested_row_splits]


fetches.register_session_run_conversion_functions(
  RaggedTensor,
  lambda fetch: (_parts(fetch), _value_of),
  lambda feed, value: list(zip(_parts(feed), _parts(value))),
  _parts,
)


from millrace.ops.ragged import operators as _operators  # noqa: F401  (what it sets is part of the class)
