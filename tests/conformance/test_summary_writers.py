"""Summary writers by the stock client: the event files that ours and stock write say the same."""

import glob
import sqlite3
import tempfile

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402
from google.protobuf import text_format  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops


def events(folder):
  """The events of the files of a folder as text, without times and the writer's name."""
  found = []
  for path in sorted(glob.glob(folder + "/*")):
    for event in tf1.train.summary_iterator(path):
      event.ClearField("wall_time")
      event.ClearField("source_metadata")
      found.append(text_format.MessageToString(event))
  return found


def test_what_writers_write(on_both):
  def program(cluster):
    folder = tempfile.mkdtemp()
    step = tf.constant(3, tf.int64)
    metadata = tf1.SummaryMetadata(plugin_data=tf1.SummaryMetadata.PluginData(plugin_name="scalars"))
    summary = tf1.Summary(value=[tf1.Summary.Value(tag="a", simple_value=1.0)])
    graph = tf1.GraphDef(versions={"producer": 1})
    with tf.device("/job:ps/task:1"):
      writer = raw.SummaryWriter(shared_name="written")
      opened = raw.CreateSummaryFileWriter(
        writer=writer, logdir=folder, max_queue=10, flush_millis=1000000, filename_suffix=".test"
      )
      writes = [
        raw.WriteScalarSummary(writer=writer, step=step, tag="scalar", value=2.5),
        raw.WriteHistogramSummary(writer=writer, step=step, tag="histogram", values=[1.0, 2.0, 2.5]),
        raw.WriteSummary(writer=writer, step=step, tag="tensor", tensor=[1, 2], summary_metadata=metadata.SerializeToString()),
        raw.WriteSummary(writer=writer, step=step, tag="texts", tensor=["a", "b"], summary_metadata=""),
        raw.WriteAudioSummary(writer=writer, step=step, tag="audio", tensor=np.zeros([2, 3], np.float32), sample_rate=8000.0),
        raw.WriteRawProtoSummary(writer=writer, step=step, tensor=[summary.SerializeToString()] * 2),
        raw.WriteGraphSummary(writer=writer, step=step, tensor=graph.SerializeToString()),
        raw.ImportEvent(writer=writer, event=tf1.Event(step=9, summary=summary).SerializeToString()),
      ]
      flush = raw.FlushSummaryWriter(writer=writer)
      close = raw.CloseSummaryWriter(writer=writer)
    with tf1.Session(cluster.target("worker")) as session:
      session.run(opened)
      for write in writes:
        session.run(write)
      session.run(flush)
      flushed = events(folder)
      session.run(close)
      gone = outcome(lambda: session.run(writes[0]))[0]
    return {"flushed": flushed, "closed": events(folder), "gone": gone}

  assert len(on_both(program)["closed"]) == 9


@pytest.mark.parametrize("handle", ["StatsAggregatorHandle", "StatsAggregatorHandleV2"])
def test_figures_of_data_sets(on_both, handle):
  """The second generation's aggregators write each change of a histogram, to the writer that is set."""

  def program(cluster):
    folders = [tempfile.mkdtemp() for _ in range(2)]
    types = dict(output_types=[tf.float32], output_shapes=[[None]])
    with tf.device("/job:ps/task:1"):
      aggregator = getattr(raw, handle)(shared_name="figures")
      writers = [raw.SummaryWriter(shared_name=f"figures{i}") for i in range(2)]
      opened = [
        raw.CreateSummaryFileWriter(writer=w, logdir=folder, max_queue=10, flush_millis=1000000, filename_suffix=".test")
        for w, folder in zip(writers, folders)
      ]
      sets = [raw.StatsAggregatorSetSummaryWriter(stats_aggregator=aggregator, summary=w) for w in writers]
      flushed = [raw.FlushSummaryWriter(writer=w) for w in writers]
      data = raw.TensorSliceDataset(components=[[[1.0], [2.0], [3.0], [4.0]]], output_shapes=[[1]])
      data = raw.BytesProducedStatsDataset(input_dataset=data, tag="bytes", **types)
      data = raw.SetStatsAggregatorDataset(input_dataset=data, stats_aggregator=aggregator, tag="all", counter_prefix="", **types)
      iterator = raw.IteratorV2(shared_name="figures", container="", **types)
      begin, following = raw.MakeIterator(dataset=data, iterator=iterator), raw.IteratorGetNext(iterator=iterator, **types)
    with tf1.Session(cluster.target("worker")) as session:
      session.run(aggregator)
      missing = outcome(lambda: session.run(sets[0]))[0]
      session.run(opened)
      for set_writer in sets:
        session.run(set_writer)
        session.run(begin)
        for _ in range(4):
          session.run(following)
        assert outcome(lambda: session.run(following))[0] == "OutOfRangeError"
      session.run(flushed)
    return {"missing": missing, "events": [events(folder) for folder in folders]}

  written = on_both(program)["events"]
  assert [len(e) for e in written] == ([5, 5] if handle.endswith("V2") else [1, 1])


# What a database holds, without its ids and times.
TABLES = {
  "tensors": "SELECT tag_name, step, dtype, shape, data FROM Tensors JOIN Tags ON series = tag_id WHERE dtype IS NOT NULL "
  "ORDER BY tag_name, step",
  "texts": "SELECT tag_name, idx, TensorStrings.data FROM TensorStrings JOIN Tensors ON tensor_rowid = Tensors.rowid "
  "JOIN Tags ON series = tag_id ORDER BY tag_name, idx",
  "tags": "SELECT tag_name, display_name, plugin_name, plugin_data, description FROM Tags JOIN Descriptions ON tag_id = id "
  "ORDER BY tag_name",
  "names": "SELECT user_name, experiment_name, run_name FROM Users JOIN Experiments USING (user_id) "
  "JOIN Runs USING (experiment_id)",
  "nodes": "SELECT node_name, node_id, op, device FROM Nodes ORDER BY node_id",
  "edges": "SELECT node_id, idx, input_node_id, input_node_idx, is_control FROM NodeInputs ORDER BY node_id, idx",
}


def test_databases(on_both):
  def program(cluster):
    path = tempfile.mkdtemp() + "/summaries.db"
    step = tf.constant(3, tf.int64)
    metadata = tf1.SummaryMetadata(
      display_name="shown",
      summary_description="described",
      plugin_data=tf1.SummaryMetadata.PluginData(plugin_name="plugin", content=b"xy"),
    )
    graph = tf1.GraphDef(versions={"producer": 1})
    graph.node.add(name="a", op="Placeholder").attr["dtype"].type = 1
    graph.node.add(name="b", op="Identity", input=["a"]).attr["T"].type = 1
    event = tf1.Event(step=9, wall_time=7.5, summary=tf1.Summary(value=[tf1.Summary.Value(tag="event", simple_value=1.0)]))
    with tf.device("/job:ps/task:1"):
      writer = raw.SummaryWriter(shared_name="database")
      opened = raw.CreateSummaryDbWriter(
        writer=writer, db_uri=path, experiment_name="experiment", run_name="run", user_name="user"
      )
      writes = [
        raw.WriteScalarSummary(writer=writer, step=step, tag="scalar", value=2.5),
        raw.WriteScalarSummary(writer=writer, step=step + 1, tag="scalar", value=3.5),
        raw.WriteHistogramSummary(writer=writer, step=step, tag="histogram", values=[1.0, 2.0]),
        raw.WriteSummary(writer=writer, step=step, tag="texts", tensor=["a", "b"], summary_metadata=metadata.SerializeToString()),
        raw.WriteSummary(writer=writer, step=step, tag="tensor", tensor=[[1.0, 2.0]], summary_metadata=""),
        raw.WriteAudioSummary(writer=writer, step=step, tag="audio", tensor=np.zeros([1, 4], np.float32), sample_rate=8000.0),
        raw.WriteGraphSummary(writer=writer, step=step, tensor=graph.SerializeToString()),
        raw.ImportEvent(writer=writer, event=event.SerializeToString()),
      ]
      close = raw.CloseSummaryWriter(writer=writer)
    with tf1.Session(cluster.target("worker")) as session:
      for op in [opened, *writes, close]:
        session.run(op)
    database = sqlite3.connect(path)
    return {name: database.execute(query).fetchall() for name, query in TABLES.items()}

  found = on_both(program)
  assert len(found["tensors"]) == 7 and len(found["nodes"]) == 2


def test_names_of_event_files(our_cluster):
  folder = tempfile.mkdtemp()
  with tf1.Graph().as_default(), tf1.Session(our_cluster.target("worker")) as session:
    writer = raw.SummaryWriter(shared_name="named")
    opened = raw.CreateSummaryFileWriter(writer=writer, logdir=folder, max_queue=1, flush_millis=1, filename_suffix=".v2")
    close = raw.CloseSummaryWriter(writer=writer)
    for _ in range(2):
      session.run(opened)
      session.run(close)
  names = glob.glob(folder + "/events.out.tfevents.*.v2")
  assert len(set(names)) == 2
