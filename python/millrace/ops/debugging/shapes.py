"""Checks that the sizes of several tensors fit together, and the flag that says where ops are placed."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, tensor_shape
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import control_dependencies, name_scope
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_values import constant_value
from millrace.ops.debugging.ranks import assert_rank, assert_rank_at_least, assert_rank_in
from millrace.ops.debugging.types import prefix

_ANY_SIZE = (None, ".")
_ANY_DIMENSIONS = (Ellipsis, "*")
_log_device_placement = False


def get_log_device_placement():
  """Whether `set_log_device_placement` asked for messages of where ops are placed."""
  return _log_device_placement


def set_log_device_placement(enabled):
  """Says whether ops that run at once tell where they are placed; sessions have `ConfigProto.log_device_placement`."""
  global _log_device_placement
  _log_device_placement = bool(enabled)


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
  """An op that fails unless tensors have the shapes that are said.

  `shapes` maps tensors to sizes, or is a list of pairs. A size is a number, a symbol, which stands for the same size
  everywhere, or None or "." for any; a first "..." or "*" stands for any dimensions. A scalar is of shape [1], too.

  Raises:
    ValueError: at once if a shape is known to be wrong.
    InvalidArgumentError: when it runs.
  """
  pairs = list(shapes.items()) if isinstance(shapes, dict) else list(shapes)
  with name_scope(name, "assert_shapes", [pairs, data]):
    pairs = [(x if isinstance(x, composite.SparseTensor) else convert_to_tensor(x), _symbols(sizes)) for x, sizes in pairs]
    actual = [_sizes(x) for x, _ in pairs]
    rank_checks = []
    size_checks = []
    specified = {}
    for (x, symbols), sizes in zip(pairs, actual):
      symbols, rank_check = _check_rank(x, symbols, data, summarize, message, name)
      rank_checks.append(rank_check)
      for position, symbol in enumerate(symbols):
        if symbol in _ANY_SIZE:
          continue
        from_end = position - len(symbols)
        with control_dependencies([rank_check]):
          size = sizes[from_end]
        check = _check_size(x, size, symbol, position, specified, data, summarize, message)
        if check is not None:
          size_checks.append(check)
  return tf.group(size_checks + rank_checks)


def _symbols(sizes):
  if isinstance(sizes, tensor_shape.TensorShape):
    sizes = sizes.as_list()
  symbols = tuple(sizes) if isinstance(sizes, (list, tuple, str)) else (sizes,)
  for position, symbol in enumerate(symbols):
    if position and symbol in _ANY_DIMENSIONS:
      raise ValueError(
        f"Specified shape index {position}: Symbol `...` or `*` for a variable number of unspecified dimensions is only "
        "allowed as the first entry"
      )
  return symbols


def _sizes(x):
  """The sizes of the dimensions, numbers where they are known: a list, or a tensor if their number is not known.

  A scalar has one of size 1.
  """
  shape = x.dense_shape if isinstance(x, composite.SparseTensor) else tf.shape(x)
  static = x.get_shape()
  if static.ndims is None:
    return tf.cond(gen.equal(tf.rank(x), 0), lambda: tf.constant([1], dtype=shape.dtype), lambda: shape)
  if static.ndims == 0:
    return [1]
  return [shape[axis] if size is None else size for axis, size in enumerate(static.as_list())]


def _check_rank(x, symbols, data, summarize, message, name):
  """The symbols of the last dimensions, and the check that there are as many."""
  if symbols and symbols[0] in _ANY_DIMENSIONS:
    symbols = symbols[1:]
    return symbols, assert_rank_at_least(x, len(symbols), data=data, summarize=summarize, message=message, name=name)
  if len(symbols) == 1:
    return symbols, assert_rank_in(x, [0, 1], data=data, summarize=summarize, message=message, name=name)
  return symbols, assert_rank(x, len(symbols), data=data, summarize=summarize, message=message, name=name)


def _check_size(x, size, symbol, position, specified, data, summarize, message):
  """The check that a dimension has the size of its symbol, None where that is known or first said here."""
  if isinstance(symbol, int):
    expected, said = symbol, "Specified explicitly"
  elif symbol in specified:
    expected, other, other_position = specified[symbol]
    said = f"Specified by tensor {other} dimension {other_position}"
  else:
    specified[symbol] = (size, getattr(x, "name", ""), position)
    return None
  known = [_known(size), _known(expected)]
  of = getattr(x, "name", "")
  if None not in known:
    if known[0] != known[1]:
      raise ValueError(
        f"{prefix(message)}{said}.  Tensor {of} dimension {position} must have size {known[1]}.  Received size {known[0]}, "
        f"shape {x.get_shape()}"
      )
    return None
  size = convert_to_tensor(size)
  wanted = convert_to_tensor(expected)
  condition = gen.equal(size, wanted)
  if data is None:
    data = [
      prefix(message),
      said,
      f"Tensor {of} dimension",
      position,
      "must have size",
      expected,
      "Received shape: ",
      tf.shape(x),
    ]
  return tf.Assert(condition, data, summarize=summarize)


def _known(size):
  if isinstance(size, Tensor):
    value = constant_value(size)
    return None if value is None else int(value)
  return int(size)
