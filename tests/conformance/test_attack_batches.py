"""What a server must survive: nodes that share a queue of batches, or what waits for them, and agree on nothing."""

import json
import threading

import pytest

pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
import task_servers  # noqa: E402
from attacked_cluster import Code, cluster, wire  # noqa: E402, F401

FLOAT, STRING = raw.type_of(raw.FLOAT), raw.type_of(raw.STRING)


def types(*dtypes):
  result = raw.new("AttrValue", list={})
  result.list.type.extend(dtypes)
  return result


def function(name):
  result = raw.new("AttrValue")
  result.func.name = name
  return result


def library():
  """`same` gives its argument."""
  result = raw.new("FunctionDefLibrary")
  same = result.function.add()
  same.signature.name = "same"
  same.signature.input_arg.add(name="x", type=raw.FLOAT)
  same.signature.output_arg.add(name="y", type=raw.FLOAT)
  same.node_def.append(raw.node("copy", "Identity", "x", T=FLOAT))
  same.ret["y"] = "copy:output:0"
  return result


# Two rows are a batch; one waits for another.
BATCHES = {
  "num_batch_threads": 1,
  "max_batch_size": 2,
  "batch_timeout_micros": 2_000_000,
  "shared_name": b"shared",
  "batching_queue": b"queue",
}


def test_other_ops_in_one_queue_of_batches(wire, cluster):
  """The second one is refused, whichever it is; the first one gets its batch."""
  row = raw.tensor(raw.FLOAT, (1, 1), float_val=[3])
  graph = raw.graph(
    raw.node("x", "Placeholder", dtype=FLOAT, shape=raw.shape_of(1, 1)),
    raw.node(
      "by_function",
      "BatchFunction",
      "x",
      f=function("same"),
      Tin=types(raw.FLOAT),
      Tcaptured=types(),
      Tout=types(raw.FLOAT),
      **BATCHES,
    ),
    raw.node("batch", "Batch", "x", T=types(raw.FLOAT), grad_timeout_micros=1, **BATCHES),
    library=library(),
  )
  code, reply = wire.create(graph)
  assert code == Code.OK, reply
  handle = reply.session_handle
  ends = []
  other = threading.Thread(target=lambda: ends.append(wire.run(handle, fetch=["by_function:0"], feed=[("x:0", row)])))
  other.start()
  task_servers.wait_for(lambda: json.loads(cluster.status("worker", options=["--json"]))["running_steps"] > 0, "it does not run")
  ends.append(wire.run(handle, fetch=["batch:0"], feed=[("x:0", row)]))
  other.join()
  assert sorted(code.name for code, _ in ends) == ["INVALID_ARGUMENT", "OK"], ends
  message = next(message for code, message in ends if code != Code.OK)
  assert "Nodes of one queue batch different inputs" in message, message
  assert wire.close(handle)[0] == Code.OK


def test_rows_of_another_type_wait_for_nobody(wire):
  """A float that one node of a name hands in is no string of another's."""
  place = {"shared_name": b"gradients"}
  nodes = [
    raw.const("floats", raw.tensor(raw.FLOAT, (0,))),
    raw.const("none", raw.tensor(raw.INT64, (0, 3))),
    raw.const("gradient", raw.tensor(raw.FLOAT, (4,), float_val=[1, 2, 3, 4])),
    raw.const("one", 1, raw.INT64),
    raw.node("add", "UnbatchGrad", "floats", "none", "gradient", "one", T=FLOAT, **place),
    raw.const("strings", raw.tensor(raw.STRING, (1,), string_val=[b"s"])),
    raw.const("runs", raw.tensor(raw.INT64, (1, 3), int64_val=[1, 0, 1])),
    raw.const("two", 2, raw.INT64),
    raw.node("take", "UnbatchGrad", "strings", "runs", "strings", "two", T=STRING, **place),
    raw.node("length", "StringLength", "take"),
  ]
  code, reply = wire.create(raw.graph(*nodes))
  assert code == Code.OK, reply
  assert wire.run(reply.session_handle, target=["add"])[0] == Code.OK
  code, message = wire.run(reply.session_handle, fetch=["length:0"])
  assert code == Code.INTERNAL and "does not match declared output type string" in message, (code, message)
  assert wire.close(reply.session_handle)[0] == Code.OK
