"""Classes of protocol buffer messages, made when they are first asked for: `protos.GraphDef`, `protos.SaverDef`, ...

They come from the proto files of this project and live in a descriptor pool of their own, so that TensorFlow's package with its
messages of the same names can be in the same process. Enums (`protos.DataType`) and values of enums that stand outside of
messages (`protos.DT_FLOAT`) are here as well. The descriptors are one file beside the generated wrappers, written by the build;
in a source tree without it, protoc makes it.
"""

import copyreg
import os
import subprocess
import sys
import tempfile
import threading

_PACKAGES = ("tensorflow", "tensorflow.error", "millrace.messages")
_lock = threading.RLock()
_pool = None


def _descriptor_set():
  """Returns the bytes of a FileDescriptorSet that has all messages."""
  package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
  built = os.path.join(package, "gen", "messages.desc")
  if os.path.exists(built):
    with open(built, "rb") as file:
      return file.read()
  root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
  sources = sorted(
    os.path.relpath(os.path.join(folder, name), root)
    for folder, _, names in os.walk(os.path.join(root, "proto"))
    for name in names
    if name.endswith(".proto")
  )
  if not sources:
    raise ImportError("millrace was installed without its messages: %s is missing" % built)
  with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, "messages.desc")
    subprocess.run(["protoc", "--include_imports", "--descriptor_set_out=" + made, "-I", ".", *sources], cwd=root, check=True)
    with open(made, "rb") as file:
      return file.read()


def pool():
  """The descriptor pool of the messages."""
  global _pool
  with _lock:
    if _pool is None:
      from google.protobuf import descriptor_pb2, descriptor_pool

      files = descriptor_pb2.FileDescriptorSet.FromString(_descriptor_set())
      made = descriptor_pool.DescriptorPool()
      for file in files.file:
        made.Add(file) if hasattr(made, "Add") else made.AddSerializedFile(file.SerializeToString())
      _pool = made
    return _pool


def message_class(full_name):
  """The class of a message by its full name, for example "tensorflow.GraphDef". Raises KeyError if there is none."""
  descriptor = pool().FindMessageTypeByName(full_name)
  return _class_of(descriptor)


def _class_of(descriptor):
  from google.protobuf import message_factory

  with _lock:
    if hasattr(message_factory, "GetMessageClass"):
      cls = message_factory.GetMessageClass(descriptor)
    else:  # protobuf before 4.22
      cls = message_factory.MessageFactory(pool()).GetPrototype(descriptor)
      _complete(cls)
    copyreg.pickle(cls, _reduce)
    return cls


def _complete(cls):
  """Gives a class those of the messages inside of it as attributes, which protobuf before 4.22 in pure Python leaves out."""
  for name, nested in cls.DESCRIPTOR.nested_types_by_name.items():
    if not hasattr(cls, name):
      setattr(cls, name, _class_of(nested))


def _reduce(message):
  return _from_bytes, (message.DESCRIPTOR.full_name, message.SerializePartialToString())


def _from_bytes(full_name, data):
  return message_class(full_name).FromString(data)


def coerce(cls, message):
  """Returns `message` if it is a `cls`; a message of the same name of another package, such as TensorFlow's, by its bytes.

  Raises TypeError for anything else.
  """
  if isinstance(message, cls):
    return message
  descriptor = getattr(message, "DESCRIPTOR", None)
  if descriptor is None or not hasattr(message, "SerializePartialToString"):
    raise TypeError("Expected a message %s, got %r" % (cls.DESCRIPTOR.full_name, message))
  if descriptor.full_name != cls.DESCRIPTOR.full_name:
    raise TypeError("Expected a message %s, got a %s" % (cls.DESCRIPTOR.full_name, descriptor.full_name))
  return cls.FromString(message.SerializePartialToString())


def is_message(value, name):
  """True if `value` is a message of this name ("GraphDef"), of this package or another."""
  descriptor = getattr(value, "DESCRIPTOR", None)
  return descriptor is not None and getattr(descriptor, "name", None) == name


def _find(name):
  """The class, enum or value of a name of the packages, or None."""
  from google.protobuf.internal import enum_type_wrapper

  messages = pool()
  for package in _PACKAGES:
    full = "%s.%s" % (package, name)
    try:
      return _class_of(messages.FindMessageTypeByName(full))
    except KeyError:
      pass
    try:
      return enum_type_wrapper.EnumTypeWrapper(messages.FindEnumTypeByName(full))
    except KeyError:
      pass
  return _enum_values().get(name)


def _enum_values():
  """Numbers of enum values that stand outside of messages, by name."""
  values = {}
  for file_name in _ENUM_FILES:
    for enum in pool().FindFileByName(file_name).enum_types_by_name.values():
      values.update({value.name: value.number for value in enum.values})
  return values


_ENUM_FILES = ("proto/graph/types.proto", "proto/service/error_codes.proto", "proto/checkpoint/variable.proto")


def __getattr__(name):
  if name.startswith("__"):
    raise AttributeError(name)
  found = _find(name)
  if found is None:
    raise AttributeError("no message, enum or value of an enum is called %r" % name)
  setattr(sys.modules[__name__], name, found)
  return found
