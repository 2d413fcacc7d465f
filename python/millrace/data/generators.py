"""Data sets of what Python generators yield, in sessions and servers of this process."""

import threading

import numpy as np

from millrace import gen
from millrace.data import element_specs, mapping, sources, structures
from millrace.data.dataset import DatasetV1Adapter
from millrace.data.functions import StructuredFunction
from millrace.framework import convert, dtypes
from millrace.framework.tensor import Tensor


class _Running:
  """The generators that iterators run, by their numbers."""

  def __init__(self, generator):
    self._generator = generator
    self._lock = threading.Lock()
    self._next_id = 0
    self._arguments = {}
    self._iterators = {}

  def new_id(self, *args):
    with self._lock:
      number = self._next_id
      self._next_id += 1
    self._arguments[number] = args
    return np.array(number, dtype=np.int64)

  def iterator(self, number):
    if number not in self._iterators:
      self._iterators[number] = iter(self._generator(*self._arguments.pop(number)))
    return self._iterators[number]

  def end(self, number):
    self._arguments.pop(number, None)
    self._iterators.pop(number, None)


def _py_func(function, inputs, types):
  from millrace.ops.script import py_func

  return py_func.py_func(function, inputs, types, stateful=True)


def _as_array(value, dtype):
  """A value as an array of a type; texts as an array of bytes."""
  if dtype == dtypes.string:
    array = np.asarray(value, dtype=object)
    flat = [part.encode() if isinstance(part, str) else part for part in array.reshape(-1).tolist()]
    if any(not isinstance(part, bytes) for part in flat):
      raise TypeError("not a text")
    made = np.empty(len(flat), dtype=object)
    made[:] = flat
    return made.reshape(array.shape)
  return np.asarray(value, dtype=dtype.as_numpy_dtype)


def _checked(values, types, shapes):
  """What a generator yielded, as a list of arrays. Raises TypeError where structure, type or shape are not the promised ones."""
  try:
    flat = structures.flatten_up_to(types, values)
  except (TypeError, ValueError):
    raise TypeError(
      f"`generator` yielded an element that did not match the expected structure. The expected structure was {types}, but the yielded "
      f"element was {values}."
    ) from None
  arrays = []
  for value, dtype in zip(flat, structures.flatten(types)):
    try:
      arrays.append(_as_array(value, dtype))
    except (TypeError, ValueError):
      raise TypeError(
        f"`generator` yielded an element that could not be converted to the expected type. The expected type was {dtype.name}, but the yielded "
        f"element was {value}."
      ) from None
  for array, dtype, shape in zip(arrays, structures.flatten(types), structures.flatten(shapes)):
    if dtype != dtypes.string and array.dtype != dtype.as_numpy_dtype:
      raise TypeError(
        f"`generator` yielded an element of type {array.dtype} where an element of type {np.dtype(dtype.as_numpy_dtype).name} was expected."
      )
    if not shape.is_compatible_with(array.shape):
      raise TypeError(f"`generator` yielded an element of shape {array.shape} where an element of shape {shape} was expected.")
  return arrays


def from_generator(generator, output_types, output_shapes=None, args=None):
  if not callable(generator):
    raise TypeError("`generator` must be a Python callable.")
  types = element_specs.types_from(output_types)
  shapes = element_specs.shapes_from(types, output_shapes)
  args = () if args is None else tuple(convert.convert_n_to_tensor(args, name="args"))
  flat_types = structures.flatten(types)
  running = _Running(generator)

  def get_iterator_id_fn(unused):
    del unused
    return _py_func(running.new_id, args, dtypes.int64)

  def generator_next_fn(iterator_id):
    def next_element(number):
      return _checked(next(running.iterator(int(number))), types, shapes)

    made = _py_func(next_element, [iterator_id], flat_types)
    for tensor, shape in zip(made, structures.flatten(shapes)):
      tensor.set_shape(shape)
    return structures.pack_sequence_as(types, made)

  def finalize_fn(iterator_id):
    def end(number):
      running.end(int(number))
      return np.array(0, dtype=np.int64)

    return _py_func(end, [iterator_id], dtypes.int64)

  spec = element_specs.from_legacy(types, shapes, structures.map_structure(lambda _: Tensor, types))

  def flat_map_fn(dummy):
    return generator_dataset(
      dummy, get_iterator_id_fn, generator_next_fn, finalize_fn, "Dataset.from_generator()", output_spec=spec
    )

  return mapping.flat_map(sources.from_tensors(0), flat_map_fn)


def generator_dataset(init_args, init_func, next_func, finalize_func, name, output_spec=None):
  """A data set of what `next_func` returns for the state that `init_func` made of `init_args`, until it ends; then
  `finalize_func` is called."""
  init_spec = element_specs.type_spec_from_value(init_args)
  init = StructuredFunction(init_func, name, input_structure=init_spec)
  following = StructuredFunction(next_func, name, input_structure=init.output_structure)
  final = StructuredFunction(finalize_func, name, input_structure=init.output_structure)
  spec = following.output_structure if output_spec is None else output_spec
  made = gen.generator_dataset(
    element_specs.to_tensor_list(init_spec, init_args) + init.captured_inputs,
    following.captured_inputs,
    final.captured_inputs,
    init_func=init.function,
    next_func=following.function,
    finalize_func=final.function,
    **element_specs.attrs_of(spec),
  )
  return DatasetV1Adapter(made, spec)
