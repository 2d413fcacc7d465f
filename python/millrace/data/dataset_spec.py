"""DatasetSpec: the description of data sets as components of elements."""

from millrace.data import element_specs, structures
from millrace.framework import composite, tensor_shape


class DatasetSpec(composite.TypeSpec):
  """Describes data sets by their elements; `dataset_shape` is that of a tensor of data sets."""

  __slots__ = ("_dataset_shape", "_element_spec")
  _is_leaf_in_nest = True

  def __init__(self, element_spec, dataset_shape=()):
    self._element_spec = element_spec
    self._dataset_shape = tensor_shape.as_shape(dataset_shape)

  @property
  def value_type(self):
    from millrace.data.dataset import DatasetV1

    return DatasetV1

  @property
  def element_spec(self):
    """The structure of specs of the elements."""
    return self._element_spec

  @staticmethod
  def from_value(value):
    """Returns the spec of a data set."""
    return DatasetSpec(value.element_spec)

  def _serialize(self):
    return (self._element_spec, self._dataset_shape)

  def _key(self):
    return (tuple(structures.flatten(self._element_spec)), self._dataset_shape)

  def is_compatible_with(self, spec_or_value):
    """True if a data set, or data sets of the spec, have elements that fit."""
    other = spec_or_value if isinstance(spec_or_value, composite.TypeSpec) else element_specs.spec_of(spec_or_value)
    if not isinstance(other, DatasetSpec):
      return False
    return element_specs.are_compatible(self._element_spec, other._element_spec) and self._dataset_shape.is_compatible_with(
      other._dataset_shape
    )

  def most_specific_compatible_type(self, other):
    if not isinstance(other, DatasetSpec):
      raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")  # noqa: TRY004 (TensorFlow's class)
    return DatasetSpec(
      element_specs.most_specific(self._element_spec, other._element_spec),
      self._dataset_shape.most_specific_compatible_shape(other._dataset_shape),
    )

  def _to_tensor_list(self, value):
    return [value._variant_tensor]

  def _from_tensor_list(self, tensors):
    from millrace.data.dataset import VariantDataset

    if self._dataset_shape.ndims != 0:
      return tensors[0]
    return VariantDataset(tensors[0], self._element_spec)

  def _batch(self, size):
    return DatasetSpec(self._element_spec, tensor_shape.TensorShape([size]).concatenate(self._dataset_shape))

  def _unbatch(self):
    if self._dataset_shape.ndims == 0:
      raise ValueError("Unbatching a dataset is only supported for rank >= 1")
    return DatasetSpec(self._element_spec, self._dataset_shape[1:])

  def __repr__(self):
    return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"
