"""Steps of pipelines that call no functions."""

import numpy as np

from millrace import gen
from millrace.data import element_specs, seeds, sources, structures
from millrace.data.dataset import DatasetV1Adapter
from millrace.data.dataset_spec import DatasetSpec
from millrace.data.functions import as_int64
from millrace.data.options import Options
from millrace.framework import constants, convert, dtypes, scopes, tensor_values


def derived(dataset, make, *inputs, **attrs):
  """A data set with the same elements' spec, made by an op from this one and further inputs."""
  made = make(dataset._variant_tensor, *inputs, **attrs, **element_specs.attrs_of(dataset.element_spec))
  return DatasetV1Adapter(made, dataset.element_spec, [dataset])


def static_value(tensor):
  """The number that a tensor is known to be, or None."""
  value = tensor_values.constant_value(tensor)
  return None if value is None else value.item()


def concatenate(dataset, other):
  try:
    spec = element_specs.most_specific(dataset.element_spec, other.element_spec)
  except (TypeError, ValueError):
    raise TypeError(f"Incompatible dataset elements:\n  {dataset.element_spec} vs.   {other.element_spec}") from None
  made = gen.concatenate_dataset(dataset._variant_tensor, other._variant_tensor, **element_specs.attrs_of(spec))
  return DatasetV1Adapter(made, spec, [dataset, other])


def prefetch(dataset, buffer_size, slack_period=None):
  if buffer_size is None:
    buffer_size = -1
  tuned = isinstance(buffer_size, int) and buffer_size == -1
  size = as_int64(buffer_size, "buffer_size")
  with scopes.colocate_with(dataset._variant_tensor):
    return derived(dataset, gen.prefetch_dataset, size, slack_period=slack_period or 0, legacy_autotune=tuned)


def repeat(dataset, count):
  count = constants.constant(-1, dtype=dtypes.int64, name="count") if count is None else as_int64(count, "count")
  return derived(dataset, gen.repeat_dataset, count)


def rewritten(dataset):
  """Marks a data set that each of several readers of one pipeline reads as a whole."""
  return derived(dataset, gen.rewrite_dataset, "replicate_on_split")


def enumerate_(dataset, start):
  numbers = rewritten(sources.range_(start, np.iinfo(np.int64).max))
  return sources.zip_((numbers, dataset))


def shuffle(dataset, buffer_size, seed, reshuffle_each_iteration):
  buffer_size = as_int64(buffer_size, "buffer_size")
  seed, seed2 = seeds.get_seed(seed)
  again = True if reshuffle_each_iteration is None else reshuffle_each_iteration
  return derived(dataset, gen.shuffle_dataset, buffer_size, seed, seed2, reshuffle_each_iteration=again)


def cache(dataset, filename):
  filename = convert.convert_to_tensor(filename, dtype=dtypes.string, name="filename")
  return derived(dataset, gen.cache_dataset, filename)


def take(dataset, count):
  return derived(dataset, gen.take_dataset, as_int64(count, "count"))


def skip(dataset, count):
  return derived(dataset, gen.skip_dataset, as_int64(count, "count"))


def shard(dataset, num_shards, index):
  return derived(dataset, gen.shard_dataset, as_int64(num_shards, "num_shards"), as_int64(index, "index"))


def batch(dataset, batch_size, drop_remainder):
  batch_size = as_int64(batch_size, "batch_size")
  drop_remainder = convert.convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
  size = static_value(batch_size) if static_value(drop_remainder) else None
  spec = element_specs.batched(dataset.element_spec, size)
  made = gen.batch_dataset_v2(
    dataset._variant_tensor, batch_size=batch_size, drop_remainder=drop_remainder, **element_specs.attrs_of(spec)
  )
  return DatasetV1Adapter(made, spec, [dataset])


def window(dataset, size, shift, stride, drop_remainder):
  if shift is None:
    shift = size
  size, shift, stride = as_int64(size, "size"), as_int64(shift, "shift"), as_int64(stride, "stride")
  drop_remainder = convert.convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
  spec = structures.map_structure(DatasetSpec, dataset.element_spec)
  made = gen.window_dataset(dataset._variant_tensor, size, shift, stride, drop_remainder, **element_specs.attrs_of(spec))
  return DatasetV1Adapter(made, spec, [dataset])


def options_of(dataset):
  found = Options()
  for source in dataset._inputs():
    found = found.merge(source.options())
  own = getattr(dataset, "_options", None)
  return found if own is None else found.merge(own)


def with_options(dataset, options):
  with scopes.colocate_with(dataset._variant_tensor):
    made = derived(dataset, gen.options_dataset, serialized_options=options._bytes())
  made._options = options
  return made
