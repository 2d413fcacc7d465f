"""BoundedTensorSpec: the description of tensors whose elements are between bounds."""

import numpy as np

from millrace.framework import tensor_spec


class BoundedTensorSpec(tensor_spec.TensorSpec):
  """A TensorSpec with the least and the greatest value, which broadcast to the shape. ValueError without one of them."""

  __slots__ = ("_maximum", "_minimum")

  def __init__(self, shape, dtype, minimum, maximum, name=None):
    super().__init__(shape, dtype, name)
    if minimum is None or maximum is None:
      raise ValueError("minimum and maximum must be provided; but saw '%s' and '%s'" % (minimum, maximum))
    kind = self.dtype.as_numpy_dtype
    self._minimum = np.array(minimum, kind)
    self._maximum = np.array(maximum, kind)
    self._minimum.setflags(write=False)
    self._maximum.setflags(write=False)
    sizes = self.shape.as_list() if self.shape.is_fully_defined() else None
    for bound, word in ((self._minimum, "minimum"), (self._maximum, "maximum")):
      if sizes is not None:
        try:
          np.broadcast_shapes(bound.shape, tuple(sizes))
        except ValueError:
          raise ValueError(f"{word} is not compatible with shape. Message: {bound.shape} and {tuple(sizes)}.") from None

  @classmethod
  def from_spec(cls, spec, name=None):
    """Returns the spec of another one, with the bounds of its type where it has none."""
    low = getattr(spec, "minimum", spec.dtype.min)
    high = getattr(spec, "maximum", spec.dtype.max)
    return cls(spec.shape, spec.dtype, low, high, name or spec.name)

  @classmethod
  def is_bounded(cls):
    return True

  @property
  def minimum(self):
    """The least value, an array that cannot be written."""
    return self._minimum

  @property
  def maximum(self):
    """The greatest value, an array that cannot be written."""
    return self._maximum

  def _serialize(self):
    return (self._shape, self._dtype, self._minimum.tolist(), self._maximum.tolist(), self._name)

  def __repr__(self):
    return "BoundedTensorSpec(shape=%s, dtype=%r, name=%r, minimum=%r, maximum=%r)" % (
      self.shape,
      self.dtype,
      self.name,
      self.minimum,
      self.maximum,
    )
