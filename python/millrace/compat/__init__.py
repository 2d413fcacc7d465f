"""tf.compat: texts and bytes, types of numbers, and what is compatible since when."""

import datetime
import numbers
import os

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text, encoding="utf-8"):
  """Returns bytes of a text; bytes as they are. Raises TypeError for anything else."""
  if isinstance(bytes_or_text, bytearray):
    return bytes(bytes_or_text)
  if isinstance(bytes_or_text, str):
    return bytes_or_text.encode(encoding)
  if isinstance(bytes_or_text, bytes):
    return bytes_or_text
  raise TypeError("Expected binary or unicode string, got %r" % (bytes_or_text,))


def as_text(bytes_or_text, encoding="utf-8"):
  """Returns the text of bytes; a text as it is. Raises TypeError for anything else."""
  if isinstance(bytes_or_text, str):
    return bytes_or_text
  if isinstance(bytes_or_text, bytes):
    return bytes_or_text.decode(encoding)
  raise TypeError("Expected binary or unicode string, got %r" % (bytes_or_text,))


def as_str(bytes_or_text, encoding="utf-8"):
  """Returns the text of bytes; a text as it is. Raises TypeError for anything else."""
  return as_text(bytes_or_text, encoding)


def as_str_any(value):
  """Returns the text of bytes, and `str(value)` of anything else."""
  return as_str(value) if isinstance(value, bytes) else str(value)


def path_to_str(path):
  """Returns the text of a path object; anything else as it is."""
  return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


_FORWARD_COMPATIBILITY_DATE = datetime.date(2019, 11, 1)
_horizon = _FORWARD_COMPATIBILITY_DATE


def forward_compatible(year, month, day):
  """True if programs of that day and later read what is written now."""
  return datetime.date(year, month, day) < _horizon


class forward_compatibility_horizon:
  """A context in which `forward_compatible` counts from another day."""

  def __init__(self, year, month, day):
    self._day = datetime.date(year, month, day)

  def __enter__(self):
    global _horizon
    self._before, _horizon = _horizon, self._day

  def __exit__(self, kind, value, trace):
    global _horizon
    _horizon = self._before
