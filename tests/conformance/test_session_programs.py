"""Programs of sessions: traces for TensorBoard, placement logs, replicas in step; the same on ours and on stock."""

import threading

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import attempts  # noqa: E402
from tensorflow.python.client import timeline  # noqa: E402

tf1 = tf.compat.v1


def test_events_with_graph_and_trace(on_both, tmp_path):
  def program(cluster):
    folder = tmp_path / cluster.kind
    with tf.device("/job:ps/task:0"):
      v = tf1.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    with tf.device("/job:worker/task:1"):
      loss = tf.reduce_sum(v * tf1.placeholder_with_default(3.0, []), name="loss")
    tf1.summary.scalar("the_loss", loss)
    tf1.summary.histogram("values", v)
    merged = tf1.summary.merge_all()
    with tf1.Session(cluster.target("worker")) as session:
      session.run(v.initializer)
      writer = tf1.summary.FileWriter(str(folder), session.graph)
      metadata = tf1.RunMetadata()
      options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
      summary, _ = session.run([merged, loss], options=options, run_metadata=metadata)
      writer.add_run_metadata(metadata, "step 0")
      writer.add_summary(summary, 0)
      writer.close()
    (path,) = folder.glob("events.*")
    events = list(tf1.train.summary_iterator(str(path)))
    graph = tf1.GraphDef.FromString(next(e.graph_def for e in events if e.graph_def))
    trace = next(e.tagged_run_metadata for e in events if e.HasField("tagged_run_metadata"))
    stats = tf1.RunMetadata.FromString(trace.run_metadata).step_stats
    assert "traceEvents" in timeline.Timeline(stats).generate_chrome_trace_format()
    ran = {}
    for device in stats.dev_stats:
      for node in device.node_stats:
        assert node.all_start_micros > 0 and node.all_end_rel_micros >= 0
        ran.setdefault(node.node_name.split(":")[0], device.device)
    values = next(e.summary.value for e in events if e.summary.value)
    return {
      "nodes": sorted(n.name for n in graph.node),
      "tag": trace.tag,
      "places": {n: ran.get(n) for n in ("v", "loss", "mul")},
      "scalars": [(v.tag, v.simple_value) for v in values if v.HasField("simple_value")],
      "histograms": [(v.tag, v.histo.num, v.histo.sum, list(v.histo.bucket)) for v in values if v.HasField("histo")],
    }

  on_both(program)


def test_partition_graphs(on_both):
  def program(cluster):
    with tf.device("/job:ps/task:1"):
      x = tf.multiply(tf1.placeholder(tf.float32, [2], name="fed"), 2.0, name="x")
    with tf.device("/job:worker/task:1"):
      y = tf.add(x, 1.0, name="y")
    metadata = tf1.RunMetadata()
    with tf1.Session(cluster.target("worker", 1)) as session:
      session.run(y, {"fed:0": [1.0, 2.0]}, options=tf1.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    return sorted({(n.device, n.name) for g in metadata.partition_graphs for n in g.node if n.name in ("x", "y")})

  on_both(program)


def test_transfers_in_traces(on_both):
  def program(cluster):
    with tf.device("/job:ps/task:1"):
      x = tf.multiply(tf1.placeholder(tf.float32, [250], name="fed"), 2.0, name="x")
    with tf.device("/job:worker/task:1"):
      y = tf.add(x, 1.0, name="y")
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)

    def transfers(session):
      metadata = tf1.RunMetadata()
      session.run(y, {"fed:0": [1.0] * 250}, options=options, run_metadata=metadata)
      assert "traceEvents" in timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
      found = [
        (device.device, node.timeline_label, node.output[0].tensor_description.allocation_description.requested_bytes)
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
        if node.node_name == "RecvTensor"
      ]
      # Stock also has the fed and fetched values, which go from and to the master; ours are in the step's own calls.
      return [
        (device, label.split()[0], label.split(" from ")[1], size) for device, label, size in found if "from /job:ps" in label
      ]

    with tf1.Session(cluster.target("worker")) as session:
      # Stock's worker collects its trace without waiting for what is still being written into it.
      return next(filter(None, (transfers(session) for _ in range(attempts(cluster)))), [])

  on_both(program)


def test_a_long_trace_of_a_training_step(on_both):
  def program(cluster):
    setter = tf1.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster.spec()), worker_device="/job:worker/task:0")
    with tf1.device(setter):
      net = tf1.placeholder_with_default(np.ones([4, 8], np.float32), [4, 8])
      for i in range(4):
        with tf1.variable_scope(f"layer{i}", use_resource=True):
          net = tf.tanh(tf.matmul(net, tf1.get_variable("w", initializer=np.eye(8, dtype=np.float32) * 0.5)))
      loss = tf.reduce_mean(net)
      train = tf1.train.AdamOptimizer(0.1).minimize(loss)
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    metadata = tf1.RunMetadata()
    with tf1.Session(cluster.target("worker")) as session:
      session.run(tf1.global_variables_initializer())
      losses = [session.run([loss, train], options=options, run_metadata=metadata)[0] for _ in range(5)]
    tasks = sorted({d.device.split("/device")[0] for d in metadata.step_stats.dev_stats if "/device:CPU:0" in d.device})
    return [losses, tasks]

  on_both(program)


def test_replicas_in_step(on_both):
  def program(cluster):
    values = {}

    def work(task):
      with tf1.Graph().as_default():
        setter = tf1.train.replica_device_setter(
          cluster=tf.train.ClusterSpec(cluster.spec()), worker_device=f"/job:worker/task:{task}"
        )
        with tf1.device(setter):
          step = tf1.train.get_or_create_global_step()
          with tf1.variable_scope("", use_resource=False):
            w = tf1.get_variable("w", initializer=[1.0, 2.0])
          optimizer = tf1.train.SyncReplicasOptimizer(
            tf1.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2, total_num_replicas=2
          )
          train = optimizer.minimize(tf.reduce_sum(w * w), global_step=step)
          read = w.read_value()
        hooks = [optimizer.make_session_run_hook(task == 0), tf1.train.StopAtStepHook(last_step=3)]
        with tf1.train.MonitoredTrainingSession(
          cluster.target("worker", task), is_chief=task == 0, hooks=hooks, stop_grace_period_secs=5
        ) as session:
          while not session.should_stop():
            values[task] = session.run([train, step, read])[1:]

    threads = [threading.Thread(target=work, args=[i], daemon=True) for i in (0, 1)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join(120)
    assert not any(t.is_alive() for t in threads)
    # Each step multiplies w by 0.8; what is read beside a step may be of before it.
    done, w = max(values.values(), key=lambda v: v[0])
    return [done >= 2, w[1] / w[0], abs(np.log(w[0]) / np.log(0.8) - done) < 1.1]

  on_both(program, missing="queues and accumulators (FIFOQueueV2, ConditionalAccumulator and what uses them)")
