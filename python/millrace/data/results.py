"""What a graph gets of a data set without an iterator: one element, the number of elements, a file."""

from millrace import gen
from millrace.data import element_specs
from millrace.data.dataset import DatasetV1
from millrace.framework import convert, dtypes
from millrace.framework.tensor_spec import TensorSpec

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2
AUTOTUNE = -1


def cardinality(dataset):
  """Returns an int64 tensor: the number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
  return gen.dataset_cardinality(dataset._variant_tensor)


def get_single_element(dataset):
  """Returns the only element. Running it fails with InvalidArgumentError if there are none or several."""
  if not isinstance(dataset, DatasetV1):
    raise TypeError(f"Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}.")
  flat = gen.dataset_to_single_element(dataset._variant_tensor, **element_specs.attrs_of(dataset.element_spec))
  return element_specs.from_tensor_list(dataset.element_spec, flat)


class TFRecordWriter:
  """Writes the elements of a data set, string scalars, to a TFRecord file."""

  def __init__(self, filename, compression_type=None):
    self._filename = convert.convert_to_tensor(filename, dtypes.string, name="filename")
    self._compression_type = convert.convert_to_tensor(
      "" if compression_type is None else compression_type, dtype=dtypes.string, name="compression_type"
    )

  def write(self, dataset):
    """Returns the operation that writes all elements."""
    if not isinstance(dataset, DatasetV1):
      raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
    if not element_specs.are_compatible(dataset.element_spec, TensorSpec([], dtypes.string)):
      raise TypeError(
        "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, but got a dataset which produces elements "
        f"with shapes {dataset.output_shapes} and types {dataset.output_types}."
      )
    return gen.dataset_to_tf_record(dataset._variant_tensor, self._filename, self._compression_type)
