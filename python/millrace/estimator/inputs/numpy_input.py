"""tf.estimator.inputs.numpy_input_fn: an input function of arrays."""

import collections

import numpy as np

from millrace.estimator.inputs import feeding

_FEATURE = "__direct_np_input__"


def _features_of(x):
  """The map of features, in the order of their names or their own. Raises TypeError and ValueError for what is none."""
  if not isinstance(x, (dict, np.ndarray)):
    raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
  if isinstance(x, np.ndarray):
    return collections.OrderedDict([(_FEATURE, x)])
  if not x:
    raise ValueError("x cannot be an empty dict")
  return collections.OrderedDict(x) if isinstance(x, collections.OrderedDict) else collections.OrderedDict(sorted(x.items()))


def _labels_of(y, features):
  """A list of pairs (name or None, array) of labels. Raises ValueError for an empty map, and for names that features have."""
  if y is None:
    return []
  if not isinstance(y, dict):
    return [(None, y)]
  if not y:
    raise ValueError("y cannot be empty dict, use None instead.")
  both = set(y) & set(features)
  if both:
    raise ValueError(f"{len(both)} duplicate keys are found in both x and y: {both}")
  return list(y.items()) if isinstance(y, collections.OrderedDict) else sorted(y.items())


def _shapes(value):
  if value is None:
    return None
  return {key: value[key].shape for key in value} if isinstance(value, dict) else value.shape


def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1):
  """An input function that gives batches of rows: features like `x`, an array or a map of them, and labels like `y`, if any.

  None epochs go on for ever. With `shuffle` rows are mixed in a queue of `queue_capacity` rows. Each of `num_threads` threads
  feeds all epochs. Raises ValueError if `shuffle` isn't said; the function raises it for arrays of different lengths.
  """
  feeding.check_shuffle(shuffle)

  def input_fn():
    features = _features_of(x)
    labels = _labels_of(y, features)
    lengths = {array.shape[0] for array in [*features.values(), *(array for _, array in labels)]}
    if len(lengths) != 1:
      raise ValueError(
        "Length of tensors in x and y is mismatched. All elements in x and y must have the same length.\n"
        f"Shapes in x: {_shapes(x)}\nShapes in y: {_shapes(y)}\n"
      )
    queue = feeding.enqueue_rows(
      [*features.values(), *(array for _, array in labels)],
      queue_capacity,
      shuffle=shuffle,
      min_after_dequeue=int(queue_capacity / 4),
      num_threads=num_threads,
      seed=None,
      enqueue_size=batch_size,
      num_epochs=num_epochs,
    )
    tensors = feeding.batches_of(queue, batch_size, num_epochs)
    if isinstance(x, np.ndarray):
      given = tensors[0]
    else:
      given = dict(zip(features, tensors))
    if y is None:
      return given
    rest = tensors[len(features) :]
    return given, dict(zip((name for name, _ in labels), rest)) if isinstance(y, dict) else rest[0]

  return input_fn
