"""Checks of how many dimensions tensors have: while the graph is built where that is known, else when it runs."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor_values import constant_value
from millrace.ops.control_flow.basics import with_dependencies
from millrace.ops.debugging.types import assert_type, prefix


class _StaticFailure(Exception):
  """A rank that is known to be wrong; its arguments are the rank and what was asked for."""


def _converted(x):
  return x if isinstance(x, composite.SparseTensor) else convert_to_tensor(x, name="x")


def _name(x):
  return getattr(x, "name", "")


def _rank_check(x, ranks, holds, make_condition, data, summarize):
  """An op that fails unless the rank of `x` is as `ranks`, a list of tensors, say.

  `holds(rank, ranks)` compares numbers; `make_condition(rank, ranks)` makes a tensor of bool.
  """
  for rank in ranks:
    assert_type(rank, dtypes.int32)
  known = [constant_value(rank) for rank in ranks]
  if all(rank is not None for rank in known):
    if any(rank.ndim != 0 for rank in known):
      raise ValueError("Rank must be a scalar.")
    rank = x.get_shape().ndims
    if rank is not None:
      if not holds(rank, known):
        raise _StaticFailure(rank, tuple(int(value) for value in known))
      return gen.no_op(name="static_checks_determined_all_ok")
  condition = make_condition(tf.rank(x), ranks)
  for rank, value in zip(ranks, known):
    if value is None:
      this = ["Rank must be a scalar. Received rank: ", rank]
      condition = with_dependencies([assert_rank(rank, 0, data=this)], condition)
  return tf.Assert(condition, data, summarize=summarize)


def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
  """An op that fails unless `x` has `rank` dimensions; `data` stands in the message instead of both, `message` before it.

  Raises:
    ValueError: at once if the rank is known to be another.
    InvalidArgumentError: when it runs.
  """
  with name_scope(name, "assert_rank", (x, rank) + tuple(data or [])):
    x = _converted(x)
    rank = convert_to_tensor(rank, name="rank")
    message = prefix(message)
    if data is None:
      data = [message, f"Tensor {_name(x)} must have rank", rank, "Received shape: ", tf.shape(x)]
    try:
      return _rank_check(
        x, [rank], lambda actual, asked: actual == asked[0], lambda actual, asked: gen.equal(actual, asked[0]), data, summarize
      )
    except _StaticFailure as failure:
      raise ValueError(
        f"{message}Tensor {_name(x)} must have rank {failure.args[1][0]}.  Received rank {failure.args[0]}, shape {x.get_shape()}"
      ) from None


def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name=None):
  """An op that fails unless `x` has at least `rank` dimensions; arguments and errors as of `assert_rank`."""
  with name_scope(name, "assert_rank_at_least", (x, rank) + tuple(data or [])):
    x = _converted(x)
    rank = convert_to_tensor(rank, name="rank")
    message = prefix(message)
    if data is None:
      data = [message, f"Tensor {_name(x)} must have rank at least", rank, "Received shape: ", tf.shape(x)]
    try:
      return _rank_check(
        x,
        [rank],
        lambda actual, asked: actual >= asked[0],
        lambda actual, asked: gen.greater_equal(actual, asked[0]),
        data,
        summarize,
      )
    except _StaticFailure as failure:
      raise ValueError(
        f"{message}Tensor {_name(x)} must have rank at least {failure.args[1][0]}.  Received rank {failure.args[0]}, "
        f"shape {x.get_shape()}"
      ) from None


def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
  """An op that fails unless `x` has one of the numbers of dimensions; arguments and errors as of `assert_rank`."""
  with name_scope(name, "assert_rank_in", (x,) + tuple(ranks) + tuple(data or [])):
    x = _converted(x)
    ranks = [convert_to_tensor(rank, name="rank") for rank in ranks]
    message = prefix(message)
    if data is None:
      data = [message, f"Tensor {_name(x)} must have rank in"] + ranks + ["Received shape: ", tf.shape(x)]

    def is_one(actual, asked):
      found = None
      equal = [gen.equal(rank, actual) for rank in asked]
      for condition in equal:
        found = condition if found is None else gen.logical_or(found, condition)
      return found

    try:
      return _rank_check(x, ranks, lambda actual, asked: any(actual == rank for rank in asked), is_one, data, summarize)
    except _StaticFailure as failure:
      raise ValueError(
        f"{message}Tensor {_name(x)} must have rank in {failure.args[1]}.  Received rank {failure.args[0]}, shape {x.get_shape()}"
      ) from None
