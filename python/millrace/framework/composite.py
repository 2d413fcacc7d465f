"""Values made of several tensors: SparseTensor and IndexedSlices, their values in Python, and what describes such types."""

import collections

from millrace.framework import dtypes, nest, tensor_shape


class TypeSpec:
  """Describes values: their kind, types and shapes. `_serialize` returns a tuple that tells specs of one class apart.

  Of a composite kind, `_component_specs` is a structure of specs, `_to_components(value)` one of tensors, and
  `_from_components` makes the value of that.
  """

  __slots__ = ("__weakref__",)

  @property
  def value_type(self):
    """The class of the values."""
    raise NotImplementedError("%s.value_type" % type(self).__name__)

  def _serialize(self):
    raise NotImplementedError("%s._serialize" % type(self).__name__)

  @classmethod
  def _deserialize(cls, serialization):
    return cls(*serialization)

  def _to_flat_components(self, value):
    return nest.flatten(self._to_components(value), expand_composites=True)

  def _from_flat_components(self, tensors):
    return self._from_components(nest.pack_sequence_as(self._component_specs, tensors, expand_composites=True))

  def _flat_component_specs(self):
    return nest.flatten(self._component_specs, expand_composites=True)

  _to_tensor_list = _to_flat_components
  _from_tensor_list = _from_flat_components

  def is_compatible_with(self, spec_or_value):
    """True if the value, or values of the spec, can stand where this spec asks for one."""
    if not isinstance(spec_or_value, TypeSpec):
      spec_or_value = type_spec_from_value(spec_or_value)
    if type(self) is not type(spec_or_value):
      return False
    return _compatible(self._serialize(), spec_or_value._serialize())

  def most_specific_compatible_type(self, other):
    """Returns the spec that says all that is true of both. Raises ValueError if no spec describes both."""
    if type(self) is not type(other):
      raise ValueError("No TypeSpec is compatible with both %s and %s" % (self, other))
    return self._deserialize(_most_specific(self._serialize(), other._serialize(), self, other))

  def _with_tensor_ranks_only(self):
    return self._deserialize(
      tuple(
        [tensor_shape.unknown_shape(rank=x.rank) if isinstance(x, tensor_shape.TensorShape) else x for x in self._serialize()]
      )
    )

  def __eq__(self, other):
    return type(other) is type(self) and self._key() == other._key()

  def __ne__(self, other):
    return not self == other

  def __hash__(self):
    return hash((type(self).__name__, self._key()))

  def _key(self):
    return _hashable(self._serialize())

  def __reduce__(self):
    return _make_spec, (type(self), self._serialize())

  def __repr__(self):
    return "%s%r" % (type(self).__name__, self._serialize())


def _make_spec(cls, serialization):
  return cls._deserialize(serialization)


def _hashable(value):
  if isinstance(value, dict):
    return tuple([(key, _hashable(value[key])) for key in sorted(value)])
  if isinstance(value, (list, tuple)):
    return tuple([_hashable(part) for part in value])
  return value


def _compatible(one, two):
  if isinstance(one, (list, tuple)):
    return len(one) == len(two) and all(_compatible(a, b) for a, b in zip(one, two))
  if isinstance(one, dict):
    return one.keys() == two.keys() and all(_compatible(one[key], two[key]) for key in one)
  if isinstance(one, (TypeSpec, tensor_shape.TensorShape, dtypes.DType)):
    return type(one) is type(two) and one.is_compatible_with(two)
  return one == two


def _most_specific(one, two, first, second):
  if isinstance(one, (list, tuple)) and type(one) is type(two) and len(one) == len(two):
    return type(one)([_most_specific(a, b, first, second) for a, b in zip(one, two)])
  if isinstance(one, tensor_shape.TensorShape) and isinstance(two, tensor_shape.TensorShape):
    return one.most_specific_compatible_shape(two)
  if isinstance(one, TypeSpec) and isinstance(two, TypeSpec):
    return one.most_specific_compatible_type(two)
  if type(one) is not type(two) or one != two:
    raise ValueError("No TypeSpec is compatible with both %s and %s" % (first, second))
  return one


class CompositeTensor:
  """A value that stands for a structure of tensors. `_type_spec` is its TypeSpec."""

  __slots__ = ()

  @property
  def _type_spec(self):
    raise NotImplementedError("%s._type_spec" % type(self).__name__)

  def _shape_invariant_to_type_spec(self, shape):
    raise NotImplementedError("%s._shape_invariant_to_type_spec" % type(self).__name__)

  def _consumers(self):
    found = []
    for tensor in nest.flatten(self, expand_composites=True):
      found.extend([op for op in tensor.consumers() if op not in found])
    return found

  def consumers(self):
    """Returns the ops that read any of its tensors."""
    return self._consumers()


SparseTensorValue = collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])
IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])


class SparseTensor(CompositeTensor):
  """The elements of a tensor that are not zero: `indices` [n, rank] int64, `values` [n], `dense_shape` [rank] int64."""

  def __init__(self, indices, values, dense_shape):
    from millrace.framework import convert, graph, tensor_values

    with graph.name_scope(None, "SparseTensor", [indices, values, dense_shape]):
      indices = convert.convert_to_tensor(indices, name="indices", dtype=dtypes.int64)
      values = convert.convert_to_tensor(values, name="values")
      dense_shape = convert.convert_to_tensor(dense_shape, name="dense_shape", dtype=dtypes.int64)
      known = tensor_values.constant_value_as_shape(dense_shape)
    self._indices = indices
    self._values = values
    self._dense_shape = dense_shape
    self._known_shape = known
    indices_shape = indices.get_shape().with_rank(2)
    values_shape = values.get_shape().with_rank(1)
    shape_shape = dense_shape.get_shape().with_rank(1)
    indices_shape.dims[0].merge_with(values_shape.dims[0])
    indices_shape.dims[1].merge_with(shape_shape.dims[0])

  @classmethod
  def from_value(cls, sparse_tensor_value):
    """Returns a SparseTensor of a SparseTensorValue or a SparseTensor. Raises TypeError for anything else."""
    if not is_sparse(sparse_tensor_value):
      raise TypeError("Argument sparse_tensor_value=%s is neither a SparseTensor nor SparseTensorValue." % (sparse_tensor_value,))
    return cls(
      indices=sparse_tensor_value.indices, values=sparse_tensor_value.values, dense_shape=sparse_tensor_value.dense_shape
    )

  @property
  def indices(self):
    return self._indices

  @property
  def values(self):
    return self._values

  @property
  def dense_shape(self):
    return self._dense_shape

  @property
  def shape(self):
    """What is known of `dense_shape`, a TensorShape."""
    return self._known_shape

  def get_shape(self):
    return self._known_shape

  def set_shape(self, shape):
    self._known_shape = self._known_shape.merge_with(shape)

  @property
  def op(self):
    return self._values.op

  @property
  def dtype(self):
    return self._values.dtype

  @property
  def graph(self):
    return self._indices.graph

  def with_values(self, new_values):
    return SparseTensor(self._indices, new_values, self._dense_shape)

  def eval(self, feed_dict=None, session=None):
    """Returns its SparseTensorValue in the given session or the default one."""
    from millrace.client import default_session

    parts = [self._indices, self._values, self._dense_shape]
    return SparseTensorValue(*default_session.eval_using_default_session(parts, feed_dict, self.graph, session))

  @staticmethod
  def _override_operator(operator, function):
    setattr(SparseTensor, operator, function)

  @property
  def _type_spec(self):
    return SparseTensorSpec(self.shape, self.dtype)

  def _shape_invariant_to_type_spec(self, shape):
    shape = tensor_shape.as_shape(shape)
    return SparseTensorSpec(tensor_shape.unknown_shape(rank=None if shape.rank is None else shape.dims[0].value), self.dtype)

  def __str__(self):
    return "SparseTensor(indices=%s, values=%s, dense_shape=%s)" % (self._indices, self._values, self._dense_shape)

  __repr__ = __str__


class SparseTensorSpec(TypeSpec):
  """Describes SparseTensor values."""

  __slots__ = ("_dtype", "_shape")

  def __init__(self, shape=None, dtype=dtypes.float32):
    self._shape = tensor_shape.as_shape(shape)
    self._dtype = dtypes.as_dtype(dtype)

  @property
  def value_type(self):
    return SparseTensor

  @property
  def dtype(self):
    return self._dtype

  @property
  def shape(self):
    return self._shape

  @property
  def rank(self):
    return self._shape.rank

  def _serialize(self):
    return (self._shape, self._dtype)

  @property
  def _component_specs(self):
    from millrace.framework.tensor_spec import TensorSpec

    rank = self._shape.ndims
    return [TensorSpec([None, rank], dtypes.int64), TensorSpec([None], self._dtype), TensorSpec([rank], dtypes.int64)]

  def _to_components(self, value):
    if isinstance(value, SparseTensorValue):
      value = SparseTensor.from_value(value)
    return [value.indices, value.values, value.dense_shape]

  def _from_components(self, components):
    import numpy as np

    if all(isinstance(c, np.ndarray) for c in components):
      return SparseTensorValue(*components)
    made = SparseTensor(*components)
    made._known_shape = made._known_shape.merge_with(self._shape)
    return made

  @classmethod
  def from_value(cls, value):
    """Returns the spec of a SparseTensor or SparseTensorValue."""
    if isinstance(value, SparseTensor):
      return cls(value.shape, value.dtype)
    if isinstance(value, SparseTensorValue):
      import numpy as np

      return cls([int(d) for d in np.asarray(value.dense_shape)], dtypes.as_dtype(np.asarray(value.values).dtype))
    raise TypeError("Expected SparseTensor or SparseTensorValue.")


class IndexedSlices(CompositeTensor):
  """Some rows of a tensor: `values` [n, ...] are its rows `indices` [n]; `dense_shape` is its shape or None."""

  def __init__(self, values, indices, dense_shape=None):
    from millrace.framework import graph

    graph._get_graph_from_inputs([values, indices] + ([] if dense_shape is None else [dense_shape]))
    self._values = values
    self._indices = indices
    self._dense_shape = dense_shape

  @property
  def values(self):
    return self._values

  @property
  def indices(self):
    return self._indices

  @property
  def dense_shape(self):
    return self._dense_shape

  @property
  def shape(self):
    from millrace.framework import tensor_values

    if self._dense_shape is None:
      return tensor_shape.unknown_shape()
    return tensor_values.constant_value_as_shape(self._dense_shape)

  def get_shape(self):
    return self.shape

  @property
  def name(self):
    return self.values.name

  @property
  def device(self):
    return self.values.device

  @property
  def op(self):
    return self.values.op

  @property
  def dtype(self):
    return self.values.dtype

  @property
  def graph(self):
    return self._values.graph

  def __neg__(self):
    return IndexedSlices(-self.values, self.indices, self.dense_shape)

  def __str__(self):
    shape = "" if self._dense_shape is None else ", dense_shape=%s" % (self._dense_shape,)
    return "IndexedSlices(indices=%s, values=%s%s)" % (self._indices, self._values, shape)

  @property
  def _type_spec(self):
    return IndexedSlicesSpec(
      self.shape,
      self.dtype,
      self.indices.dtype,
      None if self._dense_shape is None else self._dense_shape.dtype,
      self._indices.get_shape(),
    )

  def _shape_invariant_to_type_spec(self, shape):
    spec = self._type_spec
    return IndexedSlicesSpec(shape, spec._values_dtype, spec._indices_dtype, spec._dense_shape_dtype, [None])


class IndexedSlicesSpec(TypeSpec):
  """Describes IndexedSlices values."""

  __slots__ = ("_dense_shape_dtype", "_indices_dtype", "_indices_shape", "_shape", "_values_dtype")

  def __init__(self, shape=None, dtype=dtypes.float32, indices_dtype=dtypes.int64, dense_shape_dtype=None, indices_shape=None):
    self._shape = tensor_shape.as_shape(shape)
    self._values_dtype = dtypes.as_dtype(dtype)
    self._indices_dtype = dtypes.as_dtype(indices_dtype)
    self._dense_shape_dtype = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
    self._indices_shape = tensor_shape.as_shape(indices_shape).with_rank(1)

  @property
  def value_type(self):
    return IndexedSlices

  def _serialize(self):
    return (self._shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape)

  @property
  def _component_specs(self):
    from millrace.framework.tensor_spec import TensorSpec

    values_shape = self._indices_shape.concatenate(self._shape[1:])
    specs = [TensorSpec(values_shape, self._values_dtype), TensorSpec(self._indices_shape, self._indices_dtype)]
    if self._dense_shape_dtype is not None:
      specs.append(TensorSpec([self._shape.ndims], self._dense_shape_dtype))
    return tuple(specs)

  def _to_components(self, value):
    if value.dense_shape is None:
      return (value.values, value.indices)
    return (value.values, value.indices, value.dense_shape)

  def _from_components(self, components):
    import numpy as np

    if all(isinstance(c, np.ndarray) for c in components):
      return IndexedSlicesValue(*components, *([None] * (3 - len(components))))
    return IndexedSlices(*components)


def is_sparse(x):
  """True for a SparseTensor or a SparseTensorValue."""
  return isinstance(x, (SparseTensor, SparseTensorValue))


def type_spec_from_value(value):
  """Returns the TypeSpec of a tensor, composite value, or anything that can become a tensor."""
  from millrace.framework import convert
  from millrace.framework.tensor import Tensor
  from millrace.framework.tensor_spec import TensorSpec

  if isinstance(value, Tensor):
    return TensorSpec(value.shape, value.dtype)
  spec = getattr(value, "_type_spec", None)
  if isinstance(spec, TypeSpec):
    return spec
  if isinstance(value, SparseTensorValue):
    return SparseTensorSpec.from_value(value)
  try:
    tensor = convert.convert_to_tensor(value)
  except (ValueError, TypeError):
    raise TypeError("Could not build a TypeSpec for %r with type %s" % (value, type(value).__name__)) from None
  return TensorSpec(tensor.shape, tensor.dtype)
