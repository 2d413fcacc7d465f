"""Nested structures of Python: lists, tuples, namedtuples, dictionaries (in the order of their sorted keys) and attrs classes.

Everything else is an element, also a text and a numpy array. With `expand_composites`, a composite value such as a SparseTensor
is a structure of its tensors.
"""

import collections
import collections.abc as abc

from millrace.framework import nest_paths

_KINDS = {list: True, tuple: True, dict: True, str: False, bytes: False, int: False, float: False, type(None): False}


def is_nested(seq):
  """True for a structure, which may be empty."""
  known = _KINDS.get(type(seq))
  if known is not None:
    return known
  if isinstance(seq, (str, bytes)):
    return False
  return isinstance(seq, (abc.Sequence, abc.Mapping, abc.MappingView)) or is_attrs(seq)


is_sequence = is_nested


def is_namedtuple(instance, strict=False):
  """True for an instance of a class that `collections.namedtuple` made; with `strict`, not of a class derived from it."""
  if not isinstance(instance, tuple) or type(instance) is tuple:
    return False
  if strict and type(instance).__base__ is not tuple:
    return False
  fields = getattr(instance, "_fields", None)
  return isinstance(fields, abc.Sequence) and all(isinstance(field, str) for field in fields)


def is_mapping(obj):
  return isinstance(obj, abc.Mapping)


def is_attrs(obj):
  return hasattr(type(obj), "__attrs_attrs__")


def _is_composite(value):
  from millrace.framework import composite

  return isinstance(value, (composite.CompositeTensor, composite.TypeSpec)) and not getattr(value, "_is_leaf_in_nest", False)


def is_nested_or_composite(seq):
  return is_nested(seq) or _is_composite(seq)


is_sequence_or_composite = is_nested_or_composite


def _has_parts(value, expand_composites):
  return is_nested(value) or (expand_composites and _is_composite(value))


def _parts(value):
  """Pairs (key, part) of a structure in its order; keys are positions, names of fields, or keys."""
  kind = type(value)
  if kind is list or kind is tuple:
    return list(enumerate(value))
  if isinstance(value, abc.Mapping):
    return [(key, value[key]) for key in _sorted_keys(value)]
  if is_namedtuple(value):
    return list(zip(value._fields, value))
  if is_attrs(value):
    return [(field.name, getattr(value, field.name)) for field in type(value).__attrs_attrs__]
  if isinstance(value, (abc.Sequence, abc.MappingView)):
    return list(enumerate(value))
  from millrace.framework import composite

  if isinstance(value, composite.TypeSpec):
    return list(enumerate(value._flat_component_specs()))
  return list(enumerate(value._type_spec._to_flat_components(value)))


def _sorted_keys(mapping):
  try:
    return sorted(mapping)
  except TypeError:
    raise TypeError("nest only supports dicts with sortable keys.") from None


def _values(value):
  kind = type(value)
  if kind is list or kind is tuple:
    return value
  return [part for _, part in _parts(value)]


def flatten(structure, expand_composites=False):
  """Returns the elements as one list."""
  if not _has_parts(structure, expand_composites):
    return [structure]
  out = []
  _flatten(structure, out, expand_composites)
  return out


def _flatten(structure, out, expand_composites):
  for part in _values(structure):
    if _has_parts(part, expand_composites):
      _flatten(part, out, expand_composites)
    else:
      out.append(part)


def _like(instance, values):
  """Returns a structure of the kind of `instance` with other parts."""
  if isinstance(instance, abc.Mapping):
    result = dict(zip(_sorted_keys(instance), values))
    pairs = [(key, result[key]) for key in instance]
    if isinstance(instance, collections.defaultdict):
      return type(instance)(instance.default_factory, pairs)
    if type(instance) is dict:
      return dict(pairs)
    return type(instance)(pairs)
  if isinstance(instance, abc.MappingView):
    return list(values)
  if is_namedtuple(instance) or is_attrs(instance):
    return type(instance)(*values)
  if isinstance(instance, range):
    return list(values)
  if is_nested(instance):
    return type(instance)(values)
  from millrace.framework import composite

  spec = instance if isinstance(instance, composite.TypeSpec) else instance._type_spec
  return spec._from_flat_components(list(values))


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
  """Returns a structure like `structure` whose elements are those of the list. Raises ValueError if their numbers differ."""
  if not is_nested(flat_sequence):
    raise TypeError(
      "Attempted to pack value:\n  %s\ninto a structure, but found incompatible type `%s` instead."
      % (_short(flat_sequence), type(flat_sequence))
    )
  flat_sequence = _values(flat_sequence)
  if not _has_parts(structure, expand_composites):
    if len(flat_sequence) != 1:
      raise ValueError(
        "The target structure is of type `%s`\n  %s\nHowever the input is a sequence (%s) of length %d.\n  %s\n"
        "nest cannot guarantee that it is safe to map one to the other."
        % (type(structure), _short(structure), type(flat_sequence), len(flat_sequence), _short(flat_sequence))
      )
    return flat_sequence[0]
  count = len(flatten(structure, expand_composites))
  if count != len(flat_sequence):
    raise ValueError(
      "Could not pack sequence. Structure had %d atoms, but flat_sequence had %d items.  Structure: %s, flat_sequence: %s."
      % (count, len(flat_sequence), structure, flat_sequence)
    )
  return _pack(structure, iter(flat_sequence), expand_composites)


def _short(value):
  text = str(value)
  return text if len(text) <= 200 else text[:200] + "..."


def _pack(structure, elements, expand_composites):
  return _like(
    structure,
    [
      _pack(part, elements, expand_composites) if _has_parts(part, expand_composites) else next(elements)
      for part in _values(structure)
    ],
  )


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
  """Raises ValueError if the structures differ, and TypeError if only their kinds do and `check_types` is set."""
  try:
    _assert_same(nest1, nest2, check_types, expand_composites)
  except (ValueError, TypeError) as error:
    raise type(error)(
      "The two structures don't have the same nested structure.\n\nFirst structure: %s\n\nSecond structure: %s\n\n"
      "More specifically: %s\nEntire first structure:\n%s\nEntire second structure:\n%s"
      % (
        _described(nest1),
        _described(nest2),
        error,
        map_structure(lambda _: _DOT, nest1),
        map_structure(lambda _: _DOT, nest2),
      )
    ) from None


class _Dot:
  def __repr__(self):
    return "."


_DOT = _Dot()


def _described(value):
  return "type=%s str=%s" % (type(value).__name__, value)


def _kinds_agree(one, two):
  if type(one) is type(two):
    return True
  if is_namedtuple(one) and is_namedtuple(two):
    return type(one).__name__ == type(two).__name__ and one._fields == two._fields
  return isinstance(one, abc.Mapping) and isinstance(two, abc.Mapping)


def _assert_same(one, two, check_types, expand_composites):
  nested = _has_parts(one, expand_composites)
  if nested != _has_parts(two, expand_composites):
    sequence, other = (one, two) if nested else (two, one)
    raise ValueError(
      'Substructure "%s" is a sequence, while substructure "%s" is not' % (_described(sequence), _described(other))
    )
  if not nested:
    return
  if check_types and is_nested(one):
    if not _kinds_agree(one, two):
      raise TypeError(
        "The two namedtuples don't have the same sequence type. First structure %s has type %s, while second structure %s has "
        "type %s" % (_described(one), type(one).__name__, _described(two), type(two).__name__)
      )
    if isinstance(one, abc.Mapping) and set(one) != set(two):
      raise ValueError(
        "The two dictionaries don't have the same set of keys. First structure has keys %s, while second structure has keys %s"
        % (_described(list(one)), _described(list(two)))
      )
  first, second = _values(one), _values(two)
  if len(first) != len(second):
    raise ValueError(
      "The two structures don't have the same number of elements. First structure: %s. Second structure: %s"
      % (_described(one), _described(two))
    )
  for a, b in zip(first, second):
    _assert_same(a, b, check_types, expand_composites)


def map_structure(func, *structure, **kwargs):
  """Returns a structure of `func(x1, x2, ...)` for the elements of structures that are alike.

  Options: check_types (default True), expand_composites (default False).
  """
  _check_map(func, structure)
  check_types, expand_composites = _map_options(kwargs)
  for other in structure[1:]:
    assert_same_structure(structure[0], other, check_types=check_types, expand_composites=expand_composites)
  flat = [flatten(s, expand_composites) for s in structure]
  return pack_sequence_as(structure[0], [func(*elements) for elements in zip(*flat)], expand_composites=expand_composites)


def _check_map(func, structure):
  if not callable(func):
    raise TypeError("func must be callable, got: %s" % (func,))
  if not structure:
    raise ValueError("Must provide at least one structure")


def _map_options(kwargs):
  options = dict(kwargs)
  check_types = options.pop("check_types", True)
  expand_composites = options.pop("expand_composites", False)
  if options:
    raise ValueError("Only valid keyword arguments are `check_types` and `expand_composites`, not: `%s`" % "`, `".join(options))
  return check_types, expand_composites


def flatten_dict_items(dictionary):
  """Returns a dictionary in which nested keys and their values, which have one structure, are pairs of their own."""
  if not isinstance(dictionary, abc.Mapping):
    raise TypeError(
      "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, instead of '%s'."
      % type(dictionary).__name__
    )
  flat = {}
  for key, value in dictionary.items():
    if is_nested(key):
      keys, values = flatten(key), flatten(value)
      if len(keys) != len(values):
        raise ValueError(
          "Could not flatten dictionary. Key had %d elements, but value had %d elements. Key: %s, value: %s."
          % (len(keys), len(values), keys, values)
        )
    else:
      keys, values = [key], [value]
    for new_key, new_value in zip(keys, values):
      if new_key in flat:
        raise ValueError("Cannot flatten dict because this key is not unique: %s" % (new_key,))
      flat[new_key] = new_value
  return flat


def list_to_tuple(structure):
  """Returns the structure with tuples in the place of lists."""
  if not is_nested(structure):
    return structure
  parts = [list_to_tuple(part) for part in _values(structure)]
  return tuple(parts) if isinstance(structure, list) else _like(structure, parts)


yield_flat_paths = nest_paths.yield_flat_paths
yield_flattened_paths = nest_paths.yield_flat_paths
flatten_with_tuple_paths = nest_paths.flatten_with_tuple_paths
flatten_with_joined_string_paths = nest_paths.flatten_with_joined_string_paths
map_structure_with_paths = nest_paths.map_structure_with_paths
map_structure_with_tuple_paths = nest_paths.map_structure_with_tuple_paths
assert_shallow_structure = nest_paths.assert_shallow_structure
flatten_up_to = nest_paths.flatten_up_to
flatten_with_tuple_paths_up_to = nest_paths.flatten_with_tuple_paths_up_to
map_structure_up_to = nest_paths.map_structure_up_to
map_structure_with_tuple_paths_up_to = nest_paths.map_structure_with_tuple_paths_up_to
get_traverse_shallow_structure = nest_paths.get_traverse_shallow_structure
