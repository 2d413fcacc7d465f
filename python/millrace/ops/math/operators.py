"""Python's operators of tensors and sparse tensors, with the names and scopes of their ops.

The classes have them once this module is imported.
"""

import contextlib

from millrace import gen
from millrace.framework import composite, dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor
from millrace.ops.math import binary, division, elementwise, products, slices  # noqa: F401 - registers a conversion
from millrace.ops.math.dispatch import is_registered


def _add(x, y, name=None):
  if x.dtype == dtypes.string:
    return gen.add(x, y, name=name)
  return gen.add_v2(x, y, name=name)


def _mul(x, y, name=None):
  if isinstance(y, composite.SparseTensor):
    return binary.sparse_dense(gen.sparse_dense_cwise_mul, y, x, name)
  return gen.mul(x, y, name=name)


def _and(x, y, name=None):
  return gen.logical_and(x, y, name=name) if x.dtype == dtypes.bool else gen.bitwise_and(x, y)


def _or(x, y, name=None):
  return gen.logical_or(x, y, name=name) if x.dtype == dtypes.bool else gen.bitwise_or(x, y)


def _xor(x, y, name=None):
  return binary.logical_xor(x, y, name=name) if x.dtype == dtypes.bool else gen.bitwise_xor(x, y)


def _invert(x, name=None):
  return gen.logical_not(x, name=name) if x.dtype == dtypes.bool else gen.invert(x, name=name)


def _everything(_, y):
  return not isinstance(y, composite.SparseTensor)


def _numbers_for_floats(x, y):
  # What the op would do as well, in half of the time.
  return type(y) in (float, int) and x.dtype.is_floating


def _nothing(_, __):
  return False


def _left(function, public, op_name, converts):
  """The operator of a tensor on its left.

  `function` makes the op; `public` is the function of the same meaning that composite tensors answer. `converts` says
  which right sides become tensors before the op is made, of the left's type where that is possible; all others are left to
  the op, which has the errors of its own.
  """

  def operator(x, y):
    if is_registered(y):
      with name_scope(None, op_name, [x, y]) as scope:
        return public(x, y, name=scope)
    with name_scope(None, op_name, [x, y]) as scope:
      right = y
      try:
        if not isinstance(y, Tensor) and converts(x, y):
          right = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        return function(x, right, name=scope)
      except (TypeError, ValueError) as error:
        return _reflected(x, y, op_name, error)

  return operator


def _reflected(x, y, op_name, error):
  """What `y` makes of a tensor on its left that failed with `error`; raises the error where it makes nothing of it."""
  operator = None if isinstance(y, Tensor) else getattr(type(y), f"__r{op_name}__", None)
  result = NotImplemented
  if operator is not None:
    with contextlib.suppress(TypeError, ValueError):
      result = operator(y, x)
  if result is NotImplemented:
    raise error
  return result


def _right(function, op_name):
  """The operator of a tensor on its right: the left side has to be of its type."""

  def operator(y, x):
    with name_scope(None, op_name, [x, y]) as scope:
      x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
      return function(x, y, name=scope)

  return operator


# Python's name, the function that makes the op, the public function, which right sides are converted first.
_BINARY = (
  ("add", _add, binary.add, _everything),
  ("sub", gen.sub, binary.subtract, _numbers_for_floats),
  ("mul", _mul, binary.multiply, _numbers_for_floats),
  ("div", division.div, division.div, _everything),
  ("truediv", division.truediv, division.truediv, _everything),
  ("floordiv", division.floordiv, division.floordiv, _numbers_for_floats),
  ("mod", gen.floor_mod, binary.floormod, _numbers_for_floats),
  ("pow", gen.pow, binary.pow, _numbers_for_floats),
  ("matmul", products.matmul, products.matmul, _nothing),
  ("and", _and, binary.logical_and, _nothing),
  ("or", _or, binary.logical_or, _nothing),
  ("xor", _xor, binary.logical_xor, _nothing),
)

_PLAIN = (
  ("lt", binary.less),
  ("le", binary.less_equal),
  ("gt", binary.greater),
  ("ge", binary.greater_equal),
  ("neg", elementwise.negative),
  ("abs", elementwise.abs),
  ("invert", _invert),
)


def _sparse_operator(make, op_name):
  def operator(sparse, y):
    with name_scope(None, op_name, [sparse.indices, sparse.values, sparse.dense_shape, y]) as scope:
      y = convert_to_tensor(y, dtype=sparse.dtype.base_dtype, name="y")
      return make(sparse, y, scope)

  return operator


def _sparse_mul(sparse, y, name):
  return binary.sparse_dense(gen.sparse_dense_cwise_mul, sparse, y, name)


def _sparse_div(sparse, y, name):
  return binary.sparse_dense(gen.sparse_dense_cwise_div, sparse, y, name)


def _sparse_truediv(sparse, y, name):
  values = sparse.values
  dtype = division.computed_in(values.dtype.base_dtype)
  if dtype is not None:
    values = division.cast(values, dtype)
    y = division.cast(y, dtype)
  return _sparse_div(composite.SparseTensor(sparse.indices, values, sparse.dense_shape), y, name)


def _install():
  """Sets the operators of `Tensor` and `SparseTensor`."""
  for op_name, function, public, converts in _BINARY:
    _set(Tensor, f"__{op_name}__", _left(function, public, op_name, converts))
    _set(Tensor, f"__r{op_name}__", _right(function, op_name))
  for op_name, function in _PLAIN:
    _set(Tensor, f"__{op_name}__", _of(function))
  for op_name, make in (("mul", _sparse_mul), ("div", _sparse_div), ("truediv", _sparse_truediv)):
    setattr(composite.SparseTensor, f"__{op_name}__", _sparse_operator(make, op_name))


def _of(function):
  def operator(*operands):
    return function(*operands)

  return operator


def _set(tensor_class, operator, function):
  tensor_class._override_operator(operator, function)


_install()
