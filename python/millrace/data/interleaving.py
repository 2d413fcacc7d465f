"""Data sets whose elements come from several data sets in turn, by chance, or as a data set of numbers says."""

import numpy as np

from millrace import gen
from millrace.data import element_specs, mapping, seeds, sources, transformations
from millrace.data.dataset import DatasetV1, DatasetV1Adapter
from millrace.data.functions import StructuredFunction, as_int64
from millrace.framework import convert, dtypes
from millrace.framework.deprecation import deprecated
from millrace.framework.tensor_spec import TensorSpec


def parallel_interleave(
  dataset, map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None
):
  """The data set of experimental.parallel_interleave."""
  called = StructuredFunction(map_func, "tf.data.experimental.parallel_interleave()", dataset)
  spec = mapping.dataset_spec_of(called)
  cycle = as_int64(cycle_length, "cycle_length")
  block = as_int64(block_length, "block_length")
  ahead = 2 * block_length if buffer_output_elements is None else buffer_output_elements
  prefetched = 2 * cycle_length if prefetch_input_elements is None else prefetch_input_elements
  made = gen.legacy_parallel_interleave_dataset_v2(
    dataset._variant_tensor,
    called.captured_inputs,
    cycle,
    block,
    as_int64(ahead, "buffer_output_elements"),
    as_int64(prefetched, "prefetch_input_elements"),
    f=called.function,
    deterministic="default" if sloppy is None else ("false" if sloppy else "true"),
    **element_specs.attrs_of(spec),
  )
  return DatasetV1Adapter(made, spec, [dataset])


@deprecated(
  None,
  "Use `tf.data.Dataset.interleave(map_func, cycle_length, block_length, num_parallel_calls=tf.data.experimental.AUTOTUNE)` instead. "
  "If sloppy execution is desired, use `tf.data.Options.experimental_determinstic`.",
)
def parallel_interleave_fn(
  map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None
):
  """A step that reads from `cycle_length` data sets at once; with `sloppy` in the order in which elements are ready."""

  def apply(dataset):
    return parallel_interleave(
      dataset, map_func, cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements
    )

  return apply


def random_dataset(seed):
  """A data set of random int64 numbers of 32 bits."""
  seed, seed2 = seeds.get_seed(seed)
  spec = TensorSpec([], dtypes.int64)
  return DatasetV1Adapter(gen.random_dataset(seed, seed2, **element_specs.attrs_of(spec)), spec)


def directed(selector, datasets, stop_on_empty_dataset=False):
  """A data set of elements of several, chosen by the numbers of a data set."""
  spec = datasets[0].element_spec
  for i, other in enumerate(datasets[1:]):
    try:
      spec = element_specs.most_specific(spec, other.element_spec)
    except (TypeError, ValueError):
      raise TypeError(
        f"Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec={datasets[0].element_spec}.\nDataset {i + 1} element_spec={other.element_spec}."
      ) from None
  made = gen.directed_interleave_dataset(
    selector._variant_tensor,
    [dataset._variant_tensor for dataset in datasets],
    stop_on_empty_dataset=stop_on_empty_dataset,
    **element_specs.attrs_of(spec),
  )
  return DatasetV1Adapter(made, spec, [selector, *datasets])


def _choices(seed):
  """Pairs of random numbers, the seeds of one choice each."""
  return transformations.batch(random_dataset(seed), 2, False)


def _choose(logits, seed):
  from millrace.ops.array import shapes

  drawn = gen.stateless_multinomial(logits, 1, seed=seed)
  return shapes.squeeze(drawn, axis=[0, 1])


def sample_from_datasets(datasets, weights=None, seed=None):
  """A data set of elements of a list of data sets, each chosen by chance with probabilities `weights`: a list, a tensor, or a data
  set of them, by default all the same."""
  return sampled(datasets, weights, seed)


def sampled(datasets, weights, seed, stop_on_empty_dataset=False):
  from millrace.ops.array import shapes
  from millrace.ops.math import elementwise

  number = len(datasets)
  if isinstance(weights, DatasetV1):

    def to_logits(*p):
      return elementwise.log(p, name="logits")

    def select_varying(logits, seed):
      return _choose(logits, seed)

    logits = mapping.map_(weights, to_logits)
    pairs = sources.zip_((logits, _choices(seed)))
    selector = mapping.map_(pairs, select_varying, use_inter_op_parallelism=False)
    return directed(selector, datasets, stop_on_empty_dataset)
  if weights is None:
    logits = np.ones([1, number], np.float32)
  else:
    weights = convert.convert_to_tensor(weights, name="weights")
    if weights.dtype not in (dtypes.float32, dtypes.float64):
      raise TypeError(f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {weights.dtype}.")
    if not weights.shape.is_compatible_with([number]):
      raise ValueError(
        f"Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is {weights.shape}."
      )
    logits = shapes.expand_dims(elementwise.log(weights, name="logits"), 0)

  def select(seed):
    return _choose(logits, seed)

  select.__name__ = "select_dataset_constant_logits"
  selector = mapping.map_(_choices(seed), select, use_inter_op_parallelism=False)
  return directed(selector, datasets, stop_on_empty_dataset)


def choose_from_datasets(datasets, choice_dataset):
  """A data set of elements of a list of data sets, in the order of the int64 numbers of another one."""
  if not element_specs.are_compatible(choice_dataset.element_spec, TensorSpec([], dtypes.int64)):
    raise TypeError(
      f"Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are {choice_dataset.element_spec}."
    )
  return directed(transformations.rewritten(choice_dataset), datasets)
