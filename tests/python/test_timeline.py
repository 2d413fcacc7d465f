"""Timelines of steps, and the devices of the process."""

import package


def test_timeline():
  package.said(
    """
import json
import millrace as tf
from millrace.client import device_lib, timeline
a = tf.placeholder(tf.float32, [2, 2], name="a")
b = tf.matmul(a, a, name="b")
c = tf.reduce_sum(b, name="c")
with tf.Session() as session:
  metadata = tf.RunMetadata()
  options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
  session.run(c, {a: [[1, 2], [3, 4]]}, options=options, run_metadata=metadata)
trace = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True))["traceEvents"]
processes = [event["args"]["name"] for event in trace if event["ph"] == "M"]
assert processes[0] == "Allocators" and processes[1].endswith("/device:CPU:0 Compute"), processes
ops = {event["args"]["name"]: event for event in trace if event["ph"] == "X"}
assert "b" in ops and "c" in ops and all(event["dur"] >= 1 for event in ops.values()), ops
assert ops["c"]["args"]["input0"] == "b" and ops["c"]["args"]["op"] == "Sum"
plain = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_dataflow=False))["traceEvents"]
assert not [event for event in plain if event["ph"] in "stND"]
devices = device_lib.list_local_devices()
assert devices[0].name == "/device:CPU:0" and devices[0].device_type == "CPU" and devices[0].memory_limit > 0
"""
  )


def test_transfers_have_one_name():
  """Programs look for it to add up how long transfers take; the label says how much came from where."""
  package.said(
    """
import json
import millrace as tf
from millrace.client import timeline
cluster = tf.train.ClusterSpec({"local": ["localhost:0", "localhost:0"]})
second = tf.train.Server(cluster, job_name="local", task_index=1)
addresses = ["localhost:0", second.target[len("grpc://"):]]
first = tf.train.Server({"local": addresses}, job_name="local", task_index=0)
with tf.device("/job:local/task:1"):
  far = tf.random_uniform([64, 64])
with tf.device("/job:local/task:0"):
  near = tf.matmul(far, far)
with tf.Session(first.target) as session:
  metadata = tf.RunMetadata()
  session.run(near, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
labels = [stats.timeline_label for device in metadata.step_stats.dev_stats for stats in device.node_stats
          if stats.node_name == "RecvTensor"]
assert len(labels) == 1 and labels[0].startswith("[16384B]"), labels
trace = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())["traceEvents"]
transfers = [event for event in trace if event["name"] == "RecvTensor"]
assert len(transfers) == 1 and transfers[0]["args"] == {"name": "RecvTensor", "op": "RecvTensor"}, transfers
assert not [event for event in trace if "16384B" in event["name"]]
"""
  )


def test_arrows_and_lanes():
  """Two ops at one time are in two lanes, and an arrow leads from one lane to the other."""
  package.said(
    """
import json
import millrace as tf
from millrace.client import timeline
from millrace.framework import protos
stats = protos.StepStats()
device = stats.dev_stats.add(device="/job:localhost/device:CPU:0")
def node(name, label, start, duration):
  made = device.node_stats.add(node_name=name, timeline_label=label, all_start_micros=start, all_end_rel_micros=duration)
  made.output.add(slot=0).tensor_description.dtype = 1
  record = made.memory.add(allocator_name="cpu")
  record.allocation_records.add(alloc_micros=start, alloc_bytes=8)
node("a", "a = NoOp()", 10, 20)
node("b", "b = Neg(a)", 15, 5)
node("c", "c = Add(a, b)", 40, 5)
trace = json.loads(timeline.Timeline(stats).generate_chrome_trace_format(show_memory=True))["traceEvents"]
lanes = {event["args"]["name"]: event["tid"] for event in trace if event["ph"] == "X"}
assert lanes == {"a": 0, "b": 1, "c": 0}, lanes
arrows = [(event["ph"], event["name"], event["tid"]) for event in trace if event["ph"] in "st"]
assert arrows == [("s", "a", 0), ("t", "a", 1), ("s", "b", 1), ("t", "b", 0)], arrows
assert [event["args"]["cpu"] for event in trace if event["ph"] == "C"] == [8, 16, 24]
assert sorted(event["name"] for event in trace if event["ph"] == "D") == ["a", "b"]
"""
  )
