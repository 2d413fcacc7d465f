"""Values of Python as tensors: arrays with TensorFlow's rules for types, TensorProto messages, and values known from the graph.

`as_array` holds the rules; constants use it too.
"""

import numbers
import types

import numpy as np
from millrace.framework import constant_values, dtypes

constant_value = constant_values.constant_value
constant_value_as_shape = constant_values.constant_value_as_shape


def is_tensor(x):
  """True for tensors of the graph and what stands for them: variables, SparseTensor, RaggedTensor, IndexedSlices."""
  from millrace.framework import composite, convert
  from millrace.framework.tensor import Tensor

  return isinstance(x, (Tensor, composite.CompositeTensor)) or convert.is_dense_tensor_like(x)


_NUMPY_TO_PLAIN = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.int64): np.dtype(np.int32)}
_INT32 = np.iinfo(np.int32)


def as_array(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
  """Returns (array, shape, dtype) of a constant: a tuple of int as the shape, and its elements in row-major order.

  There may be fewer elements than the shape has; the last one then stands for the others. An array of strings has dtype object
  and holds bytes. Python's float is float32 and its int is int32 (int64 if it needs that); arrays and scalars of numpy keep
  their type. Raises TypeError for values that are not of `dtype`, and ValueError for ragged lists and too many elements.
  """
  kind = type(values)
  if shape is None and dtype in _PLAIN_TYPES:  # the most frequent first
    if kind is float and (dtype is None or dtype is dtypes.float32):
      return np.array(values, np.float32), (), dtypes.float32
    if kind is int and (dtype is None or dtype is dtypes.int32) and -2147483648 <= values <= 2147483647:
      return np.array(values, np.int32), (), dtypes.int32
  if dtype is not None:
    dtype = dtypes.as_dtype(dtype).base_dtype
  if isinstance(values, (np.ndarray, np.generic)):
    array, dtype = _from_numpy(values, dtype)
  elif shape is not None and 0 in tuple(int(d) for d in shape) and _is_plain(values):
    dtype = dtype or dtypes.float32
    array = np.empty([int(d) for d in shape], dtype.as_numpy_dtype)
  elif hasattr(values, "__array__") and not _is_symbolic(values):
    array, dtype = _from_numpy(np.asarray(values), dtype)
  elif isinstance(values, (bytearray, memoryview)):
    array, dtype = _from_numpy(np.frombuffer(values, np.uint8), dtype)
  else:
    array, dtype = _from_python(values, dtype)
  if shape is None:
    return array, array.shape, dtype
  wanted = tuple([int(d) for d in shape])
  size = int(np.prod(wanted, dtype=np.int64))
  if allow_broadcast:
    if array.shape not in ((), (1,)) and size != array.size:
      raise TypeError("Expected Tensor's shape: %s, but got %s." % (wanted, array.shape))
  else:
    if verify_shape and array.shape != wanted:
      raise TypeError("Expected Tensor's shape: %s, but got %s." % (wanted, array.shape))
    if array.size > size:
      raise ValueError("Too many elements provided. Takes at most %d, but got %d." % (size, array.size))
  return array, wanted, dtype


_PLAIN_TYPES = (None, dtypes.float32, dtypes.int32)


def full_array(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
  """As as_array, with all elements: returns (array of the whole shape, dtype)."""
  array, shape, dtype = as_array(values, dtype, shape, verify_shape, allow_broadcast)
  if array.shape == shape:
    return array, dtype
  size = int(np.prod(shape, dtype=np.int64))
  flat = array.reshape(-1)
  if flat.size < size:
    whole = np.empty(size, flat.dtype)
    whole[: flat.size] = flat
    whole[flat.size :] = flat[-1] if flat.size else (b"" if dtype == dtypes.string else np.zeros((), flat.dtype))
    flat = whole
  return flat.reshape(shape), dtype


def _is_plain(values):
  return isinstance(values, (int, float, bool, complex, str, bytes, list, tuple))


def _is_symbolic(value):
  from millrace.framework.tensor import Tensor

  return isinstance(value, Tensor) or hasattr(value, "_ref")


def _contains_tensor(values):
  if isinstance(values, (list, tuple)):
    return any(_contains_tensor(value) for value in values)
  return is_tensor(values) and not hasattr(values, "dense_shape")


def _from_numpy(array, dtype):
  array = np.asarray(array)
  if dtype is None:
    dtype = dtypes.as_dtype(array.dtype)
  if dtype == dtypes.string:
    return _bytes_array(array), dtype
  if not dtype.is_numpy_compatible:
    raise TypeError("`dtype` %s is not compatible with %s of dtype %s." % (dtype, array, array.dtype))
  return np.asarray(array, order="C").astype(dtype.as_numpy_dtype, copy=False), dtype


def _bytes_array(array):
  """An array of bytes objects of the same shape. Raises TypeError for elements that are no texts."""
  out = np.empty(array.shape, object)
  flat = out.reshape(-1)
  for index, value in enumerate(array.reshape(-1).tolist() if array.dtype.kind in "SU" else array.reshape(-1)):
    flat[index] = _to_bytes(value)
  return out


def _to_bytes(value):
  if isinstance(value, str):
    return value.encode("utf-8")
  if isinstance(value, (bytes, bytearray)):
    return bytes(value)
  raise TypeError("Expected binary or unicode string, got %r" % (value,))


def _from_python(values, dtype):
  if values is None:
    raise ValueError("None values not supported.")
  if dtype is not None and not dtype.is_numpy_compatible:
    array = np.asarray(values)
    raise TypeError("`dtype` %s is not compatible with %s of dtype %s." % (dtype, values, array.dtype))
  if dtype is not None and dtype.is_quantized:
    _check(values, dtype)
    return np.array(values, dtype=dtype.as_numpy_dtype), dtype
  if dtype is not None:
    try:
      _check(values, dtype)
    except TypeError:
      if not dtype.is_integer:
        raise
      values = _sizes_as_ints(values)
      _check(values, dtype)
    if dtype == dtypes.string:
      return _strings(values), dtype
    array = _array_of(values)
    with np.errstate(over="ignore", invalid="ignore"):
      array = array.astype(dtype.as_numpy_dtype)
  else:
    array = _array_of(values)
    if array.dtype.kind in "SUO":
      if _first_mismatch(values, _is_text) is not None:
        raise _not_convertible(values)
      return _strings(values), dtypes.string
    smaller = _NUMPY_TO_PLAIN.get(array.dtype)
    if smaller is not None and (
      smaller.kind == "f" or not array.size or (_INT32.min <= array.min() and array.max() <= _INT32.max)
    ):
      with np.errstate(over="ignore"):
        array = array.astype(smaller)
    try:
      dtype = dtypes.as_dtype(array.dtype)
    except TypeError:
      raise _not_convertible(values) from None
  wanted = _list_shape(values)
  if wanted != list(array.shape):
    raise ValueError(
      "Expected values %s to be a dense tensor with shape %s, but got shape %s." % (values, wanted, list(array.shape))
    )
  return array, dtype


def _sizes_as_ints(values):
  """Returns nested lists with the numbers of Dimensions that are known."""
  if isinstance(values, (list, tuple)):
    return [_sizes_as_ints(value) for value in values]
  if type(values).__name__ == "Dimension" and values.value is not None:
    return values.value
  return values


def _not_convertible(values):
  if _contains_tensor(values):
    return TypeError("Expected any non-tensor type, but got a tensor instead.")
  return TypeError(
    "Failed to convert elements of %s to Tensor. Consider casting elements to a supported type. See "
    "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes." % (values,)
  )


def _array_of(values):
  if _contains_tensor(values):
    raise TypeError("Expected any non-tensor type, but got a tensor instead.")
  return np.array(values)


def _list_shape(values):
  """The lengths of nested lists and tuples, outermost first, by their first elements."""
  shape = []
  while isinstance(values, (list, tuple)):
    shape.append(len(values))
    if not values:
      break
    values = values[0]
  return shape


def _strings(values):
  """An object array of bytes of nested lists of texts."""
  shape = _list_shape(values)
  flat = []
  _flatten_texts(values, flat)
  if int(np.prod(shape, dtype=np.int64)) != len(flat) or not _is_regular(values, shape):
    np.array(values, dtype=np.float32 if not flat else None)  # says what is wrong with ragged lists
    raise ValueError("Argument must be a dense tensor: %s - got shape %s, but wanted %s." % (values, [len(flat)], shape))
  out = np.empty(len(flat), object)
  for index, value in enumerate(flat):
    out[index] = value
  return out.reshape(shape)


def _is_regular(values, shape):
  if not shape:
    return not isinstance(values, (list, tuple))
  return isinstance(values, (list, tuple)) and len(values) == shape[0] and all(_is_regular(v, shape[1:]) for v in values)


def _flatten_texts(values, out):
  if isinstance(values, (list, tuple)):
    for value in values:
      _flatten_texts(value, out)
  else:
    out.append(_to_bytes(values))


def _is_text(value):
  return isinstance(value, (str, bytes))


def _is_bool(value):
  return isinstance(value, (bool, np.bool_))


def _is_integral(value):
  return isinstance(value, (numbers.Integral, np.integer, np.bool_))


def _is_real(value):
  return isinstance(value, (numbers.Real, np.integer, np.floating, np.bool_)) or _is_small_float(value)


def _is_complex(value):
  return isinstance(value, (numbers.Complex, np.number, np.bool_)) or _is_small_float(value)


def _is_small_float(value):
  return type(value).__module__ == "ml_dtypes"


def _is_quantum(value):
  return False  # only tuples, which _first_mismatch does not look into


_ACCEPTS = {"s": _is_text, "b": _is_bool, "i": _is_integral, "u": _is_integral, "f": _is_real, "c": _is_complex, "q": _is_quantum}


def _first_mismatch(values, accepts):
  """Returns a list of the first element of nested lists that is not accepted, or None."""
  if isinstance(values, (list, tuple)):
    for value in values:
      found = _first_mismatch(value, accepts)
      if found is not None:
        return found
    return None
  if isinstance(values, np.ndarray):
    return _first_mismatch(values.tolist(), accepts) if values.dtype.kind != "O" else None
  if isinstance(values, types.GeneratorType) or accepts(values) or (hasattr(values, "__array__") and not _is_symbolic(values)):
    return None
  return [values]


def _check(values, dtype):
  """Raises TypeError for an element that is not of the type's kind."""
  if dtype.is_quantized and isinstance(values, (list, tuple)):
    return
  found = _first_mismatch(values, _ACCEPTS[dtype._kind])
  if found is not None:
    if _contains_tensor(values):
      raise TypeError("Expected any non-tensor type, but got a tensor instead.")
    raise TypeError("Expected %s, but got %s of type '%s'." % (dtype.name, found[0], type(found[0]).__name__))


# Which field of TensorProto has single elements, by the type's name.
_FIELDS = {
  "float32": "float_val",
  "float64": "double_val",
  "string": "string_val",
  "complex64": "scomplex_val",
  "complex128": "dcomplex_val",
  "int64": "int64_val",
  "bool": "bool_val",
  "float16": "half_val",
  "bfloat16": "half_val",
  "uint32": "uint32_val",
  "uint64": "uint64_val",
}
_NEVER_AS_CONTENT = ("bool", "uint16", "string", "complex64", "complex128")


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
  """Returns the TensorProto of a value of Python or numpy. Raises as as_array does."""
  from millrace.framework import protos

  if protos.is_message(values, "TensorProto"):
    return values
  array, shape, dtype = as_array(values, dtype, shape, verify_shape, allow_broadcast)
  proto = protos.TensorProto(dtype=dtype.as_datatype_enum)
  proto.tensor_shape.SetInParent()
  for size in shape:
    proto.tensor_shape.dim.add().size = size
  size = int(np.prod(shape, dtype=np.int64))
  if array.size == size and size > 1 and dtype.name not in _NEVER_AS_CONTENT:
    proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto
  _set_elements(proto, array.reshape(-1), dtype)
  return proto


def _set_elements(proto, flat, dtype):
  field = getattr(proto, _FIELDS.get(dtype.name, "int_val"))
  if dtype.name == "string":
    field.extend(flat.tolist())
  elif dtype.is_complex:
    field.extend(np.ascontiguousarray(flat).view(np.float32 if dtype.size == 8 else np.float64).tolist())
  elif dtype.name in ("float16", "bfloat16"):
    field.extend(np.ascontiguousarray(flat).view(np.uint16).tolist())
  elif dtype.is_quantized:
    field.extend(np.ascontiguousarray(flat)[dtype.name].tolist())
  else:
    field.extend(flat.tolist())


def make_ndarray(tensor):
  """Returns the numpy array of a TensorProto. Raises TypeError for types that numpy has not."""
  shape = [d.size for d in tensor.tensor_shape.dim]
  size = int(np.prod(shape, dtype=np.int64))
  dtype = dtypes.as_dtype(tensor.dtype).base_dtype
  if not dtype.is_numpy_compatible:
    raise TypeError("Unsupported tensor type: %s." % tensor.dtype)
  numpy_type = np.dtype(dtype.as_numpy_dtype)
  if tensor.tensor_content:
    if dtype == dtypes.string:
      raise TypeError("Unsupported tensor type: %s." % tensor.dtype)
    return np.frombuffer(tensor.tensor_content, dtype=numpy_type).copy().reshape(shape)
  elements = getattr(tensor, _FIELDS.get(dtype.name, "int_val"))
  if dtype == dtypes.string:
    flat = np.empty(len(elements), object)
    flat[:] = list(elements)
  elif dtype.is_complex:
    flat = np.array(list(elements), np.float32 if dtype.size == 8 else np.float64).view(numpy_type)
  elif dtype.name in ("float16", "bfloat16"):
    flat = np.array(list(elements), np.uint16).view(numpy_type)
  elif dtype.is_quantized:
    flat = np.array([(value,) for value in elements], numpy_type)
  else:
    flat = np.array(list(elements)).astype(numpy_type)
  if flat.size == size:
    return flat.reshape(shape)
  whole = np.empty(size, numpy_type)
  whole[: flat.size] = flat
  whole[flat.size :] = flat[-1] if flat.size else (b"" if dtype == dtypes.string else np.zeros((), numpy_type))
  return whole.reshape(shape)


def ShapeEquals(tensor_proto, shape):
  """True if the TensorProto has this shape, a list of numbers or a TensorShapeProto."""
  if hasattr(shape, "dim"):
    shape = [d.size for d in shape.dim]
  return [d.size for d in tensor_proto.tensor_shape.dim] == list(shape)
