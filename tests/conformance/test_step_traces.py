"""What RunMetadata says of a step: its nodes, transfers and costs, under the names of the session; the same on ours and on stock."""

import os

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import attempts  # noqa: E402
from tensorflow.python.client import timeline  # noqa: E402

import task_servers  # noqa: E402

tf1 = tf.compat.v1

TRACED = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
WORKER0, PS0 = "/job:worker/task:0", "/job:ps/task:0"


def traced(session, fetches, feeds=None):
  metadata = tf1.RunMetadata()
  session.run(fetches, feeds, options=TRACED, run_metadata=metadata)
  return metadata


def nodes_of(metadata):
  """(device, node) for each run of a node."""
  return [(d.device, n) for d in metadata.step_stats.dev_stats for n in d.node_stats]


def test_a_step_of_which_a_constant_is_left(on_both):
  def program(cluster):
    with tf.device(WORKER0):
      c = tf.constant([1.0, 2.0], name="c")
      d = tf.add(c, c, name="d")
      x = tf1.placeholder(tf.float32, [2], name="x")
      y = tf.subtract(x, d, name="y")
      nothing = tf.no_op(name="nothing")
    results = {}
    config = tf1.ConfigProto()
    config.graph_options.rewrite_options.min_graph_nodes = -1  # so that constants of small graphs are folded, too
    with tf1.Session(cluster.target("worker"), config=config) as session:
      for name, fetch, feeds in (("constant", c, None), ("folded", d, None), ("fed", y, {x: [1.0, 2.0]})):
        metadata = traced(session, fetch, feeds)
        assert metadata.HasField("step_stats")
        results[name] = sorted((device, node.timeline_label) for device, node in nodes_of(metadata))
        for device, node in nodes_of(metadata):
          assert node.HasField("memory_stats") == (node.node_name != "_SOURCE")
          results[name, node.node_name] = [
            (o.slot, o.tensor_description.dtype, o.tensor_description.allocation_description.requested_bytes) for o in node.output
          ] + [node.memory_stats.persistent_memory_size]
      metadata = traced(session, nothing)
      assert metadata.HasField("step_stats")
      results["nothing"] = "_SOURCE = NoOp()" in {node.timeline_label for _, node in nodes_of(metadata)}
    return {str(k): v if isinstance(v, bool) else repr(v) for k, v in results.items()}

  on_both(program)


def test_memory_that_kernels_take(on_both):
  def program(cluster):
    with tf.device(WORKER0):
      x = tf1.placeholder(tf.float32, [None, 8, 8, 3])
      y = tf.nn.conv2d(x, tf.ones([3, 3, 3, 4]), 1, "SAME", name="y")
    with tf1.Session(cluster.target("worker")) as session:
      metadata = traced(session, y, {x: np.ones([2, 8, 8, 3])})
    (node,) = [node for _, node in nodes_of(metadata) if node.node_name == "y"]
    (memory,) = node.memory
    # Temporary memory is the kernel's own affair; the output may be freed before stock's trace ends.
    assert memory.peak_bytes >= memory.live_bytes
    assert sum(r.alloc_bytes for r in memory.allocation_records if r.alloc_bytes > 0) == memory.total_bytes
    described = node.output[0].tensor_description.allocation_description
    assert memory.allocator_name == described.allocator_name != ""
    kept = memory.total_bytes - node.memory_stats.temp_memory_size
    return [kept, described.requested_bytes, described.allocated_bytes, described.ptr > 0]

  on_both(program)


def test_what_is_fed_and_fetched_comes_from_and_to_the_master(on_both):
  def program(cluster):
    with tf.device(PS0):
      x = tf1.placeholder(tf.float32, [None], name="x")
      y = tf.exp(x, name="y")

    def transfers(session):
      found = [
        (device, node.timeline_label.split()[0], node.timeline_label.split(" from ")[1])
        for device, node in nodes_of(traced(session, y, {x: [1.0, 2.0, 3.0]}))
        if node.node_name == "RecvTensor"
      ]
      return sorted(found) if len(found) == 2 else None

    with tf1.Session(cluster.target("worker")) as session:
      # Stock's worker collects its trace without waiting for what is still being written into it.
      found = next(filter(None, (transfers(session) for _ in range(attempts(cluster)))), [])
    return [" ".join(one) for one in found]

  assert len(on_both(program)) == 2


def cost_config(every, after=0):
  config = tf1.ConfigProto()
  config.graph_options.build_cost_model = every
  config.graph_options.build_cost_model_after = after
  return config


def test_the_steps_that_have_a_cost_graph(on_both):
  def program(cluster):
    with tf.device(WORKER0):
      x = tf1.placeholder(tf.float32, [2])
      y = tf.exp(x)
    results = {}
    for every, after in ((0, 0), (1, 0), (3, 0), (2, 2), (2, 1), (3, -1), (-1, 0)):
      with tf1.Session(cluster.target("worker"), config=cost_config(every, after)) as session:
        seen = []
        for _ in range(7):
          metadata = tf1.RunMetadata()
          session.run(y, {x: [1.0, 2.0]}, run_metadata=metadata)
          assert not metadata.HasField("step_stats")
          seen.append(metadata.HasField("cost_graph"))
        results[f"{every} after {after}"] = seen
    return results

  on_both(program)


def test_a_cost_graph(on_both):
  def program(cluster):
    with tf.device(PS0):
      v = tf1.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    with tf.device(WORKER0):
      d = tf.constant([3.0, 4.0], name="d")
      x = tf1.placeholder(tf.float32, [None], name="x")
      y = tf.subtract(x, d, name="y")
      with tf.control_dependencies([y]):
        z = tf.identity_n([tf.exp(y), d], name="z")
    with tf1.Session(cluster.target("worker"), config=cost_config(1)) as session:
      session.run(v.initializer)
      metadata = tf1.RunMetadata()
      session.run(y, {x: [1.0, 2.0]}, run_metadata=metadata)
      both = tf1.RunMetadata()
      session.run([v, z], {x: [1.0, 2.0]}, run_metadata=both)
    graph = metadata.cost_graph
    names = {node.id: node.name for node in graph.node}
    assert len(names) == len(graph.node)
    assert all(node.compute_cost >= 0 for node in graph.node)
    devices = {node.device for node in both.cost_graph.node}
    return {
      "nodes": sorted(
        repr(
          (
            node.name,
            node.device,
            [(names[i.preceding_node], i.preceding_port) for i in node.input_info],
            [(o.dtype, [dim.size for dim in o.shape.dim], o.shape.unknown_rank) for o in node.output_info],
            node.is_final,
            node.persistent_memory_size,
          )
        )
        for node in graph.node
      ),
      "source": sorted(node.name for node in graph.node if 0 in node.control_input),
      "sink": sorted({names[i] for node in graph.node if node.name == "_SINK" for i in node.control_input}),
      "devices": sorted(devices),
    }

  on_both(program)


def test_readers_of_traces(on_both):
  def program(cluster):
    with tf.device(PS0):
      x = tf1.placeholder(tf.float32, [4, 4], name="x")
      y = tf.matmul(x, x, name="y")
    with tf1.Session(cluster.target("worker")) as session:
      metadata = traced(session, y, {x: np.ones([4, 4])})
      options = tf1.profiler.ProfileOptionBuilder.time_and_memory()
      options["output"] = "none"
      results = {}
      for command in ("scope", "graph", "op"):
        profile = tf1.profiler.profile(tf1.get_default_graph(), run_meta=metadata, cmd=command, options=options)
        assert profile.total_exec_micros > 0
        results[command] = [profile.total_requested_bytes, profile.total_float_ops]
      written = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True)
    assert '"traceEvents"' in written and '"name": "y"' in written
    return results

  on_both(program)


def renamed(cluster, share, ps_cpu=0):
  """A session on a cluster of the client, in which the worker is mine 0 and the ps mine 1: what it computes, its devices and
  those of its trace, and what another such session sees."""
  config = cost_config(1)
  job = config.cluster_def.job.add(name="mine")
  job.tasks[0] = cluster.address("worker", 0)
  job.tasks[1] = cluster.address("ps", 0)
  config.experimental.share_session_state_in_clusterspec_propagation = share
  with tf.device("/job:mine/task:1"):
    v = tf1.get_variable("v_of_mine", initializer=[1.0, 2.0], use_resource=False)
    w = tf1.get_variable("w_of_mine", initializer=[3.0, 4.0], use_resource=True)
  with tf.device(f"/job:mine/task:1/device:CPU:{ps_cpu}"):
    u = tf.exp(v)
  with tf.device("/job:mine/task:0"):
    z = tf.add(u, w)
  grow = tf.group(v.assign_add([1.0, 1.0]), w.assign_add([1.0, 1.0]))
  with tf1.Session(cluster.target("worker"), config=config) as session:
    session.run(tf1.global_variables_initializer())
    session.run(grow)
    names = sorted(d.name for d in session.list_devices() if d.device_type == "CPU")
    metadata = tf1.RunMetadata()
    value = session.run(z, options=TRACED, run_metadata=metadata)
    with tf1.Session(cluster.target("worker"), config=config) as other:
      try:
        seen = other.run([v, w])
      except tf.errors.FailedPreconditionError:
        seen = "nothing"
  return {
    "value": value,
    "devices": names,
    "traced": sorted({device for device, _ in nodes_of(metadata)}),
    "costs": sorted({node.device for node in metadata.cost_graph.node if node.device}),
    "seen": seen,
  }


@pytest.mark.parametrize("share", [False, True])
def test_a_cluster_of_the_client(on_both, share):
  on_both(lambda cluster: renamed(cluster, share))


@pytest.mark.parametrize("share", [False, True])
def test_a_cluster_of_the_client_with_several_devices(share):
  if not os.path.exists(task_servers.COMMAND):
    pytest.skip(f"{task_servers.COMMAND} is not built")
  with task_servers.Cluster({"ps": 1, "worker": 1}, flags=["--device_count", "CPU=2"]) as cluster:
    with tf1.Graph().as_default():
      result = renamed(cluster, share, ps_cpu=1)
  np.testing.assert_allclose(result["value"], np.exp([2.0, 3.0]) + [4.0, 5.0], rtol=1e-6)
  devices = [f"/job:mine/replica:0/task:{task}/device:CPU:{cpu}" for task in (0, 1) for cpu in (0, 1)]
  assert result["devices"] == devices
  assert result["traced"] == result["costs"] == [devices[0], devices[2], devices[3]]
  if share:
    np.testing.assert_array_equal(result["seen"], [[2.0, 3.0], [4.0, 5.0]])
  else:
    assert result["seen"] == "nothing"
