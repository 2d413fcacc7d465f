"""Matrices whose rows are spread over several variables."""

import millrace as tf


def shards(name, shape, dtype, num_shards):
  """Returns `num_shards` variables `name_0`, `name_1`, ... with the rows of a matrix, the first ones in the first.

  ValueError for more variables than rows.
  """
  if num_shards > shape[0]:
    raise ValueError(f"Too many shards: shape={shape}, num_shards={num_shards}")
  rows, more = divmod(shape[0], num_shards)
  return [tf.get_variable(f"{name}_{number}", [rows + (number < more)] + shape[1:], dtype=dtype) for number in range(num_shards)]


def matrix_of_shards(name, shape, dtype, num_shards):
  """Returns the matrix that is stored in variables as `shards` makes them."""
  made = shards(name, shape, dtype, num_shards)
  return made[0] if num_shards == 1 else tf.concat(made, 0, name=name + "/concat")


def input_depth(inputs):
  """Returns the number of columns of a matrix. ValueError if it is not known."""
  depth = inputs.get_shape().with_rank(2).dims[1].value
  if depth is None:
    raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
  return depth
