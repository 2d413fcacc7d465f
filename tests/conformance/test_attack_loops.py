"""What a server must survive: loops, functions and gradients that only a hand can write, as no client library makes them."""

import pytest

pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
from attacked_cluster import BAD, Code, cluster, refuses, wire  # noqa: E402, F401

FLOAT, BOOL = raw.type_of(raw.FLOAT), 10
REFUSED = BAD | {Code.INTERNAL}


def types(*dtypes):
  result = raw.new("AttrValue", list={})
  result.list.type.extend(dtypes)
  return result


def function(name):
  result = raw.new("AttrValue")
  result.func.name = name
  return result


def library(*functions):
  """Of (name, inputs, outputs, nodes, results by output)."""
  result = raw.new("FunctionDefLibrary")
  for name, inputs, outputs, nodes, ret in functions:
    added = result.function.add()
    added.signature.name = name
    for arg, dtype in inputs:
      added.signature.input_arg.add(name=arg, type=dtype)
    for arg, dtype in outputs:
      added.signature.output_arg.add(name=arg, type=dtype)
    added.node_def.extend(nodes)
    for arg, source in ret.items():
      added.ret[arg] = source
  return result


def enter(name, source, frame, *after):
  return raw.node(name, "Enter", source, *after, T=FLOAT, frame_name=frame.encode(), is_constant=False, parallel_iterations=10)


def merge(name, *sources):
  return raw.node(name, "Merge", *sources, T=FLOAT, N=len(sources))


def test_loops_in_loops_without_end(wire):
  depth = 100_000
  nodes = [raw.const("e0", 1.0)] + [enter(f"e{i}", f"e{i - 1}", f"f{i}") for i in range(1, depth)]
  nodes.append(raw.node("last", "CheckNumerics", f"e{depth - 1}", T=FLOAT, message=b""))
  assert "more than 1000" in refuses(wire, raw.graph(*nodes), target=["last"])


def test_a_value_of_each_iteration(wire):
  """A fetch of it would be written by iterations side by side."""
  nodes = [
    raw.const("start", 0.0),
    raw.const("most", 1000.0),
    enter("e", "start", "f"),
    raw.node("most_in", "Enter", "most", T=FLOAT, frame_name=b"f", is_constant=True, parallel_iterations=10),
    merge("m", "e", "n"),
    raw.node("less", "Less", "m", "most_in", T=FLOAT),
    raw.node("c", "LoopCond", "less"),
    raw.node("s", "Switch", "m", "c", T=FLOAT),
    raw.node("body", "Neg", "s:1", T=FLOAT),
    raw.node("n", "NextIteration", "body", T=FLOAT),
    raw.node("x", "Exit", "s", T=FLOAT),
  ]
  refuses(wire, raw.graph(*nodes), fetch=["body:0"])


def test_a_merge_whose_enter_is_dead(wire):
  """A value that comes by another Enter must not make it run again: the frame would end while the next loop is entered."""
  nodes = [
    raw.node("c", "Placeholder", dtype=FLOAT, shape=raw.shape_of()),
    raw.node("p", "Placeholder", dtype=raw.type_of(BOOL), shape=raw.shape_of()),
    raw.node("sw", "Switch", "c", "p", T=FLOAT),
    raw.node("n1", "NoOp", "^sw"),
    raw.node("n2", "NoOp", "^n1"),
    raw.node("n3", "NoOp", "^n2"),
    enter("ea", "sw:0", "o"),
    enter("eb", "c", "o", "^n3"),
    merge("m", "ea", "eb"),
    enter("a", "m", "i"),
    merge("mi", "a", "ni"),
    raw.node("b", "Identity", "mi", T=FLOAT),
    raw.node("ni", "NextIteration", "b", T=FLOAT),
    raw.node("t0", "Identity", "eb", T=FLOAT),
    *(raw.node(f"t{i}", "Identity", f"t{i - 1}", T=FLOAT) for i in range(1, 20)),
    enter("late", "t19", "i"),
    raw.node("z", "Identity", "late", T=FLOAT),
  ]
  code, reply = wire.create(raw.graph(*nodes))
  assert code == Code.OK, reply
  feed = [("c:0", raw.tensor(raw.FLOAT, float_val=[1])), ("p:0", raw.tensor(BOOL, bool_val=[True]))]
  for _ in range(5):  # endless, or over at once
    code, message = wire.run(reply.session_handle, target=["z"], feed=feed, timeout_in_ms=200)
    assert code in {Code.OK, Code.DEADLINE_EXCEEDED} | REFUSED, (code, message)
  wire.close(reply.session_handle)


# Their gradients take other numbers of inputs and outputs than that of Identity has.
OTHERS = """AddN BatchMatMulV2 BiasAddV1 BlockLSTM CTCLoss ConcatV2 Conv2D Cumsum DynamicPartition DynamicStitch Enter Exit Fill FusedBatchNorm
FusedBatchNormV3 GatherV2 IdentityN If L2Loss LRN MatMul Max Merge MirrorPad Mul NextIteration Pack Pad PadV2 Prod Select
SelectV2 Slice SoftmaxCrossEntropyWithLogits SparseTensorDenseMatMul SplitV StackPopV2 StridedSlice Sum Svd Switch TensorArrayReadV3
TensorArrayWriteV3 TensorListStack TensorScatterUpdate TopKV2 Unpack While _SwitchN""".split()


@pytest.mark.parametrize("arity", [1, 3])
def test_gradients_of_another_op(wire, arity):
  """A node may say whose gradient it has."""
  one, many = [raw.FLOAT], [raw.FLOAT] * arity
  for name in OTHERS:
    if arity == 1:
      node = raw.node("n", "Identity", "x0", T=FLOAT, _gradient_op_type=name.encode())
    else:
      node = raw.node("n", "AddN", *(f"x{i}" for i in range(arity)), T=FLOAT, N=arity, _gradient_op_type=name.encode())
    output = "n:output:0" if arity == 1 else "n:sum:0"
    defined = library(("f", [(f"x{i}", raw.FLOAT) for i in range(arity)], [("y", raw.FLOAT)], [node], {"y": output}))
    graph = raw.graph(
      raw.const("c", 1.0),
      raw.node("g", "SymbolicGradient", *["c"] * (arity + 1), f=function("f"), Tin=types(*many, *one), Tout=types(*many)),
      library=defined,
    )
    refuses(wire, graph, codes=REFUSED | {Code.OK}, fetch=["g:0"])


def test_the_gradient_of_a_loop_without_a_branch(wire):
  bool_type, index = raw.type_of(BOOL), raw.type_of(raw.INT32)
  nodes = [
    enter("e", "x", "l"),
    merge("m", "e:output:0", "n:output:0"),
    raw.node("i", "Const", "^m", dtype=index, value=raw.tensor(raw.INT32, int_val=[0])),
    raw.node("t", "Const", "^m", dtype=bool_type, value=raw.tensor(BOOL, bool_val=[True])),
    raw.node("lc", "LoopCond", "t:output:0"),
    raw.node("s", "_SwitchN", "m:output:0", "i:output:0", T=FLOAT, num_outs=1),
    raw.node("q", "Tanh", "s:outputs:0", T=FLOAT),
    raw.node("n", "NextIteration", "q:y:0", T=FLOAT),
    raw.node("ex", "Exit", "s:outputs:0", T=FLOAT),
  ]
  defined = library(("f", [("x", raw.FLOAT)], [("y", raw.FLOAT)], nodes, {"y": "ex:output:0"}))
  graph = raw.graph(
    raw.const("c", 1.0),
    raw.node("g", "SymbolicGradient", "c", "c", f=function("f"), Tin=types(raw.FLOAT, raw.FLOAT), Tout=types(raw.FLOAT)),
    library=defined,
  )
  refuses(wire, graph, codes=REFUSED | {Code.UNIMPLEMENTED}, fetch=["g:0"])


def test_names_that_look_like_those_of_other_kernels(wire):
  """A kernel with state is found by its node's names, in which a client may write what stands between them."""
  resource, reader = 20, "ReaderNumRecordsProducedV2"
  defined = library(
    (
      "ReaderResetV2\nf",
      [("r", resource)],
      [("n", raw.INT64)],
      [raw.node("a", reader, "r")],
      {"n": "a:records_produced:0"},
    ),
    ("f", [("r", resource)], [], [raw.node(f"a\n{reader}", "ReaderResetV2", "r")], {}),
  )
  graph = raw.graph(
    raw.node("h", "IdentityReaderV2"),
    raw.node("c1", "StatefulPartitionedCall", "h", f=function("ReaderResetV2\nf"), Tin=types(resource), Tout=types(raw.INT64)),
    raw.node("c2", "StatefulPartitionedCall", "h", "^c1", f=function("f"), Tin=types(resource), Tout=types()),
    library=defined,
  )
  refuses(wire, graph, codes=REFUSED | {Code.OK}, target=["c2"])
