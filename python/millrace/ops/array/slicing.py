"""Indexing: `x[1, ::2, ..., tf.newaxis]` of tensors, and `v[0:2].assign(...)` of variables."""

import numbers

import numpy as np

from millrace import gen
from millrace.framework import constants, convert, dtypes, graph, tensor, tensor_shape
from millrace.ops.array import filling, gathering, joining

newaxis = None

_WORDS = (
  "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid indices"
)
_INDEX_TYPES = ("int16", "int32", "int64")


def _check_index(index):
  if isinstance(index, (numbers.Integral, tensor_shape.Dimension)):
    return
  dtype = getattr(index, "dtype", None)
  if dtype is not None:
    shape = index.shape
    ndims = shape.ndims if isinstance(shape, tensor_shape.TensorShape) else len(shape)
    if dtypes.as_dtype(dtype).base_dtype.name in _INDEX_TYPES and not ndims:
      return
  raise TypeError(f"{_WORDS}, got {index!r}")


def _widest_type(values):
  """Returns the largest type of the tensors among the values; None if there are none."""
  found = [value.dtype.base_dtype for value in values if isinstance(value, tensor.Tensor)]
  return max(found, key=lambda dtype: dtype.size) if found else None


def _is_mask(index):
  if isinstance(index, (bool, np.bool_)):
    return True
  dtype = getattr(index, "dtype", None)
  return dtype is not None and dtypes.as_dtype(dtype).base_dtype == dtypes.bool


class _Spec:
  """Begin, end, strides and masks of one index expression, for StridedSlice."""

  def __init__(self, items):
    self.begin, self.end, self.strides = [], [], []
    self.masks = {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}
    for position, item in enumerate(items):
      self._add(item, 1 << position)

  def _append(self, begin, end, stride):
    self.begin.append(begin)
    self.end.append(end)
    self.strides.append(stride)

  def _add(self, item, bit):
    if isinstance(item, slice):
      self._add_slice(item, bit)
    elif item is Ellipsis:
      self._append(0, 0, 1)
      self.masks["ellipsis_mask"] |= bit
    elif item is None:
      self._append(0, 0, 1)
      self.masks["new_axis_mask"] |= bit
    else:
      _check_index(item)
      end = item + 1
      wide = isinstance(item, tensor.Tensor) and item.dtype.base_dtype != dtypes.int32
      self._append(item, end, constants.constant(1, dtype=item.dtype.base_dtype) if wide else 1)
      self.masks["shrink_axis_mask"] |= bit

  def _add_slice(self, item, bit):
    dtype = _widest_type((item.start, item.stop, item.step))

    def part(value, default, mask):
      if value is not None:
        _check_index(value)
        return value
      if mask:
        self.masks[mask] |= bit
      return default if dtype is None else constants.constant(default, dtype=dtype)

    begin = part(item.start, 0, "begin_mask")
    end = part(item.stop, 0, "end_mask")
    self._append(begin, end, part(item.step, 1, None))


def getitem(tensor, slice_spec, var=None):
  """Returns `tensor[slice_spec]`; where `var` is given, the result has a method `assign(value, name=None)` for it.

  Raises TypeError for what is no index, ValueError for what the static shape does not have.
  """
  if _is_mask(slice_spec):
    return gathering.boolean_mask(tensor=tensor, mask=slice_spec)
  items = slice_spec if isinstance(slice_spec, (list, tuple)) else [slice_spec]
  spec = _Spec(items)
  with graph.name_scope(None, "strided_slice", [tensor] + spec.begin + spec.end + spec.strides) as scope:
    if spec.begin:
      parts = [joining.stack(spec.begin), joining.stack(spec.end), joining.stack(spec.strides)]
      if any(part.dtype == dtypes.int64 for part in parts):
        parts = [part if part.dtype == dtypes.int64 else gen.cast(part, dtypes.int64) for part in parts]
    else:
      parts = [constants.constant([], dtype=dtypes.int32)] * 3
    return strided_slice(tensor, *parts, var=var, name=scope, **spec.masks)


def getitem_variable(var, slice_spec):
  """Returns `var[slice_spec]` of a variable, a slice of its value that can be assigned to."""
  return getitem(var.value(), slice_spec, var)


def slice_(input_, begin, size, name=None):
  """Returns `size` elements of each dimension from `begin` on; -1 stands for all that follow."""
  return gen.slice(input_, begin, size, name=name)


def strided_slice(
  input_,
  begin,
  end,
  strides=None,
  begin_mask=0,
  end_mask=0,
  ellipsis_mask=0,
  new_axis_mask=0,
  shrink_axis_mask=0,
  var=None,
  name=None,
):
  """Returns every `strides`-th element from `begin` to before `end` of each dimension.

  Args:
    input_: A tensor.
    begin: Vector of first indices.
    end: Vector of the indices behind the last.
    strides: Vector of steps; ones if None.
    begin_mask: Bit i says that dimension i starts at its first element.
    end_mask: Bit i says that dimension i goes to its end.
    ellipsis_mask: Bit i says that entry i stands for all dimensions that have none.
    new_axis_mask: Bit i says that entry i makes a new dimension of one.
    shrink_axis_mask: Bit i says that dimension i is gone.
    var: The variable that the result's method `assign` changes.
    name: Name of the op.
  """
  if strides is None:
    strides = filling.ones_like(begin)
  masks = {
    "begin_mask": begin_mask,
    "end_mask": end_mask,
    "ellipsis_mask": ellipsis_mask,
    "new_axis_mask": new_axis_mask,
    "shrink_axis_mask": shrink_axis_mask,
  }
  result = gen.strided_slice(input_, begin, end, strides, name=name, **masks)
  if var is not None:
    parent = name

    def assign(val, name=None):
      """Assigns `val` to the slice; the op is named after the slice if there is no name."""
      if name is None:
        name = (parent or result.op.name).rstrip("/") + "/_assign"
      return _assign_slice(var, begin, end, strides, val, name, masks)

    result.assign = assign
  return result


def _assign_slice(var, begin, end, strides, value, name, masks):
  method = getattr(var, "_strided_slice_assign", None)
  if method is not None:
    return method(begin=begin, end=end, strides=strides, value=value, name=name, **masks)
  if hasattr(var, "handle"):
    value = convert.convert_to_tensor(value, dtype=var.dtype.base_dtype)
    return var._lazy_read(gen.resource_strided_slice_assign(var.handle, begin, end, strides, value, name=name, **masks))
  return gen.strided_slice_assign(var._ref(), begin, end, strides, value, name=name, **masks)


tensor.Tensor._override_operator("__getitem__", getitem)
