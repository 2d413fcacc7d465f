"""The attribute by which a variable's initial value lies where the variable does."""


class ColocationAttr:
  """The AttrValue of `_class`, ["loc:@" + name], as far as a graph needs it: its bytes, which are short to write."""

  __slots__ = ("_bytes",)

  def __init__(self, name):
    text = b"loc:@" + name.encode()
    strings = b"\x12" + _length(text) + text
    self._bytes = b"\x0a" + _length(strings) + strings

  def SerializeToString(self):
    """Returns the message: field 1, a list, whose field 2 is the string."""
    return self._bytes


def _length(data):
  """Returns the number of bytes as a varint."""
  number = len(data)
  out = bytearray()
  while number > 127:
    out.append(number & 127 | 128)
    number >>= 7
  out.append(number)
  return bytes(out)
