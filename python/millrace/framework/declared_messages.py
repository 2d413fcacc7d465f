"""Messages that are declared in Python, since only libraries in Python read and write them."""

from millrace.framework import protos


def declare(file_name, package, text):
  """Declares messages and returns {name: class} of those at the top.

  The text has a line `message NAME` for each message (`message OUTER.INNER` for one within another that stands before it), and below it a
  line `NUMBER TYPE NAME` for each field. A type is one of protocol buffers' (`int64`), a message by its full name, or with a word before
  it, `repeated TYPE`; `map KEY VALUE` is a map, `oneof GROUP TYPE` a field of a group of which one at most is set.
  """
  from google.protobuf import descriptor_pb2

  pool = protos.pool()
  file = descriptor_pb2.FileDescriptorProto(name=file_name, package=package, syntax="proto3")
  messages = {}
  for line in text.strip().splitlines():
    words = line.split()
    if not words:
      continue
    if words[0] == "message":
      outer, _, name = words[1].rpartition(".")
      message = messages[words[1]] = (messages[outer].nested_type if outer else file.message_type).add(name=name)
    else:
      _add_field(file, message, words, "%s.%s" % (package, _path_of(messages, message)))
  for name in _files_of(pool, file):
    file.dependency.append(name)
  pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
  return {name: protos.message_class("%s.%s" % (package, name)) for name in messages if "." not in name}


def _path_of(messages, message):
  return next(path for path, found in messages.items() if found is message)


def _add_field(file, message, words, full_name):
  """Adds the field of a line `NUMBER [repeated] TYPE NAME`, `NUMBER map KEY VALUE NAME` or `NUMBER oneof GROUP TYPE NAME`."""
  from google.protobuf import descriptor_pb2

  number, name = int(words[0]), words[-1]
  field = message.field.add(name=name, number=number, label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL)
  if words[1] == "map":
    entry_name = "".join(part.capitalize() for part in name.split("_")) + "Entry"
    entry = message.nested_type.add(name=entry_name)
    entry.options.map_entry = True
    for index, (part, kind) in enumerate((("key", words[2]), ("value", words[3])), 1):
      _set_type(entry.field.add(name=part, number=index, label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL), kind)
    field.label = descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED
    _set_type(field, "%s.%s" % (full_name, entry_name))
    return
  if words[1] == "oneof":
    groups = [group.name for group in message.oneof_decl]
    if words[2] not in groups:
      groups.append(message.oneof_decl.add(name=words[2]).name)
    field.oneof_index = groups.index(words[2])
  if words[1] == "repeated":
    field.label = descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED
  _set_type(field, words[-2])


def _set_type(field, kind):
  from google.protobuf import descriptor_pb2

  if "." in kind:
    field.type = descriptor_pb2.FieldDescriptorProto.TYPE_MESSAGE
    field.type_name = "." + kind
  else:
    field.type = getattr(descriptor_pb2.FieldDescriptorProto, "TYPE_" + kind.upper())


def _files_of(pool, file):
  """Names of the files that have the messages which a file uses and does not have itself."""

  def types(message):
    for field in message.field:
      if field.type_name and not field.type_name.startswith("." + file.package + "."):
        yield field.type_name[1:]
    for nested in message.nested_type:
      yield from types(nested)

  names = {name for message in file.message_type for name in types(message)}
  return sorted({pool.FindMessageTypeByName(name).file.name for name in names})
