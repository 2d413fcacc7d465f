"""Steps of tf.contrib.data around batches, and data sets of batches of Examples."""

import millrace as tf
from millrace import gen
from millrace.data import element_specs, interleaving, padding, structures, transformations
from millrace.data.dataset import DatasetV1Adapter
from millrace.data.functions import as_int64
from millrace.data.readers import TFRecordDatasetV1
from millrace.framework.deprecation import deprecated


@deprecated(None, "Use `tf.data.Dataset.batch(..., drop_remainder=True)`.")
def batch_and_drop_remainder(batch_size):
  """A step: joins each `batch_size` elements; fewer at the end are left out."""
  return lambda dataset: transformations.batch(dataset, batch_size, drop_remainder=True)


@deprecated(None, "Use `tf.data.Dataset.padded_batch(..., drop_remainder=True)`.")
def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
  """A step: joins each `batch_size` elements, padded to shapes; fewer at the end are left out."""
  return lambda dataset: padding.padded_batch(dataset, batch_size, padded_shapes, padding_values, drop_remainder=True)


def assert_element_shape(expected_shapes):
  """A step: says the shapes of elements, and fails at run time if one has another."""

  def apply(dataset):
    def check(*elements):
      flat = structures.flatten(elements)
      shapes = structures.flatten(expected_shapes)
      checked = []
      for tensor, shape in zip(flat, shapes):
        expected = tf.TensorShape(shape)
        checks = []
        for axis, size in enumerate(expected.as_list() if expected.ndims is not None else []):
          if size is not None:
            text = f"Expected shape {expected}"
            checks.append(tf.assert_equal(tf.shape(tensor)[axis], size, message=text))
        rank = [] if expected.ndims is None else [tf.assert_rank(tensor, expected.ndims)]
        with tf.control_dependencies(rank + checks):
          same = tf.identity(tensor)
        same.set_shape(expected)
        checked.append(same)
      made = structures.pack_sequence_as(elements, checked)
      return made if len(elements) > 1 else made[0]

    structures.assert_same_structure(dataset.output_shapes, expected_shapes)
    for shape, expected in zip(structures.flatten(dataset.output_shapes), structures.flatten(expected_shapes)):
      if not shape.is_compatible_with(expected):
        raise ValueError(f"Shapes {shape} and {expected} are incompatible")
    return dataset.map(check)

  return apply


def sliding_window_batch(window_size, stride=None, window_shift=None, window_stride=1):
  """A step: joins `window_size` elements that are `window_stride` apart; `window_shift` (1) lies between the beginnings.

  `stride` is the older name of `window_shift`. Windows that are not full at the end are left out. Raises ValueError for both names.
  """
  if stride is None and window_shift is None:
    window_shift = 1
  elif stride is not None and window_shift is None:
    window_shift = stride
  elif stride is not None:
    raise ValueError("Cannot specify both `stride` and `window_shift`")

  def apply(dataset):
    spec = element_specs.batched(dataset.element_spec, None)
    made = gen.sliding_window_dataset(
      dataset._variant_tensor,
      as_int64(window_size, "window_size"),
      as_int64(window_shift, "window_shift"),
      as_int64(window_stride, "window_stride"),
      **element_specs.attrs_of(spec),
    )
    return DatasetV1Adapter(made, spec, [dataset])

  return apply


@deprecated(None, "Use `tf.contrib.data.parallel_interleave(..., sloppy=True)`.")
def sloppy_interleave(map_func, cycle_length, block_length=1):
  """A step: elements of the data sets that a function returns, of several at once, in whatever order they are ready."""
  return interleaving.parallel_interleave_fn(map_func, cycle_length, block_length, sloppy=True)


def reduce_dataset(dataset, reducer):
  """Returns what a Reducer makes of all elements of a data set, as a structure of tensors."""
  from millrace.data import grouping, results

  if not isinstance(reducer, grouping.Reducer):
    raise TypeError("`reducer` must be of type tf.data.experimental.Reducer")
  zero = dataset.apply(grouping.group_by_reducer(lambda *unused: tf.constant(0, tf.int64), reducer))
  return results.get_single_element(zero.take(1))


@deprecated(None, "Use `tf.contrib.data.make_batched_features_dataset`.")
def read_batch_features(
  file_pattern,
  batch_size,
  features,
  reader=TFRecordDatasetV1,
  reader_args=None,
  randomize_input=True,
  num_epochs=None,
  capacity=10000,
):
  """Returns dictionaries of tensors: the features of `batch_size` Examples of files that match a pattern.

  `reader` is a class of data sets, called with a name of a file and `reader_args`. With `randomize_input`, files and Examples are shuffled,
  Examples among `capacity` ones.
  """
  dataset = batched_features(file_pattern, batch_size, features, reader, reader_args, randomize_input, num_epochs, capacity)
  return dataset.make_one_shot_iterator().get_next()


def batched_features(file_pattern, batch_size, features, reader, reader_args, randomize_input, num_epochs, capacity):
  """The data set of read_batch_features."""
  arguments = [] if reader_args is None else reader_args
  dataset = tf.data.Dataset.list_files(file_pattern, shuffle=randomize_input)
  dataset = dataset.flat_map(lambda name: reader(name, *arguments))
  if dataset.output_types == (tf.string, tf.string):
    dataset = dataset.map(lambda _, value: value)
  if randomize_input:
    dataset = dataset.shuffle(capacity)
  dataset = dataset.repeat(num_epochs)
  dataset = dataset.batch(batch_size)
  return dataset.map(lambda examples: tf.parse_example(examples, features)).prefetch(1)


class LMDBDataset(DatasetV1Adapter):
  """The pairs (key, value) of LMDB files."""

  def __init__(self, filenames):
    names = tf.convert_to_tensor(filenames, tf.string, name="filenames")
    spec = (tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.string))
    super().__init__(gen.lmdb_dataset(names, **element_specs.attrs_of(spec)), spec)


def set_stats_aggregator(stats_aggregator, prefix="", counter_prefix=""):
  """A step: statistics of the pipeline are recorded by `stats_aggregator`, under names that begin with the prefixes."""

  def apply(dataset):
    made = gen.set_stats_aggregator_dataset(
      dataset._variant_tensor,
      stats_aggregator._resource,
      prefix,
      counter_prefix,
      **element_specs.attrs_of(dataset.element_spec),
    )
    return DatasetV1Adapter(made, dataset.element_spec, [dataset])

  return apply
