"""How arrays of tensors pass through branches and loops: their flow values do, and outside they are arrays again."""

from millrace.framework import nest
from millrace.ops.control_flow import tensor_array


def without_arrays(structure):
  """The structure with the flow of each TensorArray in its place."""
  return nest.map_structure(lambda value: value.flow if isinstance(value, tensor_array.TensorArray) else value, structure)


def with_arrays(values, tensors):
  """The list of tensors, where `values` has a TensorArray a TensorArray like it, with the tensor as its flow."""
  return [
    tensor_array.with_flow(value, flow) if isinstance(value, tensor_array.TensorArray) else flow
    for value, flow in zip(values, tensors)
  ]
