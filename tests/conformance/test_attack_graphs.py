"""What a server must survive: graphs and functions that make no sense, that are nested deep, or that never end."""

import json
import threading

import pytest

grpc = pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
import task_servers  # noqa: E402
from attacked_cluster import BAD, Code, cluster, neg, refuses, varint, wire  # noqa: E402, F401


@pytest.mark.parametrize(
  "nodes",
  [
    [neg("a", "a")],
    [neg("a", "b"), neg("b", "a")],
    [neg("a", "nowhere")],
    [neg("a")],
    [raw.const("c", 1.0), neg("a", "c", "c")],
    [raw.const("c", 1.0), raw.const("c", 2.0)],
    [raw.const("c", 1.0), neg("a", "c:1")],
    [raw.const("c", 1.0), neg("a", "c:-1")],
    [raw.const("c", 1.0), neg("a", "c:99999999999999999999")],
    [raw.const("c", 1.0), neg("a", "c:")],
    [raw.const("c", 1.0), neg("a", "^c")],
    [raw.const("c", 1.0), neg("a", "c", "^nowhere")],
    [raw.const("c", 1.0), neg("a", "^c", "c")],
    [raw.const("c", 1.0), neg("a", "c", "^a")],
    [raw.node("a", "NoSuchOp")],
    [raw.node("", "NoOp")],
    [raw.node("^a", "NoOp")],
    [raw.node("a:0", "NoOp")],
    [raw.node("a", "Neg", "c", T=raw.type_of(9999)), raw.const("c", 1.0)],
    [raw.node("a", "Neg", "c", T=7), raw.const("c", 1.0)],
    [raw.node("a", "Neg", "c"), raw.const("c", 1.0)],
    [raw.node("a", "Neg", "c", T=raw.type_of(raw.INT32)), raw.const("c", 1.0)],
    [raw.node("a", "AddN", "c", T=raw.type_of(raw.FLOAT), N=1 << 62), raw.const("c", 1.0)],
    [raw.node("a", "AddN", "c", T=raw.type_of(raw.FLOAT), N=-1), raw.const("c", 1.0)],
    [raw.node("a", "Placeholder", dtype=raw.type_of(raw.FLOAT), shape=raw.shape_of(-2))],
    [raw.node("a", "VariableV2", dtype=raw.type_of(raw.FLOAT), shape=raw.shape_of(1 << 40, 1 << 40))],
    [raw.node("a", "NoOp", device="/job:/task:x/::")],
    [raw.node("a", "NoOp", device="/job:ps/task:2147483648")],
    [raw.node("a", "NextIteration", "a", T=raw.type_of(raw.FLOAT))],
    [raw.const("c", 1.0), raw.node("a", "NextIteration", "c", T=raw.type_of(raw.FLOAT))],
    # A back edge into another frame, whose iterations have other memory; far behind in the Merge's own.
    [
      raw.const("c", 1.0),
      raw.node("pad", "AddN", *["c"] * 1000, T=raw.type_of(raw.FLOAT), N=1000),
      raw.node("e", "Enter", "pad", T=raw.type_of(raw.FLOAT), frame_name=b"f", is_constant=False, parallel_iterations=10),
      raw.node("e2", "Enter", "c", T=raw.type_of(raw.FLOAT), frame_name=b"f", is_constant=False, parallel_iterations=10),
      raw.node("mm", "Merge", "e", "e2", T=raw.type_of(raw.FLOAT), N=2),
      raw.node("n", "NextIteration", "mm", T=raw.type_of(raw.FLOAT)),
      raw.node("a", "Merge", "c", "n", T=raw.type_of(raw.FLOAT), N=2),
    ],
    [raw.node("a", "_Arg", T=raw.type_of(raw.FLOAT), index=7)],
    [raw.const("a", 1.0), raw.node("r", "_Retval", "a", T=raw.type_of(raw.FLOAT), index=1 << 30)],
    [
      raw.node(
        "a",
        "_Recv",
        tensor_type=raw.type_of(raw.FLOAT),
        tensor_name=b"x",
        send_device=b"",
        recv_device=b"",
        send_device_incarnation=0,
        client_terminated=False,
      )
    ],
    [raw.node("a", "PartitionedCall")],
    [raw.const("i", 0, raw.INT32), raw.node("a", "Case", "i", branches=raw.new("AttrValue", list={}))],
    # Constants that are folded before anything runs: bytes of one type would be taken for another.
    [
      raw.node("b", "Const", dtype=raw.type_of(raw.INT64), value=raw.tensor(raw.BOOL, [10_000], bool_val=[True])),
      raw.node("a", "Neg", "b", T=raw.type_of(raw.INT64)),
    ],
    [raw.node("a", "Pack", T=raw.type_of(raw.FLOAT), N=1 << 20)],
    [raw.const("c", 1.0)] + [raw.node(f"a{i}", "Unpack", "c", T=raw.type_of(raw.FLOAT), num=1 << 20) for i in range(20)],
  ],
  ids=lambda nodes: str(len(nodes)) + nodes[-1].op + nodes[-1].name[:8],
)
def test_graphs_that_make_no_sense(wire, nodes):
  # As of stock's "no call frame".
  slots = {Code.INTERNAL} if nodes[-1].op in ("_Arg", "_Retval") else set()
  refuses(wire, raw.graph(*nodes), codes=BAD | slots, fetch=["a:0"])


def test_names_of_any_bytes(wire):
  # Over the wire a name is UTF-8; what else it holds is the client's affair.
  for name in ["\0", "a\0b", "é" * 1000, "x" * (1 << 20), "a\nb", "%s%n%p"]:
    code, reply = wire.create(raw.graph(raw.const(name, 1.0)))
    if code == Code.OK:
      handle = reply.session_handle
      assert wire.run(handle, fetch=[name + ":0"])[0] in {Code.OK} | BAD
      wire.close(handle)
    else:
      assert code in BAD, reply


def test_a_version_far_ahead(wire):
  graph_def = raw.graph(raw.const("a", 1.0))
  graph_def.versions.min_consumer = 1 << 30
  assert "version" in refuses(wire, graph_def)
  graph_def.versions.min_consumer = -(1 << 31)
  refuses(wire, graph_def, codes=BAD | {Code.OK}, fetch=["a:0"])


def test_a_long_chain_and_a_wide_fan(wire):
  nodes = [raw.const("n0", 1.0)]
  nodes += [neg(f"n{i}", f"n{i - 1}") for i in range(1, 100_000)]
  nodes.append(raw.node("sum", "AddN", *["n0"] * 50_000, T=raw.type_of(raw.FLOAT), N=50_000))
  code, reply = wire.create(raw.graph(*nodes))
  assert code == Code.OK, reply
  handle = reply.session_handle
  code, reply = wire.run(handle, fetch=["n99999:0", "sum:0"], timeout_in_ms=60_000)
  assert code == Code.OK, reply
  assert wire.close(handle)[0] == Code.OK


def recursive_library(depth):
  """f0 calls f1 calls ... calls f0."""
  library = raw.new("FunctionDefLibrary")
  for i in range(depth):
    function = library.function.add()
    function.signature.name = f"f{i}"
    function.signature.input_arg.add(name="x", type=raw.FLOAT)
    function.signature.output_arg.add(name="y", type=raw.FLOAT)
    called = raw.new("AttrValue")
    called.func.name = f"f{(i + 1) % depth}"
    types = raw.new("AttrValue")
    types.list.type.append(raw.FLOAT)
    function.node_def.append(raw.node("call", "PartitionedCall", "x", f=called, Tin=types, Tout=types))
    function.ret["y"] = "call:output:0"
  return library


@pytest.mark.parametrize("depth", [1, 2, 1000])
def test_functions_that_call_each_other_for_ever(wire, depth):
  called = raw.new("AttrValue")
  called.func.name = "f0"
  types = raw.new("AttrValue")
  types.list.type.append(raw.FLOAT)
  graph_def = raw.graph(
    raw.const("c", 1.0),
    raw.node("call", "PartitionedCall", "c", f=called, Tin=types, Tout=types),
    library=recursive_library(depth),
  )
  refuses(wire, graph_def, codes=BAD | {Code.DEADLINE_EXCEEDED, Code.INTERNAL}, fetch=["call:0"])


def by_name(library):
  """The same library, with calls by the functions' names."""
  for function in library.function:
    for node in function.node_def:
      called = node.attr["f"].func.name
      node.op = called
      node.attr.clear()
    function.ret["y"] = "call:y:0"
  return library


@pytest.mark.parametrize("depth", [1, 2, 1000])
def test_functions_that_call_each_other_by_name_for_ever(wire, depth):
  graph_def = raw.graph(raw.const("c", 1.0), raw.node("call", "f0", "c"), library=by_name(recursive_library(depth)))
  refuses(wire, graph_def, codes=BAD | {Code.DEADLINE_EXCEEDED, Code.INTERNAL}, fetch=["call:0"])


@pytest.mark.parametrize("name", ["f0", "_Arg", "_Retval", "_Recv", "NoOp", "While", "SymbolicGradient", "Nowhere", ""])
def test_gradients_of_what_has_none(wire, name):
  called, two, one = raw.new("AttrValue"), raw.new("AttrValue"), raw.new("AttrValue")
  called.func.name = name
  called.func.attr["index"].i = 1 << 60
  called.func.attr["T"].type = raw.FLOAT
  two.list.type.extend([raw.FLOAT, raw.FLOAT])
  one.list.type.append(raw.FLOAT)
  graph_def = raw.graph(
    raw.const("c", 1.0),
    raw.node("call", "SymbolicGradient", "c", "c", f=called, Tin=two, Tout=one),
    library=recursive_library(1),
  )
  refuses(wire, graph_def, codes=BAD | {Code.DEADLINE_EXCEEDED, Code.INTERNAL, Code.UNIMPLEMENTED}, fetch=["call:0"])


def test_functions_with_endless_arguments(wire):
  """A call of few bytes stands for 50 lists of 20,000 arguments each."""
  function = raw.new("FunctionDef")
  function.signature.name = "wide"
  function.signature.attr.add(name="N", type="int")
  for i in range(50):
    function.signature.input_arg.add(name=f"x{i}", type=raw.FLOAT, number_attr="N")
  library = raw.new("FunctionDefLibrary")
  library.function.append(function)
  called, types = raw.new("AttrValue"), raw.new("AttrValue")
  called.func.name = "wide"
  called.func.attr["N"].i = 20_000
  types.list.SetInParent()
  assert "arguments" in refuses(
    wire, raw.graph(raw.node("call", "PartitionedCall", f=called, Tin=types, Tout=types), library=library), target=["call"]
  )


def call_of(function, node):
  called, types = raw.new("AttrValue"), raw.new("AttrValue")
  called.func.name = function.signature.name
  types.list.type.append(raw.FLOAT)
  library = raw.new("FunctionDefLibrary")
  library.function.append(function)
  given = {"cond": called, "body": called, "T": types} if node == "While" else {"f": called, "Tin": types, "Tout": types}
  return raw.graph(raw.const("c", 1.0), raw.node("call", node, "c", **given), library=library)


def same():
  function = raw.new("FunctionDef")
  function.signature.name = "same"
  function.signature.input_arg.add(name="x", type=raw.FLOAT)
  function.signature.output_arg.add(name="y", type=raw.FLOAT)
  function.node_def.append(raw.node("it", "Identity", "x", T=raw.type_of(raw.FLOAT)))
  function.ret["y"] = "it:output:0"
  return function


@pytest.mark.parametrize("index", [1, 1 << 20, (1 << 31) - 2, (1 << 31) - 1])
@pytest.mark.parametrize("op", ["_Arg", "_Retval"])
def test_functions_with_slots_of_their_own(wire, op, index):
  function = same()
  inputs = ["x"] if op == "_Retval" else []
  function.node_def.append(raw.node("slot", op, *inputs, T=raw.type_of(raw.FLOAT), index=index))
  refuses(wire, call_of(function, "PartitionedCall"), fetch=["call:0"])


def test_a_function_called_for_ever_keeps_nobody_else(cluster, wire):
  code, reply = wire.create(call_of(same(), "While"))
  assert code == Code.OK, reply
  handle = reply.session_handle
  ended = []
  runners = [
    threading.Thread(target=lambda: ended.append(wire.run(handle, fetch=["call:0"], timeout_in_ms=8_000))) for _ in range(4)
  ]
  for runner in runners:
    runner.start()
  task_servers.wait_for(
    lambda: json.loads(cluster.status("worker", options=["--json"]))["running_steps"] == 4 or ended, "the steps do not begin"
  )
  served = 0
  while not ended:
    code, other = wire.create(raw.graph(raw.const("a", 1.0)))
    assert code == Code.OK, other
    assert wire.run(other.session_handle, fetch=["a:0"])[0] == Code.OK
    assert wire.close(other.session_handle)[0] == Code.OK
    served += not ended
  assert served > 0
  for runner in runners:
    runner.join(30)
  assert [code for code, _ in ended] == 4 * [Code.DEADLINE_EXCEEDED], ended
  assert wire.close(handle)[0] == Code.OK


@pytest.mark.parametrize("node", ["PartitionedCall", "StatelessIf", "StatelessCase"])
@pytest.mark.parametrize("wrong", ["argument", "result"])
def test_functions_called_with_other_types(wire, node, wrong):
  """A float that a function, or who reads its result, takes for a string."""
  text, number = raw.type_of(raw.STRING), raw.type_of(raw.FLOAT)
  library = raw.new("FunctionDefLibrary")
  function = library.function.add()
  function.signature.name = "f"
  function.signature.input_arg.add(name="x", type=raw.STRING if wrong == "argument" else raw.FLOAT)
  function.signature.output_arg.add(name="y", type=raw.STRING if wrong == "argument" else raw.FLOAT)
  function.node_def.append(raw.node("same", "Identity", "x", T=text if wrong == "argument" else number))
  function.ret["y"] = "same:output:0"
  called, given, promised = raw.new("AttrValue"), raw.new("AttrValue"), raw.new("AttrValue")
  called.func.name = "f"
  given.list.type.append(raw.FLOAT)
  promised.list.type.append(raw.STRING)
  if node == "StatelessIf":
    call = raw.node("call", node, "c", "c", then_branch=called, else_branch=called, Tcond=number, Tin=given, Tout=promised)
  elif node == "StatelessCase":
    branches = raw.new("AttrValue")
    branches.list.func.add(name="f")
    call = raw.node("call", node, "i", "c", branches=branches, Tin=given, Tout=promised)
  else:
    call = raw.node("call", node, "c", f=called, Tin=given, Tout=promised)
  graph_def = raw.graph(
    raw.const("c", 1.0), raw.const("i", 0, raw.INT32), call, raw.node("length", "StringLength", "call"), library=library
  )
  refuses(wire, graph_def, codes=BAD | {Code.INTERNAL}, fetch=["length:0"])


def test_messages_in_messages_too_deep(wire):
  # AttrValue -> NameAttrList -> AttrValue -> ..., 20,000 levels.
  value = b""
  for _ in range(20_000):
    entry = b"\n\x01a\x12" + varint(len(value)) + value  # a map's entry
    function = b"\n\x01f\x12" + varint(len(entry)) + entry
    value = b"R" + varint(len(function)) + function
    if len(value) > 4 << 20:
      break
  entry = b"\n\x01a\x12" + varint(len(value)) + value
  node = b"\n\x01n\x12\x04NoOp*" + varint(len(entry)) + entry
  graph_def = b"\n" + varint(len(node)) + node
  code, reply = wire.call_bytes("MasterService/CreateSession", b"\n" + varint(len(graph_def)) + graph_def)
  assert code in BAD | {Code.INTERNAL}, (code, reply)
