"""Checks that the sizes of several tensors fit together, and the flag that says where ops are placed."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, tensor_shape
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import control_dependencies, name_scope
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_values import constant_value
from millrace.ops.debugging.ranks import assert_rank, assert_rank_in
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
    pairs = [(x if isinstance(x, composite.SparseTensor) else convert_to_tensor(x), sizes) for x, sizes in pairs]
    pairs = [(x, _symbols(x, sizes, message)) for x, sizes in pairs]
    actual = [_sizes(x) for x, _ in pairs]
    rank_checks = [
      None if symbols[0] in _ANY_DIMENSIONS else _check_rank(x, len(symbols), data, summarize, message, name)
      for x, symbols in pairs
    ]
    size_checks = []
    specified = {}
    for (x, symbols), sizes, rank_check in zip(pairs, actual, rank_checks):
      # Behind dimensions of any number positions count from the end.
      positions = range(len(symbols)) if rank_check is not None else range(1 - len(symbols), 0)
      for position in positions:
        if symbols[position] in _ANY_SIZE:
          continue
        with control_dependencies([rank_check] if rank_check is not None else []):
          size = sizes[position]
        check = _check_size(x, size, symbols[position], position, specified, data, summarize, message)
        if check is not None:
          size_checks.append(check)
  return tf.group(size_checks + [check for check in rank_checks if check is not None])


def _symbols(x, sizes, message):
  """The symbols of the dimensions, [1] for a scalar. Raises ValueError for what is none, or "..." behind the first place."""
  of = f"{prefix(message)}Tensor {getattr(x, 'name', '')}"
  if isinstance(sizes, tensor_shape.TensorShape):
    sizes = sizes.as_list()
  if not hasattr(sizes, "__iter__") and not hasattr(sizes, "__getitem__"):
    raise ValueError(
      f"{of}.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` or `__getitem__`.  "
      f"Received specified shape: {sizes}"
    )
  symbols = tuple(sizes)
  for position, symbol in enumerate(symbols):
    if position and symbol in _ANY_DIMENSIONS:
      raise ValueError(
        f"{of} specified shape index {position}.  Symbol `...` or `*` for a variable number of unspecified dimensions is only "
        "allowed as the first entry"
      )
  if not symbols or symbols in [(symbol,) for symbol in _ANY_DIMENSIONS]:
    symbols += (1,)
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


def _check_rank(x, rank, data, summarize, message, name):
  if rank == 1:
    return assert_rank_in(x, [0, 1], data=data, summarize=summarize, message=message, name=name)
  return assert_rank(x, rank, data=data, summarize=summarize, message=message, name=name)


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
