"""Optional: a value that may be missing, as the next element of a data set."""

from millrace import gen
from millrace.data import element_specs
from millrace.framework import composite, scopes


class OptionalSpec(composite.TypeSpec):
  """Describes optionals by their values."""

  __slots__ = ("_value_structure",)
  _is_leaf_in_nest = True

  def __init__(self, value_structure):
    self._value_structure = value_structure

  @property
  def value_type(self):
    return Optional

  @staticmethod
  def from_value(value):
    """Returns the spec of an optional."""
    return OptionalSpec(value.value_structure)

  def _serialize(self):
    return (self._value_structure,)

  def _to_tensor_list(self, value):
    return [value._variant_tensor]

  def _from_tensor_list(self, tensors):
    return _OptionalImpl(tensors[0], self._value_structure)

  def _batch(self, size):
    raise NotImplementedError("Optionals cannot be batched.")

  def is_compatible_with(self, spec_or_value):
    """True if an optional, or optionals of the spec, have values that fit."""
    other = spec_or_value if isinstance(spec_or_value, composite.TypeSpec) else element_specs.spec_of(spec_or_value)
    return isinstance(other, OptionalSpec) and element_specs.are_compatible(self._value_structure, other._value_structure)

  def most_specific_compatible_type(self, other):
    if not isinstance(other, OptionalSpec):
      raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")  # noqa: TRY004 (TensorFlow's class)
    return OptionalSpec(element_specs.most_specific(self._value_structure, other._value_structure))


class Optional:
  """A value, or none: `has_value()` says which, `get_value()` returns it and fails if there is none."""

  def has_value(self, name=None):
    """Returns a bool tensor: whether there is a value."""
    raise NotImplementedError("Optional.has_value()")

  def get_value(self, name=None):
    """Returns the value, a structure of tensors; running it fails with InvalidArgumentError if there is none."""
    raise NotImplementedError("Optional.get_value()")

  @property
  def value_structure(self):
    """The structure of specs of the value."""
    raise NotImplementedError("Optional.value_structure")

  @staticmethod
  def from_value(value):
    """Returns an optional that has a value."""
    with scopes.name_scope("optional") as scope, scopes.name_scope("value"):
      spec = element_specs.type_spec_from_value(value)
      flat = element_specs.to_tensor_list(spec, value)
    return _OptionalImpl(gen.optional_from_value(flat, name=scope), spec)

  @staticmethod
  def none_from_structure(value_structure):
    """Returns an optional that has no value."""
    return _OptionalImpl(gen.optional_none(), value_structure)


class _OptionalImpl(Optional):
  def __init__(self, variant_tensor, value_structure):
    self._optional_variant = variant_tensor
    self._structure = value_structure

  # The name that other values with a variant have means a data set.
  @property
  def _variant_tensor(self):
    return self._optional_variant

  @property
  def element_spec(self):
    return self._structure

  @property
  def _type_spec(self):
    return OptionalSpec(self._structure)

  @property
  def value_structure(self):
    return self._structure

  def has_value(self, name=None):
    with scopes.colocate_with(self._optional_variant):
      return gen.optional_has_value(self._optional_variant, name=name)

  def get_value(self, name=None):
    with scopes.name_scope(name, "OptionalGetValue", [self._optional_variant]) as scope:
      with scopes.colocate_with(self._optional_variant):
        flat = gen.optional_get_value(self._optional_variant, name=scope, **element_specs.attrs_of(self._structure))
      return element_specs.from_tensor_list(self._structure, flat)


def get_next_as_optional(iterator):
  """Returns the next element of an iterator as an Optional, which has no value after the last one."""
  with scopes.colocate_with(iterator._iterator_resource):
    made = gen.iterator_get_next_as_optional(iterator._iterator_resource, **element_specs.attrs_of(iterator.element_spec))
  return _OptionalImpl(made, iterator.element_spec)
