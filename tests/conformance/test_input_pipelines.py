"""Producers, readers and batches by the stock client, on servers of ours and of stock: the same values, codes and first
words."""

import re

import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_runs import PLENTY, compare, words  # noqa: E402

tf1 = tf.compat.v1
errors = tf.errors

pytestmark = pytest.mark.filterwarnings("ignore")


def drain(seen, fetch, limit=1000):
  """All batches until the end of the input."""
  batches = []
  for _ in range(limit):
    try:
      batches.append(seen.session.run(fetch, options=PLENTY))
    except errors.OutOfRangeError as e:
      seen.add("end", re.sub(r"\(requested.*", "", words(e)))
      return batches
  raise AssertionError("no end")


def with_runners(seen, body):
  seen.session.run(tf1.local_variables_initializer())
  coordinator = tf1.train.Coordinator()
  threads = tf1.train.start_queue_runners(seen.session, coordinator)
  body()
  coordinator.request_stop()
  coordinator.join(threads, stop_grace_period_secs=20)
  seen.add("stopped", coordinator.should_stop())


def test_producers_and_batches(clusters):

  def produce(seen):
    names = tf1.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
    numbers = tf1.train.range_input_producer(6, num_epochs=1, shuffle=False)
    batch = tf1.train.batch([names.dequeue(), numbers.dequeue()], 4, allow_smaller_final_batch=True)
    with_runners(seen, lambda: seen.add("all", [[v.tolist() for v in b] for b in drain(seen, batch)]))

  compare(clusters, produce)


def test_slices_and_shuffled_batches(clusters):

  def shuffles(seen):
    x, y = tf1.train.slice_input_producer([tf.range(30), tf.range(30) * 10], num_epochs=1, shuffle=True, seed=3)
    batch = tf1.train.shuffle_batch([x, y], 5, capacity=20, min_after_dequeue=5, seed=4)

    def body():
      got = drain(seen, batch)
      flat = sorted(int(v) for b in got for v in b[0])
      assert all((b[1] == b[0] * 10).all() for b in got)
      seen.add("elements", flat)

    with_runners(seen, body)

  compare(clusters, shuffles)


def test_four_threads_of_shuffle_batch_join(clusters):

  def joins(seen):
    numbers = tf1.train.range_input_producer(100, num_epochs=1, shuffle=False)
    batch = tf1.train.shuffle_batch_join([[numbers.dequeue()] for _ in range(4)], 10, 50, 10, allow_smaller_final_batch=True)
    with_runners(seen, lambda: seen.add("elements", sorted(int(v) for b in drain(seen, batch) for v in b)))

  compare(clusters, joins)


def test_readers(clusters, tmp_path):
  lines = tmp_path / "lines.csv"
  lines.write_text('x,y,label\r\n1.0,2.0,0\n,3.5,1\n"4",5,1')
  fixed = tmp_path / "fixed.bin"
  fixed.write_bytes(b"HEAD" + bytes(range(20)) + b"FOOT")
  for name, compression in (("plain", ""), ("zlib", "ZLIB"), ("gzip", "GZIP")):
    with tf.io.TFRecordWriter(str(tmp_path / name), compression) as writer:
      for i in range(5):
        writer.write(b"record %d" % i)
  (tmp_path / "bad").write_bytes((tmp_path / "plain").read_bytes()[:-3])

  def reads(seen):

    def read(name, reader, files, n=None):
      queue = tf1.FIFOQueue(20, [tf.string], [[]], name="q_" + name.replace(" ", "_"))
      seen.run(name, queue.enqueue_many([[str(f) for f in files]]))
      seen.run(name, queue.close())
      record = reader.read(queue) if n is None else reader.read_up_to(queue, n)
      for _ in range(9):
        seen.run(name, record)
      seen.run(name, [reader.num_records_produced(), reader.num_work_units_completed()])
      seen.run(name, reader.serialize_state())
      seen.run(name, reader.reset())
      seen.run(name, [reader.num_records_produced(), reader.num_work_units_completed()])
      return record

    read("lines", tf1.TextLineReader(skip_header_lines=1), [lines, lines])
    read("up to", tf1.TextLineReader(), [lines, lines], 3)
    read("missing", tf1.TextLineReader(), [tmp_path / "none", lines])
    read("fixed", tf1.FixedLengthRecordReader(8, 4, 4), [fixed])
    read("hop", tf1.FixedLengthRecordReader(8, 4, 4, 3), [fixed])
    read("whole", tf1.WholeFileReader(), [fixed, lines])
    read("identity", tf1.IdentityReader(), ["a", "b"])
    for name, kind in (
      ("plain", tf1.python_io.TFRecordCompressionType.NONE),
      ("zlib", tf1.python_io.TFRecordCompressionType.ZLIB),
      ("gzip", tf1.python_io.TFRecordCompressionType.GZIP),
    ):
      options = tf1.python_io.TFRecordOptions(kind)
      read(name, tf1.TFRecordReader(options=options), [tmp_path / name])
    read("bad", tf1.TFRecordReader(), [tmp_path / "bad"])
    queue = tf1.FIFOQueue(20, [tf.string], [[]], name="states")
    whole = tf1.WholeFileReader(name="whole_state")
    seen.run("put", queue.enqueue_many([[str(fixed), str(lines)]]))
    seen.run("one", whole.read(queue))
    state = whole.serialize_state()
    seen.run("state", state)
    seen.run("restore", whole.restore_state(tf1.placeholder_with_default(b"\x08\x05\x10\x05\x18\x07", [])))
    seen.run("restored", [whole.num_records_produced(), whole.num_work_units_completed()])
    seen.run("bad state", whole.restore_state(tf1.placeholder_with_default(b"\xff", [])))

  compare(clusters, reads)


def test_csv_pipeline(clusters, tmp_path):
  for k in range(3):
    (tmp_path / f"part{k}.csv").write_text("a,b,label\n" + "".join(f"{k}.{i},{'' if i == 2 else i},{i % 2}\n" for i in range(6)))

  def pipeline(seen):
    files = tf1.matching_files(str(tmp_path / "part*.csv"))
    names = tf1.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, line = tf1.TextLineReader(skip_header_lines=1).read(names)
    a, b, label = tf1.decode_csv(line, [[-1.0], [-1.0], [0]])
    batch = tf1.train.batch([tf.stack([a, b]), label], 4, allow_smaller_final_batch=True)
    with_runners(seen, lambda: seen.add("all", [[v.tolist() for v in part] for part in drain(seen, batch)]))

  compare(clusters, pipeline)
