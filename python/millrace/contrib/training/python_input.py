"""Elements of a Python generator in a queue."""

import threading

import numpy as np

import millrace as tf
from millrace.train import queue_runners


def python_input(generator, features, name=None):
  """The tensors of a queue that gets what `generator()` yields, maps of values by the names of `features`.

  `features` maps names to tf.FixedLenFeature, whose default value stands for a missing one, or tf.FixedLenSequenceFeature with
  allow_missing=True. Raises TypeError for what is no function, no map or no feature, NotImplementedError for sparse features, ValueError for
  features of sequences that may not be missing or have a default value.
  """
  if not callable(generator):
    raise TypeError("generator must be callable, but saw: %s" % generator)
  if not isinstance(features, dict):
    raise TypeError("features must be a dict, but saw: %s" % features)
  with tf.name_scope(name, "python_input"):
    names = sorted(features)
    for key in names:
      _check(key, features[key])
    elements = _Elements(generator, features, names)
    types = [features[key].dtype for key in names]
    values = tf.py_func(elements.take, [], types, stateful=True)
    for key, value in zip(names, values):
      value.set_shape(_shape(features[key]))
    queue = tf.PaddingFIFOQueue(capacity=1, dtypes=types, shapes=[_shape(features[key]) for key in names])
    queue_runners.add_queue_runner(queue_runners.QueueRunner(queue, [queue.enqueue(values)]))
    taken = queue.dequeue()
    return dict(zip(names, taken if isinstance(taken, (list, tuple)) else [taken]))


def _check(key, feature):
  if isinstance(feature, (tf.VarLenFeature, tf.SparseFeature)):
    raise NotImplementedError("VarLenFeature and SparseFeature are not supported")
  if isinstance(feature, tf.FixedLenSequenceFeature):
    if not feature.allow_missing:
      raise ValueError("FixedLenSequenceFeature must have allow_missing=True, but saw: %s" % (feature,))
    if feature.default_value is not None:
      raise ValueError("FixedLenSequenceFeature does not support a default value, but saw: %s" % (feature,))
  elif not isinstance(feature, tf.FixedLenFeature):
    raise TypeError("Expected a FixedLenFeature or FixedLenSequenceFeature for %s, but saw: %s" % (key, feature))


def _shape(feature):
  shape = list(feature.shape)
  return [None, *shape] if isinstance(feature, tf.FixedLenSequenceFeature) else shape


class _Elements:
  """What a generator yields, one element a call."""

  def __init__(self, generator, features, names):
    self._generator = generator
    self._features = features
    self._names = names
    self._iterator = None
    self._lock = threading.Lock()

  def take(self):
    """The values of the next element. The end is an OutOfRangeError."""
    with self._lock:
      if self._iterator is None:
        self._iterator = iter(self._generator())
      try:
        element = next(self._iterator)
      except StopIteration:
        self._iterator = None
        raise
    return [self._value(key, element) for key in self._names]

  def _value(self, key, element):
    feature = self._features[key]
    dtype = feature.dtype.as_numpy_dtype
    given = np.asarray(element[key], dtype=dtype) if key in element else None
    if isinstance(feature, tf.FixedLenSequenceFeature) and (given is None or not given.size):
      return np.zeros([0, *feature.shape], dtype=dtype)
    if given is not None:
      return given
    if feature.default_value is None:
      raise KeyError("the generator's element has no value for %s" % key)
    return np.broadcast_to(np.asarray(feature.default_value, dtype=dtype), feature.shape)
