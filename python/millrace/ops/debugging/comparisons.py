"""Checks that all elements compare as they should: while the graph is built where the values are known, else when it runs."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import errors
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor_values import constant_value
from millrace.ops.debugging.types import prefix


def _binary(symbol, scope_name, make, holds, x, y, data, summarize, message, name):
  with name_scope(name, scope_name, [x, y, data]):
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, name="y")
    if data is None:
      data = [f"Condition x {symbol} y did not hold element-wise:", f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
    if message is not None:
      data = [message] + list(data)
    condition = tf.reduce_all(make(x, y))
    x_value, y_value = constant_value(x), constant_value(y)
    if x_value is not None and y_value is not None and not np.all(holds(x_value, y_value)):
      _fail(data)
    return tf.Assert(condition, data, summarize=summarize)


def _fail(data):
  """Raises what the op would raise, with the values that are known."""
  lines = []
  for value in data:
    known = constant_value(value) if hasattr(value, "op") else value
    lines.append(str(value if known is None else known))
  raise errors.InvalidArgumentError(node_def=None, op=None, message="\n".join(lines))


def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x == y for all elements; `data` stands in the message instead of both, `message` before it.

  Raises:
    InvalidArgumentError: at once if the values are known not to be equal, else when it runs.
  """
  with name_scope(name, "assert_equal", [x, y, data]):
    if x is y:
      return gen.no_op()
  return _binary("==", "assert_equal", gen.equal, np.equal, x, y, data, summarize, message, name)


def assert_none_equal(x, y, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x != y for all elements; arguments and errors as of `assert_equal`."""
  return _binary("!=", "assert_none_equal", gen.not_equal, np.not_equal, x, y, data, summarize, message, name)


def assert_less(x, y, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x < y for all elements; arguments and errors as of `assert_equal`."""
  return _binary("<", "assert_less", gen.less, np.less, x, y, data, summarize, message, name)


def assert_less_equal(x, y, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x <= y for all elements; arguments and errors as of `assert_equal`."""
  return _binary("<=", "assert_less_equal", gen.less_equal, np.less_equal, x, y, data, summarize, message, name)


def assert_greater(x, y, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x > y for all elements; arguments and errors as of `assert_equal`."""
  return _binary(">", "assert_greater", gen.greater, np.greater, x, y, data, summarize, message, name)


def assert_greater_equal(x, y, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x >= y for all elements; arguments and errors as of `assert_equal`."""
  return _binary(">=", "assert_greater_equal", gen.greater_equal, np.greater_equal, x, y, data, summarize, message, name)


def assert_negative(x, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x < 0 for all elements; arguments and errors as of `assert_equal`."""
  with name_scope(name, "assert_negative", [x, data]):
    x = convert_to_tensor(x, name="x")
    if data is None:
      data = [prefix(message), "Condition x < 0 did not hold element-wise:", f"x ({x.name}) = ", x]
    return assert_less(x, _zero(x), data=data, summarize=summarize)


def assert_positive(x, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x > 0 for all elements; arguments and errors as of `assert_equal`."""
  with name_scope(name, "assert_positive", [x, data]):
    x = convert_to_tensor(x, name="x")
    if data is None:
      data = [prefix(message), "Condition x > 0 did not hold element-wise:", f"x ({x.name}) = ", x]
    return assert_less(_zero(x), x, data=data, summarize=summarize)


def assert_non_negative(x, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x >= 0 for all elements; arguments and errors as of `assert_equal`."""
  with name_scope(name, "assert_non_negative", [x, data]):
    x = convert_to_tensor(x, name="x")
    if data is None:
      data = [prefix(message), "Condition x >= 0 did not hold element-wise:", f"x ({x.name}) = ", x]
    return assert_less_equal(_zero(x), x, data=data, summarize=summarize)


def assert_non_positive(x, data=None, summarize=None, message=None, name=None):
  """An op that fails unless x <= 0 for all elements; arguments and errors as of `assert_equal`."""
  with name_scope(name, "assert_non_positive", [x, data]):
    x = convert_to_tensor(x, name="x")
    if data is None:
      # One text, as graphs of TensorFlow have it.
      data = [prefix(message), f"Condition x <= 0 did not hold element-wise:x ({x.name}) = ", x]
    return assert_less_equal(x, _zero(x), data=data, summarize=summarize)


def _zero(x):
  return convert_to_tensor(0, dtype=x.dtype)


def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
  """An op that fails unless |x - y| < atol + rtol * |y| for all elements; both tolerances are ten roundings by default.

  Raises:
    InvalidArgumentError: when it runs.
  """
  with name_scope(name, "assert_near", [x, y, rtol, atol, data]):
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, name="y", dtype=x.dtype)
    rounding = np.finfo(x.dtype.real_dtype.as_numpy_dtype).eps if x.dtype.is_floating or x.dtype.is_complex else 0
    rtol = convert_to_tensor(10 * rounding if rtol is None else rtol, name="rtol", dtype=x.dtype.real_dtype)
    atol = convert_to_tensor(10 * rounding if atol is None else atol, name="atol", dtype=x.dtype.real_dtype)
    if data is None:
      data = [
        prefix(message),
        f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}",
        f"x ({x.name}) = ",
        x,
        f"y ({y.name}) = ",
        y,
      ]
    tolerance = atol + rtol * tf.abs(y)
    difference = tf.abs(x - y)
    condition = tf.reduce_all(gen.less(difference, tolerance))
    return tf.Assert(condition, data, summarize=summarize)
