"""Rows of a tensor that are set, added to or subtracted from: in the memory of the tensor itself, or in a copy."""

from millrace import gen
from millrace.framework import convert, dtypes
from millrace.ops.array import shapes
from millrace.ops.math import casts


def _by_rows(x, i, v, op):
  """Calls `op` on `x`, rows `i` and values `v`: of all of `x` if `i` is None, of one row if it is a scalar."""
  x = convert.convert_to_tensor(x)
  v = convert.convert_to_tensor(v, x.dtype)
  if i is None:
    flat = op(shapes.reshape(x, [1, -1]), [0], shapes.reshape(v, [1, -1]))
    return shapes.reshape(flat, shapes.shape(x))
  i = casts.cast(i, dtypes.int32)
  if i.get_shape().ndims == 0:
    return op(x, shapes.reshape(i, [1]), shapes.expand_dims(v, 0))
  return op(x, i, v)


def alias_inplace_update(x, i, v):
  """Sets rows `i` of `x` to `v` in its own memory, which the result shares."""
  return _by_rows(x, i, v, gen.inplace_update)


def alias_inplace_add(x, i, v):
  """Adds `v` to rows `i` of `x` in its own memory, which the result shares."""
  return _by_rows(x, i, v, gen.inplace_add)


def alias_inplace_sub(x, i, v):
  """Subtracts `v` from rows `i` of `x` in its own memory, which the result shares."""
  return _by_rows(x, i, v, gen.inplace_sub)


def inplace_update(x, i, v):
  """Returns a copy of `x` whose rows `i` are `v`."""
  return alias_inplace_update(gen.deep_copy(x), i, v)


def inplace_add(x, i, v):
  """Returns a copy of `x` to whose rows `i` is added `v`."""
  return alias_inplace_add(gen.deep_copy(x), i, v)


def inplace_sub(x, i, v):
  """Returns a copy of `x` from whose rows `i` is subtracted `v`."""
  return alias_inplace_sub(gen.deep_copy(x), i, v)


def empty_like(x, init=None):
  """Returns a tensor of the type and shape of `x`; with `init` it is zeros, else its values are anything."""
  x = convert.convert_to_tensor(x)
  return gen.empty(shapes.shape(x), x.dtype, init=init)
