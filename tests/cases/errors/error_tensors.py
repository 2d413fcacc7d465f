"""Values of TensorProtos as lists of elements, each its bytes, and how they are made larger, smaller or wrong."""

import dataclasses
import math
import struct

import raw_client as raw

FLOAT, DOUBLE, INT32, STRING, INT64, BOOL, BFLOAT16, HALF = 1, 2, 3, 7, 9, 10, 14, 19
RESOURCE, VARIANT, FIRST_REF = 20, 21, 100
FORMATS = {
  **{FLOAT: "f", DOUBLE: "d", INT32: "i", 4: "B", 5: "h", 6: "b", INT64: "q", BOOL: "?", 11: "b", 12: "B", 13: "i"},
  **{15: "h", 16: "H", 17: "H", HALF: "e", 22: "I", 23: "Q"},
}
SIZES = {**{dtype: struct.calcsize("<" + f) for dtype, f in FORMATS.items()}, 8: 8, 18: 16, BFLOAT16: 2}


@dataclasses.dataclass(frozen=True)
class Value:
  dtype: int
  dims: tuple
  elements: tuple  # of bytes

  def proto(self):
    if self.dtype == STRING:
      return raw.tensor(STRING, self.dims, string_val=self.elements)
    return raw.tensor(self.dtype, self.dims, tensor_content=b"".join(self.elements))


def of_proto(tensor):
  """None for types whose elements have no bytes of their own, and for forms that the cases' export does not write."""
  dims = tuple(d.size for d in tensor.tensor_shape.dim)
  if tensor.dtype == STRING:
    elements = tuple(tensor.string_val)
  elif tensor.dtype in SIZES:
    size, content = SIZES[tensor.dtype], tensor.tensor_content
    elements = tuple(content[i : i + size] for i in range(0, len(content), size))
  else:
    return None
  return Value(tensor.dtype, dims, elements) if len(elements) == math.prod(dims) else None


def element(dtype, number):
  """The bytes of a number; None where the type does not have it."""
  if dtype == BFLOAT16:
    return struct.pack("<f", number)[2:]
  try:
    return struct.pack("<" + FORMATS[dtype], number)
  except (KeyError, struct.error, ValueError, OverflowError):
    return None


def zeros(dtype, dims=()):
  one = b"" if dtype == STRING else bytes(SIZES[dtype])
  return Value(dtype, tuple(dims), (one,) * math.prod(dims))


def with_first(value, one):
  """Its first element is another."""
  return dataclasses.replace(value, elements=(one, *value.elements[1:]))


def resized(value, axis, size):
  """Cut or, by its last part, continued along an axis. An axis without parts is continued by zeros."""
  outer, inner = math.prod(value.dims[:axis]), math.prod(value.dims[axis + 1 :])
  had = value.dims[axis]
  dims = value.dims[:axis] + (size,) + value.dims[axis + 1 :]
  if not had:
    return zeros(value.dtype, dims)
  parts = []
  for row in range(outer):
    for at in range(size):
      start = (row * had + min(at, had - 1)) * inner
      parts += value.elements[start : start + inner]
  return Value(value.dtype, dims, tuple(parts))


def wrong_ranks(value):
  """(what, value) of another rank."""
  yield "rank+1", dataclasses.replace(value, dims=(1, *value.dims))
  if value.dims and value.elements:
    inner = math.prod(value.dims[1:])
    yield "rank-1", Value(value.dtype, value.dims[1:], value.elements[:inner])
    if len(value.dims) > 1:
      yield "scalar", Value(value.dtype, (), value.elements[:1])


def wrong_sizes(value):
  """(what, value) of which one dimension is another."""
  last = len(value.dims) - 1
  for name, axis in [("first", 0), ("last", last)][: min(last + 1, 2)]:
    yield name + "+1", resized(value, axis, value.dims[axis] + 1)
    if value.dims[axis] > 0:
      yield name + "=0", resized(value, axis, 0)


def wrong_elements(value):
  """(what, value) of which the first element is out of most ranges."""
  if not value.elements:
    return
  numbers = {}
  if value.dtype == STRING:
    for name, text in {"empty": b"", "junk": b"\xff~no such"}.items():
      if value.elements[0] != text:
        yield name, with_first(value, text)
  elif value.dtype in (FLOAT, DOUBLE, BFLOAT16, HALF):
    numbers = {"nan": math.nan, "-1": -1.0, "huge": 3e4 if value.dtype == HALF else 1e30}
  elif value.dtype in FORMATS and value.dtype != BOOL:
    bits = 8 * SIZES[value.dtype]
    signed = element(value.dtype, -1) is not None
    numbers = {"0": 0, "-1": -1, "huge": (1 << (bits - signed)) - 1}
  for name, number in numbers.items():
    one = element(value.dtype, number)
    if one is not None and one != value.elements[0]:
      yield name, with_first(value, one)


def wrong_values(value):
  yield from wrong_ranks(value)
  yield from wrong_sizes(value)
  yield from wrong_elements(value)


def other_type(dtype):
  """A type that no op takes for this one."""
  return INT32 if dtype % FIRST_REF in (FLOAT, STRING, DOUBLE, HALF, BFLOAT16) else FLOAT
