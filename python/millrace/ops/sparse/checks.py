"""What the functions of sparse tensors take: sparse tensors, and arguments under their older names."""

from millrace.framework import composite


def is_sparse(value):
  """Whether the value is a SparseTensor or a SparseTensorValue."""
  return isinstance(value, (composite.SparseTensor, composite.SparseTensorValue))


def to_sparse(value):
  """Returns the value as a SparseTensor. Raises TypeError for what is none."""
  if isinstance(value, composite.SparseTensorValue):
    return composite.SparseTensor.from_value(value)
  if not isinstance(value, composite.SparseTensor):
    raise TypeError("Input must be a SparseTensor.")
  return value


def to_sparse_list(values):
  """Returns a list or tuple of values as SparseTensors. Raises TypeError for anything else."""
  if not isinstance(values, (list, tuple)):
    raise TypeError("Inputs must be a list or tuple.")
  return [to_sparse(value) for value in values]


def one_of(new_name, new_value, old_name, old_value):
  """Returns an argument that was given under its new name or its older one. Raises ValueError where it was under both."""
  if old_value is None:
    return new_value
  if new_value is not None:
    raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
  return old_value
