"""Arrays as input: placeholders, and feeds of batches in order or shuffled."""

import numpy as np

import millrace as tf
from millrace.contrib.learn import pandas_data


class DataFeeder:
  """Gives batches of arrays (or of maps of arrays) and of labels by feeds, for ever or `epochs` times.

  Raises ValueError without rows.
  """

  def __init__(self, x, y, batch_size=None, shuffle=True, random_state=None, epochs=None):
    self._x = {key: _rows(value) for key, value in x.items()} if isinstance(x, dict) else _rows(x)
    self._y = None if y is None else {k: _rows(v, True) for k, v in y.items()} if isinstance(y, dict) else _rows(y, True)
    first = next(iter(self._x.values())) if isinstance(self._x, dict) else self._x
    self._num_rows = len(first)
    if self._num_rows == 0:
      raise ValueError("The input has no rows.")
    self._batch_size = min(batch_size or self._num_rows, self._num_rows)
    self._shuffle = shuffle
    self._random = np.random.RandomState(42) if random_state is None else random_state
    self._epochs = epochs
    self.epoch = 0
    self._begin_epoch()

  def _begin_epoch(self):
    self._order = self._random.permutation(self._num_rows) if self._shuffle else np.arange(self._num_rows)
    self._offset = 0

  @property
  def batch_size(self):
    return self._batch_size

  def placeholders(self):
    """Placeholders of the features and of the labels, or None."""

    def place(array, name):
      return tf.placeholder(_type_of(array), [None, *array.shape[1:]], name=name)

    def places(arrays, name):
      if isinstance(arrays, dict):
        return {key: place(array, key) for key, array in arrays.items()}
      return place(arrays, name)

    with tf.name_scope("data_feeder"):
      self._x_places = places(self._x, "input")
      self._y_places = None if self._y is None else places(self._y, "output")
    return self._x_places, self._y_places

  def feed(self):
    """The feeds of the next batch. Raises StopIteration after the last epoch."""
    if self._offset >= self._num_rows:
      self.epoch += 1
      if self._epochs is not None and self.epoch >= self._epochs:
        raise StopIteration
      self._begin_epoch()
    rows = self._order[self._offset : self._offset + self._batch_size]
    self._offset += self._batch_size
    feeds = {}
    _add(feeds, self._x_places, self._x, rows)
    if self._y is not None:
      _add(feeds, self._y_places, self._y, rows)
    return feeds


def _add(feeds, places, arrays, rows):
  if isinstance(places, dict):
    feeds.update({place: arrays[key][rows] for key, place in places.items()})
  else:
    feeds[places] = arrays[rows]


def _type_of(array):
  return tf.string if array.dtype.kind in "OSU" else tf.as_dtype(array.dtype)


def _rows(data, is_label=False):
  """An array of what may be a list, an array or a frame; doubles become floats, as models of floats want."""
  if pandas_data.is_pandas(data):
    data = pandas_data.extract_pandas_labels(data) if is_label else pandas_data.extract_pandas_data(data)
  elif not isinstance(data, np.ndarray):
    data = np.array(list(data) if not hasattr(data, "__len__") else data)
  if data.dtype == np.float64:
    data = data.astype(np.float32)
  return data


def input_and_feed(x, y, input_fn, feed_fn, batch_size, shuffle, epochs):
  """An input function, and the function of its feeds or None.

  Raises ValueError if there are arrays and an input function, or neither.
  """
  if input_fn is None:
    if x is None:
      raise ValueError("Either x or input_fn must be provided.")
    if tf.contrib.framework.is_tensor(x) or (y is not None and tf.contrib.framework.is_tensor(y)):
      raise ValueError("Inputs cannot be tensors. Please provide input_fn.")
    if feed_fn is not None:
      raise ValueError("Can not provide both feed_fn and x or y.")
    feeder = DataFeeder(x, y, batch_size=batch_size, shuffle=shuffle, epochs=epochs)
    return feeder.placeholders, feeder.feed
  if x is not None or y is not None:
    raise ValueError("Can not provide both input_fn and x or y.")
  if batch_size is not None:
    raise ValueError("Can not provide both input_fn and batch_size.")
  return input_fn, feed_fn
