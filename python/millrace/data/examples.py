"""Data sets of parsed tf.train.Examples."""

from millrace import gen
from millrace.data import csv_files, element_specs, interleaving, mapping, sources
from millrace.data.dataset import DatasetV1Adapter
from millrace.data.readers import TFRecordDatasetV1
from millrace.framework import dtypes, tensor_shape
from millrace.framework.tensor_spec import TensorSpec


def parse_example_dataset(features, num_parallel_calls=1):
  """A step: parses vectors of serialized Examples into dictionaries of tensors and SparseTensors."""
  from millrace.ops.parsing import features as feature_types

  if features is None:
    raise ValueError("Argument `features` is required, but not specified.")

  def apply(dataset):
    fits = TensorSpec([None], dtypes.string)
    if not element_specs.are_compatible(dataset.element_spec, fits):
      raise TypeError(
        f"Input dataset should be a dataset of vectors of strings, but is a dataset of elements {dataset.element_spec}."
      )
    known = feature_types.with_unknown_first(features)
    fields = feature_types.Fields(known)
    defaults = fields.defaults()
    rows = dataset.element_spec.shape
    spec = {}
    for key, dtype in zip(fields.sparse_keys, fields.sparse_types):
      spec[key] = element_specs.SparseTensorSpec(rows.concatenate([None]), dtype)
    for key, dtype, shape in zip(fields.dense_keys, fields.dense_types, fields.dense_shapes):
      spec[key] = TensorSpec(tensor_shape.TensorShape(rows).concatenate(shape), dtype)
    made = gen.parse_example_dataset_v2(
      dataset._variant_tensor,
      num_parallel_calls,
      defaults,
      sparse_keys=fields.sparse_keys,
      dense_keys=fields.dense_keys,
      sparse_types=fields.sparse_types,
      dense_shapes=fields.dense_shapes,
      deterministic="default",
      **element_specs.attrs_of(spec),
    )
    parsed = DatasetV1Adapter(made, spec, [dataset])
    if any(isinstance(feature, feature_types.SparseFeature) for feature in features.values()):
      parsed = parsed.map(
        lambda tensors: feature_types.with_sparse_features(features, tensors), num_parallel_calls=num_parallel_calls
      )
    return parsed

  return apply


def make_batched_features_dataset(
  file_pattern,
  batch_size,
  features,
  reader=TFRecordDatasetV1,
  label_key=None,
  reader_args=None,
  num_epochs=None,
  shuffle=True,
  shuffle_buffer_size=10000,
  shuffle_seed=None,
  prefetch_buffer_size=None,
  reader_num_threads=None,
  parser_num_threads=None,
  sloppy_ordering=False,
  drop_final_batch=False,
):
  """Returns a data set of dictionaries of features of `batch_size` Examples each; with `label_key` pairs (features, label)."""
  reader_num_threads = 1 if reader_num_threads is None else reader_num_threads
  parser_num_threads = 2 if parser_num_threads is None else parser_num_threads
  prefetch_buffer_size = -1 if prefetch_buffer_size is None else prefetch_buffer_size
  dataset = sources.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
  arguments = [] if reader_args is None else reader_args

  def read(filename):
    return reader(filename, *arguments)

  dataset = interleaving.parallel_interleave(dataset, read, reader_num_threads, 1, sloppy_ordering, None, None)
  if dataset.output_types == (dtypes.string, dtypes.string):
    dataset = mapping.map_(dataset, lambda _, value: value)
  dataset = csv_files.shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
  dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
  dataset = dataset.apply(parse_example_dataset(features, num_parallel_calls=parser_num_threads))
  if label_key:
    if label_key not in features:
      raise ValueError(f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: {features.keys()}.")
    dataset = dataset.map(lambda x: (x, x.pop(label_key)))
  return dataset.prefetch(prefetch_buffer_size)
