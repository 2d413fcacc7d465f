"""TensorSpec: the description of tensors by shape, type and name."""

from millrace.framework import composite, dtypes, tensor_shape


class TensorSpec(composite.TypeSpec):
  """Describes tensors. The name does not count when specs are compared for compatibility."""

  __slots__ = ("_dtype", "_name", "_shape")
  _is_leaf_in_nest = True

  def __init__(self, shape, dtype=dtypes.float32, name=None):
    self._shape = tensor_shape.TensorShape(shape)
    self._dtype = dtypes.as_dtype(dtype)
    self._name = name

  @classmethod
  def from_spec(cls, spec, name=None):
    """Returns the TensorSpec of another one, or of anything with shape, dtype and name."""
    return cls(spec.shape, spec.dtype, name or spec.name)

  @classmethod
  def from_tensor(cls, tensor, name=None):
    """Returns the TensorSpec of a tensor, with the name of its op if none is given."""
    return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

  @classmethod
  def is_bounded(cls):
    return False

  @property
  def shape(self):
    return self._shape

  @property
  def dtype(self):
    return self._dtype

  @property
  def name(self):
    return self._name

  @property
  def value_type(self):
    from millrace.framework.tensor import Tensor

    return Tensor

  def is_compatible_with(self, spec_or_tensor):
    """True if the tensor, or tensors of the spec, have this type and a shape that fits."""
    dtype, shape = getattr(spec_or_tensor, "dtype", None), getattr(spec_or_tensor, "shape", None)
    if not isinstance(dtype, dtypes.DType) or not isinstance(shape, tensor_shape.TensorShape):
      return False
    return self._dtype.is_compatible_with(dtype) and self._shape.is_compatible_with(shape)

  def most_specific_compatible_type(self, other):
    if type(self) is not type(other) or self._dtype != other._dtype:
      raise ValueError("No TypeSpec is compatible with both %s and %s" % (self, other))
    shape = self._shape.most_specific_compatible_shape(other._shape)
    return type(self)(shape, self._dtype, self._name if self._name == other._name else None)

  def _serialize(self):
    return (self._shape, self._dtype, self._name)

  @property
  def _component_specs(self):
    return self

  def _to_components(self, value):
    from millrace.framework import convert

    return convert.convert_to_tensor(value, self._dtype)

  def _from_components(self, components):
    return components

  def _to_flat_components(self, value):
    return [self._to_components(value)]

  def _from_flat_components(self, tensors):
    return tensors[0]

  def _flat_component_specs(self):
    return [self]

  def __repr__(self):
    return "TensorSpec(shape=%s, dtype=%r, name=%r)" % (self._shape, self._dtype, self._name)
