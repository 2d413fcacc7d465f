"""What a server must survive: bytes, graphs, tensors, sizes and handles from somebody who means harm.

After each attack the same processes run a step for somebody else, and what the attack left ends with its session.
"""

import json
import os
import random
import resource
import socket
import subprocess
import sys
import threading

import pytest

grpc = pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
import task_servers  # noqa: E402
from attacked_cluster import BAD, Code, assert_serves, cluster, refuses, wire  # noqa: E402, F401

MEMORY_LIMIT = 1 << 30
# What a server may still hold after attacks, above what it held before: pools, caches, gRPC's arenas.
MEMORY_SLACK = 150 << 20


def status(cluster, job):
  return json.loads(cluster.status(job, options=["--json"]))


def resident(process):
  with open(f"/proc/{process.pid}/statm") as f:
    return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# Bytes.


def plain_requests():
  """A sensible message of each method, to be damaged."""
  small = raw.graph(raw.const("a", 1.0), raw.node("b", "Neg", "a", T=raw.type_of(raw.FLOAT)))
  requests = {method: raw.new(prefix + "Request") for method, prefix in raw.METHODS.items()}
  requests["MasterService/CreateSession"].graph_def.CopyFrom(small)
  requests["WorkerService/RegisterGraph"].graph_def.CopyFrom(small)
  requests["MasterService/ExtendSession"].graph_def.CopyFrom(small)
  run = requests["MasterService/RunStep"]
  run.session_handle = "0123456789abcdef"
  run.fetch.append("b:0")
  run.feed.add(name="a:0", tensor=raw.tensor(raw.FLOAT, (2, 3), tensor_content=b"\0" * 24))
  graph = requests["WorkerService/RunGraph"]
  graph.graph_handle = "g"
  graph.step_id = 77
  graph.send.add(name="key", tensor=raw.tensor(raw.STRING, (2,), string_val=[b"x", b"y"]))
  recv = requests["WorkerService/RecvTensor"]
  recv.step_id = 77
  recv.rendezvous_key = "/job:worker/replica:0/task:0/device:CPU:0;0000000000000001;/job:ps/replica:0/task:0/device:CPU:0;x;0:0"
  return requests


def damage(rng, payload):
  data = bytearray(payload) or bytearray(b"\n\0")
  kind = rng.randrange(5)
  if kind == 0:
    return bytes(rng.randrange(256) for _ in range(rng.randrange(64)))
  if kind == 1:
    return bytes(data[: rng.randrange(len(data) + 1)])
  if kind == 2:  # a length that lies
    at = rng.randrange(len(data))
    return bytes(data[:at] + b"\xff\xff\xff\xff\x0f" + data[at:])
  if kind == 3:
    return bytes(data) * rng.randrange(1, 5)
  for _ in range(rng.randrange(1, 8)):
    data[rng.randrange(len(data))] = rng.randrange(256)
  return bytes(data)


def test_damaged_bytes_to_every_method(wire):
  rng = random.Random(1)
  # Not RecvTensor whole: what comes early waits for its step.
  for method, request in plain_requests().items():
    for _ in range(40):
      code, reply = wire.call_bytes(method, damage(rng, request.SerializeToString()), timeout=0.5)
      assert code != Code.UNKNOWN, (method, reply)
      assert code != Code.UNAVAILABLE, (method, reply)


def test_a_method_that_is_not_there(wire):
  code, reply = wire.call_bytes("MasterService/Explode", b"x")
  assert code == Code.UNIMPLEMENTED


# Sizes.


def i64(name, *values):
  return raw.const(name, raw.tensor(raw.INT64, (len(values),), int64_val=values))


@pytest.mark.parametrize(
  "nodes",
  [
    [
      raw.const("v", 1.0),
      i64("d", 1 << 31, 1 << 31),
      raw.node("a", "Fill", "d", "v", T=raw.type_of(raw.FLOAT), index_type=raw.type_of(raw.INT64)),
    ],
    [
      raw.const("v", 1.0),
      i64("d", 1 << 34),
      raw.node("a", "Fill", "d", "v", T=raw.type_of(raw.FLOAT), index_type=raw.type_of(raw.INT64)),
    ],
    [
      raw.const("v", raw.tensor(raw.FLOAT, (2,), float_val=[1])),
      i64("d", 1 << 62),
      raw.node("a", "Tile", "v", "d", T=raw.type_of(raw.FLOAT), Tmultiples=raw.type_of(raw.INT64)),
    ],
    [
      raw.const("s", 0, raw.INT64),
      raw.const("l", (1 << 63) - 1, raw.INT64),
      raw.const("d", 1, raw.INT64),
      raw.node("a", "Range", "s", "l", "d", Tidx=raw.type_of(raw.INT64)),
    ],
    [i64("d", 1 << 33, 16), raw.node("a", "RandomUniform", "d", T=raw.type_of(raw.INT64), dtype=raw.type_of(raw.FLOAT))],
    [
      raw.const("z", raw.tensor(raw.FLOAT, (1 << 40, 0))),
      raw.const("y", raw.tensor(raw.FLOAT, (0, 1 << 40))),
      raw.node("a", "MatMul", "z", "y", T=raw.type_of(raw.FLOAT)),
    ],
    [
      raw.const("e", 0, raw.INT64),
      raw.const("f", 1, raw.INT64),
      raw.node(
        "t",
        "MutableDenseHashTableV2",
        "e",
        "f",
        key_dtype=raw.type_of(raw.INT64),
        value_dtype=raw.type_of(raw.INT64),
        initial_num_buckets=1 << 40,
      ),
      raw.node("a", "LookupTableSizeV2", "t"),
    ],
    [
      raw.const("v", 1.0),
      i64("d", *[1] * 300),
      raw.node("a", "Fill", "d", "v", T=raw.type_of(raw.FLOAT), index_type=raw.type_of(raw.INT64)),
    ],
  ],
  ids=lambda nodes: nodes[-1].op,
)
def test_sizes_that_no_machine_has(wire, nodes):
  refuses(wire, raw.graph(*nodes), fetch=["a:0"])


def test_a_budget_that_is_spent_harms_nobody_else(cluster, wire):
  """Variables up to the limit: the next is refused with its bytes, others run, and a reset gives it all back."""
  size = 64 << 20  # elements of 4 bytes: a quarter of the limit each
  nodes = [
    i64("d", size),
    raw.const("v", 1.0),
    raw.node("fill", "Fill", "d", "v", T=raw.type_of(raw.FLOAT), index_type=raw.type_of(raw.INT64)),
  ]
  for i in range(6):
    nodes.append(raw.node(f"v{i}", "VariableV2", dtype=raw.type_of(raw.FLOAT), shape=raw.shape_of(size)))
    nodes.append(raw.node(f"a{i}", "Assign", f"v{i}", "fill", T=raw.type_of(raw.FLOAT)))
  code, reply = wire.create(raw.graph(*nodes))
  assert code == Code.OK, reply
  handle = reply.session_handle
  codes = []
  for i in range(6):
    code, reply = wire.run(handle, target=[f"a{i}"], timeout_in_ms=60_000)
    codes.append(code)
    if code != Code.OK:
      assert "bytes" in reply or "memory" in reply.lower(), reply
    assert_serves(cluster)
  assert codes[0] == Code.OK and codes[-1] == Code.RESOURCE_EXHAUSTED, codes
  assert wire.call("MasterService/Reset", raw.new("ResetRequest"))[0] == Code.OK


# Handles, keys, ids.


def test_session_handles(wire):
  code, reply = wire.create(raw.graph(raw.const("a", 1.0)))
  handle = reply.session_handle
  handles = {handle}
  for _ in range(10):
    code, reply = wire.create(raw.graph())
    handles.add(reply.session_handle)
  assert len(handles) == 11 and all(len(h) >= 16 for h in handles)
  for wrong in ["", "x", handle[:-1], handle + "0", "0" * 16, "\0" * 100, "x" * 100_000]:
    code, reply = wire.run(wrong, fetch=["a:0"])
    assert code == Code.ABORTED and "Session" in reply, (wrong[:20], code, reply)
    assert wire.close(wrong)[0] in {Code.OK, Code.ABORTED}
  assert wire.run(handle, fetch=["a:0"])[0] == Code.OK
  for h in handles:
    assert wire.close(h)[0] == Code.OK
    assert wire.close(h)[0] in {Code.OK, Code.ABORTED}
  assert wire.run(handle, fetch=["a:0"])[0] == Code.ABORTED


def test_handles_cannot_be_guessed(wire):
  """Every bit of a handle differs between sessions, and those of one client tell nothing about the next."""
  handles = []
  for _ in range(64):
    code, reply = wire.create(raw.graph())
    assert code == Code.OK, reply
    handles.append(int(reply.session_handle, 16))
  for handle in handles:
    wire.close(f"{handle:016x}")
  bits = (1 << 64) - 1
  for values in (handles, [(b - a) & bits for a, b in zip(handles, handles[1:])]):
    ones = zeros = 0
    for value in values:
      ones |= value
      zeros |= ~value & bits
    assert ones == bits and zeros == bits, (hex(ones), hex(zeros))


def test_a_session_that_is_closed_while_it_runs(cluster, wire):
  component = raw.new("AttrValue")
  component.list.type.append(raw.FLOAT)
  nodes = raw.graph(
    raw.node("queue", "FIFOQueueV2", component_types=component, device="/job:ps/task:0"),
    raw.node("take", "QueueDequeueV2", "queue", component_types=component, device="/job:ps/task:0"),
    raw.const("a", 1.0),
  )
  code, reply = wire.create(nodes)
  assert code == Code.OK, reply
  handle = reply.session_handle
  code, other = wire.create(raw.graph(raw.const("a", 1.0)))
  assert code == Code.OK, other
  ended = []
  runner = threading.Thread(target=lambda: ended.append(wire.run(handle, fetch=["take:0"], timeout_in_ms=60_000)))
  runner.start()
  task_servers.wait_for(lambda: status(cluster, "ps")["running_steps"] > 0, "the step does not begin")
  assert wire.close(handle)[0] == Code.OK
  runner.join(20)
  assert ended, "the step goes on"
  assert ended[0][0] in {Code.CANCELLED, Code.ABORTED}, ended
  assert wire.run(handle, fetch=["a:0"])[0] == Code.ABORTED
  assert wire.close(handle)[0] in {Code.OK, Code.ABORTED}
  assert wire.run(other.session_handle, fetch=["a:0"])[0] == Code.OK
  assert wire.close(other.session_handle)[0] == Code.OK
  task_servers.wait_for(lambda: status(cluster, "ps")["running_steps"] == 0, "a step is left", 20)


def test_keys_and_steps_of_nobody(wire):
  key = "/job:worker/replica:0/task:0/device:CPU:0;%s;/job:ps/replica:0/task:0/device:CPU:0;x;0:0"
  for step, text in [
    (1, key % "0000000000000001"),
    (-1, key % "0" * 3),
    (1 << 62, ""),
    (0, ";;;;"),
    (5, "\0"),
    (7, "x" * 100_000),
  ]:
    code, reply = wire.call(
      "WorkerService/RecvTensor", raw.new("RecvTensorRequest", step_id=step, rendezvous_key=text), timeout=0.3
    )
    assert code in BAD | {Code.ABORTED, Code.DEADLINE_EXCEEDED, Code.CANCELLED}, (step, reply)
    assert wire.call("WorkerService/CleanupGraph", raw.new("CleanupGraphRequest", step_id=step))[0] == Code.OK
  for handle in ["", "none", "x" * 100_000]:
    code, reply = wire.call(
      "WorkerService/RunGraph", raw.new("RunGraphRequest", graph_handle=handle, step_id=3, session_handle="nobody's")
    )
    assert code != Code.OK and code != Code.UNAVAILABLE, reply


def test_ops_that_reach_out_are_refused_by_name(wire):
  for op in ["PyFunc", "DebugIdentity", "RemoteCall", "XlaLaunch"]:
    reply = refuses(wire, raw.graph(raw.node("a", op)), codes=BAD | {Code.PERMISSION_DENIED}, fetch=["a:0"])
    assert op in reply


# Numbers.


def test_many_connections(cluster, wire):
  """Some say nothing, some half a preface, some rubbish; health and steps go on."""
  host, port = cluster.address("worker").split(":")
  said = [
    b"",
    b"PRI * HT",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01" + b"\0" * 50,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff\xff\xff\x01\x25\0\0\0\x01" + b"\xff" * 2000,
  ]
  sockets = []
  try:
    for i in range(500):
      s = socket.create_connection((host, int(port)))
      sockets.append(s)
      try:
        s.sendall(said[i % len(said)])
      except OSError:
        pass  # refused already
    assert_serves(cluster)
  finally:
    for s in sockets:
      s.close()


def test_more_connections_than_descriptors(cluster, wire):
  """A server without descriptors takes connections again when it has some."""
  host, port = cluster.address("worker").split(":")
  pid = cluster.processes["worker", 0].pid
  before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
  few = len(os.listdir("/proc/%d/fd" % pid)) + 20
  resource.prlimit(pid, resource.RLIMIT_NOFILE, (few, before[1]))
  sockets = []
  try:
    for _ in range(100):
      sockets.append(socket.create_connection((host, int(port))))
    task_servers.wait_for(lambda: len(os.listdir("/proc/%d/fd" % pid)) >= few, lambda: "descriptors are left", 20)
  finally:
    for s in sockets:
      s.close()
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
  assert_serves(cluster)


def test_many_sessions(cluster, wire):
  handles = []
  for _ in range(1000):
    code, reply = wire.create(raw.graph(raw.const("a", 1.0)))
    assert code == Code.OK, reply
    handles.append(reply.session_handle)
  assert wire.run(handles[0], fetch=["a:0"])[0] == Code.OK
  for handle in handles:
    assert wire.close(handle)[0] == Code.OK


def test_nothing_is_left(cluster, wire):
  """Runs last: all sessions are closed or their graphs were refused."""
  wire.call("MasterService/Reset", raw.new("ResetRequest"))

  def counts():
    return {
      job: {
        k: v
        for k, v in status(cluster, job).items()
        if k in ("master_sessions", "worker_sessions", "running_steps", "rendezvous")
      }
      for job in ("ps", "worker")
    }

  # What came early for a step that never came goes after 30 s, unused memory after 10 s.
  task_servers.wait_for(lambda: not any(v for task in counts().values() for v in task.values()), counts, 40)
  for name, process in cluster.processes.items():
    task_servers.wait_for(lambda: resident(process) < MEMORY_SLACK, lambda: f"{name}: {resident(process)} bytes", 20)


# 40 MB out of a queue, and into it.
TAKER = """
import sys
sys.path.insert(0, {folder!r})
import raw_client as raw
graph = raw.new("GraphDef").FromString(bytes.fromhex({graph!r}))
with raw.Wire({address!r}) as wire:
  wire.run(wire.create(graph)[1].session_handle, fetch=["take:0"])
"""


def test_a_server_stops_though_a_client_does_not_read():
  with task_servers.Cluster({"worker": 1}) as cluster:
    types = raw.new("AttrValue")
    types.list.type.append(raw.FLOAT)
    graph = raw.graph(
      raw.const("size", raw.tensor(raw.INT32, (1,), int_val=[10_000_000]), raw.INT32),
      raw.const("one", 1.0),
      raw.node("value", "Fill", "size", "one", T=raw.type_of(raw.FLOAT), index_type=raw.type_of(raw.INT32)),
      raw.node("queue", "FIFOQueueV2", component_types=types, shared_name=b"q"),
      raw.node("take", "QueueDequeueV2", "queue", component_types=types),
      raw.node("put", "QueueEnqueueV2", "queue", "value", Tcomponents=types),
    )
    program = TAKER.format(
      folder=os.path.dirname(os.path.abspath(__file__)), address=cluster.address("worker"), graph=graph.SerializeToString().hex()
    )
    client = subprocess.Popen([sys.executable, "-c", program])
    try:
      task_servers.wait_for(lambda: status(cluster, "worker")["running_steps"] > 0, "it does not ask")
      task_servers.freeze(client)
      with raw.Wire(cluster.address("worker")) as wire:
        session = wire.create(graph)[1].session_handle
        assert wire.run(session, target=["put"])[0] == Code.OK
      task_servers.wait_for(lambda: status(cluster, "worker")["running_steps"] == 0, "the step does not end")
      server = cluster.processes.pop(("worker", 0))
      server.terminate()
      assert server.wait(20) == 0
    finally:
      client.kill()
      client.wait()
