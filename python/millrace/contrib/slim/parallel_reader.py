"""Several readers whose records meet in one queue."""

import millrace as tf


class ParallelReader(tf.ReaderBase):
  """Reads by `num_readers` readers of a class, `reader_class(**reader_kwargs)`, into `common_queue`.

  The queue has two components of strings, keys and values. Its queue runner is added to the graph by read() and read_up_to().
  """

  def __init__(self, reader_class, common_queue, num_readers=4, reader_kwargs=None):
    if len(common_queue.dtypes) != 2 or not all(dtype.is_compatible_with(tf.string) for dtype in common_queue.dtypes):
      raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")
    reader_kwargs = reader_kwargs or {}
    self._readers = [reader_class(**reader_kwargs) for _ in range(num_readers)]
    self._common_queue = common_queue

  @property
  def num_readers(self):
    return len(self._readers)

  @property
  def common_queue(self):
    return self._common_queue

  def read(self, queue, name=None):
    """Returns the next record of any reader, [key, value]; `queue` has the names of files."""
    self._add_queue_runner(queue)
    return self._common_queue.dequeue(name=name)

  def read_up_to(self, queue, num_records, name=None):
    """Returns up to `num_records` records, [keys, values]."""
    self._add_queue_runner(queue)
    return self._common_queue.dequeue_up_to(num_records, name)

  def _add_queue_runner(self, queue):
    enqueues = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
    tf.train.add_queue_runner(tf.train.QueueRunner(self._common_queue, enqueues))

  def num_records_produced(self, name=None):
    """Returns how many records all readers have read."""
    return tf.add_n([reader.num_records_produced() for reader in self._readers], name=name)

  def num_work_units_completed(self, name=None):
    """Returns how many files all readers have read to their ends."""
    return tf.add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def parallel_read(
  data_sources,
  reader_class,
  num_epochs=None,
  num_readers=4,
  reader_kwargs=None,
  shuffle=True,
  dtypes=None,
  capacity=256,
  min_after_dequeue=128,
  seed=None,
  scope=None,
):
  """Returns [key, value] of the next record of files (a pattern, or a list of patterns and names), read by several readers.

  With `shuffle`, files are read in a random order and records are drawn from at least `min_after_dequeue`. After `num_epochs` there
  is OutOfRangeError. `dtypes` are those of key and value.
  """
  data_files = get_data_files(data_sources)
  with tf.name_scope(scope, "parallel_read"):
    filenames = tf.train.string_input_producer(data_files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames")
    dtypes = dtypes or [tf.string, tf.string]
    if shuffle:
      common_queue = tf.RandomShuffleQueue(
        capacity=capacity, min_after_dequeue=min_after_dequeue, dtypes=dtypes, seed=seed, name="common_queue"
      )
    else:
      common_queue = tf.FIFOQueue(capacity=capacity, dtypes=dtypes, name="common_queue")
    tf.summary.scalar(f"fraction_of_{capacity}_full", tf.cast(common_queue.size(), tf.float32) * (1.0 / capacity))
    reader = ParallelReader(reader_class, common_queue, num_readers=num_readers, reader_kwargs=reader_kwargs)
    return reader.read(filenames)


def single_pass_read(data_sources, reader_class, reader_kwargs=None, scope=None):
  """Returns [key, value] of the next record of files, each of which is read once, in their order, by one reader."""
  data_files = get_data_files(data_sources)
  with tf.name_scope(scope, "single_pass_read"):
    filenames = tf.train.string_input_producer(data_files, num_epochs=1, shuffle=False, capacity=1, name="filenames")
    return reader_class(**(reader_kwargs or {})).read(filenames)


def get_data_files(data_sources):
  """Returns the names of files of a pattern, a name, or a list of them. Raises ValueError if there is no file."""
  if isinstance(data_sources, (list, tuple)):
    found = []
    for source in data_sources:
      found += get_data_files(source)
  elif any(letter in data_sources for letter in "*?["):
    found = tf.gfile.Glob(data_sources)
  else:
    found = [data_sources]
  if not found:
    raise ValueError(f"No data files found in {data_sources}")
  return found
