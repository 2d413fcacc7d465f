"""A cluster that is attacked: after each test its processes live, and run a step for somebody else."""

import grpc
import pytest
import raw_client as raw
import task_servers

Code = grpc.StatusCode
BAD = {
  Code.INVALID_ARGUMENT,
  Code.NOT_FOUND,
  Code.OUT_OF_RANGE,
  Code.UNIMPLEMENTED,
  Code.RESOURCE_EXHAUSTED,
  Code.FAILED_PRECONDITION,
}


@pytest.fixture(scope="module")
def cluster():
  with task_servers.Cluster({"ps": 1, "worker": 1}, flags=["--memory_limit", "1GB"]) as tasks:
    yield tasks


@pytest.fixture
def wire(cluster):
  processes = dict(cluster.processes)
  with raw.Wire(cluster.address("worker")) as client:
    yield client
  assert cluster.processes == processes
  for name, process in processes.items():
    assert process.poll() is None, f"{name} ended with {process.returncode}: {cluster.log(*name)[-3000:]}"
  assert_serves(cluster)


def assert_serves(cluster):
  """A step over both tasks, by somebody else."""
  nodes = raw.graph(
    raw.const("a", 2.0, device="/job:ps/task:0"),
    raw.node("b", "Mul", "a", "a", device="/job:worker/task:0", T=raw.type_of(raw.FLOAT)),
  )
  with raw.Wire(cluster.address("worker")) as client:
    code, reply = client.create(nodes)
    assert code == Code.OK, reply
    handle = reply.session_handle
    code, reply = client.run(handle, fetch=["b:0"])
    assert code == Code.OK, reply
    assert list(reply.tensor[0].tensor.float_val) == [4.0] or reply.tensor[0].tensor.tensor_content
    assert client.close(handle)[0] == Code.OK


def refuses(wire, graph_def, codes=frozenset(BAD), fetch=(), target=()):
  """The session is refused, or its step is."""
  code, reply = wire.create(graph_def)
  if code == Code.OK:
    handle = reply.session_handle
    code, reply = wire.run(handle, fetch=fetch, target=target)
    wire.close(handle)
  assert code in codes, (code, reply)
  return reply


def varint(value):
  out = bytearray()
  while value >= 0x80:
    out.append(value & 0x7F | 0x80)
    value >>= 7
  out.append(value)
  return bytes(out)


def neg(name, *inputs):
  return raw.node(name, "Neg", *inputs, T=raw.type_of(raw.FLOAT))
