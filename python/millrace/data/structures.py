"""Nested structures of elements of data sets: tuples, namedtuples, dictionaries and attrs classes.

Unlike elsewhere, a list is one element: it becomes one tensor. So is a SparseTensorValue.
"""

from collections import abc

from millrace.framework import composite
from millrace.framework import nest as plain


def is_sequence(value):
  """True for a structure."""
  if isinstance(value, composite.SparseTensorValue):
    return False
  return isinstance(value, (tuple, abc.Mapping)) or plain.is_attrs(value)


def _parts(value):
  if isinstance(value, abc.Mapping):
    return [value[key] for key in sorted(value)]
  if plain.is_attrs(value):
    return [getattr(value, field.name) for field in type(value).__attrs_attrs__]
  return list(value)


def flatten(structure):
  """Returns the elements as one list."""
  if not is_sequence(structure):
    return [structure]
  return [element for part in _parts(structure) for element in flatten(part)]


def _like(instance, parts):
  if isinstance(instance, abc.Mapping):
    by_key = dict(zip(sorted(instance), parts))
    pairs = [(key, by_key[key]) for key in instance]
    return type(instance)(instance.default_factory, pairs) if hasattr(instance, "default_factory") else type(instance)(pairs)
  if plain.is_namedtuple(instance) or plain.is_attrs(instance):
    return type(instance)(*parts)
  return tuple(parts) if type(instance) is tuple else type(instance)(parts)


def pack_sequence_as(structure, flat):
  """Returns a structure like `structure` of the elements of a list. Raises ValueError if their numbers differ."""
  flat = list(flat)
  count = len(flatten(structure))
  if count != len(flat):
    raise ValueError(
      f"Could not pack sequence. Structure had {count} elements, but flat_sequence had {len(flat)} elements.  Structure: {structure}, flat_sequence: {flat}."
    )
  return _pack(structure, iter(flat))


def _pack(structure, elements):
  if not is_sequence(structure):
    return next(elements)
  return _like(structure, [_pack(part, elements) for part in _parts(structure)])


def map_structure(function, *structures):
  """Returns a structure of `function` of the elements of structures that are alike."""
  for other in structures[1:]:
    assert_same_structure(structures[0], other)
  return pack_sequence_as(structures[0], [function(*elements) for elements in zip(*[flatten(s) for s in structures])])


def assert_same_structure(one, two, check_types=True):
  """Raises ValueError if the structures differ, TypeError if only their kinds do."""
  if is_sequence(one) != is_sequence(two):
    raise ValueError(f"The two structures don't have the same nested structure. First structure: {one}, second structure: {two}.")
  if not is_sequence(one):
    return
  if check_types and type(one) is not type(two) and not (isinstance(one, abc.Mapping) and isinstance(two, abc.Mapping)):
    raise TypeError(
      f"The two structures don't have the same sequence type. First structure has type {type(one)}, while second structure has type {type(two)}."
    )
  if isinstance(one, abc.Mapping) and set(one) != set(two):
    raise ValueError(
      f"The two dictionaries don't have the same set of keys. First structure has keys {list(one)}, while second structure has keys {list(two)}."
    )
  first, second = _parts(one), _parts(two)
  if len(first) != len(second):
    raise ValueError(
      f"The two structures don't have the same number of elements. First structure: {one}, second structure: {two}."
    )
  for a, b in zip(first, second):
    assert_same_structure(a, b, check_types)


def flatten_up_to(shallow, deep):
  """Returns the parts of `deep` at the places where `shallow` has its elements. Lists count as structures there."""
  if not is_sequence(shallow):
    return [deep]
  parts = list(deep) if isinstance(deep, list) else _parts(deep) if is_sequence(deep) else None
  if parts is None:
    raise TypeError(
      f"If shallow structure is a sequence, input must also be a sequence. Input has type: '{type(deep).__name__}'."
    )
  if isinstance(shallow, abc.Mapping) and isinstance(deep, abc.Mapping) and set(shallow) != set(deep):
    raise ValueError(
      f"The two structures don't have the same keys. Input structure has keys {list(deep)}, while shallow structure has keys {list(shallow)}."
    )
  inner = _parts(shallow)
  if len(inner) != len(parts):
    raise ValueError(
      f"The two structures don't have the same sequence length. Input structure has length {len(parts)}, while shallow structure has length "
      f"{len(inner)}."
    )
  return [element for a, b in zip(inner, parts) for element in flatten_up_to(a, b)]


def map_structure_up_to(shallow, function, *deep):
  """Returns a structure like `shallow` of `function` of the parts that the others have at its places."""
  return pack_sequence_as(shallow, [function(*parts) for parts in zip(*[flatten_up_to(shallow, d) for d in deep])])
