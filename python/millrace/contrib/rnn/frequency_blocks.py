"""Inputs cut into overlapping pieces along their features, as cells over time and frequency take them."""

import millrace as tf


def pieces(inputs, first, number, size, skip):
  """Returns `number` slices of `size` columns of the matrix `inputs`; the first begins at `first`, each next `skip` later."""
  return [tf.slice(inputs, [0, first + skip * place], [-1, size]) for place in range(number)]


def number_of_pieces(width, size, skip):
  """Returns how many pieces of `size` columns, `skip` apart, are in `width` columns."""
  return int((width - size) / skip) + 1


def width_of(inputs):
  """Returns the number of columns. ValueError if it is not known."""
  width = inputs.get_shape().with_rank(2).dims[-1].value
  if width is None:
    raise ValueError("Cannot infer input_size from static shape inference.")
  return width
