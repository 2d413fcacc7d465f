"""Conversion of Python's values to tensors, by functions that are registered for their types."""

import collections
import threading

import numpy as np

from millrace.framework import default_graphs, dtypes
from millrace.framework.tensor import Tensor

_lock = threading.Lock()
_registry = collections.defaultdict(list)  # priority: [(types, function)]
_by_type = {}  # type: [(types, function)] that fit it, by priority
_dense_like = (Tensor,)


def register_dense_tensor_like_type(tensor_type):
  """Makes instances of a class with `name` and `dtype` count as tensors where programs ask for one."""
  global _dense_like
  for field in ("name", "dtype"):
    if not isinstance(getattr(tensor_type, field, None), property):
      raise TypeError("Type %s does not define a `%s` property" % (tensor_type.__name__, field))
  if tensor_type not in _dense_like:
    _dense_like = _dense_like + (tensor_type,)


def is_dense_tensor_like(t):
  """True for tensors and for objects of registered classes."""
  return isinstance(t, _dense_like)


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
  """Registers conversion_func(value, dtype=None, name=None, as_ref=False) for instances of a class or of a tuple of classes.

  Lower priorities are asked first. A function returns a tensor or NotImplemented.
  """
  if not (isinstance(base_type, type) or (isinstance(base_type, tuple) and all(isinstance(t, type) for t in base_type))):
    raise TypeError("base_type must be a type or a tuple of types.")
  if not callable(conversion_func):
    raise TypeError("conversion_func must be callable.")
  types = base_type if isinstance(base_type, tuple) else (base_type,)
  with _lock:
    _registry[priority].append((types, conversion_func))
    _by_type.clear()


def get_tensor_conversion_func(cls):
  """The functions that are asked for a class: [(classes, function)] in their order."""
  return _functions(cls)


def _functions(cls):
  found = _by_type.get(cls)
  if found is None:
    with _lock:
      found = [entry for priority in sorted(_registry) for entry in _registry[priority] if issubclass(cls, entry[0])]
      _by_type[cls] = found
  return found


def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None, as_ref=False):
  """Returns a tensor for a value: itself, a constant, or what a registered function makes of it.

  `dtype` is required of the result, `dtype_hint` (`preferred_dtype`) used if the value can have it. Raises TypeError for values that
  nobody converts, ValueError for a tensor of another type.
  """
  return internal_convert_to_tensor(value, dtype, name, as_ref, dtype_hint if preferred_dtype is None else preferred_dtype)


def public_convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None):
  """tf.convert_to_tensor: convert_to_tensor, with the arguments that programs have."""
  return internal_convert_to_tensor(value, dtype, name, False, dtype_hint if preferred_dtype is None else preferred_dtype)


public_convert_to_tensor.__name__ = "convert_to_tensor"


def convert_to_tensor_v2(value, dtype=None, dtype_hint=None, name=None):
  return internal_convert_to_tensor(value, dtype, name, False, dtype_hint)


def _check_graph(value):
  graph = default_graphs.get_default_graph()
  if not graph.building_function:
    return value
  return graph.capture(value)


def internal_convert_to_tensor(
  value, dtype=None, name=None, as_ref=False, preferred_dtype=None, ctx=None, accept_composite_tensors=False
):
  """Like convert_to_tensor, for the functions of ops; with `as_ref` a variable stays one."""
  if dtype is not None:
    dtype = dtypes.as_dtype(dtype)
  if isinstance(value, Tensor):
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
      raise ValueError(
        "%sTensor conversion requested dtype %s for Tensor with dtype %s: %r"
        % ("%s: " % name if name else "", dtype.name, value.dtype.name, value)
      )
    if value.graph is not default_graphs.get_default_graph() and default_graphs.get_default_graph().building_function:
      return default_graphs.get_default_graph().capture(value, name=name)
    return value
  if preferred_dtype is not None:
    preferred_dtype = dtypes.as_dtype(preferred_dtype)
  for _, function in _functions(type(value)):
    made = None
    if dtype is None and preferred_dtype is not None:
      try:
        made = function(value, dtype=preferred_dtype, name=name, as_ref=as_ref)
      except (TypeError, ValueError):
        made = NotImplemented
      else:
        if made is not NotImplemented and made.dtype.base_dtype != preferred_dtype.base_dtype:
          raise TypeError(
            "convert_to_tensor did not convert to the preferred dtype: %s vs %s "
            % (made.dtype.base_dtype, preferred_dtype.base_dtype)
          )
      if made is NotImplemented:
        made = function(value, dtype=dtype, name=name, as_ref=as_ref)
    else:
      made = function(value, dtype=dtype, name=name, as_ref=as_ref)
    if made is NotImplemented:
      continue
    if not isinstance(made, Tensor) and not (accept_composite_tensors and hasattr(made, "_type_spec")):
      raise RuntimeError(
        "%sConversion function %r for type %s returned non-Tensor: %r" % (_prefix(name), function, type(value), made)
      )
    if dtype and not dtype.is_compatible_with(made.dtype):
      raise RuntimeError(
        "%sConversion function %r for type %s returned incompatible dtype: requested = %s, actual = %s"
        % (_prefix(name), function, type(value), dtype.base_dtype.name, made.dtype.name)
      )
    return made
  raise TypeError(
    "%sCannot convert %r with type %s to Tensor: no conversion function registered." % (_prefix(name), value, type(value))
  )


def _prefix(name):
  return "%s: " % name if name else ""


def internal_convert_n_to_tensor(values, dtype=None, name=None, as_ref=False, preferred_dtype=None, ctx=None):
  """Converts each of a sequence; names get the number of the value behind them."""
  if not isinstance(values, collections.abc.Sequence):
    raise TypeError("values must be a sequence.")
  made = []
  for index, value in enumerate(values):
    made.append(
      internal_convert_to_tensor(value, dtype, None if name is None else "%s_%d" % (name, index), as_ref, preferred_dtype)
    )
  return made


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None):
  """Converts each of a sequence to a tensor."""
  return internal_convert_n_to_tensor(values, dtype, name, False, preferred_dtype)


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
  """Returns IndexedSlices and SparseTensors as they are, and a tensor for all else."""
  return internal_convert_to_tensor_or_indexed_slices(value, dtype, name)


def internal_convert_to_tensor_or_indexed_slices(value, dtype=None, name=None, as_ref=False):
  from millrace.framework import composite

  if isinstance(value, (composite.IndexedSlices, composite.SparseTensor)):
    if dtype and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
      raise ValueError(
        "Tensor conversion requested dtype %s for Tensor with dtype %s: %r"
        % (dtypes.as_dtype(dtype).name, value.dtype.name, str(value))
      )
    return value
  return internal_convert_to_tensor(value, dtype, name, as_ref)


def internal_convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None, as_ref=False):
  if not isinstance(values, collections.abc.Sequence):
    raise TypeError("values must be a sequence.")
  return [
    value
    if value is None
    else internal_convert_to_tensor_or_indexed_slices(value, dtype, None if name is None else "%s_%d" % (name, i), as_ref)
    for i, value in enumerate(values)
  ]


def convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None):
  """Converts each of a sequence; None, IndexedSlices and SparseTensors stay as they are."""
  return internal_convert_n_to_tensor_or_indexed_slices(values, dtype, name)


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
  """Returns a SparseTensor for a SparseTensor or SparseTensorValue, and a tensor for all else."""
  from millrace.framework import composite

  if dtype is not None:
    dtype = dtypes.as_dtype(dtype)
  if isinstance(value, composite.SparseTensorValue):
    value = composite.SparseTensor.from_value(value)
  if isinstance(value, composite.SparseTensor):
    if dtype and not dtype.is_compatible_with(value.dtype):
      raise RuntimeError("Sparse dtype: requested = %s, actual = %s" % (dtype.name, value.dtype.name))
    return value
  return internal_convert_to_tensor(value, dtype, name)


def _constant(value, dtype=None, name=None, as_ref=False):
  from millrace.framework import constants

  return constants.constant(value, dtype=dtype, name=name)


def _shape_constant(value, dtype=None, name=None, as_ref=False):
  """A shape as a vector: int32, or int64 if it needs that."""
  from millrace.framework import constants

  if not value.is_fully_defined():
    raise ValueError("Cannot convert a partially known TensorShape to a Tensor: %s" % value)
  sizes = value.as_list()
  largest = max(sizes, default=0)
  if dtype is not None:
    if dtype not in (dtypes.int32, dtypes.int64):
      raise TypeError("Cannot convert a TensorShape to dtype: %s" % dtype.name)
    if dtype == dtypes.int32 and largest >= 2**31:
      raise ValueError("Cannot convert a TensorShape to dtype int32; a dimension is too large (%s)" % largest)
  else:
    dtype = dtypes.int64 if largest >= 2**31 else dtypes.int32
  return constants.constant(sizes, dtype=dtype, name=name or "shape_as_tensor")


def _dimension_constant(value, dtype=None, name=None, as_ref=False):
  from millrace.framework import constants

  if value.value is None:
    raise ValueError("Cannot convert an unknown Dimension to a Tensor: %s" % value)
  if dtype is not None:
    if dtype not in (dtypes.int32, dtypes.int64):
      raise TypeError("Cannot convert a TensorShape to dtype: %s" % dtype.name)
  else:
    dtype = dtypes.int64 if value.value >= 2**31 else dtypes.int32
  return constants.constant(value.value, dtype=dtype, name=name or "shape_as_tensor")


def _graph_element(value, dtype=None, name=None, as_ref=False):
  """Objects that stand for a tensor of the graph."""
  convert = getattr(value, "_as_graph_element", None)
  element = convert() if convert is not None else None
  return element if isinstance(element, Tensor) else NotImplemented


def _no_operation(value, dtype=None, name=None, as_ref=False):
  raise TypeError(f"can't convert Operation {value.name!r} to Tensor (target dtype={dtype!r}, name={name!r}, as_ref={as_ref!r})")


def _register():
  from millrace.framework import tensor_shape
  from millrace.framework.operation import Operation

  register_tensor_conversion_function((list, tuple, np.ndarray, np.generic), _constant, 100)
  register_tensor_conversion_function(object, _constant_or_element, 200)
  register_tensor_conversion_function(tensor_shape.TensorShape, _shape_constant, 100)
  register_tensor_conversion_function(tensor_shape.Dimension, _dimension_constant, 100)
  register_tensor_conversion_function(Operation, _no_operation, 100)


def _constant_or_element(value, dtype=None, name=None, as_ref=False):
  element = _graph_element(value)
  return _constant(value, dtype, name) if element is NotImplemented else element


_register()
