"""Dataset and its readers as TensorFlow 1.3 had them in tf.contrib.data: with methods that later became functions."""

import millrace as tf
from millrace.data import dataset as dataset_lib
from millrace.data import scanning
from millrace.framework.deprecation import deprecated

_INSTRUCTIONS = "Use `tf.data.Dataset%s`."


class Dataset(dataset_lib.DatasetV1):
  """A data set with the methods and arguments of TensorFlow 1.3; what its methods return has them as well.

  It is a tf.data.Dataset, and can be made of one.
  """

  def __init__(self, dataset):
    self._dataset = dataset
    super().__init__()

  def _as_variant_tensor(self):
    return self._dataset._variant_tensor

  def _inputs(self):
    return [self._dataset]

  @property
  def element_spec(self):
    return self._dataset.element_spec

  # Sources.

  @staticmethod
  @deprecated(None, _INSTRUCTIONS % ".from_tensors()")
  def from_tensors(tensors):
    """A data set of one element."""
    return Dataset(dataset_lib.DatasetV1.from_tensors(tensors))

  @staticmethod
  @deprecated(None, _INSTRUCTIONS % ".from_tensor_slices()")
  def from_tensor_slices(tensors):
    """A data set of the rows of tensors."""
    return Dataset(dataset_lib.DatasetV1.from_tensor_slices(tensors))

  @staticmethod
  @deprecated(None, _INSTRUCTIONS % ".from_sparse_tensor_slices()")
  def from_sparse_tensor_slices(sparse_tensor):
    """A data set of the rows of a SparseTensor, as triples (indices, values, shape)."""
    return Dataset(dataset_lib.DatasetV1.from_sparse_tensor_slices(sparse_tensor))

  @staticmethod
  @deprecated(None, _INSTRUCTIONS % ".from_generator()")
  def from_generator(generator, output_types, output_shapes=None):
    """A data set of what a Python generator yields."""
    return Dataset(dataset_lib.DatasetV1.from_generator(generator, output_types, output_shapes))

  @staticmethod
  @deprecated(None, _INSTRUCTIONS % ".range()")
  def range(*args):
    """A data set of int64 numbers, as Python's range."""
    return Dataset(dataset_lib.DatasetV1.range(*args))

  @staticmethod
  @deprecated(None, _INSTRUCTIONS % ".zip()")
  def zip(datasets):
    """A data set of structures of the elements of several."""
    return Dataset(dataset_lib.DatasetV1.zip(datasets))

  @staticmethod
  @deprecated(None, _INSTRUCTIONS % ".list_files()")
  def list_files(file_pattern):
    """A data set of the names of files that match a pattern."""
    return Dataset(dataset_lib.DatasetV1.list_files(file_pattern))

  @staticmethod
  @deprecated(None, "Use `tf.contrib.data.make_batched_features_dataset`.")
  def read_batch_features(
    file_pattern, batch_size, features, reader, reader_args=None, randomize_input=True, num_epochs=None, capacity=10000
  ):
    """Returns a data set of dictionaries of features of `batch_size` Examples of files."""
    from millrace.contrib.data import batching

    return Dataset(
      batching.batched_features(file_pattern, batch_size, features, reader, reader_args, randomize_input, num_epochs, capacity)
    )

  # Steps.

  def concatenate(self, dataset):
    return Dataset(self._dataset.concatenate(dataset))

  def prefetch(self, buffer_size):
    return Dataset(self._dataset.prefetch(buffer_size))

  def repeat(self, count=None):
    return Dataset(self._dataset.repeat(count))

  def shuffle(self, buffer_size, seed=None):
    return Dataset(self._dataset.shuffle(buffer_size, seed))

  def cache(self, filename=""):
    return Dataset(self._dataset.cache(filename))

  def take(self, count):
    return Dataset(self._dataset.take(count))

  def skip(self, count):
    return Dataset(self._dataset.skip(count))

  def shard(self, num_shards, index):
    return Dataset(self._dataset.shard(num_shards, index))

  def batch(self, batch_size):
    return Dataset(self._dataset.batch(batch_size))

  def padded_batch(self, batch_size, padded_shapes, padding_values=None):
    return Dataset(self._dataset.padded_batch(batch_size, padded_shapes, padding_values))

  def enumerate(self, start=0):
    """Pairs of a number and an element."""
    return Dataset(self._dataset.enumerate(start))

  def dense_to_sparse_batch(self, batch_size, row_shape):
    """Joins elements of several sizes to SparseTensors of [batch_size] + row_shape."""
    return Dataset(self._dataset.apply(scanning.dense_to_sparse_batch(batch_size, row_shape)))

  def group_by_window(self, key_func, reduce_func, window_size):
    """Groups elements by a key, and reduces each `window_size` of a group to a data set."""
    from millrace.data import grouping

    return Dataset(self._dataset.apply(grouping.group_by_window(key_func, reduce_func, window_size)))

  def unbatch(self):
    """The rows of the elements."""
    return Dataset(self._dataset.unbatch())

  def ignore_errors(self):
    """Leaves out elements whose making fails."""
    return Dataset(self._dataset.apply(scanning.ignore_errors()))

  def map(self, map_func, num_threads=None, output_buffer_size=None, num_parallel_calls=None):
    """What a function returns for each element, by `num_threads` (or `num_parallel_calls`) at once; `output_buffer_size` are kept ready."""
    made = self._dataset.map(map_func, num_parallel_calls=num_threads if num_parallel_calls is None else num_parallel_calls)
    return Dataset(made if output_buffer_size is None else made.prefetch(output_buffer_size))

  def flat_map(self, map_func):
    return Dataset(self._dataset.flat_map(map_func))

  def interleave(self, map_func, cycle_length, block_length=1):
    return Dataset(self._dataset.interleave(map_func, cycle_length, block_length))

  def filter(self, predicate):
    return Dataset(self._dataset.filter(predicate))

  def apply(self, transformation_func):
    return Dataset(self._dataset.apply(transformation_func))


class TextLineDataset(Dataset):
  """The lines of text files."""

  @deprecated(None, "Use `tf.data.TextLineDataset`.")
  def __init__(self, filenames, compression_type=None, buffer_size=None):
    super().__init__(tf.data.TextLineDataset(filenames, compression_type, buffer_size))


class TFRecordDataset(Dataset):
  """The records of TFRecord files."""

  @deprecated(None, "Use `tf.data.TFRecordDataset`.")
  def __init__(self, filenames, compression_type=None, buffer_size=None):
    super().__init__(tf.data.TFRecordDataset(filenames, compression_type, buffer_size))


class FixedLengthRecordDataset(Dataset):
  """Records of `record_bytes` bytes, without the header and footer of each file."""

  @deprecated(None, "Use `tf.data.FixedLengthRecordDataset`.")
  def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None):
    super().__init__(tf.data.FixedLengthRecordDataset(filenames, record_bytes, header_bytes, footer_bytes, buffer_size))
