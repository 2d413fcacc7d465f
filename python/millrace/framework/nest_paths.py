"""Nested structures together with where their elements stand, and structures flattened only as deep as another one.

Part of `nest`, which has these names as well.
"""


def _nest():
  from millrace.framework import nest

  return nest


def _walk(structure, expand_composites, prefix=()):
  nest = _nest()
  if not nest._has_parts(structure, expand_composites):
    yield prefix, structure
    return
  for key, part in nest._parts(structure):
    yield from _walk(part, expand_composites, (*prefix, key))


def yield_flat_paths(nest, expand_composites=False):
  """Yields for each element the tuple of keys and positions that leads to it."""
  for path, _ in _walk(nest, expand_composites):
    yield path


def flatten_with_tuple_paths(structure, expand_composites=False):
  return list(_walk(structure, expand_composites))


def flatten_with_joined_string_paths(structure, separator="/", expand_composites=False):
  return [(separator.join(map(str, path)), value) for path, value in _walk(structure, expand_composites)]


def map_structure_with_paths(func, *structure, **kwargs):
  """As map_structure, with the path as a text joined by "/" as the first argument."""
  return map_structure_with_tuple_paths(
    lambda path, *values, **kw: func("/".join(map(str, path)), *values, **kw), *structure, **kwargs
  )


def map_structure_with_tuple_paths(func, *structure, **kwargs):
  """As map_structure, with the path as a tuple as the first argument."""
  nest = _nest()
  nest._check_map(func, structure)
  options = {name: kwargs.pop(name) for name in ("check_types", "expand_composites") if name in kwargs}
  check_types, expand_composites = nest._map_options(options)
  for other in structure[1:]:
    nest.assert_same_structure(structure[0], other, check_types=check_types, expand_composites=expand_composites)
  flat = [nest.flatten(s, expand_composites) for s in structure]
  results = [
    func(path, *elements, **kwargs) for path, elements in zip(yield_flat_paths(structure[0], expand_composites), zip(*flat))
  ]
  return nest.pack_sequence_as(structure[0], results, expand_composites=expand_composites)


def assert_shallow_structure(shallow_tree, input_tree, check_types=True, expand_composites=False):
  """Raises an error unless `input_tree` begins as `shallow_tree` does: its elements may be structures again."""
  nest = _nest()
  if not nest._has_parts(shallow_tree, expand_composites):
    return
  if not nest._has_parts(input_tree, expand_composites):
    raise TypeError("If shallow structure is a sequence, input must also be a sequence. Input has type: %s." % type(input_tree))
  if check_types and not nest._kinds_agree(shallow_tree, input_tree):
    raise TypeError(
      "The two structures don't have the same sequence type. Input structure has type %s, while shallow structure has type %s."
      % (type(input_tree), type(shallow_tree))
    )
  shallow, deep = nest._parts(shallow_tree), nest._parts(input_tree)
  if len(shallow) != len(deep):
    raise ValueError(
      "The two structures don't have the same sequence length. Input structure has length %d, while shallow structure has "
      "length %d." % (len(deep), len(shallow))
    )
  if nest.is_mapping(shallow_tree):
    missing = [key for key, _ in shallow if key not in input_tree]
    if missing:
      raise ValueError(
        "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following keys that are not "
        "in the input_tree: %s." % (missing,)
      )
  for (_, above), (_, below) in zip(shallow, deep):
    assert_shallow_structure(above, below, check_types=check_types, expand_composites=expand_composites)


def _walk_up_to(shallow, deep, expand_composites, prefix=()):
  nest = _nest()
  if not nest._has_parts(shallow, expand_composites):
    yield prefix, deep
    return
  for (key, above), (_, below) in zip(nest._parts(shallow), nest._parts(deep)):
    yield from _walk_up_to(above, below, expand_composites, (*prefix, key))


def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False):
  """Returns the parts of `input_tree` that stand where `shallow_tree` has elements."""
  return [value for _, value in flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)]


def flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False):
  assert_shallow_structure(shallow_tree, input_tree, check_types=check_types, expand_composites=expand_composites)
  return list(_walk_up_to(shallow_tree, input_tree, expand_composites))


def map_structure_up_to(shallow_tree, func, *inputs, **kwargs):
  """As map_structure for the parts that stand where `shallow_tree` has elements. Its result has that tree's structure."""
  return map_structure_with_tuple_paths_up_to(shallow_tree, lambda _, *values, **kw: func(*values, **kw), *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(shallow_tree, func, *inputs, **kwargs):
  if not inputs:
    raise ValueError("Cannot map over no sequences")
  nest = _nest()
  options = {name: kwargs.pop(name) for name in ("check_types", "expand_composites") if name in kwargs}
  check_types, expand_composites = nest._map_options(options)
  flat = [flatten_up_to(shallow_tree, tree, check_types, expand_composites) for tree in inputs]
  paths = [path for path, _ in _walk(shallow_tree, expand_composites)]
  results = [func(path, *values, **kwargs) for path, values in zip(paths, zip(*flat))]
  return nest.pack_sequence_as(shallow_tree, results, expand_composites=expand_composites)


def get_traverse_shallow_structure(traverse_fn, structure, expand_composites=False):
  """Returns a structure of booleans that says how deep `traverse_fn` wants to go.

  It is called for each part and returns a boolean, or a structure of booleans for the part's own parts.
  """
  nest = _nest()
  wanted = traverse_fn(structure)
  if not nest._has_parts(structure, expand_composites):
    if not isinstance(wanted, bool):
      raise TypeError("traverse_fn returned structure: %s for non-structure: %s" % (wanted, structure))
    return wanted
  if isinstance(wanted, bool):
    if not wanted:
      return False
    parts = [get_traverse_shallow_structure(traverse_fn, part, expand_composites) for part in nest._values(structure)]
    return nest._like(structure, parts)
  parts = []
  for choice, part in zip(nest._values(wanted), nest._values(structure)):
    if not isinstance(choice, bool):
      raise TypeError("traverse_fn didn't return a depth=1 structure of bools. Found: %s" % (wanted,))
    parts.append(get_traverse_shallow_structure(traverse_fn, part, expand_composites) if choice else False)
  return nest._like(structure, parts)
