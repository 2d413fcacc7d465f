"""Staging areas: hold tuples of tensors between steps, where they were put, also on accelerators."""

from millrace import gen
from millrace.framework import dtypes as dtypes_lib
from millrace.framework import scopes, tensor_shape
from millrace.framework.default_graphs import get_default_graph

__all__ = ["BaseStagingArea", "StagingArea"]


class BaseStagingArea:
  """What StagingArea and MapStagingArea have in common."""

  def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0, memory_limit=0):
    if shared_name is None:
      self._name = get_default_graph().unique_name(type(self).__name__)
    elif isinstance(shared_name, str):
      self._name = shared_name
    else:
      raise ValueError("shared_name must be a string")
    self._dtypes = dtypes
    if shapes is not None:
      if len(shapes) != len(dtypes):
        raise ValueError("StagingArea shapes must be the same length as dtypes")
      self._shapes = [tensor_shape.TensorShape(s) for s in shapes]
    else:
      self._shapes = [tensor_shape.unknown_shape() for _ in self._dtypes]
    if names is not None:
      if len(names) != len(dtypes):
        raise ValueError("StagingArea names must be the same length as dtypes")
      self._names = names
    else:
      self._names = None
    self._capacity = capacity
    self._memory_limit = memory_limit
    with scopes.name_scope(f"{self._name}_root"):
      self._coloc_op = gen.no_op()

  @property
  def name(self):
    """The name by which ops find the area."""
    return self._name

  @property
  def dtypes(self):
    """The types of the components."""
    return self._dtypes

  @property
  def shapes(self):
    """The shapes of the components, unknown where none were given."""
    return self._shapes

  @property
  def names(self):
    """The names of the components, or None."""
    return self._names

  @property
  def capacity(self):
    """How many elements there is room for; 0 means any number."""
    return self._capacity

  @property
  def memory_limit(self):
    """How many bytes there is room for; 0 means any number."""
    return self._memory_limit

  def _options(self):
    return {"shared_name": self._name, "capacity": self._capacity, "memory_limit": self._memory_limit}

  def _check_values(self, vals, indices=None):
    """Returns (tensors, their component numbers) of what is to be put. Raises ValueError if it does not fit the area."""
    if isinstance(vals, dict):
      if not self._names:
        raise ValueError("Staging areas must have names to enqueue a dictionary")
      if not set(vals.keys()).issubset(self._names):
        raise ValueError(
          f"Keys in dictionary to put do not match names of staging area. Dictionary: {sorted(vals.keys())}Queue: {sorted(self._names)}"
        )
      named = [(vals[k], i) for i, k in enumerate(self._names) if k in vals]
      vals, indices = [value for value, _ in named], [index for _, index in named]
    else:
      if self._names:
        raise ValueError("You must enqueue a dictionary in a staging area with names")
      if indices is None:
        raise ValueError("Indices must be supplied when inserting a list of tensors")
      if len(indices) != len(vals):
        raise ValueError(f"Number of indices {len(indices)} doesn't match number of values {len(vals)}")
      if not isinstance(vals, (list, tuple)):
        vals, indices = [vals], [0]
    if len(vals) > len(self._dtypes):
      raise ValueError(f"Unexpected number of inputs '{len(vals)}' vs '{len(self._dtypes)}'")
    for val, index in zip(vals, indices):
      dtype, shape = dtypes_lib.as_dtype(self._dtypes[index]), self._shapes[index]
      if val.dtype != dtype:
        raise ValueError(f"Datatypes do not match. Received val.dtype '{val.dtype!s}' and dtype '{dtype!s}'")
      val.get_shape().assert_is_compatible_with(shape)
    return list(vals), list(indices)

  def _to_this_device(self, tensors):
    """Where the current device is not that of the area, gives tensors that are on the current one."""
    if gen.no_op().device != self._coloc_op.device:
      from millrace.ops.control_flow.basics import identity

      tensors = [identity(tensor) for tensor in tensors]
    return tensors

  def _elements(self, tensors, indices):
    """What was taken out, with the known shapes: a list, or a dictionary by names."""
    tensors = self._to_this_device(tensors)
    for output, index in zip(tensors, indices):
      output.set_shape(self._shapes[index])
    if self._names:
      return {self._names[index]: tensor for tensor, index in zip(tensors, indices)}
    return tensors


class StagingArea(BaseStagingArea):
  """A queue of tuples for one device: first in, first out, without closing."""

  def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0, memory_limit=0):
    super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)

  def put(self, values, name=None):
    """Returns the operation that puts one element in: a list of tensors, or a dictionary if components have names."""
    with scopes.name_scope(name, f"{self._name}_put", _as_list(values)) as scope:
      if not isinstance(values, (list, tuple, dict)):
        values = [values]
      vals, _ = self._check_values(values, list(range(len(values))))
      with scopes.colocate_with(self._coloc_op):
        return gen.stage(values=vals, name=scope, **self._options())

  def _all(self, tensors):
    return self._elements(tensors, list(range(len(self._dtypes))))

  def get(self, name=None):
    """Returns one element, waiting for it."""
    if name is None:
      name = f"{self._name}_get"
    with scopes.colocate_with(self._coloc_op):
      taken = gen.unstage(dtypes=self._dtypes, name=name, **self._options())
    return self._all(list(taken))

  def peek(self, index, name=None):
    """Returns the element with a number, waiting for it; it stays in the area."""
    if name is None:
      name = f"{self._name}_peek"
    with scopes.colocate_with(self._coloc_op):
      seen = gen.stage_peek(index, dtypes=self._dtypes, name=name, **self._options())
    return self._all(list(seen))

  def size(self, name=None):
    """Returns an int32 tensor: how many elements there are."""
    return gen.stage_size(name=name or f"{self._name}_size", dtypes=self._dtypes, **self._options())

  def clear(self, name=None):
    """Returns the operation that takes everything out."""
    return gen.stage_clear(name=name or f"{self._name}_clear", dtypes=self._dtypes, **self._options())


def _as_list(values):
  if isinstance(values, dict):
    return list(values.values())
  return list(values) if isinstance(values, (list, tuple)) else [values]
