"""Sorting along one dimension."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor_values import constant_value


def sort(values, axis=-1, direction="ASCENDING", name=None):
  """The values in order along `axis`, smallest first or, if `direction` is "DESCENDING", largest first.

  Raises:
    ValueError: if `axis` is not known, or for another direction.
  """
  with name_scope(name, "sort"):
    return _sorted(values, axis, direction, return_indices=False)


def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
  """The indices of the values in order along `axis`; arguments as of `sort`. Equal values stay in order in any case."""
  del stable
  with name_scope(name, "argsort"):
    return _sorted(values, axis, direction, return_indices=True)


def _sorted(values, axis, direction, return_indices):
  if direction not in ("ASCENDING", "DESCENDING"):
    raise ValueError(f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}")
  known = constant_value(convert_to_tensor(axis, name="axis"))
  if known is None or known.ndim:
    raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis}.")
  axis = int(known)
  values = convert_to_tensor(values, name="values")
  if direction == "DESCENDING":
    return _largest_first(values, axis, return_indices)
  # The largest of the opposite numbers are the smallest.
  dtype = values.dtype
  if dtype.is_unsigned:
    result = _largest_first(dtype.max - values, axis, return_indices)
    return result if return_indices else dtype.max - result
  if dtype.is_integer:
    # The smallest integer has no opposite.
    result = _largest_first(-values - 1, axis, return_indices)
    return result if return_indices else -result - 1
  result = _largest_first(-values, axis, return_indices)
  return result if return_indices else -result


def _largest_first(values, axis, return_indices):
  count = tf.shape(values)[axis]
  rank = tf.rank(values)
  ndims = values.get_shape().ndims
  order = None
  if axis != -1 and axis + 1 != ndims:
    # The op sorts the last dimension: the two change places.
    if ndims is not None:
      axis = axis + ndims if axis < 0 else axis
      places = np.r_[np.arange(axis), [ndims - 1], np.arange(axis + 1, ndims - 1), [axis]]
      order = tf.constant(places, name="transposition")
    else:
      axis = axis + rank if axis < 0 else axis
      order = gen.tensor_scatter_update(tf.range(rank), [[axis], [rank - 1]], [rank - 1, axis])
    values = tf.transpose(values, order)
  found = gen.top_kv2(values, count)
  result = found.indices if return_indices else found.values
  return result if order is None else tf.transpose(result, order)
