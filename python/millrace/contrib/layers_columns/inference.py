"""Columns of numbers for tensors as they are."""

import millrace as tf
from millrace.contrib.layers_columns import numbers
from millrace.framework import composite


def infer_real_valued_columns(features):
  """Returns a list of real_valued_columns for a dict of tensors, or for one tensor, whose column is called "".

  Each has the type and the second dimension of its tensor. Raises ValueError for SparseTensors, other types, and unknown shapes.
  """
  if not isinstance(features, dict):
    return [_column("", features)]
  return [_column(key, features[key]) for key in features]


def _column(name, tensor):
  if isinstance(tensor, composite.SparseTensor):
    raise ValueError(
      f"SparseTensor is not supported for auto detection. Please define corresponding FeatureColumn for tensor {name} {tensor}."
    )
  tensor = tf.convert_to_tensor(tensor)
  if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
    raise ValueError(
      "Non integer or non floating types are not supported for auto detection. Please define corresponding FeatureColumn for "
      f"tensor {name} {tensor}."
    )
  shape = tensor.get_shape()
  if shape.ndims is None or any(size is None for size in shape.as_list()[1:]):
    raise ValueError(
      "Could not infer shape for tensor; all dimensions but the first have to be known. Please define corresponding "
      f"FeatureColumn for tensor {name} {tensor}."
    )
  size = 1
  for dimension in shape.as_list()[1:]:
    size *= dimension
  return numbers.real_valued_column(name, dimension=size, dtype=tensor.dtype)
