"""What a server must survive: more messages at once than its memory limit has room for, texts that grow, tables of kernels."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
import task_servers  # noqa: E402
from attacked_cluster import Code, varint  # noqa: E402
from attacks_on_memory import LIMIT, LONG, MB, SLACK, filled, peak, types  # noqa: E402

FEED, CLIENTS = 100 * MB, 8

# Says when its message is made, waits for its turn, says how the call ended.
FEEDER = """
import sys
sys.path.insert(0, {folder!r})
import raw_client as raw
request = raw.new("RunStepRequest", session_handle={handle!r}, fetch=["size:0"])
request.feed.add(name="value:0").tensor.CopyFrom(raw.tensor(raw.FLOAT, [{size} // 4], tensor_content=bytes({size})))
payload = request.SerializeToString()
with raw.Wire({address!r}) as wire:
  print("ready", flush=True)
  sys.stdin.readline()
  print(wire.call_bytes("MasterService/RunStep", payload, timeout=60)[0].name, flush=True)
"""


def test_a_compressed_message_takes_no_more_than_there_is():
  """gzip makes a thousandth of zeros. What is no bomb is understood."""
  import grpc

  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        code, text = wire.call_bytes("MasterService/RunStep", bytes(512 * MB), timeout=90, compression=compression)
        assert code == Code.RESOURCE_EXHAUSTED, text
        request = raw.new("CreateSessionRequest", graph_def=raw.graph(raw.const("one", 1.0)))
        code, text = wire.call_bytes("MasterService/CreateSession", request.SerializeToString(), compression=compression)
        assert code == Code.OK, text
      assert peak(cluster.processes["worker", 0]) < LIMIT + SLACK


def test_messages_that_arrive_at_once_stay_below_the_limit():
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    address = cluster.address("worker")
    graph = raw.graph(
      raw.node("value", "Placeholder", dtype=raw.type_of(raw.FLOAT), shape=raw.shape_of()),
      raw.node("size", "Size", "value", T=raw.type_of(raw.FLOAT), out_type=raw.type_of(raw.INT32)),
      raw.const("one", 1.0),
    )
    with raw.Wire(address) as wire:
      handle = wire.create(graph)[1].session_handle
      program = FEEDER.format(folder=os.path.dirname(os.path.abspath(__file__)), handle=handle, size=FEED, address=address)
      clients = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(CLIENTS)
      ]
      try:
        assert [client.stdout.readline() for client in clients] == ["ready\n"] * CLIENTS
        for client in clients:
          client.stdin.write("\n")
          client.stdin.flush()
        # RESOURCE_EXHAUSTED by us or by gRPC; that may close the connection, too.
        ends = {client.communicate(timeout=90)[0].strip() for client in clients}
        assert ends <= {"OK", "RESOURCE_EXHAUSTED", "UNAVAILABLE"}, ends
      finally:
        for client in clients:
          client.kill()
          client.wait()
      assert peak(cluster.processes["worker", 0]) < LIMIT + SLACK
      # Later ones have their room again.
      assert wire.run(handle, fetch=["one:0"])[0] in {Code.OK, Code.RESOURCE_EXHAUSTED, Code.UNAVAILABLE}
    with raw.Wire(address) as wire:
      handle = wire.create(graph)[1].session_handle
      assert wire.run(handle, fetch=["one:0"])[0] == Code.OK


def copies(name, dtype, of, *dims):
  """An array of these dimensions of one value."""
  return [
    raw.const(name + "/dims", raw.tensor(raw.INT32, [len(dims)], int_val=dims)),
    raw.node(name, "Fill", name + "/dims", of, T=raw.type_of(dtype), index_type=raw.type_of(raw.INT32)),
  ]


def test_text_that_grows_ends_at_the_limit():
  """Some kilobytes that stand for a text of gigabytes, of which each op makes one element."""
  string = raw.type_of(raw.STRING)
  pieces = 4 * LIMIT // (100 << 10)
  text, empty = b"x" * (100 << 10), raw.const("empty", b"")
  # Values that no pass knows, so that the steps themselves make the text.
  hidden = raw.node("hidden", "Placeholder", dtype=string, shape=raw.shape_of())
  graphs = {
    "StringJoin": [raw.node("grown", "StringJoin", *["hidden"] * pieces, N=pieces, separator=b"")],
    "ReduceJoin": [
      raw.const("count", raw.tensor(raw.INT32, [1], int_val=[pieces])),
      raw.const("axis", 0, raw.INT32),
      raw.node("many", "Fill", "count", "hidden", T=string, index_type=raw.type_of(raw.INT32)),
      raw.node("grown", "ReduceJoin", "many", "axis", keep_dims=False, separator=text),
    ],
    "StaticRegexReplace": [raw.node("grown", "StaticRegexReplace", "hidden", pattern=b"x", rewrite=text, replace_global=True)],
    "MergeSummary": [raw.node("grown", "MergeSummary", *["hidden"] * pieces, N=pieces)],
    "ScalarSummary": [
      *copies("many", raw.STRING, "hidden", pieces),
      raw.const("one", 1.0),
      *copies("ones", raw.FLOAT, "one", pieces),
      raw.node("grown", "ScalarSummary", "many", "ones", T=raw.type_of(raw.FLOAT)),
    ],
    "StringFormat": [
      *copies("many", raw.STRING, "hidden", pieces),
      raw.node("grown", "StringFormat", "many", T=types(raw.STRING), template=b"{}", placeholder=b"{}", summarize=-1),
    ],
    "SparseCross": [
      raw.const("square", raw.tensor(raw.INT32, [2], int_val=[1, 1])),
      raw.node("dense", "Reshape", "hidden", "square", T=string, Tshape=raw.type_of(raw.INT32)),
      raw.node(
        "grown",
        "SparseCross",
        *["dense"] * pieces,
        N=0,
        hashed_output=False,
        num_buckets=0,
        hash_key=1,
        sparse_types=types(),
        dense_types=types(*[raw.STRING] * pieces),
        out_type=string,
        internal_type=string,
      ),
    ],
  }
  field = b"\x12" + varint(len(text)) + text
  fed = {"ReduceJoin": b"", "StaticRegexReplace": b"x" * pieces, "MergeSummary": b"\x0a" + varint(len(field)) + field}
  # An array of these fits, and a text of all of them beside it does not.
  fed["ScalarSummary"] = fed["StringFormat"] = text[: 15 << 10]
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      for op, nodes in graphs.items():
        code, reply = wire.create(raw.graph(hidden, empty, *nodes))
        assert code == Code.OK, reply
        value = raw.tensor(raw.STRING, string_val=[fed.get(op, text)])
        code, message = wire.run(reply.session_handle, target=["grown"], feed=[("hidden:0", value)], timeout_in_ms=60_000)
        assert code == Code.RESOURCE_EXHAUSTED, (op, code, message)
        assert "a growing text" in message and "{{node grown}}" in message, (op, message)
        # The session has its room again.
        assert wire.run(reply.session_handle, fetch=["empty:0"])[0] == Code.OK
        assert wire.close(reply.session_handle)[0] == Code.OK
      assert peak(cluster.processes["worker", 0]) < LIMIT + SLACK


# Places in a table; what outputs of so many take is below the limit. One dimension has a large prime factor.
MANY, MOST, PRIME = LIMIT // 32, LIMIT // 16, 2_000_003
INT8 = 6
PLACES = 10_000_000
SAMPLER = {"num_true": 1, "range_max": 1 << 40, "seed": 1, "seed2": 2}


def numbers(name):
  """MANY integers, and nodes that no pass computes before."""
  return [
    raw.node("n", "Placeholder", dtype=raw.type_of(raw.INT64), shape=raw.shape_of()),
    raw.const("zero", 0, raw.INT64),
    raw.const("one", 1, raw.INT64),
    raw.node(name, "Range", "zero", "n", "one", Tidx=LONG),
  ]


def hidden(dtype):
  """A value that no pass knows, as "v"."""
  return raw.node("v", "Placeholder", dtype=raw.type_of(dtype), shape=raw.shape_of())


def equal_ragged(rows, count):
  """One ragged tensor of empty rows, as many times as a few bytes say, as one of a rank more."""
  ragged = {"Tvalues": raw.type_of(raw.FLOAT), "Tsplits": raw.type_of(raw.INT32)}
  return [
    hidden(raw.INT32),
    *copies("splits", raw.INT32, "v", rows + 1),
    raw.const("values", raw.tensor(raw.FLOAT, [0])),
    raw.node("one", "RaggedTensorToVariant", "splits", "values", RAGGED_RANK=1, batched_input=False, **ragged),
    raw.node("all", "Pack", *["one"] * count, N=count, T=raw.type_of(raw.VARIANT), axis=0),
    raw.node("grown", "RaggedTensorFromVariant", "all", input_ragged_rank=1, output_ragged_rank=2, **ragged),
  ]


def records(path):
  return [
    raw.const("path", os.fsencode(path)),
    raw.const("most", 1 << 40, raw.INT64),
    raw.node("queue", "FIFOQueueV2", component_types=types(raw.STRING)),
    raw.node("reader", "TextLineReaderV2"),
    raw.node("put", "QueueEnqueueV2", "queue", "path", Tcomponents=types(raw.STRING)),
    raw.node("grown", "ReaderReadUpToV2", "reader", "queue", "most", "^put"),
  ]


def empty_parts(count, rank):
  shape = raw.tensor(raw.INT64, [rank], int64_val=[count] + [1] * (rank - 1))
  return [
    raw.const("indices", raw.tensor(raw.INT64, [0, rank])),
    raw.const("values", raw.tensor(raw.FLOAT, [0])),
    raw.const("shape", shape),
    raw.node("grown", "AddManySparseToTensorsMap", "indices", "values", "shape", T=raw.type_of(raw.FLOAT)),
  ]


def rows_for_a_queue(op, *dtypes):
  """A few bytes that stand for as many elements as there can be."""
  return [
    raw.node("rows", "Placeholder", dtype=raw.type_of(dtypes[-1]), shape=raw.shape_of()),
    raw.node("queue", op, component_types=types(*dtypes)),
    raw.node("grown", "QueueEnqueueManyV2", "queue", "rows", Tcomponents=types(*dtypes)),
  ]


def empty_rows_for_an_array(count):
  """Rows without elements, each for a place of its own."""
  float_type, int_type = raw.type_of(raw.FLOAT), raw.type_of(raw.INT32)
  return [
    hidden(raw.INT32),
    raw.const("none", 0, raw.INT32),
    raw.const("one", 1, raw.INT32),
    raw.node("array", "TensorArrayV3", "none", dtype=float_type, dynamic_size=True),
    raw.node("places", "Range", "none", "v", "one", Tidx=int_type),
    raw.const("zero", 0.0),
    *copies("x", raw.FLOAT, "zero", count, 0),
    raw.node("grown", "TensorArrayScatterV3", "array", "places", "x", "array:1", T=float_type),
  ]


def ints(*numbers):
  result = raw.new("AttrValue")
  result.list.i.extend(numbers)
  return result


# Op: (what it lacks memory for, nodes but for readers'.)
TABLES = {
  "Unique": ("the distinct elements", [*numbers("x"), raw.node("grown", "Unique", "x", T=LONG)]),
  "UniqueV2": (
    "the distinct elements",
    [
      *numbers("x"),
      raw.const("pairs", raw.tensor(raw.INT32, [2], int_val=[-1, 2])),
      raw.const("axis", raw.tensor(raw.INT32, [1], int_val=[0])),
      raw.node("y", "Reshape", "x", "pairs", T=LONG),
      raw.node("grown", "UniqueV2", "y", "axis", T=LONG, Taxis=raw.type_of(raw.INT32)),
    ],
  ),
  "ListDiff": (
    "the excluded elements",
    [*numbers("x"), raw.node("y", "Neg", "x", T=LONG), raw.node("grown", "ListDiff", "x", "y", T=LONG)],
  ),
  "UniformCandidateSampler": (
    "the candidates drawn",
    [
      raw.const("true", raw.tensor(raw.INT64, [1, 1], int64_val=[3])),
      raw.node("grown", "UniformCandidateSampler", "true", num_sampled=LIMIT // 25, unique=True, **SAMPLER),
    ],
  ),
  "ComputeAccidentalHits": (
    "the sampled candidates",
    [
      *numbers("x"),
      raw.const("true", raw.tensor(raw.INT64, [1, 1], int64_val=[3])),
      raw.node("grown", "ComputeAccidentalHits", "true", "x", num_true=1),
    ],
  ),
  "RFFT": (
    "the lines of a Fourier transform",
    [
      *filled(raw.FLOAT, PRIME),
      raw.const("length", raw.tensor(raw.INT32, [1], int_val=[PRIME])),
      raw.node("grown", "RFFT", "x", "length"),
    ],
  ),
  "DenseToDenseSetOperation": (
    "the result of a set operation",
    [
      *filled(INT8, MOST, 1),
      raw.node("grown", "DenseToDenseSetOperation", "x", "x", set_operation=b"union", T=raw.type_of(INT8)),
    ],
  ),
  "ReaderReadUpToV2": ("the records of a read", []),
  "ReadFile": ("a quarter of what memory has left", []),
  "RandomShuffleQueueV2": ("elements of a queue", rows_for_a_queue("RandomShuffleQueueV2", raw.FLOAT)),
  "AddManySparseToTensorsMap": ("a map of sparse tensors", empty_parts(100_000, 250)),
  "BatchMatMulV2": (
    "OOM in op",
    [
      hidden(raw.FLOAT),
      *copies("x", raw.FLOAT, "v", 3000, 1, 1, 1),
      *copies("y", raw.FLOAT, "v", 1, 4000, 1, 1),
      raw.node("grown", "BatchMatMulV2", "x", "y", T=raw.type_of(raw.FLOAT)),
    ],
  ),
  "MatrixTriangularSolve": (
    "OOM in op",
    [
      hidden(raw.FLOAT),
      *copies("x", raw.FLOAT, "v", 3000, 1, 1, 1),
      *copies("y", raw.FLOAT, "v", 1, 4000, 1, 1),
      raw.node("grown", "MatrixTriangularSolve", "x", "y", T=raw.type_of(raw.FLOAT)),
    ],
  ),
  "ResizeBilinearGrad": (
    "OOM in op",
    [
      hidden(raw.FLOAT),
      *copies("dy", raw.FLOAT, "v", 1, 1, 1, 1),
      *copies("x", raw.FLOAT, "v", 1, 1, MOST // 2, 1),
      raw.node("grown", "ResizeBilinearGrad", "dy", "x", T=raw.type_of(raw.FLOAT)),
    ],
  ),
  "RaggedTensorFromVariant": ("OOM in op", equal_ragged(1_000_000, 30)),
  "AvgPoolGrad": (
    "OOM in op",
    [
      hidden(raw.FLOAT),
      raw.const("shape", raw.tensor(raw.INT32, [4], int_val=[1, 1, 8000, 1])),
      *copies("dy", raw.FLOAT, "v", 1, 1, 4001, 1),
      raw.node(
        "grown",
        "AvgPoolGrad",
        "shape",
        "dy",
        T=raw.type_of(raw.FLOAT),
        ksize=ints(1, 1, 4000, 1),
        strides=ints(1, 1, 1, 1),
        padding=b"VALID",
      ),
    ],
  ),
  "SparseSegmentSumWithNumSegments": (
    "OOM in op",
    [
      hidden(raw.FLOAT),
      *copies("x", raw.FLOAT, "v", 1, 1),
      raw.const("zero", raw.tensor(raw.INT32, [1], int_val=[0])),
      raw.const("segments", 20_000_000, raw.INT32),
      raw.node("grown", "SparseSegmentSumWithNumSegments", "x", "zero", "zero", "segments", T=raw.type_of(raw.FLOAT)),
    ],
  ),
  "TopKV2": (
    "OOM in op",
    [
      hidden(INT8),
      *copies("x", INT8, "v", 1, LIMIT // 7),
      raw.const("k", 1, raw.INT32),
      raw.node("grown", "TopKV2", "x", "k", T=raw.type_of(INT8)),
    ],
  ),
  "NearestNeighbors": (
    "OOM in op",
    [
      raw.node("rows", "Placeholder", dtype=raw.type_of(raw.FLOAT), shape=raw.shape_of()),
      raw.const("points", raw.tensor(raw.FLOAT, [1, 0])),
      raw.const("k", 1, raw.INT64),
      raw.node("grown", "NearestNeighbors", "points", "rows", "k"),
    ],
  ),
  "TensorArrayScatterV3": ("OOM in op", empty_rows_for_an_array(PLACES)),
  "StringFormat": (
    "a growing text",
    [
      raw.node("rows", "Placeholder", dtype=raw.type_of(raw.FLOAT), shape=raw.shape_of()),
      raw.node("grown", "StringFormat", "rows", T=types(raw.FLOAT), template=b"{}", placeholder=b"{}", summarize=3),
    ],
  ),
}
FED = {
  "n": raw.tensor(raw.INT64, int64_val=[MANY]),
  "v": raw.tensor(raw.FLOAT, float_val=[1.0]),
  "rows": raw.tensor(raw.FLOAT, [(1 << 31) - 1, 0]),
}


@pytest.mark.parametrize("op", TABLES)
def test_tables_of_kernels_end_at_the_limit(tmp_path, op):
  """What a kernel makes beside its outputs counts, too: more than the limit has room for, with outputs that fit."""
  what, nodes = TABLES[op]
  if op == "ReaderReadUpToV2":
    (tmp_path / "lines").write_bytes(b"\n" * 4_000_000)
    nodes = records(tmp_path / "lines")
  if op == "ReadFile":
    with open(tmp_path / "zeros", "wb") as f:
      f.truncate(100 * LIMIT)
    nodes = [raw.const("path", os.fsencode(tmp_path / "zeros")), raw.node("grown", "ReadFile", "path")]
  names = {node.name for node in nodes}
  feed = [(name + ":0", value) for name, value in FED.items() if name in names]
  if op in {"DenseToDenseSetOperation", "TopKV2"}:
    feed = [("v:0", raw.tensor(INT8, int_val=[1]))]
  if op in {"RaggedTensorFromVariant", "TensorArrayScatterV3"}:
    feed = [("v:0", raw.tensor(raw.INT32, int_val=[PLACES if op.startswith("TensorArray") else 0]))]
  if op == "StringFormat":
    feed = [("rows:0", raw.tensor(raw.FLOAT, [2] * 60 + [0]))]
  if op == "NearestNeighbors":
    feed = [("rows:0", raw.tensor(raw.FLOAT, [60_000_000, 0]))]
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      code, reply = wire.create(raw.graph(*nodes))
      assert code == Code.OK, reply
      code, message = wire.run(reply.session_handle, target=["grown"], feed=feed, timeout_in_ms=60_000)
      # By the op itself or, with most of its lists there already, by its output.
      at_the_limit = what in message or "OOM when allocating" in message
      assert code == Code.RESOURCE_EXHAUSTED and at_the_limit and "{{node grown}}" in message, (code, message)
      assert wire.close(reply.session_handle)[0] == Code.OK
      # What it took is given back: others have room.
      code, reply = wire.create(raw.graph(raw.const("one", 1.0)))
      assert code == Code.OK and wire.run(reply.session_handle, fetch=["one:0"])[0] == Code.OK
    assert peak(cluster.processes["worker", 0]) < LIMIT + SLACK
