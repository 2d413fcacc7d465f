"""Placeholders: tensors that steps are fed with."""

import numpy as np

from millrace import gen
from millrace.framework import composite, constants, dtypes, tensor, tensor_shape


def placeholder(dtype, shape=None, name=None):
  """Returns a tensor whose value each step has to be fed with; of any shape if None."""
  return gen.placeholder(dtype, shape=_shape_of(shape), name=name)


def placeholder_with_default(input, shape, name=None):
  """Returns a tensor that has the value `input` in steps that do not feed it."""
  return gen.placeholder_with_default(input, _shape_of(shape), name=name)


def sparse_placeholder(dtype, shape=None, name=None):
  """Returns a SparseTensor of placeholders, which a SparseTensorValue is fed for.

  Args:
    dtype: Type of the values.
    shape: Dense shape, as a list (None for what nobody knows) or a tensor of int64; fed with the rest if None.
    name: Prefix of the three placeholders: `name/shape`, `name/values` and `name/indices`.
  """

  def part(suffix):
    return None if name is None else name + suffix

  if shape is None:
    rank = None
    dense_shape = placeholder(dtypes.int64, shape=[rank], name=part("/shape"))
  else:
    static = None
    if isinstance(shape, tensor.Tensor):
      rank = shape.get_shape()[0]
      default = shape
    else:
      static = tensor_shape.TensorShape(shape)
      rank = len(static)
      sizes = [-1 if dim is None else dim for dim in static.as_list()]
      default = constants.constant(np.array(sizes, dtype=np.int64), dtype=dtypes.int64, **_name(part("/shape_default")))
    dense_shape = placeholder_with_default(default, shape=default.get_shape(), name=part("/shape"))
  values = placeholder(dtype, shape=[None], name=part("/values"))
  indices = placeholder(dtypes.int64, shape=[None, rank], name=part("/indices"))
  result = composite.SparseTensor(values=values, indices=indices, dense_shape=dense_shape)
  if shape is not None and static is not None:
    setter = getattr(result, "set_shape", None)
    if setter is not None:
      setter(static)
  return result


def _shape_of(shape):
  try:
    return tensor_shape.as_shape(shape)
  except (TypeError, ValueError) as error:
    raise type(error)("Error converting shape to a TensorShape: %s." % error) from None


def _name(name):
  return {} if name is None else {"name": name}
