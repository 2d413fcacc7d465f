"""TFRecord files: length, checksum, bytes, checksum; whole files may be compressed."""

import gzip
import struct
import zlib

from millrace.framework import errors
from millrace.framework.deprecation import deprecated
from millrace.platform import gfile
from millrace.summary.crc32c import masked_crc32c

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]


class TFRecordCompressionType:
  """How a file of records is compressed."""

  NONE = 0
  ZLIB = 1
  GZIP = 2


class TFRecordOptions:
  """How a file of records is written: compression and its parameters. None stands for zlib's defaults."""

  compression_type_map = {  # noqa: RUF012 (a plain dictionary, as in TensorFlow)
    TFRecordCompressionType.ZLIB: "ZLIB",
    TFRecordCompressionType.GZIP: "GZIP",
    TFRecordCompressionType.NONE: "",
  }

  def __init__(
    self,
    compression_type=None,
    flush_mode=None,
    input_buffer_size=None,
    output_buffer_size=None,
    window_bits=None,
    compression_level=None,
    compression_method=None,
    mem_level=None,
    compression_strategy=None,
  ):
    self.get_compression_type_string(compression_type)
    self.compression_type = compression_type
    self.flush_mode = flush_mode
    self.input_buffer_size = input_buffer_size
    self.output_buffer_size = output_buffer_size
    self.window_bits = window_bits
    self.compression_level = compression_level
    self.compression_method = compression_method
    self.mem_level = mem_level
    self.compression_strategy = compression_strategy

  @classmethod
  def get_compression_type_string(cls, options):
    """Returns "", "ZLIB" or "GZIP" for None, an options object, a text, or a member of TFRecordCompressionType."""
    if not options:
      return ""
    if isinstance(options, TFRecordOptions):
      return cls.get_compression_type_string(options.compression_type)
    if isinstance(options, str):
      if options not in cls.compression_type_map.values():
        raise ValueError(f'Not a valid compression_type: "{options}"')
      return options
    if options in cls.compression_type_map:
      return cls.compression_type_map[options]
    raise ValueError(f'Not a valid compression_type: "{options}"')


class TFRecordWriter:
  """Writes records to a file. `options` is a TFRecordOptions, a compression type or its text."""

  def __init__(self, path, options=None):
    if not isinstance(options, TFRecordOptions):
      options = TFRecordOptions(compression_type=options)
    self._path = path
    kind = TFRecordOptions.get_compression_type_string(options)
    self._compressor = None
    if kind:
      bits = options.window_bits if options.window_bits is not None else zlib.MAX_WBITS
      self._compressor = zlib.compressobj(
        -1 if options.compression_level is None else options.compression_level,
        zlib.DEFLATED,
        bits + 16 if kind == "GZIP" else bits,
        zlib.DEF_MEM_LEVEL if options.mem_level is None else options.mem_level,
        zlib.Z_DEFAULT_STRATEGY if options.compression_strategy is None else options.compression_strategy,
      )
    self._file = gfile.GFile(path, "wb")
    self._file.write(b"")

  def __enter__(self):
    return self

  def __exit__(self, kind, value, trace):
    self.close()

  def _write(self, data):
    if data:
      self._file.write(data)

  def write(self, record):
    """Writes one record, bytes."""
    if self._file is None:
      raise errors.FailedPreconditionError(None, None, "Writer is closed.")
    if isinstance(record, str):
      record = record.encode("utf-8")
    length = struct.pack("<Q", len(record))
    framed = b"".join([length, struct.pack("<I", masked_crc32c(length)), bytes(record), struct.pack("<I", masked_crc32c(record))])
    self._write(self._compressor.compress(framed) if self._compressor else framed)

  def flush(self):
    """Gives everything that was written to the file."""
    if self._file is None:
      raise errors.FailedPreconditionError(None, None, "Writer is closed.")
    if self._compressor:
      self._write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
    self._file.flush()

  def close(self):
    """Closes the file."""
    if self._file is not None:
      if self._compressor:
        self._write(self._compressor.flush())
      self._file.close()
      self._file = None


def _read_all(path, kind):
  with gfile.GFile(path, "rb") as file:
    data = file.read()
  if kind == "GZIP":
    return gzip.decompress(data) if data else data
  return zlib.decompress(data) if kind == "ZLIB" and data else data


@deprecated(None, "Use eager execution and: \n`tf.data.TFRecordDataset(path)`")
def tf_record_iterator(path, options=None):
  """Yields the records of a file. Raises DataLossError where it is damaged or ends in the middle of one."""
  data = _read_all(path, TFRecordOptions.get_compression_type_string(options))
  return _records(data)


def _records(data):
  at = 0
  while at < len(data):
    if at + 12 > len(data):
      raise errors.DataLossError(None, None, f"truncated record at {at}")
    head = data[at : at + 8]
    if struct.unpack_from("<I", data, at + 8)[0] != masked_crc32c(head):
      hint = "" if at else " (Is this even a TFRecord file?)"
      raise errors.DataLossError(None, None, f"corrupted record at {at}{hint}")
    (length,) = struct.unpack("<Q", head)
    start, end = at + 12, at + 12 + length
    if end + 4 > len(data):
      raise errors.DataLossError(None, None, f"truncated record at {at}")
    record = data[start:end]
    if struct.unpack_from("<I", data, end)[0] != masked_crc32c(record):
      raise errors.DataLossError(None, None, f"corrupted record at {at}")
    yield record
    at = end + 4
