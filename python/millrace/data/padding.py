"""Batches of elements of different sizes, which are padded."""

import numpy as np

from millrace import gen
from millrace.data import element_specs, structures, transformations
from millrace.data.dataset import DatasetV1Adapter
from millrace.data.functions import as_int64
from millrace.framework import convert, dtypes, tensor_shape, tensor_values
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_spec import TensorSpec


def padded_batch(dataset, batch_size, padded_shapes, padding_values, drop_remainder):
  for spec in structures.flatten(dataset.element_spec):
    if not isinstance(spec, TensorSpec):
      raise TypeError(
        "`padded_batch` is only supported for datasets that produce tensor elements but the input dataset produces elements of "
        f"unsupported type {spec.value_type}."
      )
  shapes_of_inputs = dataset.output_shapes
  batch_size = as_int64(batch_size, "batch_size")
  if padded_shapes is None:
    padded_shapes = shapes_of_inputs
  shapes = structures.map_structure_up_to(shapes_of_inputs, _shape_tensor, padded_shapes, shapes_of_inputs)
  if padding_values is None:
    padding_values = structures.map_structure(_default_value, dataset.output_types)
  elif not structures.is_sequence(padding_values) and structures.is_sequence(dataset.output_types):
    padding_values = structures.map_structure(lambda _: padding_values, dataset.output_types)
  values = structures.map_structure_up_to(shapes_of_inputs, _value_tensor, padding_values, dataset.output_types)
  drop_remainder = convert.convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
  static_size = transformations.static_value(batch_size) if transformations.static_value(drop_remainder) else None
  flat_shapes = structures.flatten(shapes)
  out_shapes = [
    tensor_shape.TensorShape([static_size]).concatenate(tensor_values.constant_value_as_shape(shape)) for shape in flat_shapes
  ]
  spec = structures.pack_sequence_as(
    dataset.element_spec,
    [TensorSpec(shape, s.dtype) for shape, s in zip(out_shapes, structures.flatten(dataset.element_spec))],
  )
  made = gen.padded_batch_dataset_v2(
    dataset._variant_tensor,
    batch_size=batch_size,
    padded_shapes=flat_shapes,
    padding_values=structures.flatten(values),
    drop_remainder=drop_remainder,
    output_shapes=element_specs.flat_shapes(spec),
  )
  return DatasetV1Adapter(made, spec, [dataset])


def _shape_tensor(padded, actual):
  """A padded shape as an int64 vector with -1 where it is open. Raises where it does not fit the shape of the component."""
  try:
    shape = tensor_shape.as_shape(padded) if not isinstance(padded, Tensor) else None
  except (TypeError, ValueError):
    shape = None
  if shape is not None:
    made = convert.convert_to_tensor([-1 if size is None else size for size in shape.as_list()], dtype=dtypes.int64)
  else:
    made = convert.convert_to_tensor(padded, preferred_dtype=dtypes.int64)
    if made.shape.ndims != 1:
      raise ValueError(f"The given shape {padded} must be a 1-D tensor of `tf.int64` values, but the shape was {made.shape}.")
    if made.dtype != dtypes.int64:
      raise TypeError(
        f"The given shape {padded} must be a 1-D tensor of `tf.int64` values, but the element type was {made.dtype.name}."
      )
    shape = tensor_values.constant_value_as_shape(made)
  if not _fits(shape, actual):
    raise ValueError(f"The padded shape {shape} is not compatible with the shape {actual} of the corresponding input component.")
  return made


def _fits(padded, actual):
  if padded.ndims is None or actual.ndims is None:
    return True
  if padded.ndims != actual.ndims:
    return False
  return all(wide is None or narrow is None or wide >= narrow for wide, narrow in zip(padded.as_list(), actual.as_list()))


def _default_value(dtype):
  if dtype.base_dtype == dtypes.string:
    return ""
  if dtype.base_dtype == dtypes.variant:
    raise TypeError("Unable to create default padding value for a component of type 'variant'.")
  return np.zeros_like(dtype.as_numpy_dtype())


def _value_tensor(value, dtype):
  made = convert.convert_to_tensor(value, name="padding_value")
  if not made.shape.is_compatible_with(tensor_shape.TensorShape([])):
    raise ValueError(f"Invalid `padding_values`. `padding_values` values should be scalars, but got {made.shape}.")
  if made.dtype != dtype:
    raise TypeError(f"Mismatched type between padding value {value!r} and input dataset's component type {dtype.name!r}.")
  return made
