"""tf.data.Dataset: a data set as a value of a graph, and its methods."""

from millrace.data import element_specs, structures
from millrace.data.dataset_spec import DatasetSpec
from millrace.framework.deprecation import deprecated


def _sources():
  from millrace.data import sources

  return sources


def _steps():
  from millrace.data import transformations

  return transformations


def _with_functions():
  from millrace.data import mapping

  return mapping


class DatasetV1:
  """A data set: elements that are structures of tensors, made when an iterator asks for them.

  Classes of programs that derive from it define `_as_variant_tensor()`, `_inputs()` and `element_spec`.
  """

  def __init__(self):
    self._variant_tensor = self._as_variant_tensor()

  def _as_variant_tensor(self):
    raise NotImplementedError("Dataset._as_variant_tensor")

  def _inputs(self):
    """The data sets that this one reads."""
    return []

  @property
  def _input_datasets(self):
    return self._inputs()

  @property
  def element_spec(self):
    """The structure of specs of the elements."""
    raise NotImplementedError("Dataset.element_spec")

  @property
  def _type_spec(self):
    return DatasetSpec(self.element_spec)

  @property
  def output_types(self):
    """The structure of types of the elements."""
    return element_specs.legacy_types(self.element_spec)

  @property
  def output_shapes(self):
    """The structure of shapes of the elements."""
    return element_specs.legacy_shapes(self.element_spec)

  @property
  def output_classes(self):
    """The structure of classes of the elements: tf.Tensor, tf.SparseTensor, ..."""
    return element_specs.legacy_classes(self.element_spec)

  def __iter__(self):
    raise RuntimeError(
      "`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function. Use make_one_shot_iterator() "
      "or make_initializable_iterator()."
    )

  def __bool__(self):
    return True

  def __repr__(self):
    shapes = str(structures.map_structure(str, self.output_shapes)).replace("'", "")
    types = str(structures.map_structure(repr, self.output_types)).replace("'", "")
    return f"<{type(self).__name__} shapes: {shapes}, types: {types}>"

  # Iterators.

  def make_one_shot_iterator(self):
    """Returns an iterator that needs no initialization; the data set must not use anything with state, such as variables."""
    from millrace.data import iterators

    return iterators.make_one_shot_iterator(self)

  def make_initializable_iterator(self, shared_name=None):
    """Returns an iterator whose `initializer` has to run first, and may run again."""
    from millrace.data import iterators

    return iterators.make_initializable_iterator(self, shared_name)

  # Sources.

  @staticmethod
  def from_tensors(tensors):
    """A data set of one element."""
    return _sources().from_tensors(tensors)

  @staticmethod
  def from_tensor_slices(tensors):
    """A data set of the rows of tensors, all of which have the same number of them."""
    return _sources().from_tensor_slices(tensors)

  @staticmethod
  @deprecated(None, "Use `tf.data.Dataset.from_tensor_slices()`.")
  def from_sparse_tensor_slices(sparse_tensor):
    """A data set of the rows of a SparseTensor, as triples (indices, values, shape)."""
    return _sources().from_sparse_tensor_slices(sparse_tensor)

  @staticmethod
  def from_generator(generator, output_types, output_shapes=None, args=None):
    """A data set of what a Python generator yields; `generator` is called with the values of the tensors `args`."""
    from millrace.data import generators

    return generators.from_generator(generator, output_types, output_shapes, args)

  @staticmethod
  def range(*args):
    """A data set of int64 numbers, as Python's range(stop) or range(start, stop, step)."""
    return _sources().range_(*args)

  @staticmethod
  def zip(datasets):
    """A data set of structures of the elements of several; it ends with the shortest."""
    return _sources().zip_(datasets)

  @staticmethod
  def list_files(file_pattern, shuffle=None, seed=None):
    """A data set of the names of files that match patterns, by default shuffled."""
    return _sources().list_files(file_pattern, shuffle, seed)

  # Steps without functions.

  def concatenate(self, dataset):
    """The elements of this one, then those of another."""
    return _steps().concatenate(self, dataset)

  def prefetch(self, buffer_size):
    """Keeps up to `buffer_size` elements ready."""
    return _steps().prefetch(self, buffer_size)

  def repeat(self, count=None):
    """All elements `count` times; again and again for None and -1."""
    return _steps().repeat(self, count)

  def enumerate(self, start=0):
    """Pairs of an int64 number and an element."""
    return _steps().enumerate_(self, start)

  def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None):
    """Elements by chance from a buffer of `buffer_size` of them, in another order each time unless told otherwise."""
    return _steps().shuffle(self, buffer_size, seed, reshuffle_each_iteration)

  def cache(self, filename=""):
    """Keeps the elements in memory, or in files, once they were read to the end."""
    return _steps().cache(self, filename)

  def take(self, count):
    """The first `count` elements; all for -1."""
    return _steps().take(self, count)

  def skip(self, count):
    """All but the first `count` elements; none for -1."""
    return _steps().skip(self, count)

  def shard(self, num_shards, index):
    """The elements with the numbers index, index + num_shards, ..."""
    return _steps().shard(self, num_shards, index)

  def batch(self, batch_size, drop_remainder=False):
    """Joins each `batch_size` elements along a new first dimension; the last may be fewer unless they are dropped."""
    return _steps().batch(self, batch_size, drop_remainder)

  def padded_batch(self, batch_size, padded_shapes, padding_values=None, drop_remainder=False):
    """Like batch, pads elements to shapes; a dimension that is None or -1 to the largest of the batch."""
    from millrace.data import padding

    return padding.padded_batch(self, batch_size, padded_shapes, padding_values, drop_remainder)

  def window(self, size, shift=None, stride=1, drop_remainder=False):
    """Data sets of `size` elements that are `stride` apart; `shift` (by default `size`) lies between their beginnings."""
    return _steps().window(self, size, shift, stride, drop_remainder)

  def unbatch(self):
    """The rows of the elements."""
    return _with_functions().unbatch(self)

  def with_options(self, options):
    """The same elements, made with other options."""
    return _steps().with_options(self, options)

  def options(self):
    """The options of this data set and of those that it reads, together."""
    return _steps().options_of(self)

  # Steps with functions.

  def map(self, map_func, num_parallel_calls=None):
    """What a function returns for each element."""
    return _with_functions().map_(self, map_func, num_parallel_calls, preserve_cardinality=False)

  @deprecated(None, "Use `tf.data.Dataset.map()")
  def map_with_legacy_function(self, map_func, num_parallel_calls=None):
    """The same as map."""
    return _with_functions().map_(self, map_func, num_parallel_calls, preserve_cardinality=False)

  def flat_map(self, map_func):
    """The elements of the data sets that a function returns for each element, one after another."""
    return _with_functions().flat_map(self, map_func)

  def interleave(self, map_func, cycle_length=-1, block_length=1, num_parallel_calls=None):
    """Like flat_map, takes `block_length` elements in turn from each of `cycle_length` data sets."""
    return _with_functions().interleave(self, map_func, cycle_length, block_length, num_parallel_calls)

  def filter(self, predicate):
    """The elements for which a function returns true."""
    return _with_functions().filter_(self, predicate)

  @deprecated(None, "Use `tf.data.Dataset.filter()")
  def filter_with_legacy_function(self, predicate):
    """The same as filter."""
    return _with_functions().filter_(self, predicate)

  def reduce(self, initial_state, reduce_func):
    """Returns the last state, a structure of tensors: reduce_func(state, element) returns the next one."""
    return _with_functions().reduce(self, initial_state, reduce_func)

  def apply(self, transformation_func):
    """Returns what a function from data sets to data sets returns for this one."""
    dataset = transformation_func(self)
    if not isinstance(dataset, DatasetV1):
      raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}.")
    return dataset


class DatasetV1Adapter(DatasetV1):
  """A data set made by an op."""

  def __init__(self, variant, element_spec, inputs=(), options=None):
    self._variant_tensor = variant
    self._element_spec = element_spec
    self._inputs_list = list(inputs)
    self._options = options

  def _as_variant_tensor(self):
    return self._variant_tensor

  def _inputs(self):
    return list(self._inputs_list)

  @property
  def element_spec(self):
    return self._element_spec


class VariantDataset(DatasetV1Adapter):
  """A data set that a tensor stands for."""

  def __init__(self, dataset_variant, element_spec):
    super().__init__(dataset_variant, element_spec)


def get_legacy_output_types(dataset_or_iterator):
  """tf.data.get_output_types: the structure of types of a data set or an iterator."""
  return element_specs.legacy_types(dataset_or_iterator.element_spec)


def get_legacy_output_shapes(dataset_or_iterator):
  """tf.data.get_output_shapes: the structure of shapes of a data set or an iterator."""
  return element_specs.legacy_shapes(dataset_or_iterator.element_spec)


def get_legacy_output_classes(dataset_or_iterator):
  """tf.data.get_output_classes: the structure of classes of a data set or an iterator."""
  return element_specs.legacy_classes(dataset_or_iterator.element_spec)


def variant_to_dataset(variant, structure):
  """tf.data.experimental.from_variant: the data set that a variant tensor is, with elements of a structure of specs."""
  return VariantDataset(variant, structure)


def to_variant(dataset):
  """The variant tensor that a data set is."""
  return dataset._variant_tensor


def get_structure(dataset_or_iterator):
  """Returns the structure of specs of a data set's or an iterator's elements."""
  try:
    return dataset_or_iterator.element_spec
  except AttributeError:
    raise TypeError(
      f"Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator object, but got {type(dataset_or_iterator)}."
    ) from None
