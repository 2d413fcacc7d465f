"""What a server must survive: many small values that loops, queues, stacks, staging areas and iterators keep."""

import pytest

pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
import task_servers  # noqa: E402
from attacked_cluster import Code  # noqa: E402
from attacks_on_memory import LIMIT, LONG, MB, SLACK, filled, peak, types  # noqa: E402


def counted(*body, keeps):
  """A loop whose counter is "i" inside; the nodes `body` are of each iteration, the next one of which follows `keeps`."""
  frame = {"T": LONG, "frame_name": b"loop", "parallel_iterations": 1}
  return [
    raw.node("most", "Placeholder", dtype=LONG, shape=raw.shape_of()),
    raw.const("zero", 0, raw.INT64),
    raw.const("one", 1, raw.INT64),
    raw.node("enter", "Enter", "zero", is_constant=False, **frame),
    raw.node("bound", "Enter", "most", is_constant=True, **frame),
    raw.node("step", "Enter", "one", is_constant=True, **frame),
    raw.node("merge", "Merge", "enter", "next", T=LONG, N=2),
    raw.node("less", "Less", "merge", "bound", T=LONG),
    raw.node("goes_on", "LoopCond", "less"),
    raw.node("switch", "Switch", "merge", "goes_on", T=LONG),
    raw.node("i", "Identity", "switch:1", T=LONG),
    *body,
    raw.node("add", "AddV2", "i", "step", "^" + keeps, T=LONG),
    raw.node("next", "NextIteration", "add", T=LONG),
    raw.node("grown", "Exit", "switch", T=LONG),
  ]


def handle(name):
  """The handle `name` in the loop."""
  resource = raw.type_of(20)
  frame = {"frame_name": b"loop", "is_constant": True, "parallel_iterations": 1}
  return raw.node(name + "_in", "Enter", name, T=resource, **frame)


# What a loop puts somewhere, one small value at a time.
KEEPERS = {
  "StackPushV2": (
    "a stack",
    [
      raw.const("unbounded", -1, raw.INT32),
      raw.node("stack", "StackV2", "unbounded", elem_type=LONG, stack_name=b""),
      handle("stack"),
      raw.node("put", "StackPushV2", "stack_in", "i", T=LONG, swap_memory=False),
    ],
  ),
  "QueueEnqueueV2": (
    "elements of a queue",
    [
      raw.node("queue", "FIFOQueueV2", component_types=types(raw.INT64)),
      handle("queue"),
      raw.node("put", "QueueEnqueueV2", "queue_in", "i", Tcomponents=types(raw.INT64)),
    ],
  ),
  "Stage": ("tuples of a staging area", [raw.node("put", "Stage", "i", dtypes=types(raw.INT64))]),
  "MapStage": (
    "tuples of a staging area",
    [
      raw.const("first", raw.tensor(raw.INT32, [1], int_val=[0])),
      raw.node(
        "first_in", "Enter", "first", T=raw.type_of(raw.INT32), frame_name=b"loop", is_constant=True, parallel_iterations=1
      ),
      raw.node("put", "MapStage", "i", "first_in", "i", dtypes=types(*[raw.INT64] * 50), fake_dtypes=types(raw.INT64)),
    ],
  ),
}


@pytest.mark.parametrize("op", KEEPERS)
def test_what_a_loop_keeps_ends_at_the_limit(op):
  """Each value takes no buffer, and all of them more than there is."""
  what, body = KEEPERS[op]
  limit = 40 * MB  # some hundred thousand values
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(limit)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      code, reply = wire.create(raw.graph(*counted(*body, keeps="put")))
      assert code == Code.OK, reply
      most = [("most:0", raw.tensor(raw.INT64, int64_val=[1 << 40]))]
      code, message = wire.run(reply.session_handle, target=["grown"], feed=most, timeout_in_ms=120_000)
      assert code == Code.RESOURCE_EXHAUSTED and what in message, (code, message)
      assert wire.close(reply.session_handle)[0] == Code.OK
    assert peak(cluster.processes["worker", 0]) < limit + SLACK


def any_shapes(components):
  shapes = raw.new("AttrValue", list={})
  for _ in range(components):
    shapes.list.shape.add(unknown_rank=True)
  return shapes


def data_set(name, op, *inputs, components=1, dtype=raw.INT64, **attrs):
  dtypes = types(*[dtype] * components)
  return raw.node(name, op, *inputs, output_types=dtypes, output_shapes=any_shapes(components), **attrs)


def zipped(times):
  """A data set "d" of numbers without end, of 2 ** times components."""
  nodes = [
    raw.const("start", 0, raw.INT64),
    raw.const("stop", 1 << 60, raw.INT64),
    raw.const("one", 1, raw.INT64),
    data_set("d0", "RangeDataset", "start", "stop", "one"),
  ]
  for i in range(times):
    nodes.append(data_set(f"d{i + 1}", "ZipDataset", f"d{i}", f"d{i}", N=2))
  return nodes, f"d{times}"


def iterated(nodes, last, components, dtype=raw.INT64):
  elements = {"components": components, "dtype": dtype}
  return raw.graph(
    *nodes,
    data_set("iterator", "IteratorV2", shared_name=b"", container=b"", **elements),
    raw.node("make", "MakeIterator", last, "iterator"),
    data_set("grown", "IteratorGetNext", "iterator", **elements),
  )


def test_components_that_double_at_each_level():
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      code, reply = wire.create(iterated(*zipped(60), 1))
      assert code == Code.OK, reply
      code, message = wire.run(reply.session_handle, target=["make"], timeout_in_ms=60_000)
      assert code == Code.INVALID_ARGUMENT and "more than 65536 components" in message, (code, message)
      assert wire.close(reply.session_handle)[0] == Code.OK
    assert peak(cluster.processes["worker", 0]) < LIMIT + SLACK


VARIANT = 21
LEVELS = 6
WIDE = 1 << LEVELS
MANY_ELEMENTS = raw.const("many", 1 << 40, raw.INT64)
BUFFERS = {
  "ShuffleDataset": (
    "a shuffle",
    [data_set("kept", "ShuffleDataset", f"d{LEVELS}", "many", "one", "one", components=WIDE)],
  ),
  "BatchDataset": ("the elements of a batch", [data_set("kept", "BatchDataset", f"d{LEVELS}", "many", components=WIDE)]),
  "CacheDataset": (
    "a cache",
    [
      raw.const("memory", b""),
      data_set("cache", "CacheDataset", f"d{LEVELS}", "memory", components=WIDE),
      data_set("kept", "SkipDataset", "cache", "many", components=WIDE),
    ],
  ),
  "WindowDataset": (
    "a window",
    [
      raw.const("no", raw.tensor(10, bool_val=[False])),
      data_set("kept", "WindowDataset", f"d{LEVELS}", "many", "one", "one", "no", components=WIDE),
    ],
  ),
}


@pytest.mark.parametrize("op", BUFFERS)
def test_elements_that_an_iterator_keeps_end_at_the_limit(op):
  """Elements of many components, each of which lies in its tensor."""
  what, nodes = BUFFERS[op]
  before, _ = zipped(LEVELS)
  dtype = VARIANT if op == "WindowDataset" else raw.INT64
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      code, reply = wire.create(iterated([*before, MANY_ELEMENTS, *nodes], "kept", WIDE, dtype))
      assert code == Code.OK, reply
      assert wire.run(reply.session_handle, target=["make"])[0] == Code.OK
      code, message = wire.run(reply.session_handle, target=["grown"], timeout_in_ms=120_000)
      assert code == Code.RESOURCE_EXHAUSTED and what in message, (code, message)
      assert wire.close(reply.session_handle)[0] == Code.OK
    assert peak(cluster.processes["worker", 0]) < LIMIT + SLACK


def test_a_graph_that_has_one_tensor_many_times():
  """A few data sets of one large tensor, each of which would be written."""
  elements = {"output_shapes": any_shapes(1)}
  nodes = [
    *filled(raw.FLOAT, 1 << 22),
    raw.node("t0", "TensorDataset", "x", Toutput_types=types(raw.FLOAT), **elements),
  ]
  for i in range(40):
    nodes.append(raw.node(f"one{i}", "TensorDataset", "x", Toutput_types=types(raw.FLOAT), **elements))
    nodes.append(raw.node(f"t{i + 1}", "ConcatenateDataset", f"t{i}", f"one{i}", output_types=types(raw.FLOAT), **elements))
  nodes.append(raw.node("grown", "DatasetToGraph", "t40"))
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      code, reply = wire.create(raw.graph(*nodes))
      assert code == Code.OK, reply
      feed = [("v:0", raw.tensor(raw.FLOAT, float_val=[1.0]))]
      code, message = wire.run(reply.session_handle, target=["grown"], feed=feed, timeout_in_ms=60_000)
      assert code == Code.RESOURCE_EXHAUSTED and "the graph of a data set" in message, (code, message)
      assert wire.close(reply.session_handle)[0] == Code.OK
    assert peak(cluster.processes["worker", 0]) < LIMIT + SLACK


def test_stacks_that_hold_each_other_end_with_their_step():
  """A handle that owns its stack lies in it, beside that of another one, which has much."""
  resource = raw.type_of(20)
  nodes = [
    *filled(raw.FLOAT, 10_000_000),
    raw.const("unbounded", -1, raw.INT32),
    raw.node("large", "StackV2", "unbounded", elem_type=raw.type_of(raw.FLOAT), stack_name=b""),
    raw.node("handles", "StackV2", "unbounded", elem_type=resource, stack_name=b""),
    raw.node("value", "StackPushV2", "large", "x", T=raw.type_of(raw.FLOAT)),
    raw.node("other", "StackPushV2", "handles", "large", "^value", T=resource),
    raw.node("itself", "StackPushV2", "handles", "handles", "^other", T=resource),
  ]
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      code, reply = wire.create(raw.graph(*nodes))
      assert code == Code.OK, reply
      feed = [("v:0", raw.tensor(raw.FLOAT, float_val=[1.0]))]
      for _ in range(10):
        code, message = wire.run(reply.session_handle, target=["itself"], feed=feed)
        assert code == Code.OK, message
