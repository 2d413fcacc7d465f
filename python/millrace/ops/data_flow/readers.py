"""Readers: ops that take names of files from a queue and give their records as (key, value)."""

from millrace import gen
from millrace.framework import dtypes
from millrace.framework.tensor import Tensor

__all__ = [
  "FixedLengthRecordReader",
  "IdentityReader",
  "LMDBReader",
  "ReaderBase",
  "TFRecordReader",
  "TextLineReader",
  "WholeFileReader",
]


class ReaderBase:
  """A reader in a graph. What it has begun to read of a file it keeps between steps."""

  def __init__(self, reader_ref, supports_serialize=False):
    self._reader_ref = reader_ref
    self._supports_serialize = supports_serialize

  @property
  def reader_ref(self):
    """The op that stands for the reader in the graph."""
    return self._reader_ref

  @property
  def supports_serialize(self):
    """Whether the reader can give its state as a string."""
    return self._supports_serialize

  def _make(self, name):
    return getattr(gen, name + "_v2" if self._reader_ref.dtype == dtypes.resource else name)

  def read(self, queue, name=None):
    """Returns (key, value), two string scalars: the next record, of the next file if one has ended."""
    return self._make("reader_read")(self._reader_ref, self._of_queue(queue), name=name)

  def read_up_to(self, queue, num_records, name=None):
    """Returns (keys, values), two string vectors of up to `num_records` records."""
    return self._make("reader_read_up_to")(self._reader_ref, self._of_queue(queue), num_records, name=name)

  def num_records_produced(self, name=None):
    """Returns an int64 scalar: how many records were read."""
    return self._make("reader_num_records_produced")(self._reader_ref, name=name)

  def num_work_units_completed(self, name=None):
    """Returns an int64 scalar: how many files were read to their ends."""
    return self._make("reader_num_work_units_completed")(self._reader_ref, name=name)

  def serialize_state(self, name=None):
    """Returns a string scalar with the reader's state; not all readers can."""
    return self._make("reader_serialize_state")(self._reader_ref, name=name)

  def restore_state(self, state, name=None):
    """Returns the operation that puts the reader into a state that serialize_state gave."""
    return self._make("reader_restore_state")(self._reader_ref, state, name=name)

  def reset(self, name=None):
    """Returns the operation that puts the reader into its initial state."""
    return self._make("reader_reset")(self._reader_ref, name=name)

  def _of_queue(self, queue):
    """What stands for the queue: for a reader of the first generation the name under which its resource is found."""
    handle = queue if isinstance(queue, Tensor) else queue.queue_ref
    if handle.dtype == dtypes.resource and self._reader_ref.dtype != dtypes.resource:
      return gen.fake_queue(handle)
    return handle


class WholeFileReader(ReaderBase):
  """Gives each file as one record: (name, contents)."""

  def __init__(self, name=None):
    super().__init__(gen.whole_file_reader_v2(name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
  """Gives the lines of files, without line ends; `skip_header_lines` of each file are left out."""

  def __init__(self, skip_header_lines=None, name=None):
    super().__init__(gen.text_line_reader_v2(skip_header_lines=skip_header_lines, name=name))


class FixedLengthRecordReader(ReaderBase):
  """Gives records of `record_bytes` bytes; `hop_bytes`, if not 0, lie between their beginnings. `encoding` is "", "ZLIB" or "GZIP"."""

  def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
    super().__init__(
      gen.fixed_length_record_reader_v2(
        record_bytes=record_bytes,
        header_bytes=header_bytes,
        footer_bytes=footer_bytes,
        hop_bytes=hop_bytes,
        encoding=encoding,
        name=name,
      )
    )


class TFRecordReader(ReaderBase):
  """Gives the records of TFRecord files."""

  def __init__(self, name=None, options=None):
    from millrace.io.tf_record import TFRecordOptions

    compression = TFRecordOptions.get_compression_type_string(options)
    super().__init__(gen.tf_record_reader_v2(name=name, compression_type=compression))


class LMDBReader(ReaderBase):
  """Gives (key, value) of LMDB files."""

  def __init__(self, name=None, options=None):
    del options
    super().__init__(gen.lmdb_reader(name=name))


class IdentityReader(ReaderBase):
  """Gives each string of the queue as key and value."""

  def __init__(self, name=None):
    super().__init__(gen.identity_reader_v2(name=name), supports_serialize=True)
