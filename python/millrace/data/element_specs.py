"""What describes the elements of data sets, and how elements become lists of tensors and come back.

A sparse tensor travels as one tensor of variants, a data set and an optional as one variant.
"""

from millrace import gen
from millrace.data import structures
from millrace.framework import composite, convert, dtypes, scopes, tensor_shape
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_spec import TensorSpec

SparseTensorSpec = composite.SparseTensorSpec


def spec_of(value):
  """Returns the spec of one component, or None for what is not a tensor of any kind."""
  if isinstance(value, Tensor):
    return TensorSpec(value.shape, value.dtype)
  if isinstance(value, (composite.SparseTensor, composite.SparseTensorValue)):
    return SparseTensorSpec.from_value(value)
  if isinstance(value, composite.TypeSpec):
    return value
  if hasattr(value, "_type_spec"):
    return value._type_spec
  return None


def normalize_element(element):
  """Returns a structure in which everything is a tensor, a SparseTensor or another composite value."""
  flat = structures.flatten(element)
  with scopes.name_scope("normalize_element"):
    made = []
    for i, value in enumerate(flat):
      if isinstance(value, composite.SparseTensorValue):
        made.append(composite.SparseTensor.from_value(value))
      elif isinstance(value, Tensor) or spec_of(value) is None:
        made.append(convert.convert_to_tensor(value, name=f"component_{i}"))
      else:
        made.append(value)
  return structures.pack_sequence_as(element, made)


def type_spec_from_value(element):
  """Returns the structure of specs of an element; what is not a tensor is made one."""
  return structures.map_structure(lambda v: spec_of(v) or spec_of(convert.convert_to_tensor(v)), element)


def _is_sparse(spec):
  return isinstance(spec, SparseTensorSpec)


def flat_types(spec):
  """The types of the tensors that an element travels as."""
  return [s.dtype if isinstance(s, TensorSpec) else dtypes.variant for s in structures.flatten(spec)]


def flat_shapes(spec):
  """The shapes of the tensors that an element travels as."""
  return [_travel_shape(s) for s in structures.flatten(spec)]


def _travel_shape(spec):
  if isinstance(spec, TensorSpec):
    return spec.shape
  if hasattr(spec, "_dataset_shape"):
    return spec._dataset_shape
  return tensor_shape.TensorShape([]) if hasattr(spec, "_value_structure") else tensor_shape.unknown_shape()


def attrs_of(spec):
  """The attributes that ops of data sets have for their elements."""
  return {"output_types": flat_types(spec), "output_shapes": flat_shapes(spec)}


def to_tensor_list(spec, element):
  """Returns the tensors that an element travels as."""
  structures.assert_same_structure(spec, element)
  return [_to_tensor(s, v) for s, v in zip(structures.flatten(spec), structures.flatten(element))]


def _to_tensor(spec, value):
  if isinstance(spec, TensorSpec):
    return convert.convert_to_tensor(value, spec.dtype)
  if _is_sparse(spec):
    if isinstance(value, composite.SparseTensorValue):
      value = composite.SparseTensor.from_value(value)
    return gen.serialize_sparse(value.indices, value.values, value.dense_shape, out_type=dtypes.variant)
  if hasattr(spec, "_to_tensor_list"):
    return spec._to_tensor_list(value)[0]
  raise TypeError(f"Elements of data sets cannot be {spec}.")


def to_batched_tensor_list(spec, element):
  """The same for an element whose parts are to be taken apart along their first dimension."""
  return [_to_batched_tensor(s, v) for s, v in zip(structures.flatten(spec), structures.flatten(element))]


def _to_batched_tensor(spec, value):
  if isinstance(spec, TensorSpec):
    value = convert.convert_to_tensor(value, spec.dtype)
    if value.shape.ndims == 0:
      raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return value
  if _is_sparse(spec):
    if isinstance(value, composite.SparseTensorValue):
      value = composite.SparseTensor.from_value(value)
    return gen.serialize_many_sparse(value.indices, value.values, value.dense_shape, out_type=dtypes.variant)
  raise NotImplementedError(f"Elements with {spec} cannot be taken apart.")


def from_tensor_list(spec, tensors):
  """Returns the element of the tensors it travelled as."""
  return structures.pack_sequence_as(spec, [_from_tensor(s, t) for s, t in zip(structures.flatten(spec), tensors)])


def _from_tensor(spec, tensor):
  if isinstance(spec, TensorSpec):
    return tensor
  if _is_sparse(spec):
    return _deserialized(spec, tensor)
  return spec._from_tensor_list([tensor])


def _deserialized(spec, tensor):
  from millrace.framework import constants
  from millrace.ops.array import joining

  indices, values, shape = gen.deserialize_sparse(tensor, dtype=spec.dtype)
  rank = spec.shape.ndims
  if rank is not None:
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    sizes = spec.shape.as_list()
    if rank and None not in sizes:
      shape = constants.constant(sizes, dtypes.int64, name="shape")
    elif any(size is not None for size in sizes):
      parts = joining.unstack(shape, num=rank)
      parts = [part if size is None else constants.constant(size, dtypes.int64) for part, size in zip(parts, sizes)]
      shape = joining.stack(parts)
  made = composite.SparseTensor(indices, values, shape)
  made.set_shape(spec.shape)
  return made


def batched(spec, size):
  """The spec of `size` elements (None: of any number) joined along a new first dimension."""
  return structures.map_structure(lambda s: _batched(s, size), spec)


def _batched(spec, size):
  if isinstance(spec, TensorSpec):
    return TensorSpec(tensor_shape.TensorShape([size]).concatenate(spec.shape), spec.dtype, spec.name)
  if _is_sparse(spec):
    return SparseTensorSpec(tensor_shape.TensorShape([size]).concatenate(spec.shape), spec.dtype)
  return spec._batch(size)


def unbatched(spec):
  """The spec of the rows of elements."""
  return structures.map_structure(_unbatched, spec)


def _unbatched(spec):
  if isinstance(spec, TensorSpec):
    if spec.shape.ndims == 0:
      raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return TensorSpec(tensor_shape.unknown_shape() if spec.shape.ndims is None else spec.shape[1:], spec.dtype)
  if _is_sparse(spec):
    return SparseTensorSpec(tensor_shape.unknown_shape() if spec.shape.ndims is None else spec.shape[1:], spec.dtype)
  return spec._unbatch()


def most_specific(one, two):
  """The structure of specs that says all that is true of both; what has other types raises."""
  return structures.map_structure(lambda a, b: a.most_specific_compatible_type(b), one, two)


def are_compatible(one, two):
  """True if elements of the second can stand where the first are expected."""
  try:
    structures.assert_same_structure(one, two)
  except (TypeError, ValueError):
    return False
  return all(a.is_compatible_with(b) for a, b in zip(structures.flatten(one), structures.flatten(two)))


# As programs of TensorFlow 1 describe elements: by types, shapes and classes.


def legacy_types(spec):
  return structures.map_structure(lambda s: s.dtype if hasattr(s, "dtype") else s, spec)


def legacy_shapes(spec):
  return structures.map_structure(lambda s: s.shape if hasattr(s, "shape") else s, spec)


def legacy_classes(spec):
  return structures.map_structure(lambda s: s.value_type if hasattr(s, "dtype") else s, spec)


def from_legacy(types, shapes, classes):
  """Returns the structure of specs for types, shapes and classes."""
  flat_of_types = structures.flatten(types)
  flat_of_shapes = structures.flatten(shapes)
  flat_of_classes = structures.flatten(classes)
  made = []
  for dtype, shape, kind in zip(flat_of_types, flat_of_shapes, flat_of_classes):
    if isinstance(kind, composite.TypeSpec):
      made.append(kind)
    elif isinstance(kind, type) and issubclass(kind, composite.SparseTensor):
      made.append(SparseTensorSpec(shape, dtype))
    elif isinstance(kind, type) and issubclass(kind, Tensor):
      made.append(TensorSpec(shape, dtype))
    else:
      raise TypeError(
        f"Could not build a structure for output class {kind!r}. Make sure any component class in `output_classes` inherits from one of "
        "the following classes: `tf.TypeSpec`, `tf.sparse.SparseTensor`, `tf.Tensor`, `tf.TensorArray`."
      )
  return structures.pack_sequence_as(types, made)


def types_from(value):
  """A structure of types."""
  return structures.map_structure(dtypes.as_dtype, _tuples(value))


def shapes_from(types, shapes):
  """A structure of shapes like that of the types; unknown ones for None."""
  if shapes is None:
    return structures.map_structure(lambda _: tensor_shape.unknown_shape(), types)
  return structures.map_structure_up_to(types, tensor_shape.as_shape, shapes)


def _tuples(value):
  return tuple(value) if isinstance(value, list) else value
