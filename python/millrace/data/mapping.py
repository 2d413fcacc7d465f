"""Steps of pipelines that call functions for elements."""

from millrace import gen
from millrace.data import element_specs, functions, structures
from millrace.data.dataset import DatasetV1Adapter
from millrace.data.dataset_spec import DatasetSpec
from millrace.data.functions import StructuredFunction, as_int64
from millrace.framework import dtypes, scopes
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_spec import TensorSpec


def map_(dataset, map_func, num_parallel_calls=None, preserve_cardinality=True, use_inter_op_parallelism=True):
  called = StructuredFunction(map_func, "Dataset.map()", dataset)
  attrs = dict(
    f=called.function,
    use_inter_op_parallelism=use_inter_op_parallelism,
    preserve_cardinality=preserve_cardinality,
    **element_specs.attrs_of(called.output_structure),
  )
  _check_not_empty(called, "MapDataset")
  if num_parallel_calls is None:
    made = gen.map_dataset(dataset._variant_tensor, called.captured_inputs, **attrs)
  else:
    calls = _number_of_calls(num_parallel_calls)
    made = gen.parallel_map_dataset_v2(dataset._variant_tensor, called.captured_inputs, calls, deterministic="default", **attrs)
  return DatasetV1Adapter(made, called.output_structure, [dataset])


def _number_of_calls(value):
  """How many calls run at once, as an int64 tensor; tensors of int32 are what TensorFlow 1.15's op takes."""
  if isinstance(value, Tensor) and value.dtype.base_dtype == dtypes.int32:
    return gen.cast(value, DstT=dtypes.int64)
  return as_int64(value, "num_parallel_calls")


def _check_not_empty(called, op_type):
  if not structures.flatten(called.output_structure):
    raise ValueError(f"Attr 'output_types' of '{op_type}' Op passed list of length 0 less than minimum 1.")


def dataset_spec_of(called, what="map_func"):
  """The spec of the elements of the data sets that a function returns."""
  if not isinstance(called.output_structure, DatasetSpec):
    raise TypeError(
      f"The `{what}` argument must return a `Dataset` object. Got {element_specs.legacy_classes(called.output_structure)!r}."
    )
  return called.output_structure.element_spec


def flat_map(dataset, map_func, transformation_name="Dataset.flat_map()"):
  called = StructuredFunction(map_func, transformation_name, dataset)
  spec = dataset_spec_of(called)
  made = gen.flat_map_dataset(dataset._variant_tensor, called.captured_inputs, f=called.function, **element_specs.attrs_of(spec))
  return DatasetV1Adapter(made, spec, [dataset])


def interleave(dataset, map_func, cycle_length, block_length, num_parallel_calls):
  if cycle_length is None:
    cycle_length = -1
  called = StructuredFunction(map_func, "Dataset.interleave()", dataset)
  spec = dataset_spec_of(called)
  cycle_length = as_int64(cycle_length, "cycle_length")
  block_length = as_int64(block_length, "block_length")
  attrs = element_specs.attrs_of(spec)
  if num_parallel_calls is None:
    made = gen.interleave_dataset(
      dataset._variant_tensor, called.captured_inputs, cycle_length, block_length, f=called.function, **attrs
    )
    return DatasetV1Adapter(made, spec, [dataset])
  ahead = as_int64(-1, "buffer_output_elements"), as_int64(-1, "prefetch_input_elements")
  made = gen.parallel_interleave_dataset_v4(
    dataset._variant_tensor,
    called.captured_inputs,
    cycle_length,
    block_length,
    *ahead,
    as_int64(num_parallel_calls, "num_parallel_calls"),
    f=called.function,
    deterministic="default",
    **attrs,
  )
  return DatasetV1Adapter(made, spec, [dataset])


def predicate_function(dataset, predicate, name):
  """A function that returns a bool for an element."""
  called = StructuredFunction(predicate, name, dataset)
  if not element_specs.are_compatible(called.output_structure, TensorSpec([], dtypes.bool)):
    raise ValueError(
      f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is {called.output_structure}."
    )
  return called


def filter_(dataset, predicate):
  called = predicate_function(dataset, predicate, "Dataset.filter()")
  made = gen.filter_dataset(
    dataset._variant_tensor,
    other_arguments=called.captured_inputs,
    predicate=called.function,
    **element_specs.attrs_of(dataset.element_spec),
  )
  return DatasetV1Adapter(made, dataset.element_spec, [dataset])


def unbatch(dataset, preserve_cardinality=False):
  spec = dataset.element_spec
  structures.map_structure(element_specs._unbatched, spec)
  arguments = list(zip(element_specs.flat_types(spec), element_specs.flat_shapes(spec)))

  def normalize(tensors):
    return element_specs.to_batched_tensor_list(spec, element_specs.from_tensor_list(spec, tensors))

  called = functions.build("Dataset_map_normalize", arguments, normalize)
  attrs = {
    "output_types": element_specs.flat_types(spec),
    "output_shapes": element_specs.flat_shapes(spec),
  }
  rows = gen.map_dataset(
    dataset._variant_tensor, called.captured_inputs, f=called, preserve_cardinality=preserve_cardinality, **attrs
  )
  row_spec = element_specs.unbatched(spec)
  made = gen.unbatch_dataset(rows, **element_specs.attrs_of(row_spec))
  return DatasetV1Adapter(made, row_spec, [dataset])


def stateful_function(func, name, state_spec, element_spec, result_of):
  """A function of (state, element), traced again until the shapes of the states that it returns are no wider than it takes.

  `result_of(called)` is the structure of specs of the next state. Returns (function, spec of the state).
  """
  while True:
    called = StructuredFunction(func, name, input_structure=(state_spec, element_spec))
    found = result_of(called)
    for old, new in zip(structures.flatten(state_spec), structures.flatten(found)):
      if not issubclass(type(new), type(old)):
        raise TypeError(f"The element classes for the new state must match the initial state. Expected {old}; got {new}.")
      if getattr(old, "dtype", None) != getattr(new, "dtype", None):
        raise TypeError(
          f"The element types for the new state must match the initial state. Expected {element_specs.legacy_types(state_spec)}; got {element_specs.legacy_types(found)}."
        )
    structures.assert_same_structure(state_spec, found)
    wider = structures.map_structure(_wider, state_spec, found)
    if structures.flatten(wider) == structures.flatten(state_spec):
      return called, state_spec
    state_spec = wider


def _wider(old, new):
  return old if old.is_compatible_with(new) and _covers(old, new) else old.most_specific_compatible_type(new)


def _covers(old, new):
  if not hasattr(old, "shape"):
    return True
  if old.shape.ndims is None:
    return True
  if new.shape.ndims is None or new.shape.ndims != old.shape.ndims:
    return False
  return all(a is None or a == b for a, b in zip(old.shape.as_list(), new.shape.as_list()))


def reduce(dataset, initial_state, reduce_func):
  with scopes.name_scope("initial_state"):
    initial_state = element_specs.normalize_element(initial_state)
  state_spec = element_specs.type_spec_from_value(initial_state)
  called, state_spec = stateful_function(
    reduce_func, "reduce()", state_spec, dataset.element_spec, lambda called: called.output_structure
  )
  made = gen.reduce_dataset(
    dataset._variant_tensor,
    element_specs.to_tensor_list(state_spec, initial_state),
    called.captured_inputs,
    f=called.function,
    use_inter_op_parallelism=True,
    **element_specs.attrs_of(state_spec),
  )
  return element_specs.from_tensor_list(state_spec, made)
