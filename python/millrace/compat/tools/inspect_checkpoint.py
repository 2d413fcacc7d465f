"""What is in a checkpoint, printed."""

import re

import numpy as np

import millrace as tf


def _count_total_params(reader, count_exclude_pattern=""):
  """The number of elements of all tensors but those whose names match a pattern, which are counted aloud."""
  shapes = reader.get_variable_to_shape_map()
  sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
  excluded = []
  if count_exclude_pattern:
    excluded = [name for name in sizes if re.search(count_exclude_pattern, name)]
    count = sum(sizes[name] for name in excluded)
    print(f"# Excluding {len(excluded)} tensors ({count} params) that match {count_exclude_pattern} when counting.")
  return sum(size for name, size in sizes.items() if name not in excluded)


def print_tensors_in_checkpoint_file(file_name, tensor_name, all_tensors, all_tensor_names=False, count_exclude_pattern=""):
  """Prints the tensor of that name, or the values or names of all, or a list if no name is given; then the number of elements.

  Elements of tensors whose names match `count_exclude_pattern` are not counted. What is wrong with the file is printed too.
  """
  try:
    reader = tf.train.NewCheckpointReader(file_name)
    if all_tensors or all_tensor_names:
      for name in sorted(reader.get_variable_to_shape_map()):
        _print_tensor(reader, name, all_tensors)
    elif not tensor_name:
      print(tf.compat.as_str(reader.debug_string()))
    elif not reader.has_tensor(tensor_name):
      print(f"Tensor {tensor_name} not found in checkpoint")
      return
    else:
      _print_tensor(reader, tensor_name, True)
    print(f"# Total number of params: {_count_total_params(reader, count_exclude_pattern)}")
  except tf.errors.OpError as error:
    print(error.message)


def _print_tensor(reader, name, with_value):
  dtype, shape = reader.get_variable_to_dtype_map()[name], reader.get_variable_to_shape_map()[name]
  print(f"tensor: {name} ({dtype.name}) {shape}")
  if with_value:
    print(reader.get_tensor(name))
