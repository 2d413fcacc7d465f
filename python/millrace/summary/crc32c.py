"""CRC-32C (Castagnoli), as files of records have it: masked, so that a sum of sums isn't weak."""

import numpy as np

_POLYNOMIAL = 0x82F63B78
_LANES = 1024


def _byte_table():
  table = np.arange(256, dtype=np.uint32)
  for _ in range(8):
    table = np.where(table & 1, (table >> np.uint32(1)) ^ np.uint32(_POLYNOMIAL), table >> np.uint32(1))
  return table.astype(np.uint32)


_TABLE = _byte_table()
_LIST = [int(x) for x in _TABLE]


def _extend(crc, data):
  """The register after `data`, one byte after the other."""
  table = _LIST
  for byte in data:
    crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
  return crc


def _times(matrix, vector):
  """A matrix over bits (its columns as numbers) times a vector of bits."""
  result = 0
  column = 0
  while vector:
    if vector & 1:
      result ^= matrix[column]
    vector >>= 1
    column += 1
  return result


def _shift_matrix(length):
  """What `length` zero bytes do to a register, as a matrix over bits."""
  one = [_LIST[(1 << bit) & 0xFF] ^ ((1 << bit) >> 8) for bit in range(32)]
  result = [1 << bit for bit in range(32)]
  while length:
    if length & 1:
      result = [_times(one, column) for column in result]
    length >>= 1
    if length:
      one = [_times(one, column) for column in one]
  return result


def crc32c(data):
  """The checksum of bytes."""
  crc = 0xFFFFFFFF
  view = memoryview(data).cast("B")
  # Long data is read in lanes at once, whose registers are put together afterwards.
  width = len(view) // _LANES
  if width >= 64:
    lanes = np.frombuffer(view[: width * _LANES], dtype=np.uint8).reshape(_LANES, width)
    registers = np.zeros(_LANES, dtype=np.uint32)
    registers[0] = crc
    for i in range(width):
      registers = _TABLE[(registers ^ lanes[:, i]) & np.uint32(0xFF)] ^ (registers >> np.uint32(8))
    shift = _shift_matrix(width)
    crc = 0
    for register in registers:
      crc = _times(shift, crc) ^ int(register)
    view = view[width * _LANES :]
  return _extend(crc, view) ^ 0xFFFFFFFF


def masked_crc32c(data):
  """The checksum as files have it: turned right by 15 bits, plus a constant."""
  crc = crc32c(data)
  return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
