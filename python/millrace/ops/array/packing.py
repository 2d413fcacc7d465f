"""Lists that hold tensors become tensors: `[x, 1.0]` is a Pack of `x` and a constant, at any depth.

The constants are named by their place in the list, as `packed/1`; the inner lists open a scope of that name.
"""

from millrace import gen
from millrace.framework import convert, graph, tensor


def _is_tensor(value):
  return isinstance(value, tensor.Tensor) or convert.is_dense_tensor_like(value)


def _first_dtype(values):
  for value in values:
    if _is_tensor(value):
      return value.dtype.base_dtype
    if isinstance(value, (list, tuple)):
      found = _first_dtype(value)
      if found is not None:
        return found
  return None


def _pack(values, dtype, name):
  """Returns a Pack of the values if there are tensors among them, else the values as they came."""
  from millrace.framework import constants

  must_pack = False
  converted = []
  with graph.name_scope(name) as scope:
    for i, value in enumerate(values):
      if _is_tensor(value):
        if dtype is not None and value.dtype.base_dtype != dtype:
          raise TypeError(f"Cannot convert a list containing a tensor of dtype {value.dtype} to {dtype} (Tensor is: {value!r})")
        converted.append(value)
        must_pack = True
      elif isinstance(value, (list, tuple)):
        packed = _pack(value, dtype, str(i))
        must_pack = must_pack or _is_tensor(packed)
        converted.append(packed)
      else:
        converted.append(value)
    if not must_pack:
      return values
    tensors = [
      value if _is_tensor(value) else constants.constant(value, dtype=dtype, name=str(i)) for i, value in enumerate(converted)
    ]
    return gen.pack(tensors, name=scope)


def _cast_tensors(values, dtype):
  result = []
  for value in values:
    if _is_tensor(value):
      result.append(value if value.dtype.base_dtype == dtype else gen.cast(value, dtype))
    elif isinstance(value, (list, tuple)):
      result.append(_cast_tensors(value, dtype))
    else:
      result.append(value)
  return result


def convert_list(value, dtype=None, name=None, as_ref=False):
  """Conversion function for lists and tuples: NotImplemented where no tensor is in them."""
  if as_ref:
    return NotImplemented
  found = _first_dtype(value)
  if found is None:
    return NotImplemented
  if dtype is None:
    dtype = found
  elif dtype != found:
    value = _cast_tensors(value, dtype)
  return _pack(value, dtype, name or "packed")


convert.register_tensor_conversion_function((list, tuple), convert_list, 99)
