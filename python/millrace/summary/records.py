"""Files of records: a length, bytes, and checksums of both."""

import struct

import millrace as tf
from millrace.framework import errors
from millrace.summary.crc32c import masked_crc32c


def encode_record(data):
  """The bytes of a record with its frame."""
  length = struct.pack("<Q", len(data))
  return b"".join([length, struct.pack("<I", masked_crc32c(length)), data, struct.pack("<I", masked_crc32c(data))])


class RecordWriter:
  """Appends records to a new file; `flush()` makes them visible to readers."""

  def __init__(self, path):
    self.path = path
    self._file = tf.gfile.GFile(path, "wb")
    # The file is there from the beginning, also without records.
    self._file.write(b"")
    self._file.flush()

  def write(self, data):
    self._file.write(encode_record(data))

  def flush(self):
    self._file.flush()

  def close(self):
    self._file.close()


def read_records(path):
  """Yields the bytes of the records of a file.

  Raises NotFoundError without a file, DataLossError for a wrong checksum; a record that isn't whole yet ends it.
  """
  with tf.gfile.GFile(path, "rb") as f:
    offset = 0
    while True:
      header = f.read(12)
      if len(header) < 12:
        return
      length = struct.unpack("<Q", header[:8])[0]
      if struct.unpack("<I", header[8:])[0] != masked_crc32c(header[:8]):
        raise errors.DataLossError(None, None, f"corrupted record at {offset}")
      body = f.read(length + 4)
      if len(body) < length + 4:
        return
      data = body[:length]
      if struct.unpack("<I", body[length:])[0] != masked_crc32c(data):
        raise errors.DataLossError(None, None, f"corrupted record at {offset}")
      offset += 16 + length
      yield data
