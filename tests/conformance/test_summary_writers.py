"""Summary writers by the stock client: the event files that ours and stock write say the same."""

import glob
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


def test_names_of_event_files(our_cluster):
  folder = tempfile.mkdtemp()
  writer = raw.SummaryWriter(shared_name="named")
  opened = raw.CreateSummaryFileWriter(writer=writer, logdir=folder, max_queue=1, flush_millis=1, filename_suffix=".v2")
  close = raw.CloseSummaryWriter(writer=writer)
  with tf1.Session(our_cluster.target("worker")) as session:
    for _ in range(2):
      session.run(opened)
      session.run(close)
  names = glob.glob(folder + "/events.out.tfevents.*.v2")
  assert len(set(names)) == 2
