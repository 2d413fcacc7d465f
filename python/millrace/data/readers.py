"""Data sets of the contents of files."""

from millrace import gen
from millrace.data import interleaving, mapping, sources
from millrace.data.dataset import DatasetV1, DatasetV1Adapter
from millrace.framework import convert, dtypes
from millrace.framework.tensor_spec import TensorSpec

_BUFFER_BYTES = 256 * 1024


def _optional(value, name, default, dtype=dtypes.int64):
  return convert.convert_to_tensor(default if value is None else value, dtype=dtype, name=name)


def _compression(value):
  return _optional(value, "compression_type", "", dtypes.string)


def _files(filenames):
  """A data set of names of files: given as a data set, or as a string or a tensor of them."""
  if isinstance(filenames, DatasetV1):
    if filenames.output_types != dtypes.string:
      raise TypeError(
        f"The `filenames` argument must contain `tf.string` elements. Got a dataset of `{filenames.output_types!r}` elements."
      )
    if not filenames.output_shapes.is_compatible_with([]):
      raise TypeError(
        f"The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a dataset of element shape {filenames.output_shapes}."
      )
    return filenames
  from millrace.ops.array import shapes

  names = convert.convert_to_tensor(filenames, dtype_hint=dtypes.string)
  if names.dtype != dtypes.string:
    raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got `{names.dtype!r}` elements.")
  names = shapes.reshape(names, [-1], name="flat_filenames")
  return sources.slices([names], TensorSpec([], dtypes.string), is_files=True)


class _FileDataset(DatasetV1Adapter):
  """The records of files, one file after another or several at once."""

  def _read(self, filenames, num_parallel_reads, read_one_file):
    files = _files(filenames)

    def read(filename):
      return DatasetV1Adapter(read_one_file(filename), TensorSpec([], dtypes.string))

    read.__name__ = "read_one_file"
    if num_parallel_reads is None:
      made = mapping.flat_map(files, read)
    else:
      made = interleaving.parallel_interleave(files, read, num_parallel_reads, 1, False, None, None)
    super().__init__(made._variant_tensor, made.element_spec, [files])
    self._filenames = files


class TextLineDatasetV1(_FileDataset):
  """The lines of text files, without line ends. `compression_type` is "", "ZLIB" or "GZIP"."""

  def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None):
    def read(filename):
      return gen.text_line_dataset(filename, _compression(compression_type), _optional(buffer_size, "buffer_size", _BUFFER_BYTES))

    self._read(filenames, num_parallel_reads, read)


class TFRecordDatasetV1(_FileDataset):
  """The records of TFRecord files. `compression_type` is "", "ZLIB" or "GZIP"."""

  def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None):
    def read(filename):
      return gen.tf_record_dataset(filename, _compression(compression_type), _optional(buffer_size, "buffer_size", -1))

    self._read(filenames, num_parallel_reads, read)


class FixedLengthRecordDatasetV1(_FileDataset):
  """Records of `record_bytes` bytes, without the header and footer of each file."""

  def __init__(
    self,
    filenames,
    record_bytes,
    header_bytes=None,
    footer_bytes=None,
    buffer_size=None,
    compression_type=None,
    num_parallel_reads=None,
  ):
    def read(filename):
      size = _optional(record_bytes, "record_bytes", None)
      header = _optional(header_bytes, "header_bytes", 0)
      footer = _optional(footer_bytes, "footer_bytes", 0)
      buffer = _optional(buffer_size, "buffer_size", _BUFFER_BYTES)
      return gen.fixed_length_record_dataset_v2(filename, header, size, footer, buffer, _compression(compression_type))

    self._read(filenames, num_parallel_reads, read)
