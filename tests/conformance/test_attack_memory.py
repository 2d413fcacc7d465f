"""What a server must survive: more messages at once than its memory limit has room for."""

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
