"""What a server must survive: more messages at once than its memory limit has room for, and texts that grow."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
import task_servers  # noqa: E402
from attacked_cluster import Code  # noqa: E402

MB = 1 << 20
LIMIT, FEED, CLIENTS = 200 * MB, 100 * MB, 8
# The server itself, and what it reads beyond the limit before it cancels calls.
SLACK = 120 * MB

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


def peak(process):
  with open(f"/proc/{process.pid}/status") as status:
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


def test_messages_that_arrive_at_once_stay_below_the_limit():
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    address = cluster.address("worker")
    graph = raw.graph(
        raw.node("value", "Placeholder", dtype=raw.type_of(raw.FLOAT), shape=raw.shape_of()),
        raw.node("size", "Size", "value", T=raw.type_of(raw.FLOAT), out_type=raw.type_of(raw.INT32)),
        raw.const("one", 1.0))
    with raw.Wire(address) as wire:
      handle = wire.create(graph)[1].session_handle
      program = FEEDER.format(folder=os.path.dirname(os.path.abspath(__file__)), handle=handle, size=FEED, address=address)
      clients = [subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                 for _ in range(CLIENTS)]
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
          raw.const("count", raw.tensor(raw.INT32, [1], int_val=[pieces])), raw.const("axis", 0, raw.INT32),
          raw.node("many", "Fill", "count", "hidden", T=string, index_type=raw.type_of(raw.INT32)),
          raw.node("grown", "ReduceJoin", "many", "axis", keep_dims=False, separator=text)],
      "StaticRegexReplace": [
          raw.node("grown", "StaticRegexReplace", "hidden", pattern=b"x", rewrite=text, replace_global=True)],
  }
  fed = {"StringJoin": text, "ReduceJoin": b"", "StaticRegexReplace": b"x" * pieces}
  with task_servers.Cluster({"worker": 1}, flags=["--memory_limit", str(LIMIT)]) as cluster:
    with raw.Wire(cluster.address("worker")) as wire:
      for op, nodes in graphs.items():
        code, reply = wire.create(raw.graph(hidden, empty, *nodes))
        assert code == Code.OK, reply
        value = raw.tensor(raw.STRING, string_val=[fed[op]])
        code, message = wire.run(reply.session_handle, target=["grown"], feed=[("hidden:0", value)], timeout_in_ms=60_000)
        assert code == Code.RESOURCE_EXHAUSTED, (op, code, message)
        assert "a growing text" in message and "{{node grown}}" in message, (op, message)
        # The session has its room again.
        assert wire.run(reply.session_handle, fetch=["empty:0"])[0] == Code.OK
        assert wire.close(reply.session_handle)[0] == Code.OK
      assert peak(cluster.processes["worker", 0]) < LIMIT + SLACK
