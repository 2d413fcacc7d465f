"""MapStagingArea: elements are put and taken by int64 keys, also component by component."""

from millrace import gen
from millrace.framework import scopes
from millrace.ops.data_flow.staging import BaseStagingArea, _as_list

__all__ = ["MapStagingArea"]


class MapStagingArea(BaseStagingArea):
  """A map from keys to tuples for one device. With `ordered`, what is taken without a key is that of the smallest."""

  def __init__(self, dtypes, shapes=None, names=None, shared_name=None, ordered=False, capacity=0, memory_limit=0):
    super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
    self._ordered = ordered

  def _make(self, what):
    return getattr(gen, ("ordered_map_" if self._ordered else "map_") + what)

  def put(self, key, vals, indices=None, name=None):
    """Returns the operation that gives a key values: a list with the numbers of its components, or a dictionary by names."""
    with scopes.name_scope(name, f"{self._name}_put", _as_list(vals)) as scope:
      vals, indices = self._check_values(vals, indices)
      with scopes.colocate_with(self._coloc_op):
        return self._make("stage")(key, indices, vals, dtypes=self._dtypes, name=scope, **self._options())

  def _indices(self, indices):
    """Component numbers for names or numbers, all of them for None, and their types."""
    if indices is None:
      indices = list(range(len(self._dtypes)))
    if not isinstance(indices, (tuple, list)):
      raise TypeError(f"Invalid indices type '{type(indices)}'")
    if not indices:
      raise ValueError("Empty indices")
    if all(isinstance(i, str) for i in indices):
      if self._names is None:
        raise ValueError(f"String indices provided '{indices}', but this Staging Area was not created with names.")
      try:
        indices = [self._names.index(n) for n in indices]
      except ValueError:
        raise ValueError(f"Named index not in Staging Area names '{self._names}'") from None
    elif not all(isinstance(i, int) for i in indices):
      raise TypeError(f"Mixed types in indices '{indices}'. May only be str or int")
    return list(indices), [self._dtypes[i] for i in indices]

  def peek(self, key, indices=None, name=None):
    """Returns the element of a key, or some of its components, waiting for it; it stays in the area."""
    if name is None:
      name = f"{self._name}_pop"
    indices, dtypes = self._indices(indices)
    with scopes.colocate_with(self._coloc_op):
      seen = self._make("peek")(key, indices=indices, dtypes=dtypes, name=name, **self._options())
    return self._elements(list(seen), indices)

  def get(self, key=None, indices=None, name=None):
    """Takes out (key, element) of a key or of any, or only some components, waiting for it."""
    return self._pop(indices, name) if key is None else self._get(key, indices, name)

  def _get(self, key, indices, name):
    if name is None:
      name = f"{self._name}_get"
    indices, dtypes = self._indices(indices)
    with scopes.colocate_with(self._coloc_op):
      taken = self._make("unstage")(key, indices, dtypes=dtypes, name=name, **self._options())
    return key, self._elements(list(taken), indices)

  def _pop(self, indices, name):
    if name is None:
      name = f"{self._name}_get_nokey"
    indices, dtypes = self._indices(indices)
    with scopes.colocate_with(self._coloc_op):
      key, taken = self._make("unstage_no_key")(indices, dtypes=dtypes, name=name, **self._options())
    key = self._to_this_device([key])[0]
    return key, self._elements(list(taken), indices)

  def size(self, name=None):
    """Returns an int32 tensor: how many complete elements there are."""
    return self._make("size")(name=name or f"{self._name}_size", dtypes=self._dtypes, **self._options())

  def incomplete_size(self, name=None):
    """Returns an int32 tensor: how many elements miss components."""
    name = name or f"{self._name}_incomplete_size"
    return self._make("incomplete_size")(name=name, dtypes=self._dtypes, **self._options())

  def clear(self, name=None):
    """Returns the operation that takes everything out."""
    return self._make("clear")(name=name or f"{self._name}_clear", dtypes=self._dtypes, **self._options())
