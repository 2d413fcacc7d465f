"""An object for a variable or a tensor that is equal to another only if they are for the same one."""


class Reference:
  """Stands for `wrapped` in sets and as a key of dictionaries."""

  __slots__ = ("_wrapped",)

  def __init__(self, wrapped):
    self._wrapped = wrapped

  def deref(self):
    """Returns the object that it stands for."""
    return self._wrapped

  def __eq__(self, other):
    return isinstance(other, Reference) and self._wrapped is other._wrapped

  def __ne__(self, other):
    return not self == other

  def __hash__(self):
    return id(self._wrapped)

  def __repr__(self):
    return f"<Reference wrapping {self._wrapped!r}>"
