"""What a server must survive: kernels that are busy with one row for hours. They end with their step."""

import os

import pytest

pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
import task_servers  # noqa: E402
from attacked_cluster import Code  # noqa: E402
from waiting import wait_for  # noqa: E402

FLOAT, INT32 = raw.type_of(raw.FLOAT), raw.type_of(raw.INT32)
DOUBLE = 2


def filled(name, *dims, dtype=raw.FLOAT):
  return [
    raw.const(name + "/dims", raw.tensor(raw.INT32, (len(dims),), int_val=dims)),
    raw.node(name, "Fill", name + "/dims", "v", T=raw.type_of(dtype), index_type=INT32),
  ]


def ints(*numbers):
  return raw.new("AttrValue", list={"i": numbers})


ONES = ints(1, 1, 1, 1)
LONG = 2_000_000


LRN = {"depth_radius": (1 << 31) - 1, "bias": 1.0, "alpha": 1.0, "beta": 0.5, "T": FLOAT}
NODES = {
  "LRN": [*filled("x", 1, 1, 1, 4_000_000), raw.node("slow", "LRN", "x", **LRN)],
  "LRNGrad": [*filled("x", 1, 1, 1, 4_000_000), raw.node("slow", "LRNGrad", "x", "x", "x", **LRN)],
  "Dilation2DBackpropInput": [
    *filled("x", 1, 1, LONG, 1),
    *filled("w", 1, LONG // 2, 1),
    raw.node("slow", "Dilation2DBackpropInput", "x", "w", "x", T=FLOAT, strides=ONES, rates=ONES, padding=b"SAME"),
  ],
  "DepthwiseConv2dNativeBackpropInput": [
    raw.const("sizes", raw.tensor(raw.INT32, (4,), int_val=[1, 1, LONG, 1])),
    *filled("w", 1, LONG // 2, 1, 1, dtype=DOUBLE),
    *filled("dy", 1, 1, LONG, 1, dtype=DOUBLE),
    raw.node(
      "slow", "DepthwiseConv2dNativeBackpropInput", "sizes", "w", "dy", T=raw.type_of(DOUBLE), strides=ONES, padding=b"SAME"
    ),
  ],
}


def seconds_of_work(process):
  """What all threads of the process have computed so far."""
  with open(f"/proc/{process.pid}/stat") as stat:
    fields = stat.read().rpartition(")")[2].split()
  return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("op", NODES)
def test_a_kernel_ends_with_its_step(op):
  dtype = DOUBLE if op.startswith("Depthwise") else raw.FLOAT
  hidden = raw.node("v", "Placeholder", dtype=raw.type_of(dtype), shape=raw.shape_of())
  with task_servers.Cluster({"worker": 1}) as cluster, raw.Wire(cluster.address("worker")) as wire:
    code, reply = wire.create(raw.graph(hidden, *NODES[op]))
    assert code == Code.OK, reply
    value = raw.tensor(dtype, **{"double_val" if dtype == DOUBLE else "float_val": [1.0]})
    code, message = wire.run(reply.session_handle, target=["slow"], feed=[("v:0", value)], timeout_in_ms=1000)
    assert code == Code.DEADLINE_EXCEEDED, (code, message)
    process = cluster.processes["worker", 0]
    before = [0.0]

    def rests():
      now = seconds_of_work(process)
      worked, before[0] = now - before[0], now
      return worked < 0.1

    wait_for(rests, "the kernel still computes", seconds=10, poll_s=0.5)
