"""What input functions return: features and labels, or a data set of them."""

import millrace as tf
from millrace.data.dataset import DatasetV1
from millrace.framework import nest


class DatasetInitializerHook(tf.train.SessionRunHook):
  """Puts the iterator of a data set before its first element, each time that a session is made."""

  def __init__(self, iterator):
    self._iterator = iterator

  def begin(self):
    self._initializer = self._iterator.initializer

  def after_create_session(self, session, coord):
    del coord
    session.run(self._initializer)


def features_and_labels(result):
  """A pair of features and labels, which are None if they were not given. Raises ValueError for other lengths."""
  if isinstance(result, (list, tuple)):
    if len(result) != 2:
      raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
    return result[0], result[1]
  return result, None


def parse(result):
  """Features, labels and hooks of what an input function returned."""
  hooks = []
  if isinstance(result, DatasetV1):
    iterator = tf.data.make_initializable_iterator(result)
    hooks.append(DatasetInitializerHook(iterator))
    result = iterator.get_next()
  return (*features_and_labels(result), hooks)


def is_of_iterator(features):
  """True if some tensor of a structure is what an iterator gives next, so that the features end when the data set does."""
  return any(isinstance(one, tf.Tensor) and one.op.type == "IteratorGetNext" for one in nest.flatten(features))
