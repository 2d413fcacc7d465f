"""Sequences of numbers, and questions about their order."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes, tensor_shape
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_values import constant_value
from millrace.ops.math.casts import cast

# The types of a range, each of which holds those before it.
_HIERARCHY = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def range(start, limit=None, delta=1, dtype=None, name="range"):
  """The numbers start, start + delta, ... before limit; `range(limit)` begins at 0.

  The type is `dtype`, or that argument's which holds the others.
  """
  if limit is None:
    start, limit = 0, start
  with name_scope(name, "Range", [start, limit, delta]) as scope:
    start, limit, delta = (
      value if isinstance(value, Tensor) else convert_to_tensor(value, dtype=dtype, name=argument)
      for value, argument in ((start, "start"), (limit, "limit"), (delta, "delta"))
    )
    if dtype is None:
      types = [value.dtype for value in (start, limit, delta)]
      assert all(type_ in _HIERARCHY for type_ in types)
      dtype = max(types, key=_HIERARCHY.index)
    start = cast(start, dtype)
    limit = cast(limit, dtype)
    delta = cast(delta, dtype)
    return gen.range(start, limit, delta, name=scope)


def linspace(start, stop, num, name=None):
  """`num` numbers at equal distances from `start` to `stop`, both included, along a new first dimension.

  Integers give float64.
  """
  axis = 0
  with name_scope(name, "linspace", [start, stop]):
    start = convert_to_tensor(start, name="start")
    stop = convert_to_tensor(stop, name="stop", dtype=start.dtype)
    count = gen.cast(convert_to_tensor(num, name="num"), dtypes.int32)
    # Nothing uses this node; graphs of TensorFlow have it.
    cast(count, start.dtype)
    shape = tf.broadcast_dynamic_shape(tf.shape(start), tf.shape(stop))
    start = tf.broadcast_to(start, shape)
    stop = tf.broadcast_to(stop, shape)
    first = tf.expand_dims(start, axis=axis)
    last = tf.expand_dims(stop, axis=axis)
    shape = tf.shape(first)
    rank = tf.shape(shape)[0]
    axis = gen.select_v2(axis >= 0, axis, rank + axis)

    between = gen.maximum(count - 2, 0)
    steps = gen.maximum(count - 1, 1)
    delta = (last - first) / cast(steps, last.dtype)
    first = cast(first, delta.dtype)
    last = cast(last, delta.dtype)
    # A negative count ends the range before it begins; the last op refuses it.
    end = gen.select_v2(count >= 0, steps, -1)
    numbers = cast(range(1, end, dtype=dtypes.int64), delta.dtype)
    along = gen.equal(axis, range(rank))
    numbers = tf.reshape(numbers, gen.select_v2(along, between, 1))
    middle = first + delta * numbers
    values = tf.concat((first, middle, last), axis=axis)
    # With a count of 1 the end is cut off.
    begin = tf.zeros_like(shape)
    size = tf.concat((shape[0:axis], tf.reshape(count, [1]), shape[axis + 1 :]), axis=0)
    result = tf.slice(values, begin, size)
    known = constant_value(num) if isinstance(num, Tensor) else num
    result.set_shape(tensor_shape.TensorShape([None if known is None else int(known)]).concatenate(start.get_shape()))
    return result


def is_non_decreasing(x, name=None):
  """Whether each element is at least the one before it, in row-major order. Fewer than two are in order.

  Raises:
    TypeError: if `x` has no numbers.
  """
  with name_scope(name, "is_non_decreasing", [x]):
    return tf.reduce_all(_neighbours(x, gen.greater_equal))


def is_strictly_increasing(x, name=None):
  """Whether each element is greater than the one before it, in row-major order. Fewer than two are in order.

  Raises:
    TypeError: if `x` has no numbers.
  """
  with name_scope(name, "is_strictly_increasing", [x]):
    return tf.reduce_all(_neighbours(x, gen.greater))


def _neighbours(x, compare):
  """`compare` of each element and the one before it; empty where there are fewer than two."""
  from millrace.ops.debugging.types import is_numeric_tensor

  x = tf.reshape(x, [-1])
  if not is_numeric_tensor(x):
    raise TypeError(f"Expected x to be numeric, instead found: {x}")
  is_short = gen.less(tf.size(x), 2)
  length = tf.shape(x) - 1

  def pairs():
    return compare(tf.strided_slice(x, [1], [1] + length), tf.strided_slice(x, [0], length))

  return tf.cond(is_short, lambda: convert_to_tensor([], dtype=dtypes.bool), pairs)
