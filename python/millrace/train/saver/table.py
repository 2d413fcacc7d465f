"""Sorted tables of keys and values, in which checkpoints keep their indexes: read as a whole."""

import struct

from millrace.framework import errors
from millrace.summary.crc32c import masked_crc32c

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48


def _varint(data, at):
  result = 0
  shift = 0
  while True:
    byte = data[at]
    at += 1
    result |= (byte & 0x7F) << shift
    if byte < 0x80:
      return result, at
    shift += 7


def _unsnap(data):
  """Unpacks a block of Snappy: literals and copies of what came before."""
  size, at = _varint(data, 0)
  out = bytearray()
  while at < len(data):
    tag = data[at]
    at += 1
    kind = tag & 3
    if kind == 0:
      length = tag >> 2
      if length >= 60:
        width = length - 59
        length = int.from_bytes(data[at : at + width], "little")
        at += width
      out += data[at : at + length + 1]
      at += length + 1
      continue
    if kind == 1:
      length = ((tag >> 2) & 7) + 4
      offset = ((tag >> 5) << 8) | data[at]
      at += 1
    else:
      width = 2 if kind == 2 else 4
      length = (tag >> 2) + 1
      offset = int.from_bytes(data[at : at + width], "little")
      at += width
    start = len(out) - offset
    for i in range(length):
      out.append(out[start + i])
  if len(out) != size:
    raise errors.DataLossError(None, None, "corrupted compressed block contents")
  return bytes(out)


def _block(data, handle):
  """The contents of the block at a handle, checked and unpacked."""
  offset, at = _varint(handle, 0)
  size, _ = _varint(handle, at)
  contents = data[offset : offset + size]
  trailer = data[offset + size : offset + size + 5]
  if len(trailer) < 5:
    raise errors.DataLossError(None, None, "truncated block read")
  if struct.unpack("<I", trailer[1:])[0] != masked_crc32c(data[offset : offset + size + 1]):
    raise errors.DataLossError(None, None, "block checksum mismatch")
  if trailer[0] == 0:
    return contents
  if trailer[0] == 1:
    return _unsnap(contents)
  raise errors.DataLossError(None, None, "bad block type")


def _entries(block):
  """Yields the keys and values of a block."""
  restarts = struct.unpack("<I", block[-4:])[0]
  end = len(block) - 4 - 4 * restarts
  at = 0
  key = b""
  while at < end:
    shared, at = _varint(block, at)
    unshared, at = _varint(block, at)
    length, at = _varint(block, at)
    key = key[:shared] + block[at : at + unshared]
    at += unshared
    yield key, block[at : at + length]
    at += length


def read_table(data):
  """Yields the keys and values of a table's bytes in the order of the keys. Raises DataLossError if it is none."""
  if len(data) < _FOOTER or struct.unpack("<Q", data[-8:])[0] != _MAGIC:
    raise errors.DataLossError(None, None, "not an sstable (bad magic number)")
  footer = data[-_FOOTER:]
  _, at = _varint(footer, 0)
  _, at = _varint(footer, at)
  for _, handle in _entries(_block(data, footer[at:])):
    yield from _entries(_block(data, handle))
