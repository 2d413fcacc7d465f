"""Message descriptors of the installed TensorFlow wheel, without importing it.

Python modules of the wheel hold most descriptors as one bytes literal; those
of the master and worker services exist only inside its shared libraries,
where a serialized FileDescriptorProto begins with its own file name.
"""

import ast
import importlib.util
import mmap
import pathlib
import re

from google.protobuf import descriptor_pb2

# Field numbers of FileDescriptorProto by wire type; anything else ends it.
_LENGTH_DELIMITED = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12}
_VARINT = {10, 11, 14}


def wheel_folder():
  """Folder of the installed package, or None without one."""
  spec = importlib.util.find_spec("tensorflow")
  if spec is None or not spec.submodule_search_locations:
    return None
  return pathlib.Path(spec.submodule_search_locations[0])


def _varint(data, at):
  value, shift = 0, 0
  while True:
    byte = data[at]
    value |= (byte & 0x7F) << shift
    at, shift = at + 1, shift + 7
    if byte < 0x80:
      return value, at
    if shift > 63:
      raise ValueError("no varint")


def _end_of_file_descriptor(data, start):
  at, last = start, 0
  while at < len(data):
    try:
      tag, next_at = _varint(data, at)
      number, kind = tag >> 3, tag & 7
      if number < last and number not in (3, 10, 11):
        break
      if kind == 2 and number in _LENGTH_DELIMITED:
        if number == 1 and last:
          break
        size, next_at = _varint(data, next_at)
        next_at += size
      elif kind == 0 and number in _VARINT:
        _, next_at = _varint(data, next_at)
      else:
        break
    except (ValueError, IndexError):
      break
    if next_at > len(data):
      break
    at, last = next_at, number
  return at


def _from_library(path):
  with open(path, "rb") as f:
    data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    for match in re.finditer(rb"\n([\x10-\x7f])(?:tensorflow|xla|tsl)/[a-z0-9_/]+\.proto\x12", data):
      start = match.start()
      if match.end() - start - 3 != match.group(1)[0]:
        continue
      end = _end_of_file_descriptor(data, start)
      message = descriptor_pb2.FileDescriptorProto()
      try:
        message.ParseFromString(data[start:end])
      except Exception:  # pylint: disable=broad-except  # not a descriptor
        continue
      yield message


def _from_module(path):
  text = path.read_text()
  match = re.search(r"AddSerializedFile\((b'.*')\)", text)
  if match:
    yield descriptor_pb2.FileDescriptorProto.FromString(ast.literal_eval(match.group(1)))


def wheel_files():
  """FileDescriptorProtos of the wheel by file name."""
  folder = wheel_folder()
  files = {}
  for path in sorted((folder / "core").rglob("*_pb2.py")) + sorted((folder / "python").rglob("*_pb2.py")):
    for f in _from_module(path):
      files.setdefault(f.name, f)
  for library in sorted(folder.glob("libtensorflow_*.so*")) + sorted(folder.glob("python/_pywrap_tensorflow_internal.so")):
    for f in _from_library(library):
      known = files.get(f.name)
      if known is None or len(f.message_type) > len(known.message_type):
        files[f.name] = f
  return files


def flatten(files):
  """(messages, enums) by full name, over all files."""
  messages, enums = {}, {}

  def walk(prefix, message):
    name = f"{prefix}.{message.name}" if prefix else message.name
    messages[name] = message
    for nested in message.nested_type:
      walk(name, nested)
    for enum in message.enum_type:
      enums[f"{name}.{enum.name}"] = enum

  for f in files:
    for message in f.message_type:
      walk(f.package, message)
    for enum in f.enum_type:
      enums[f"{f.package}.{enum.name}" if f.package else enum.name] = enum
  return messages, enums
