"""Every message and enum of proto/ against the TensorFlow wheel's descriptors."""

import pathlib
import subprocess

import pytest

wheel_descriptors = pytest.importorskip("wheel_descriptors")
from google.protobuf import descriptor_pb2  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Contents are kept as unknown fields.
OPAQUE = {"tensorflow.GraphDebugInfo", "tensorflow.SavedObjectGraph", "tensorflow.TypeSpecProto"}
# Not in the wheel under this name: only their serialized form is fixed.
OURS = "millrace."


def describe_field(message, field):
  kind = descriptor_pb2.FieldDescriptorProto.Type.Name(field.type)
  label = descriptor_pb2.FieldDescriptorProto.Label.Name(field.label)
  oneof = None
  if field.HasField("oneof_index") and not field.proto3_optional:
    oneof = message.oneof_decl[field.oneof_index].name
  packed = field.options.packed if field.options.HasField("packed") else True
  return (field.name, kind, label, field.type_name, oneof, packed)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
  out = tmp_path_factory.mktemp("descriptors") / "all.bin"
  files = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "proto").rglob("*.proto"))
  subprocess.run(["protoc", "-I.", f"--descriptor_set_out={out}", *files], cwd=ROOT, check=True)
  return descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())


@pytest.fixture(scope="module")
def wheel():
  if wheel_descriptors.wheel_folder() is None:
    pytest.skip("no TensorFlow wheel is installed")
  return wheel_descriptors.flatten(wheel_descriptors.wheel_files().values())


def test_messages_have_the_wheels_fields(ours, wheel):
  messages, _ = wheel_descriptors.flatten(ours.file)
  differences = []
  for name, message in messages.items():
    if name in OPAQUE or name.startswith(OURS):
      continue
    theirs = wheel[0].get(name)
    if theirs is None:
      differences.append(f"{name}: not in the wheel")
      continue
    a = {f.number: describe_field(message, f) for f in message.field}
    b = {f.number: describe_field(theirs, f) for f in theirs.field}
    for number in sorted(a.keys() | b.keys()):
      if a.get(number) != b.get(number):
        differences.append(f"{name} field {number}: {a.get(number)} is {b.get(number)} in the wheel")
  assert not differences, "\n".join(differences)


def test_enums_have_the_wheels_values(ours, wheel):
  _, enums = wheel_descriptors.flatten(ours.file)
  differences = []
  for name, enum in enums.items():
    if name.startswith(OURS):
      continue
    theirs = wheel[1].get(name)
    a = {v.name: v.number for v in enum.value}
    b = {v.name: v.number for v in theirs.value} if theirs else None
    if a != b:
      differences.append(f"{name}: {a} is {b} in the wheel")
  assert not differences, "\n".join(differences)


def test_nothing_was_skipped(ours, wheel):
  messages, enums = wheel_descriptors.flatten(ours.file)
  assert len(messages) > 180 and len(enums) > 15
  assert "tensorflow.RunGraphRequest" in wheel[0]
