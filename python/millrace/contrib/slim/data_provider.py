"""What gives the items of a data set as tensors: the base class, data sets, and their providers."""

import abc

from millrace.contrib.slim import parallel_reader


class DataDecoder(metaclass=abc.ABCMeta):
  """Makes the tensors of items from an encoded record."""

  @abc.abstractmethod
  def decode(self, data, items):
    """Returns a list with the tensors of `items`, names of list_items()."""

  @abc.abstractmethod
  def list_items(self):
    """Returns the names of all items."""


class Dataset:
  """A description of data in files; other keyword arguments, such as num_classes, become attributes."""

  def __init__(self, data_sources, reader, decoder, num_samples, items_to_descriptions, **kwargs):
    kwargs.update(
      data_sources=data_sources,
      reader=reader,
      decoder=decoder,
      num_samples=num_samples,
      items_to_descriptions=items_to_descriptions,
    )
    self.__dict__.update(kwargs)


class DataProvider(metaclass=abc.ABCMeta):
  """Gives tensors by names of items; `num_samples` may be None."""

  def __init__(self, items_to_tensors, num_samples):
    self._items_to_tensors = items_to_tensors
    self._num_samples = num_samples

  def get(self, items):
    """Returns the tensors of a list of items. Raises ValueError for an item that is not there."""
    self._validate_items(items)
    return [self._items_to_tensors[item] for item in items]

  def list_items(self):
    return self._items_to_tensors.keys()

  def num_samples(self):
    return self._num_samples

  def _validate_items(self, items):
    if not isinstance(items, (list, tuple)):
      raise ValueError("items must be a list or tuple")  # noqa: TRY004 (TensorFlow's class)
    valid = self.list_items()
    for item in items:
      if item not in valid:
        raise ValueError(f"Item [{item}] is invalid. Valid entries include: {valid}")


class DatasetDataProvider(DataProvider):
  """Gives the items of a Dataset, and the key of the record as the item `record_key`.

  `num_readers` readers, made with `reader_kwargs`, read its files into a queue of `common_queue_capacity`, from which with `shuffle` one of
  at least `common_queue_min` records is drawn. After `num_epochs` there is OutOfRangeError.
  """

  def __init__(
    self,
    dataset,
    num_readers=1,
    reader_kwargs=None,
    shuffle=True,
    num_epochs=None,
    common_queue_capacity=256,
    common_queue_min=128,
    record_key="record_key",
    seed=None,
    scope=None,
  ):
    key, data = parallel_reader.parallel_read(
      dataset.data_sources,
      reader_class=dataset.reader,
      num_epochs=num_epochs,
      num_readers=num_readers,
      reader_kwargs=reader_kwargs,
      shuffle=shuffle,
      capacity=common_queue_capacity,
      min_after_dequeue=common_queue_min,
      seed=seed,
      scope=scope,
    )
    items = dataset.decoder.list_items()
    items_to_tensors = dict(zip(items, dataset.decoder.decode(data, items)))
    if record_key in items_to_tensors:
      raise ValueError(f"The item name used for `record_key` cannot also be used for a dataset item: {record_key}")
    items_to_tensors[record_key] = key
    super().__init__(items_to_tensors=items_to_tensors, num_samples=dataset.num_samples)
