"""What is known of a tensor's value when the graph is built, without running it.

Which ops are looked through is TensorFlow's choice, since graphs depend on it: `constant_value(tf.constant(1) + 1)` is None.
"""

import numpy as np
from millrace import _binding
from millrace.framework import dtypes, tensor_shape


def constant_value(tensor, partial=False):
  """Returns the value of a tensor as numpy has it, or None if it is not known; what is no tensor, as it is.

  With `partial`, a tensor stacked of parts of which only some are known is an object array with None for the others.
  """
  from millrace.framework import composite
  from millrace.framework.tensor import Tensor

  if not isinstance(tensor, (Tensor, composite.CompositeTensor)):
    return None if _is_variable(tensor) else tensor
  if not isinstance(tensor, Tensor):
    return None
  op = tensor.op
  rule = _RULES.get(op.type)
  if rule is None:
    return None
  value = rule(tensor, op, partial)
  if value is not None:
    # Whoever knows the value relies on it, as if it were part of the graph: it cannot be fed from now on.
    tensor.graph.prevent_feeding(tensor)
  return value


def value_while_building(tensor):
  """The value of a tensor that follows from constants, whatever ops compute it, or None."""
  value = constant_value(tensor)
  return _binding.constant_value(tensor) if value is None else value


def _is_variable(value):
  return hasattr(value, "initializer") and hasattr(value, "op")


def _const(tensor, op, partial):
  value = op.get_attr("value")
  if hasattr(value, "tensor_shape"):
    from millrace.framework import tensor_values

    return tensor_values.make_ndarray(value)
  return value


def _shape(tensor, op, partial):
  shape = op.inputs[0].get_shape()
  if not shape.is_fully_defined():
    return None
  return np.array(shape.as_list(), dtype=tensor.dtype.as_numpy_dtype)


def _size(tensor, op, partial):
  shape = op.inputs[0].get_shape()
  if not shape.is_fully_defined():
    return None
  return np.array(shape.num_elements(), np.int32)


def _rank(tensor, op, partial):
  rank = op.inputs[0].get_shape().ndims
  return None if rank is None else np.array(rank, np.int32)


def _range(tensor, op, partial):
  values = [constant_value(value) for value in op.inputs]
  if any(value is None for value in values):
    return None
  return np.arange(values[0], values[1], values[2], dtype=tensor.dtype.as_numpy_dtype)


def _cast(tensor, op, partial):
  value = constant_value(op.inputs[0])
  return None if value is None else value.astype(dtypes.as_dtype(op.get_attr("DstT")).as_numpy_dtype)


def _concatenate(parts, axis):
  axis = constant_value(axis)
  if axis is None:
    return None
  values = []
  for part in parts:
    value = constant_value(part)
    if value is None:
      return None
    values.append(value)
  return np.concatenate(values, axis=axis)


def _concat(tensor, op, partial):
  inputs = list(op.inputs)
  return _concatenate(inputs[1:], inputs[0])


def _concat_v2(tensor, op, partial):
  inputs = list(op.inputs)
  return _concatenate(inputs[:-1], inputs[-1])


def _pack(tensor, op, partial):
  inputs = list(op.inputs)
  if not inputs or op.get_attr("axis") != 0:
    return None
  values = [constant_value(value, partial) for value in inputs]
  if any(value is None for value in values):
    if not partial or all(value is None for value in values):
      return None
    out = np.empty(len(values), object)
    for index, value in enumerate(values):
      out[index] = value
    return out
  return np.array(values)


def _unpack(tensor, op, partial):
  value = constant_value(op.inputs[0], partial)
  return None if value is None else value[tensor.value_index] if op.get_attr("axis") == 0 else None


def _split(tensor, op, partial):
  axis = constant_value(op.inputs[0])
  value = constant_value(op.inputs[1], partial)
  if value is None or axis is None:
    return None
  return np.split(value, op.get_attr("num_split"), axis)[tensor.value_index]


def _fill(tensor, op, partial):
  shape = tensor.get_shape()
  value = constant_value(op.inputs[1])
  if not shape.is_fully_defined() or value is None:
    return None
  return np.full(shape.as_list(), value, dtype=value.dtype)


def _compare(function):
  def rule(tensor, op, partial):
    left, right = constant_value(op.inputs[0]), constant_value(op.inputs[1])
    return None if left is None or right is None else function(left, right)

  return rule


def _pass_on(tensor, op, partial):
  return constant_value(op.inputs[0], partial)


_RULES = {
  "Const": _const,
  "Shape": _shape,
  "Size": _size,
  "Rank": _rank,
  "Range": _range,
  "Cast": _cast,
  "Concat": _concat,
  "ConcatV2": _concat_v2,
  "Pack": _pack,
  "Unpack": _unpack,
  "Split": _split,
  "Fill": _fill,
  "Equal": _compare(np.equal),
  "NotEqual": _compare(np.not_equal),
  "StopGradient": _pass_on,
  "Identity": _pass_on,
}


def constant_value_as_shape(tensor):
  """Returns the shape that a vector of integers says, as far as it is known; -1 is an unknown dimension.

  Raises ValueError for a scalar other than a known -1, which is the unknown shape.
  """
  from millrace.framework.tensor import Tensor

  if not isinstance(tensor, Tensor):
    return tensor_shape.TensorShape([None if d == -1 else d for d in np.asarray(tensor).tolist()])
  if tensor.get_shape().ndims == 0:
    value = constant_value(tensor)
    if value is None:
      raise ValueError(
        "Received a scalar with unknown value as shape; require a statically known scalar with value '-1' to describe an unknown "
        "shape."
      )
    if value != -1:
      raise ValueError(
        "Received a scalar value '%s' as shape; require a statically known scalar with value '-1' to describe an unknown shape."
        % value
      )
    return tensor_shape.unknown_shape()
  shape = tensor.get_shape().with_rank(1)
  if shape == [0]:
    return tensor_shape.scalar()
  rule = _SHAPE_RULES.get(tensor.op.type)
  if rule is not None:
    found = rule(tensor.op)
    if found is not None:
      return found
  found = tensor_shape.unknown_shape(rank=tensor_shape.dimension_value(shape[0]))
  value = constant_value(tensor)
  if value is not None:
    found = found.merge_with(tensor_shape.TensorShape([d if d >= 0 else None for d in value]))
  return found


def _shape_of_shape(op):
  return op.inputs[0].get_shape()


def _shape_of_cast(op):
  return constant_value_as_shape(op.inputs[0])


def _shape_of_pack(op):
  found = tensor_shape.scalar()
  if op.get_attr("axis") != 0:
    raise ValueError("Since rank 1 inputs are expected, Pack must have axis 0")
  for part in op.inputs:
    value = constant_value(part)
    number = None if value is None or value < 0 else value
    found = found.concatenate([number])
  return found


def _shape_of_concat(op):
  inputs = list(op.inputs)
  found = tensor_shape.scalar()
  for part in inputs[1:] if op.type == "Concat" else inputs[:-1]:
    found = found.concatenate(constant_value_as_shape(part))
  return found


def _shape_of_slice(op):
  """Of a strided slice of a shape: what is known of begin, end and step decides."""
  try:
    begin, end, strides = (constant_value(value) for value in list(op.inputs)[1:4])
    if begin is None or end is None or strides is None:
      return None
    masks = {name: op.get_attr(name) for name in ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")}
    first = None if masks["begin_mask"] == 1 else begin[0]
    last = None if masks["end_mask"] == 1 else end[0]
    if masks["ellipsis_mask"] or masks["new_axis_mask"] or masks["shrink_axis_mask"]:
      return None
    if masks["begin_mask"] not in (0, 1) or masks["end_mask"] not in (0, 1):
      return None
    return constant_value_as_shape(op.inputs[0])[slice(first, last, strides[0])]
  except (ValueError, TypeError):
    return None


_SHAPE_RULES = {
  "Shape": _shape_of_shape,
  "Cast": _shape_of_cast,
  "Pack": _shape_of_pack,
  "Concat": _shape_of_concat,
  "ConcatV2": _shape_of_concat,
  "StridedSlice": _shape_of_slice,
}
