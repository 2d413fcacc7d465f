"""Sums of several tensors and running sums along one."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, dtypes, tensor_shape
from millrace.framework.convert import convert_n_to_tensor_or_indexed_slices, convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor
from millrace.ops.math.dispatch import nary, other


@nary
def add_n(inputs, name=None):
  """The sum of tensors of one type and shape. A single one comes back as it is, or named `name`.

  Raises:
    ValueError: if there is none, or one is neither a tensor nor `IndexedSlices`.
  """
  message = "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
  inputs = list(inputs)
  if not inputs:
    raise ValueError(message)
  inputs = convert_n_to_tensor_or_indexed_slices(inputs)
  if not all(isinstance(value, (Tensor, composite.IndexedSlices)) for value in inputs):
    raise ValueError(message)
  if len(inputs) == 1:
    value = inputs[0]
    if isinstance(value, composite.IndexedSlices):
      value = convert_to_tensor(value)
    return tf.identity(value, name=name) if name else value
  return gen.add_n(inputs, name=name)


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
  """The sum of tensors of one type and shape, of which `shape` may say more than they do.

  Raises:
    ValueError: if there is none, or the types or shapes differ.
    TypeError: if `tensor_dtype` is given and is not theirs.
  """
  message = "inputs must be a list of at least one Tensor with the same dtype and shape"
  if not inputs or not isinstance(inputs, (list, tuple)):
    raise ValueError(message)
  inputs = convert_n_to_tensor_or_indexed_slices(inputs)
  if not all(isinstance(value, Tensor) for value in inputs):
    raise ValueError(message)
  if not all(value.dtype == inputs[0].dtype for value in inputs):
    raise ValueError(message)
  shape = tensor_shape.unknown_shape() if shape is None else tensor_shape.as_shape(shape)
  for value in inputs:
    shape = shape.merge_with(value.get_shape())
  if tensor_dtype is not None and tensor_dtype != inputs[0].dtype:
    raise TypeError(
      f"The `tensor_dtype` argument is {dtypes.as_dtype(tensor_dtype)}, but `input` is of type {inputs[0].dtype}. These must "
      "be equal. Try casting the input to the desired type."
    )
  if len(inputs) == 1:
    return inputs[0] if name is None else tf.identity(inputs[0], name=name)
  return add_n(inputs, name=name)


@other
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
  """The sums of the elements up to each one along `axis`; `exclusive` leaves it out, `reverse` sums from the end."""
  with name_scope(name, "Cumsum", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    return gen.cumsum(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
  """The products of the elements up to each one along `axis`; arguments as of `cumsum`."""
  with name_scope(name, "Cumprod", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    return gen.cumprod(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
  """log(cumsum(exp(x))) without overflow; arguments as of `cumsum`."""
  with name_scope(name, "CumulativeLogsumexp", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    return gen.cumulative_logsumexp(x, axis, exclusive=exclusive, reverse=reverse, name=scope)
