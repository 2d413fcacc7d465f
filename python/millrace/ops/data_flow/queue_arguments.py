"""What makers of queues, barriers and staging areas do with their arguments: lists of types, shapes and names."""

from collections import abc

from millrace.framework import dtypes as dtypes_lib
from millrace.framework import tensor_shape


def as_type_list(dtypes):
  """Returns a list of types for one or several."""
  if not isinstance(dtypes, (list, tuple)):
    dtypes = [dtypes]
  return [dtypes_lib.as_dtype(dtype) for dtype in dtypes]


def as_shape_list(shapes, dtypes, unknown_dim_allowed=False, unknown_rank_allowed=False):
  """Returns a list of shapes, or None for None. Raises ValueError where a shape says less than the kind of queue needs."""
  if unknown_dim_allowed and (
    not isinstance(shapes, abc.Sequence) or not shapes or any(shape is None or isinstance(shape, int) for shape in shapes)
  ):
    raise ValueError("When providing partial shapes, a list of shapes must be provided.")
  if shapes is None:
    return None
  if isinstance(shapes, tensor_shape.TensorShape):
    shapes = [shapes]
  if not isinstance(shapes, (tuple, list)):
    raise TypeError(f"Shapes must be a TensorShape or a list or tuple of TensorShapes, got {type(shapes)}.")
  if all(shape is None or isinstance(shape, int) for shape in shapes):
    # One shape for the one component.
    shapes = [shapes]
  shapes = [tensor_shape.as_shape(shape) for shape in shapes]
  if not unknown_dim_allowed and any(not shape.is_fully_defined() for shape in shapes):
    raise ValueError(f"All shapes must be fully defined: {shapes}")
  if not unknown_rank_allowed and any(shape.dims is None for shape in shapes):
    raise ValueError(f"All shapes must have a defined rank: {shapes}")
  return shapes


def as_name_list(names, dtypes):
  """Returns a list of names, or None for None. Raises ValueError if it is not as long as that of types."""
  if names is None:
    return None
  if not isinstance(names, (list, tuple)):
    names = [names]
  if len(names) != len(dtypes):
    raise ValueError(
      f"List of names must have the same length as the list of dtypes, received len(names)={len(names)},len(dtypes)={len(dtypes)}"
    )
  return list(names)
