"""Checks of types and shapes of tensors, and small sums of them."""

import millrace as tf
from millrace.framework import composite, convert, dtypes, tensor_shape
from millrace.framework import graph as ops
from millrace.framework.tensor import Tensor


def assert_same_float_dtype(tensors=None, dtype=None):
  """Returns the floating type of all tensors: `dtype` if it is said, float32 where nothing says it. ValueError for others."""
  expected = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
  for tensor in tensors or ():
    if tensor is None:
      continue
    own = tensor.dtype.base_dtype
    if expected is None:
      expected = own
    elif own != expected:
      raise ValueError(f"Tensor type mismatch: {getattr(tensor, 'name', tensor)} is {own.name}, expected {expected.name}.")
  expected = expected or dtypes.float32
  if not expected.is_floating:
    raise ValueError(f"Expected floating point type, got {expected.name}.")
  return expected


def assert_scalar(tensor, name=None):
  """Returns the tensor. ValueError unless its shape is known to be []."""
  with ops.name_scope(name, "assert_scalar", [tensor]) as scope:
    tensor = convert.convert_to_tensor(tensor, name=scope)
    if tensor.get_shape().ndims != 0:
      raise ValueError(f"Expected scalar shape for {tensor.name}, saw shape: {tensor.get_shape()}.")
    return tensor


def assert_scalar_int(tensor, name=None):
  """Returns the tensor. ValueError unless its shape is [] and its type a whole one."""
  with ops.name_scope(name, "assert_scalar_int", [tensor]) as scope:
    tensor = convert.convert_to_tensor(tensor)
    if not tensor.dtype.is_integer:
      raise ValueError(f"Expected integer type for {tensor.name}, received type: {tensor.dtype}.")
    return assert_scalar(tensor, name=scope)


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
  """Returns a SparseTensor (also for a SparseTensorValue) as it is, anything else as a tensor. TypeError for another type."""
  return tf.convert_to_tensor_or_sparse_tensor(value, dtype=dtype, name=name)


def reduce_sum_n(tensors, name=None):
  """Returns the sum of all elements of all tensors. ValueError for an empty list."""
  if not tensors:
    raise ValueError("No tensors provided.")
  with ops.name_scope(name, "reduce_sum_n", list(tensors)) as scope:
    sums = [tf.reduce_sum(tensor, name=f"{tensor.op.name}/sum") for tensor in tensors]
    return sums[0] if len(sums) == 1 else tf.add_n(sums, name=scope)


def remove_squeezable_dimensions(predictions, labels, name=None):
  """Returns (predictions, labels), the one with a dimension more without its last one, of size 1."""
  with ops.name_scope(name, "remove_squeezable_dimensions", [predictions, labels]):
    predictions, labels = convert.convert_to_tensor(predictions), convert.convert_to_tensor(labels)
    if predictions.get_shape().ndims is not None and labels.get_shape().ndims is not None:
      difference = predictions.get_shape().ndims - labels.get_shape().ndims
      if difference == -1:
        labels = tf.squeeze(labels, [-1])
      elif difference == 1:
        predictions = tf.squeeze(predictions, [-1])
      return predictions, labels
    difference = tf.rank(predictions) - tf.rank(labels)

    def without_last(tensor, wanted):
      # A last dimension that is known to be none of size 1 stays.
      last = tensor.get_shape().dims[-1] if tensor.get_shape().ndims is not None else None
      if last is not None and not last.is_compatible_with(1):
        return tensor
      return tf.cond(tf.equal(wanted, difference), lambda: tf.squeeze(tensor, [-1]), lambda: tf.identity(tensor))

    return without_last(predictions, 1), without_last(labels, -1)


def with_same_shape(expected_tensor, tensor):
  """Returns the tensor, with a check that it has the shape of the other one. ValueError where that is known to fail."""
  with ops.name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
    expected = expected_tensor.get_shape()
    shape = expected if expected.is_fully_defined() else tf.shape(expected_tensor, name="expected_shape")
    return with_shape(shape.as_list() if isinstance(shape, tensor_shape.TensorShape) else shape, tensor)


def with_shape(expected_shape, tensor):
  """Returns the tensor, with a check where it runs unless its shape is known to be `expected_shape`.

  ValueError where shapes are known to differ, or the expected one is no shape of whole numbers.
  """
  if isinstance(tensor, composite.SparseTensor):
    raise ValueError("SparseTensor not supported.")
  if not isinstance(tensor, Tensor) and not hasattr(tensor, "op"):
    raise ValueError(f"tensor {tensor} must be a Tensor.")
  if isinstance(expected_shape, tensor_shape.TensorShape):
    expected_shape = expected_shape.as_list()
  if not tf.contrib.framework.is_tensor(expected_shape):
    if all(size is not None for size in expected_shape) and tensor.get_shape().is_fully_defined():
      if list(expected_shape) != tensor.get_shape().as_list():
        raise ValueError(f"Invalid shape for tensor {tensor.name}, expected {list(expected_shape)}, got {tensor.get_shape()}.")
      return tensor
  actual = tensor.get_shape()
  with ops.name_scope(f"{tensor.op.name}/"):
    if tf.contrib.framework.is_tensor(expected_shape):
      known = tf.contrib.util.constant_value(expected_shape)
      if known is not None:
        return with_shape(known.reshape(-1).tolist(), tensor)
      expected, static = expected_shape, None
    else:
      static = tensor_shape.TensorShape(expected_shape)
      if not actual.is_compatible_with(static):
        raise ValueError(f"Invalid shape for tensor {tensor.name}, expected {list(expected_shape)}, got {actual}.")
      expected = tf.constant([-1 if size is None else size for size in expected_shape], dtype=tf.int32)
    found = tf.shape(tensor)
    same_rank = tf.equal(tf.size(found), tf.size(expected))
    message = [f"Wrong shape for {tensor.name} [expected] [actual].", expected, found]
    with ops.control_dependencies([tf.Assert(same_rank, message)]):
      wanted = tf.where(tf.less(expected, 0), found, expected)
      check = tf.Assert(tf.reduce_all(tf.equal(wanted, found)), message)
    with ops.control_dependencies([check]):
      checked = tf.identity(tensor)
  if static is not None:
    checked.set_shape(static)
  return checked
