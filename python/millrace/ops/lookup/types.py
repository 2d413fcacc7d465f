"""The types of keys and values, which tables and what fills them know."""

from millrace.framework import dtypes


class KeyValueTypes:
  """Holds the type of the keys and that of the values."""

  def __init__(self, key_dtype, value_dtype):
    self._key_dtype = dtypes.as_dtype(key_dtype)
    self._value_dtype = dtypes.as_dtype(value_dtype)

  @property
  def key_dtype(self):
    """The type of the keys."""
    return self._key_dtype

  @property
  def value_dtype(self):
    """The type of the values."""
    return self._value_dtype
