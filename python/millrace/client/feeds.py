"""What a run is given: values of Python and numpy for tensors."""

import numpy as np
from millrace import _binding
from millrace.client.fetches import conversion_of
from millrace.framework import dtypes, nest
from millrace.framework.tensor import Tensor


def expand(feed, value):
  """The pairs (tensor, value) that a key of a feed and its value stand for."""
  conversion = None if isinstance(feed, (Tensor, str)) else conversion_of(feed)
  if conversion is not None and conversion[2] is not None:
    return conversion[2](feed, value)
  if conversion is not None:
    raise TypeError("Feed argument %r has invalid type %r" % (feed, type(feed)))
  return [(feed, value)]


def flatten(feed_dict):
  """The pairs (feed, value) of a dictionary whose keys may be structures. Raises TypeError and ValueError."""
  return nest.flatten_dict_items(feed_dict) if _has_structures(feed_dict) else feed_dict


def _has_structures(feed_dict):
  return any(isinstance(key, (tuple, list, dict)) for key in feed_dict)


def tensors_and_values(graph, feed_dict):
  """Returns (tensors, values): values are arrays or Values, in the form that sessions of the extension take.

  Raises TypeError and ValueError for keys that are no tensors and values that do not fit.
  """
  tensors, values = [], []
  for feed, value in flatten(feed_dict).items():
    for part, part_value in expand(feed, value):
      try:
        tensor = graph.as_graph_element(part, allow_tensor=True, allow_operation=False)
      except Exception as error:
        raise TypeError("Cannot interpret feed_dict key as Tensor: " + str(error.args[0] if error.args else error)) from None
      if isinstance(part_value, Tensor):
        raise TypeError(
          "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, lists, numpy "
          "ndarrays, or TensorHandles. For reference, the tensor object was %s which was passed to the argument `feed_dict` with key %s."
          % (value, feed)
        )
      tensors.append(tensor)
      values.append(array_for(graph, tensor, part_value))
  return tensors, values


def array_for(graph, tensor, value):
  """The value of one tensor. Raises TypeError and ValueError."""
  dtype = tensor.dtype.base_dtype
  if isinstance(value, _binding.Value):
    array, shape = value, value.shape
  elif hasattr(value, "to_numpy_array") and hasattr(value, "handle"):  # a handle of a tensor in the session
    array = value.to_numpy_array() if dtype is not dtypes.string else np.asarray(value.handle, np.object_)
    return np.asarray(array, dtype=dtype.as_numpy_dtype)
  else:
    array = _as_array(value, dtype)
    shape = array.shape
  known = _binding.shape(tensor)
  if known is not None and known != shape:
    if len(known) != len(shape) or any(k is not None and k != s for k, s in zip(known, shape)):
      raise ValueError(
        "Cannot feed value of shape %r for Tensor %s, which has shape %s" % (shape, tensor.name, tensor.get_shape())
      )
  if not graph.is_feedable(tensor):
    raise ValueError("Tensor %s may not be fed." % tensor.name)
  return array


def _as_array(value, dtype):
  if dtype is dtypes.resource or dtype is dtypes.variant:
    raise TypeError("a tensor of type %s cannot be fed with a value of Python" % dtype.name)
  numpy_type = dtype.as_numpy_dtype
  if type(value) is np.ndarray and value.dtype == numpy_type:
    return value
  if isinstance(value, int) and not isinstance(value, bool) and not _holds(numpy_type, value):
    raise TypeError(
      "Type of feed value %s with type %s is not compatible with Tensor type %s. Try explicitly setting the type of the feed tensor "
      "to a larger type (e.g. int64)." % (value, type(value), numpy_type)
    )
  return np.asarray(value, dtype=numpy_type)


def _holds(numpy_type, value):
  try:
    return np.asarray(value).astype(numpy_type) == value
  except (OverflowError, TypeError, ValueError):
    return numpy_type is np.object_
