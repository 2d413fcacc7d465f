"""Steps of tf.data.experimental that keep state, end early, leave out elements, or count."""

from millrace import gen
from millrace.data import element_specs, interleaving, mapping, seeds, sources, structures, transformations
from millrace.data.dataset import DatasetV1Adapter
from millrace.data.functions import as_int64
from millrace.framework import constants, convert, dtypes, scopes, tensor_shape
from millrace.framework.deprecation import deprecated


def scan(initial_state, scan_func):
  """A step: scan_func(state, element) returns (next state, element of the result)."""

  def apply(dataset):
    state = element_specs.normalize_element(initial_state)
    state_spec = element_specs.type_spec_from_value(state)

    def next_state(called):
      made = called.output_structure
      if not (isinstance(made, (tuple, list)) and len(made) == 2):
        raise TypeError(
          "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value but its return type is "
          f"{made}."
        )
      return made[0]

    called, state_spec = mapping.stateful_function(scan_func, "Dataset.scan()", state_spec, dataset.element_spec, next_state)
    spec = called.output_structure[1]
    made = gen.scan_dataset(
      dataset._variant_tensor,
      element_specs.to_tensor_list(state_spec, state),
      called.captured_inputs,
      f=called.function,
      preserve_cardinality=True,
      **element_specs.attrs_of(spec),
    )
    return DatasetV1Adapter(made, spec, [dataset])

  return apply


def take_while(predicate):
  """A step: elements up to the first for which a function returns false."""

  def apply(dataset):
    called = mapping.predicate_function(dataset, predicate, "Dataset.take_while()")
    return transformations.derived(dataset, gen.take_while_dataset, called.captured_inputs, predicate=called.function)

  return apply


def unique():
  """A step: each element once, where it comes first. Elements are one scalar int32, int64 or string."""

  def apply(dataset):
    if structures.is_sequence(dataset.element_spec) or dataset.output_types not in (dtypes.int32, dtypes.int64, dtypes.string):
      raise TypeError(
        f"`tf.data.Dataset.unique` does not support type {dataset.output_types}, only `tf.int32`, `tf.int64`, and `tf.string` are supported."
      )
    return transformations.derived(dataset, gen.unique_dataset)

  return apply


def ignore_errors():
  """A step: leaves out elements whose making fails."""
  return lambda dataset: transformations.derived(dataset, gen.ignore_errors_dataset, log_warning=False)


@deprecated(None, "Use `tf.data.Dataset.enumerate()")
def enumerate_dataset(start=0):
  """A step: pairs of an int64 number and an element."""
  return lambda dataset: dataset.enumerate(start)


@deprecated(
  None,
  "Use `tf.data.Dataset.shuffle(buffer_size, seed)` followed by `tf.data.Dataset.repeat(count)`. Static tf.data optimizations will "
  "take care of using the fused implementation.",
)
def shuffle_and_repeat(buffer_size, count=None, seed=None):
  """A step: shuffles, and repeats with another order each time; elements of two rounds are not mixed."""

  def apply(dataset):
    size = as_int64(buffer_size, "buffer_size")
    times = constants.constant(-1, dtype=dtypes.int64, name="count") if count is None else as_int64(count, "count")
    seed1, seed2 = seeds.get_seed(seed)
    return transformations.derived(dataset, gen.shuffle_and_repeat_dataset, size, seed1, seed2, times)

  return apply


def Counter(start=0, step=1, dtype=dtypes.int64):
  """A data set of start, start + step, ... without an end."""
  with scopes.name_scope("counter"):
    start = convert.convert_to_tensor(start, dtype=dtype, name="start")
    step = convert.convert_to_tensor(step, dtype=dtype, name="step")
    return sources.from_tensors(0).repeat(None).apply(scan(start, lambda state, _: (state + step, state)))


class RandomDatasetV1(DatasetV1Adapter):
  """A data set of random int64 numbers of 32 bits, without an end."""

  def __init__(self, seed=None):
    made = interleaving.random_dataset(seed)
    super().__init__(made._variant_tensor, made.element_spec)


@deprecated(
  None,
  "Use `tf.data.Dataset.map(map_func, num_parallel_calls)` followed by `tf.data.Dataset.batch(batch_size, drop_remainder)`. Static "
  "tf.data optimizations will take care of using the fused implementation.",
)
def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
  """A step: map and batch at once."""
  return _map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


@deprecated(None, "Use `tf.data.experimental.map_and_batch()")
def map_and_batch_with_legacy_function(
  map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None
):
  """The same as map_and_batch."""
  return _map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def _map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls):
  from millrace.data.functions import StructuredFunction

  if num_parallel_batches is None and num_parallel_calls is None:
    num_parallel_calls = batch_size
  elif num_parallel_batches is not None and num_parallel_calls is None:
    num_parallel_calls = batch_size * num_parallel_batches
  elif num_parallel_batches is not None:
    raise ValueError(
      "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but `num_parallel_batches` was "
      f"set to {num_parallel_batches} and `num_parallel_calls` as set to {num_parallel_calls}."
    )

  def apply(dataset):
    called = StructuredFunction(map_func, "tf.data.experimental.map_and_batch()", dataset)
    size = as_int64(batch_size, "batch_size")
    calls = as_int64(num_parallel_calls, "num_parallel_calls")
    drop = convert.convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    static = transformations.static_value(size) if transformations.static_value(drop) else None
    spec = element_specs.batched(called.output_structure, static)
    made = gen.map_and_batch_dataset(
      dataset._variant_tensor,
      called.captured_inputs,
      size,
      calls,
      drop,
      f=called.function,
      preserve_cardinality=True,
      **element_specs.attrs_of(spec),
    )
    return DatasetV1Adapter(made, spec, [dataset])

  return apply


@deprecated(None, "Use `tf.data.Dataset.unbatch()`.")
def unbatch():
  """A step: the rows of the elements."""
  return lambda dataset: dataset.unbatch()


def dense_to_sparse_batch(batch_size, row_shape):
  """A step: joins tensors of different shapes, none larger than `row_shape`, to SparseTensors of `batch_size` of them."""

  def apply(dataset):
    from millrace.data import padding
    from millrace.framework import tensor_values

    if structures.is_sequence(dataset.element_spec) or not hasattr(dataset.element_spec, "dtype"):
      raise TypeError(
        "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the given dataset has the "
        f"following component types: {dataset.output_types}."
      )
    shape = padding._shape_tensor(row_shape, tensor_shape.unknown_shape())
    known = tensor_values.constant_value_as_shape(shape)
    spec = element_specs.SparseTensorSpec(tensor_shape.TensorShape([None]).concatenate(known), dataset.element_spec.dtype)
    made = gen.dense_to_sparse_batch_dataset(dataset._variant_tensor, batch_size, row_shape=shape, **element_specs.attrs_of(spec))
    return DatasetV1Adapter(made, spec, [dataset])

  return apply


def bytes_produced_stats(tag):
  """A step: counts the bytes of elements under a name in the aggregator of the options."""
  return lambda dataset: _counted(dataset, gen.bytes_produced_stats_dataset, tag)


def latency_stats(tag):
  """A step: measures the time that elements take under a name in the aggregator of the options."""
  return lambda dataset: _counted(dataset, gen.latency_stats_dataset, tag)


def _counted(dataset, make, tag):
  return transformations.derived(dataset, make, convert.convert_to_tensor(tag, dtype=dtypes.string, name="tag"))
