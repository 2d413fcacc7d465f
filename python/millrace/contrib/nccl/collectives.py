"""Sums and extremes over tensors of several devices, made of ops that any device has."""

import functools

import millrace as tf
from millrace.framework.graph import name_scope


def all_sum(tensors):
  """The sum of the tensors, once on the device of each, as a list."""
  return _on_each_device("all_sum", tensors, tf.add_n)


def all_prod(tensors):
  """The product of the tensors, once on the device of each, as a list."""
  return _on_each_device("all_prod", tensors, lambda all_of: functools.reduce(tf.multiply, all_of))


def all_min(tensors):
  """The least of the elements of the tensors, once on the device of each, as a list."""
  return _on_each_device("all_min", tensors, lambda all_of: functools.reduce(tf.minimum, all_of))


def all_max(tensors):
  """The greatest of the elements of the tensors, once on the device of each, as a list."""
  return _on_each_device("all_max", tensors, lambda all_of: functools.reduce(tf.maximum, all_of))


def reduce_sum(tensors):
  """The sum of the tensors, on the device that is the current one."""
  tensors = _checked(tensors)
  return tf.add_n(tensors, name="reduce_sum")


def broadcast(tensor):
  """A tensor that devices read from where they need it."""
  (tensor,) = _checked([tensor])
  with tf.device(tensor.device):
    return tf.identity(tensor, name="broadcast")


def _on_each_device(name, tensors, reduce):
  """[`reduce` of all tensors, made on the device of the first one, for the device of each]."""
  tensors = _checked(tensors)
  with name_scope(name):
    with tf.device(tensors[0].device):
      total = reduce(tensors)
    results = []
    for tensor in tensors:
      with tf.device(tensor.device):
        results.append(tf.identity(total))
    return results


def _checked(tensors):
  """The tensors; each has to have a device."""
  if not tensors:
    raise ValueError("Must pass >0 tensors to all reduce operations")
  tensors = [tf.convert_to_tensor(tensor) for tensor in tensors]
  for tensor in tensors:
    if not tensor.device:
      raise ValueError(f"Device assignment required for nccl collective ops, which {tensor.name} has not")
  return tensors
