"""Elements of tensors moved: transposed, reversed, rolled, padded, repeated, and between space, depth and batch."""

import numpy as np

from millrace import gen
from millrace.framework import convert, dtypes, graph, tensor, tensor_shape, tensor_values
from millrace.ops.array import filling, joining, shapes
from millrace.ops.math.dispatch import other


def transpose(a, perm=None, name="transpose", conjugate=False):
  """Returns the tensor with its dimensions in the order `perm`, reversed if None; complex conjugated if asked for."""
  with graph.name_scope(name, "transpose", [a]) as scope:
    if not isinstance(a, tensor.Tensor):
      a = convert.convert_to_tensor(a, name="a")
    function = gen.conjugate_transpose if conjugate and a.dtype.is_complex else gen.transpose
    if perm is not None:
      return function(a, perm, name=scope)
    ndims = a.get_shape().ndims
    if ndims is None:
      perm = gen.range(gen.rank(a) - 1, -1, -1)
    else:
      perm = np.arange(ndims - 1, -1, -1, dtype=np.int32)
    return function(a, perm, name=scope)


def matrix_transpose(a, name="matrix_transpose", conjugate=False):
  """Returns the tensor with its last two dimensions swapped; ValueError where it has fewer."""
  with graph.name_scope(name, None, [a]):
    a = convert.convert_to_tensor(a, name="a")
    shape = a.get_shape()
    if shape.ndims is not None:
      if shape.ndims < 2:
        raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with shape: {shape}")
      perm = list(range(shape.ndims - 2)) + [shape.ndims - 1] + [shape.ndims - 2]
    else:
      rank = shapes.rank(a)
      perm = joining.concat((gen.range(0, rank - 2, 1), [rank - 1, rank - 2]), 0)
    return transpose(a, perm=perm, conjugate=conjugate)


def reverse(tensor, axis, name=None):
  """Returns the tensor with the dimensions that `axis` lists reversed."""
  return gen.reverse_v2(tensor, axis, name=name)


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None):
  """Returns the tensor with the first `seq_lengths[i]` elements along `seq_axis` reversed, for each i of `batch_axis`."""
  if seq_dim is not None and seq_axis is not None:
    raise ValueError("Cannot specify both 'seq_dim' and 'seq_axis'.")
  if batch_dim is not None and batch_axis is not None:
    raise ValueError("Cannot specify both 'batch_dim' and 'batch_axis'.")
  seq_axis = seq_dim if seq_dim is not None else seq_axis
  batch_axis = batch_dim if batch_dim is not None else batch_axis
  if seq_axis is None:
    raise TypeError("Expected int for argument 'seq_dim' not None.")
  return gen.reverse_sequence(input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0, name=name)


def roll(input, shift, axis, name=None):
  """Returns the tensor rolled by `shift` places along `axis`; both are scalars or vectors."""
  return gen.roll(input, shift, axis, name=name)


@other
def tile(input, multiples, name=None):
  """Returns the tensor repeated `multiples[i]` times along each dimension i."""
  return gen.tile(input, multiples, name=name)


def pad(tensor, paddings, mode="CONSTANT", name=None, constant_values=0):
  """Returns the tensor with elements before and after, as many as `paddings` ([n, 2]) says for each dimension.

  Args:
    tensor: Of n dimensions.
    paddings: Integers, [n, 2].
    mode: "CONSTANT", "REFLECT" (without the border) or "SYMMETRIC" (with it); the case does not matter.
    name: Name of the op.
    constant_values: What is put there in mode "CONSTANT".

  Raises:
    ValueError: The mode is none of them.
  """
  mode = mode.upper()
  if mode == "CONSTANT":
    if not tensor_values.is_tensor(constant_values) and np.isscalar(constant_values) and constant_values == 0:
      result = gen.pad(tensor, paddings, name=name)
    else:
      result = gen.pad_v2(tensor, paddings, constant_values, name=name)
  elif mode in ("REFLECT", "SYMMETRIC"):
    result = gen.mirror_pad(tensor, paddings, mode=mode, name=name)
  else:
    raise ValueError(
      f'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". Received `mode` = {mode}'
    )
  _set_padded_shape(result)
  return result


def _set_padded_shape(result):
  """Says of the shape what paddings that are known in part tell."""
  input_shape = result.op.inputs[0].get_shape()
  if input_shape.ndims is None or result.get_shape().is_fully_defined():
    return
  paddings = tensor_values.constant_value(result.op.inputs[1], partial=True)
  if paddings is None:
    return
  sizes = []
  for padding, size in zip(paddings, input_shape.as_list()):
    unknown = padding is None or size is None or any(x is None for x in padding)
    sizes.append(None if unknown else sum(padding) + size)
  result.set_shape(sizes)


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
  """Returns paddings and crops, [n, 2] each, with which `block_shape` divides the padded shape.

  Args:
    input_shape: Vector of n sizes.
    block_shape: Vector of n sizes, of a known length.
    base_paddings: The least paddings, [n, 2]; none if None.
    name: Prefix of the names of what it makes.
  """
  with graph.name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
    input_shape = convert.convert_to_tensor(input_shape, dtype=dtypes.int32, name="input_shape")
    block_shape = convert.convert_to_tensor(block_shape, dtype=dtypes.int32, name="block_shape")
    block_shape.get_shape().assert_is_fully_defined()
    block_shape.get_shape().assert_has_rank(1)
    num = tensor_shape.dimension_value(block_shape.get_shape()[0])
    if num == 0:
      return filling.zeros([0, 2], dtypes.int32), filling.zeros([0, 2], dtypes.int32)
    input_shape.get_shape().assert_is_compatible_with([num])
    if base_paddings is not None:
      base_paddings = convert.convert_to_tensor(base_paddings, dtype=dtypes.int32, name="base_paddings")
      base_paddings.get_shape().assert_is_compatible_with([num, 2])
    else:
      base_paddings = filling.zeros([num, 2], dtypes.int32)
    values = [tensor_values.constant_value(x) for x in (input_shape, block_shape, base_paddings)]
    if all(value is not None for value in values):
      input_shape, block_shape, base_paddings = values
    start = base_paddings[:, 0]
    base_end = base_paddings[:, 1]
    full = input_shape + start + base_end
    extra = (block_shape - full % block_shape) % block_shape
    end = base_end + extra
    paddings = joining.stack([[start[i], end[i]] for i in range(num)], name="paddings")
    crops = joining.stack([[0, extra[i]] for i in range(num)], name="crops")
    return paddings, crops


def _block_size(block_size, block_shape):
  if block_shape is not None:
    if block_size is not None:
      raise ValueError("Cannot specify both 'block_size' and 'block_shape'.")
    block_size = block_shape
  return np.array([block_size, block_size], dtype=np.int64)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
  """Returns an NHWC tensor with blocks of space moved to the batch, for a block of one size in height and width."""
  blocks = _block_size(block_size, block_shape)
  result = space_to_batch_nd(input, blocks, paddings, name=name)
  result.set_shape(result.get_shape().with_rank(4))
  return result


def space_to_batch_nd(input, block_shape, paddings, name=None):
  """Returns the tensor, padded, with blocks of its dimensions 1 and following moved to the batch."""
  return gen.space_to_batch_nd(input, block_shape, paddings, name=name)


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
  """Undoes `space_to_batch`, and crops."""
  result = batch_to_space_nd(input, _block_size(block_size, block_shape), crops, name=name)
  result.set_shape(result.get_shape().with_rank(4))
  return result


def batch_to_space_nd(input, block_shape, crops, name=None):
  """Undoes `space_to_batch_nd`, and crops."""
  return gen.batch_to_space_nd(input, block_shape, crops, name=name)


def space_to_depth(input, block_size, name=None, data_format="NHWC"):
  """Returns the tensor with blocks of space moved to the channels."""
  return gen.space_to_depth(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(input, block_size, name=None, data_format="NHWC"):
  """Undoes `space_to_depth`."""
  return gen.depth_to_space(input, block_size=block_size, data_format=data_format, name=name)


def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
  """Returns the patches of images, laid out in the last dimension."""
  if sizes is not None:
    if ksizes is not None:
      raise ValueError("Cannot specify both 'ksizes' and 'sizes'.")
    ksizes = sizes
  return gen.extract_image_patches(images, ksizes=ksizes, strides=strides, rates=rates, padding=padding, name=name)


def extract_volume_patches(input, ksizes, strides, padding, name=None):
  """Returns the patches of volumes, laid out in the last dimension."""
  return gen.extract_volume_patches(input, ksizes=ksizes, strides=strides, padding=padding, name=name)
