"""Pipelines of queues by the C++ client: stock imports them, runs their queue runners, and builds the same itself."""

import os
import pathlib
import subprocess

import pytest

tf = pytest.importorskip("tensorflow")
tf1 = tf.compat.v1

BUILD = pathlib.Path(os.environ.get("MILLRACE_BUILD", "build/dev"))
PROGRAM = BUILD / "tests" / "queue_runner_graphs"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
  if not PROGRAM.exists():
    pytest.skip(f"{PROGRAM} is not built")
  path = tmp_path_factory.mktemp("queue_runners")
  done = subprocess.run([PROGRAM, str(path)], capture_output=True, text=True, timeout=60)
  assert done.returncode == 0, done.stderr
  return str(path / "pipeline")


def build_by_stock():
  tf1.train.create_global_step()
  x = tf1.train.range_input_producer(7, num_epochs=2, shuffle=False).dequeue()
  tf1.train.batch([x, x * x], 4, num_threads=2, allow_smaller_final_batch=True)
  word = tf1.train.string_input_producer(["a", "b"], num_epochs=1, capacity=5, name="words").dequeue()
  tf1.train.shuffle_batch_join([[word], [word]], 2, capacity=10, min_after_dequeue=1)


def runners():
  return [runner.to_proto() for runner in tf1.get_collection(tf1.GraphKeys.QUEUE_RUNNERS)]


def summaries():
  return [t.name for t in tf1.get_collection(tf1.GraphKeys.SUMMARIES)]


def test_runners_have_the_names_that_stock_gives(prefix):
  with tf1.Graph().as_default():
    build_by_stock()
    stock_runners, stock_summaries = runners(), summaries()
  with tf1.Graph().as_default():
    tf1.train.import_meta_graph(prefix + ".meta")
    ours = runners()
    assert summaries() == stock_summaries
  assert len(ours) == 4
  for our, stock in zip(ours, stock_runners):
    assert our == stock


def test_stock_runs_them(prefix):
  with tf1.Graph().as_default(), tf1.Session() as session:
    saver = tf1.train.import_meta_graph(prefix + ".meta")
    saver.restore(session, prefix)
    session.run(tf1.local_variables_initializer())
    coordinator = tf1.train.Coordinator()
    threads = tf1.train.start_queue_runners(session, coordinator)
    numbers, words = [], []
    with pytest.raises(tf.errors.OutOfRangeError):
      while True:
        x, square = session.run(["batch:0", "batch:1"])
        assert (x * x == square).all()
        numbers += x.tolist()
    with pytest.raises(tf.errors.OutOfRangeError):
      while True:
        words += session.run("shuffle_batch_join:0").tolist()
    coordinator.request_stop()
    coordinator.join(threads)
  # Two threads may pass each other.
  assert sorted(numbers) == sorted(2 * list(range(7)))
  assert sorted(words) == [b"a", b"b"]
