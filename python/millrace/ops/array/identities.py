"""Tensors passed on: identity and its relatives."""

from millrace import gen
from millrace.framework import composite


def identity(input, name=None):
  """Returns a tensor of the same value; each part of a sparse tensor and of indexed slices for itself."""
  if isinstance(input, composite.SparseTensor):
    return composite.SparseTensor(identity(input.indices), identity(input.values), identity(input.dense_shape))
  if isinstance(input, composite.IndexedSlices):
    values = identity(input.values)
    indices = identity(input.indices)
    shape = None if input.dense_shape is None else identity(input.dense_shape)
    return composite.IndexedSlices(values, indices, shape)
  result = gen.identity(input, name=name)
  if hasattr(input, "_handle_data"):
    result._handle_data = input._handle_data
  return result


def identity_n(input, name=None):
  """Returns the same tensors, each of which is there when all are."""
  return gen.identity_n(input, name=name)


def guarantee_const(input, name=None):
  """Returns the tensor and promises that it is the same in every step."""
  return gen.guarantee_const(input, name=name)


def stop_gradient(input, name=None):
  """Returns the tensor; gradients see a constant."""
  return gen.stop_gradient(input, name=name)


def bitcast(input, type, name=None):
  """Returns the same bytes as another type; the last dimension comes or goes where the sizes differ."""
  return gen.bitcast(input, type, name=name)


def fingerprint(data, method="farmhash64", name=None):
  """Returns a hash of each element of the first dimension, as a row of bytes; `method` is a scalar string."""
  return gen.fingerprint(data, method, name=name)
