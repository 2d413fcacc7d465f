"""HParamDef, the message of hyperparameters."""

import functools
import numbers

# Field names, their numbers, and types (of descriptor.proto) in a value; the lists are messages of repeated values.
_SCALARS = (("int64", 1, "TYPE_INT64"), ("float", 2, "TYPE_FLOAT"), ("bytes", 3, "TYPE_BYTES"), ("bool", 7, "TYPE_BOOL"))
_LIST_NUMBERS = {"int64": 4, "float": 5, "bytes": 6, "bool": 8}


@functools.lru_cache
def message_class():
  """The class of HParamDef: a map `hparam` of names to values, each of one kind."""
  from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

  kinds = descriptor_pb2.FieldDescriptorProto
  file = descriptor_pb2.FileDescriptorProto(name="millrace/hparam.proto", package="tensorflow", syntax="proto3")
  message = file.message_type.add(name="HParamDef")
  value = message.nested_type.add(name="HParamType")
  value.oneof_decl.add(name="kind")
  for name, number, kind in _SCALARS:
    value.field.add(name=name + "_value", number=number, type=getattr(kinds, kind), label=1, oneof_index=0)
    list_name = name.capitalize() + "List"
    values = message.nested_type.add(name=list_name)
    values.field.add(name="value", number=1, type=getattr(kinds, kind), label=3)
    value.field.add(
      name=name + "_list",
      number=_LIST_NUMBERS[name],
      type=kinds.TYPE_MESSAGE,
      label=1,
      oneof_index=0,
      type_name=".tensorflow.HParamDef." + list_name,
    )
  entry = message.nested_type.add(name="HparamEntry")
  entry.options.map_entry = True
  entry.field.add(name="key", number=1, type=kinds.TYPE_STRING, label=1)
  entry.field.add(name="value", number=2, type=kinds.TYPE_MESSAGE, label=1, type_name=".tensorflow.HParamDef.HParamType")
  message.field.add(name="hparam", number=1, type=kinds.TYPE_MESSAGE, label=3, type_name=".tensorflow.HParamDef.HparamEntry")
  pool = descriptor_pool.DescriptorPool()
  pool.AddSerializedFile(file.SerializeToString())
  descriptor = pool.FindMessageTypeByName("tensorflow.HParamDef")
  if hasattr(message_factory, "GetMessageClass"):
    return message_factory.GetMessageClass(descriptor)
  return message_factory.MessageFactory(pool).GetPrototype(descriptor)


def kind_name(param_type, is_list):
  """The field of a type, such as "int64_value". Raises ValueError for types that have none."""
  if issubclass(param_type, bool):
    name = "bool"
  elif issubclass(param_type, numbers.Integral):
    name = "int64"
  elif issubclass(param_type, (str, bytes)):
    name = "bytes"
  elif issubclass(param_type, float):
    name = "float"
  else:
    raise ValueError(f"Unsupported parameter type: {param_type}")
  return f"{name}_{'list' if is_list else 'value'}"


def _coded(value):
  return value.encode() if isinstance(value, str) else value


def message_of(parameters):
  """The message of (name, value, type, whether it is a list) for each parameter."""
  message = message_class()()
  for name, value, kind, is_list in parameters:
    field = kind_name(kind, is_list)
    if is_list:
      getattr(message.hparam[name], field).value.extend([_coded(v) for v in value])
    else:
      setattr(message.hparam[name], field, _coded(value))
  return message


def values_of(message):
  """Yields (name, value) of each parameter of a message, or of its bytes. Raises ValueError for something else."""
  if isinstance(message, bytes):
    message = message_class().FromString(message)
  if not hasattr(message, "hparam"):
    raise ValueError(f"hparam_def must be a HParamDef: {message!r}")
  for name, value in sorted(message.hparam.items()):
    kind = value.WhichOneof("kind")
    found = getattr(value, kind)
    if kind.endswith("_list"):
      yield name, [v.decode() if isinstance(v, bytes) else v for v in found.value]
    else:
      yield name, found.decode() if isinstance(found, bytes) else found
