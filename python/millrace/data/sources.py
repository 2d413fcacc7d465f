"""Data sets that begin a pipeline: of tensors, numbers, names of files, and of several data sets at once."""

from millrace import gen
from millrace.data import element_specs, seeds, structures
from millrace.data.dataset import DatasetV1, DatasetV1Adapter
from millrace.data.functions import as_int64
from millrace.framework import composite, convert, dtypes, scopes, tensor_shape
from millrace.framework.tensor_spec import TensorSpec


def from_tensors(tensors):
  element = element_specs.normalize_element(tensors)
  spec = element_specs.type_spec_from_value(element)
  flat = element_specs.to_tensor_list(spec, element)
  return DatasetV1Adapter(gen.tensor_dataset(flat, output_shapes=element_specs.flat_shapes(spec)), spec)


def from_tensor_slices(tensors):
  element = element_specs.normalize_element(tensors)
  batched = element_specs.type_spec_from_value(element)
  flat = element_specs.to_batched_tensor_list(batched, element)
  return slices(flat, element_specs.unbatched(batched))


def slices(flat, spec, is_files=False):
  """A data set of the rows of a list of tensors, which stand for elements of a spec."""
  if is_files:
    # TensorFlow enters this scope here too, which counts for the names of later ones.
    with scopes.name_scope("normalize_element"):
      pass
  rows = tensor_shape.Dimension(None)
  for tensor in flat:
    if tensor.shape.ndims is not None:
      rows.assert_is_compatible_with(tensor.shape.dims[0])
      rows = rows.merge_with(tensor.shape.dims[0])
  made = gen.tensor_slice_dataset(flat, output_shapes=element_specs.flat_shapes(spec), is_files=is_files)
  return DatasetV1Adapter(made, spec)


def from_sparse_tensor_slices(sparse_tensor):
  if not isinstance(sparse_tensor, composite.SparseTensor):
    raise TypeError(f"Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got {type(sparse_tensor)}.")
  made = gen.sparse_tensor_slice_dataset(sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape)
  rank = sparse_tensor.dense_shape.shape.dims[0].value if sparse_tensor.dense_shape.shape.ndims else None
  rank = None if rank is None else rank - 1
  spec = (
    TensorSpec([None, rank], dtypes.int64),
    TensorSpec([None], sparse_tensor.dtype),
    TensorSpec([rank], dtypes.int64),
  )
  return DatasetV1Adapter(made, spec)


def range_(*args):
  if len(args) == 1:
    start, stop, step = 0, args[0], 1
  elif len(args) == 2:
    start, stop, step = args[0], args[1], 1
  elif len(args) == 3:
    start, stop, step = args
  else:
    raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
  start, stop, step = as_int64(start, "start"), as_int64(stop, "stop"), as_int64(step, "step")
  spec = TensorSpec([], dtypes.int64)
  return DatasetV1Adapter(gen.range_dataset(start, stop, step, **element_specs.attrs_of(spec)), spec)


def zip_(datasets):
  for dataset in structures.flatten(datasets):
    if not isinstance(dataset, DatasetV1):
      if isinstance(dataset, list):
        raise TypeError(
          "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. Python `list` is "
          "not supported and you should use `tuple` instead."
        )
      raise TypeError(
        "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects but encountered "
        f"object of type {type(dataset)}."
      )
  spec = structures.pack_sequence_as(datasets, [dataset.element_spec for dataset in structures.flatten(datasets)])
  flat = structures.flatten(datasets)
  made = gen.zip_dataset([dataset._variant_tensor for dataset in flat], **element_specs.attrs_of(spec))
  return DatasetV1Adapter(made, spec, flat)


def list_files(file_pattern, shuffle=None, seed=None):
  from millrace.ops.array import shapes
  from millrace.ops.control_flow import assertion
  from millrace.ops.math import binary
  from millrace.ops.string import texts

  if shuffle is None:
    shuffle = True
  with scopes.name_scope("list_files"):
    file_pattern = convert.convert_to_tensor(file_pattern, dtype=dtypes.string, name="file_pattern")
    files = gen.matching_files(file_pattern)
    condition = binary.greater(shapes.shape(files)[0], 0, name="match_not_empty")
    message = binary.add("No files matched pattern: ", texts.reduce_join(file_pattern, separator=", "), name="message")
    waits = assertion.Assert(condition, [message], summarize=1, name="assert_not_empty")
    with scopes.control_dependencies([waits]):
      files = gen.identity(files)
    dataset = slices([files], TensorSpec([], dtypes.string), is_files=True)
    if shuffle:
      buffer_size = binary.maximum(shapes.shape(files, out_type=dtypes.int64)[0], 1)
      dataset = _shuffled(dataset, buffer_size, seed)
    return dataset


def _shuffled(dataset, buffer_size, seed):
  seed, seed2 = seeds.get_seed(seed)
  attrs = element_specs.attrs_of(dataset.element_spec)
  made = gen.shuffle_dataset(dataset._variant_tensor, buffer_size, seed, seed2, reshuffle_each_iteration=True, **attrs)
  return DatasetV1Adapter(made, dataset.element_spec, [dataset])
