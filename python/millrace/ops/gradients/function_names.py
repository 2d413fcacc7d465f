"""Names of functions of graphs: a word and a number that follows from what the function is, as TensorFlow makes it.

The number is a MurmurHash of 64 bits of the parts of a FunctionDef: equal functions get equal names, in every process.
"""

import base64

import numpy as np

from millrace.framework import protos, tensor_values

_ALL = (1 << 64) - 1
_SEED = 0xDECAFCAFFE
_FACTOR = 0xC6A4A7935BD1E995


def _hash(data, seed=_SEED):
  """MurmurHash64A."""
  if isinstance(data, str):
    data = data.encode()
  size = len(data)
  value = (seed ^ (size * _FACTOR)) & _ALL
  whole = size & ~7
  for at in range(0, whole, 8):
    word = int.from_bytes(data[at : at + 8], "little") * _FACTOR & _ALL
    word = (word ^ (word >> 47)) * _FACTOR & _ALL
    value = ((value ^ word) * _FACTOR) & _ALL
  if whole < size:
    value = ((value ^ int.from_bytes(data[whole:], "little")) * _FACTOR) & _ALL
  value = ((value ^ (value >> 47)) * _FACTOR) & _ALL
  return value ^ (value >> 47)


def _combine(one, two):
  return (one ^ ((two + 0x9E3779B97F4A7800 + (one << 10) + (one >> 4)) & _ALL)) & _ALL


def _message_hash(message, seed=_SEED):
  return _hash(message.SerializeToString(deterministic=True), seed)


def _length(number):
  """A number as a varint."""
  out = bytearray()
  while number >= 128:
    out.append(number & 127 | 128)
    number >>= 7
  out.append(number)
  return bytes(out)


def _tensor_hash(tensor):
  """That of the tensor's contents, however the message writes them."""
  values = tensor_values.make_ndarray(tensor)
  plain = protos.TensorProto(dtype=tensor.dtype)
  plain.tensor_shape.CopyFrom(tensor.tensor_shape)
  if values.dtype == np.object_:
    texts = values.ravel().tolist()
    plain.tensor_content = b"".join(_length(len(text)) for text in texts) + b"".join(texts)
  else:
    plain.tensor_content = np.ascontiguousarray(values).tobytes()
  return _message_hash(plain)


def _attr_hash(attr):
  kind = attr.WhichOneof("value")
  if kind == "tensor":
    return _tensor_hash(attr.tensor)
  if kind == "func":
    value = _hash(attr.func.name)
    for name in sorted(attr.func.attr):
      value = _combine(_attr_hash(attr.func.attr[name]), _hash(name, value))
    return value
  return _message_hash(attr)


def _node_hash(node):
  value = _hash(node.device, _hash(node.op, _hash(node.name)))
  for name in [name for name in node.input if not name.startswith("^")]:
    value = _hash(name, value)
  for name in sorted(name for name in node.input if name.startswith("^")):
    value = _hash(name, value)
  for name in sorted(node.attr):
    if not name.startswith("_"):
      value = _combine(_attr_hash(node.attr[name]), _hash(name, value))
  return value


def suffix(function_def):
  """Returns the number of a FunctionDef without a name, as eleven letters and digits."""
  value = _message_hash(function_def.signature, _SEED)
  nodes = _SEED
  for node in sorted(function_def.node_def, key=lambda node: node.name):
    nodes = _combine(_node_hash(node), _hash(node.name, nodes))
  value = _combine(nodes, value)
  for name in sorted(function_def.ret):
    value = _hash(function_def.ret[name], _hash(name, value))
  encoded = base64.b64encode(value.to_bytes(8, "little"), b"-_").decode().rstrip("=")
  return encoded.replace("-", "a").replace("_", "A")
