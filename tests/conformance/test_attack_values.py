"""Values that lie: tensors, and the texts and messages that they hold."""

import pytest

grpc = pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
from attacked_cluster import BAD, Code, cluster, neg, refuses, varint, wire  # noqa: E402, F401


# Tensors.


@pytest.mark.parametrize(
  "value",
  [
    raw.tensor(raw.FLOAT, (1 << 62, 1 << 62), float_val=[1]),
    raw.tensor(raw.FLOAT, (1 << 40,), float_val=[1]),
    raw.tensor(raw.FLOAT, (-1,), float_val=[1]),
    raw.tensor(raw.FLOAT, (-(1 << 63),), float_val=[1]),
    raw.tensor(raw.FLOAT, (1,) * 255, float_val=[1]),
    raw.tensor(raw.FLOAT, (2,), tensor_content=b"\0" * 7),
    raw.tensor(raw.FLOAT, (2,), tensor_content=b"\0" * 80),
    raw.tensor(raw.FLOAT, (0, 1 << 62, 1 << 62), tensor_content=b""),
    raw.tensor(raw.STRING, (2,), tensor_content=b"\xff\xff\xff\xff\x0f\x01ab"),
    raw.tensor(raw.STRING, (2,), tensor_content=b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01"),
    raw.tensor(raw.STRING, (1 << 40,), string_val=[b"x"]),
    raw.tensor(raw.RESOURCE, (), resource_handle_val=[]),
    raw.tensor(raw.VARIANT, (), tensor_content=b"\x05\x0a\x03int"),
    raw.tensor(raw.VARIANT, (), tensor_content=b"\x05\x0a\xff\xffnt"),
    raw.tensor(raw.VARIANT, (), tensor_content=b"\x23\x0a\x21tensorflow::DatasetVariantWrapper"),
    raw.tensor(raw.VARIANT, (), tensor_content=b"\x1d\x0a\x16tensorflow::TensorList\x12\x03\xff\xff\x7f"),
    raw.tensor(raw.VARIANT, (1 << 40,), tensor_content=b"\0"),
    raw.tensor(raw.FLOAT + 100, (), float_val=[1]),
    raw.tensor(12345, ()),
    raw.tensor(0, ()),
    raw.tensor(14, (3,), tensor_content=b"\0" * 5),
    raw.tensor(11, (3,), tensor_content=b"\0" * 2),
  ],
  ids=lambda t: f"{t.dtype}x{len(t.tensor_shape.dim)}x{len(t.tensor_content)}",
)
def test_tensors_that_lie(wire, value):
  # As a constant. A handle of nothing is no lie: it is nobody's.
  refuses(
    wire,
    raw.graph(raw.node("a", "Const", dtype=raw.type_of(value.dtype), value=value)),
    codes=BAD | {Code.INTERNAL} | ({Code.OK} if value.dtype == raw.RESOURCE else set()),
    fetch=["a:0"],
  )
  # As a feed, and the session lives on.
  code, reply = wire.create(raw.graph(raw.node("p", "Placeholder", dtype=raw.type_of(raw.FLOAT)), neg("n", "p")))
  assert code == Code.OK, reply
  handle = reply.session_handle
  code, reply = wire.run(handle, fetch=["n:0"], feed=[("p:0", value)])
  assert code in BAD | {Code.INTERNAL}, (code, reply)
  code, reply = wire.run(handle, fetch=["n:0"], feed=[("p:0", raw.tensor(raw.FLOAT, (), float_val=[1]))])
  assert code == Code.OK, reply
  wire.close(handle)


# Texts.


def decode_csv(*lines):
  out = raw.new("AttrValue")
  out.list.type.extend([raw.INT32, raw.INT64, raw.FLOAT])
  empty = [raw.const(f"d{t}", raw.tensor(t, (0,))) for t in (raw.INT32, raw.INT64, raw.FLOAT)]
  return raw.graph(
    raw.const("lines", raw.tensor(raw.STRING, (len(lines),), string_val=lines)),
    *empty,
    raw.node("a", "DecodeCSV", "lines", *[n.name for n in empty], OUT_TYPE=out),
  )


def test_lines_that_lie(wire):
  code, reply = wire.create(decode_csv(b'"1","2",3.5', b"-2147483648,-9223372036854775808,1"))
  assert code == Code.OK, reply
  code, values = wire.run(reply.session_handle, fetch=["a:0", "a:1", "a:2"])
  assert code == Code.OK, values
  wire.close(reply.session_handle)
  for line in [
    b"2147483648,1,1",
    b"1,9223372036854775808,1",
    b"1,-9223372036854775809,1",
    b"1e3,1,1",
    b"1,1",
    b"1,1,1,1",
    b'"1,1,1',
    b'"1"",1,1',
    b'"1"1,1,1',
    b'1,"1"",1',
    b'1"1,1,1',
    b'""""""1,1,1',
    b'"' * 100_001 + b",1,1",
    b"," * 1_000_000,
    b"\xff\xfe,1,1",
    b"9" * 1_000_000 + b",1,1",
  ]:
    refuses(wire, decode_csv(line), codes={Code.INVALID_ARGUMENT}, fetch=["a:0"])


def field(number, content):
  return bytes([number << 3 | 2]) + varint(len(content)) + content


def parse_example(message):
  """`message` as an Example with two numbers called "x"."""
  kinds, shapes, none = raw.new("AttrValue"), raw.new("AttrValue"), raw.new("AttrValue")
  kinds.list.type.append(raw.INT64)
  shapes.list.shape.add().CopyFrom(raw.dims_of(2))
  none.list.SetInParent()
  strings = {
    name: raw.const(name, raw.tensor(raw.STRING, (len(v),), string_val=v))
    for name, v in {"messages": [message], "names": [], "keys": [b"x"], "no_keys": []}.items()
  }
  return raw.graph(
    *strings.values(),
    raw.const("d", raw.tensor(raw.INT64, (0,))),
    raw.node(
      "a",
      "ParseExampleV2",
      "messages",
      "names",
      "no_keys",
      "keys",
      "no_keys",
      "d",
      Tdense=kinds,
      num_sparse=0,
      sparse_types=none,
      ragged_value_types=none,
      ragged_split_types=none,
      dense_shapes=shapes,
    ),
  )


def test_examples_that_lie(wire):
  def example(numbers, kind=3):
    return field(1, field(1, field(1, b"x") + field(2, field(kind, numbers))))

  good = example(field(1, b"\x01\x02"))
  code, reply = wire.create(parse_example(good))
  assert code == Code.OK, reply
  code, values = wire.run(reply.session_handle, fetch=["a:0"])
  assert code == Code.OK, values
  wire.close(reply.session_handle)
  huge = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
  for bad in [
    b"\x0a" + huge + b"x",
    b"\x0a\xff\xff\xff\xff\x0f",
    example(b"\x0a" + huge),
    example(field(1, b"\xff" * 12)),
    example(field(1, b"\x01\x02\x03")),
    example(field(1, b"\x01")),
    example(b"\x0d\0\0", 2),
    example(b"\x0a\x05ab", 1),
    good[:-1],
    good * 3 + b"\x0a",
    b"\x0b" * 100_000,
    b"\xff" * 1000,
  ]:
    refuses(wire, parse_example(bad), codes={Code.INVALID_ARGUMENT}, fetch=["a:0"])
