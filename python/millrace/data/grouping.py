"""Steps of tf.data.experimental that bring elements with the same key together."""

import numpy as np

from millrace import gen
from millrace.data import element_specs, mapping, structures
from millrace.data.dataset import DatasetV1Adapter
from millrace.data.dataset_spec import DatasetSpec
from millrace.data.functions import StructuredFunction
from millrace.framework import constants, convert, dtypes, scopes, tensor_shape
from millrace.framework.tensor_spec import TensorSpec

_KEY = TensorSpec([], dtypes.int64)


def _int64_function(func, name):
  def wrapper(*args):
    return convert.convert_to_tensor(func(*args), dtype=dtypes.int64)

  wrapper.__name__ = name
  return wrapper


def _check_key(called, what):
  if not element_specs.are_compatible(called.output_structure, _KEY):
    raise ValueError(
      f"Invalid `{what}`. `{what}` must return a single `tf.int64` scalar tensor but its return type is {called.output_structure}."
    )
  return called


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
  """A step: reduce_func(key, data set) returns the data set of results for each `window_size` elements with the same int64 key.

  `window_size_func(key)` may say the size instead.
  """
  if (window_size is not None and window_size_func) or not (window_size is not None or window_size_func):
    raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
  if window_size is not None:

    def size_of(unused_key):
      return convert.convert_to_tensor(window_size, dtype=dtypes.int64)

    window_size_func = size_of

  def apply(dataset):
    name = "Dataset.group_by_window()"
    key = _check_key(StructuredFunction(_int64_function(key_func, "key_func_wrapper"), name, dataset), "key_func")
    reduced = StructuredFunction(reduce_func, name, input_structure=(_KEY, DatasetSpec(dataset.element_spec)))
    if not isinstance(reduced.output_structure, DatasetSpec):
      raise TypeError(
        f"Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return type is {reduced.output_structure}."
      )
    size = StructuredFunction(_int64_function(window_size_func, "window_size_func_wrapper"), name, input_structure=_KEY)
    _check_key(size, "window_size_func")
    spec = reduced.output_structure.element_spec
    made = gen.group_by_window_dataset(
      dataset._variant_tensor,
      key.captured_inputs,
      reduced.captured_inputs,
      size.captured_inputs,
      key_func=key.function,
      reduce_func=reduced.function,
      window_size_func=size.function,
      **element_specs.attrs_of(spec),
    )
    return DatasetV1Adapter(made, spec, [dataset])

  return apply


class Reducer:
  """Three functions: init_func(key) returns a state, reduce_func(state, element) the next one, finalize_func(state) the result."""

  def __init__(self, init_func, reduce_func, finalize_func):
    self._init_func = init_func
    self._reduce_func = reduce_func
    self._finalize_func = finalize_func

  @property
  def init_func(self):
    return self._init_func

  @property
  def reduce_func(self):
    return self._reduce_func

  @property
  def finalize_func(self):
    return self._finalize_func


def group_by_reducer(key_func, reducer):
  """A step: one result for each int64 key, which a Reducer makes of all elements with that key."""

  def apply(dataset):
    name = "tf.data.experimental.group_by_reducer()"
    key = _check_key(StructuredFunction(key_func, name, dataset), "key_func")
    init = StructuredFunction(reducer.init_func, name, input_structure=_KEY)
    reduced, state_spec = mapping.stateful_function(
      reducer.reduce_func, name, init.output_structure, dataset.element_spec, lambda called: called.output_structure
    )
    final = StructuredFunction(reducer.finalize_func, name, input_structure=state_spec)
    spec = final.output_structure
    made = gen.experimental_group_by_reducer_dataset(
      dataset._variant_tensor,
      key.captured_inputs,
      init.captured_inputs,
      reduced.captured_inputs,
      final.captured_inputs,
      key_func=key.function,
      init_func=init.function,
      reduce_func=reduced.function,
      finalize_func=final.function,
      **element_specs.attrs_of(spec),
    )
    return DatasetV1Adapter(made, spec, [dataset])

  return apply


def bucket_by_sequence_length(
  element_length_func,
  bucket_boundaries,
  bucket_batch_sizes,
  padded_shapes=None,
  padding_values=None,
  pad_to_bucket_boundary=False,
  no_padding=False,
  drop_remainder=False,
):
  """A step: batches elements of similar length, padded. Bucket i has lengths from boundaries[i - 1] to boundaries[i] - 1, and
  batches of bucket_batch_sizes[i]."""
  from millrace.ops.array import gathering
  from millrace.ops.debugging import comparisons
  from millrace.ops.math import reductions

  if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
    raise ValueError(
      f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
      f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
    )
  batch_sizes = constants.constant(bucket_batch_sizes, dtype=dtypes.int64)

  def element_to_bucket_id(*args):
    length = element_length_func(*args)
    limits = np.iinfo(np.int32)
    least, most = [limits.min, *bucket_boundaries], [*bucket_boundaries, limits.max]
    fits = gen.logical_and(gen.less_equal(least, length), gen.less(length, most))
    return reductions.reduce_min(gathering.where(fits))

  def window_size_fn(bucket_id):
    return batch_sizes[bucket_id]

  def open_sizes_as(filler, shapes):
    def filled(shape):
      return [filler if size is None else size for size in tensor_shape.TensorShape(shape).as_list()]

    return structures.map_structure(filled, shapes)

  def batching_fn(bucket_id, grouped):
    size = batch_sizes[bucket_id]
    if no_padding:
      return grouped.batch(size, drop_remainder=drop_remainder)
    filler = None
    if pad_to_bucket_boundary:
      message = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
      last = constants.constant(len(bucket_batch_sizes) - 1, dtype=dtypes.int64)
      check = comparisons.assert_less(bucket_id, last, message=message)
      with scopes.control_dependencies([check]):
        boundaries = constants.constant(bucket_boundaries, dtype=dtypes.int64)
        filler = boundaries[bucket_id] - 1
    wanted = padded_shapes
    if wanted is None:
      wanted = grouped.output_shapes
    elif isinstance(wanted, list):
      wanted = tensor_shape.TensorShape(wanted)
    return grouped.padded_batch(size, open_sizes_as(filler, wanted), padding_values, drop_remainder=drop_remainder)

  def apply(dataset):
    return dataset.apply(group_by_window(element_to_bucket_id, batching_fn, window_size_func=window_size_fn))

  return apply
