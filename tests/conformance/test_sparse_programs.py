"""Sparse tensors in queues and as strings, and sets of them: values, codes and first words of ours and of stock are the same."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1


def session_of(cluster):
  return tf1.Session(cluster.target("worker"), config=tf1.ConfigProto(operation_timeout_in_ms=60_000))


def batches(session, fetch, limit=20):
  """All batches of an input that ends."""
  coordinator = tf1.train.Coordinator()
  session.run([tf1.local_variables_initializer(), tf1.global_variables_initializer()])
  threads = tf1.train.start_queue_runners(session, coordinator)
  seen = []
  try:
    for _ in range(limit):
      seen.append([list(part) if isinstance(part, tf1.SparseTensorValue) else part for part in session.run(fetch)])
  except tf.errors.OutOfRangeError:
    pass
  coordinator.request_stop()
  coordinator.join(threads, stop_grace_period_secs=20)
  return seen


def words_of(line):
  """The words of a line, as a sparse vector of as many elements."""
  words = tf1.strings.split([line]).values
  places = tf.range(tf.size(words, out_type=tf.int64))[:, tf.newaxis]
  return tf.SparseTensor(places, words, [tf.size(words, out_type=tf.int64)])


def test_batches_of_sparse_tensors(on_both):
  def program(cluster):
    lines = ["the quick brown fox", "jumps", "over the lazy dog", "and", "is gone"]
    line = tf1.train.string_input_producer(lines, num_epochs=1, shuffle=False).dequeue()
    batch = tf1.train.batch([words_of(line), line], 2, allow_smaller_final_batch=True)
    with session_of(cluster) as session:
      return batches(session, batch)

  on_both(program)


def test_batches_of_rows_of_a_sparse_tensor(on_both):
  def program(cluster):
    rows = tf.SparseTensor([[0, 1], [0, 3], [2, 0], [3, 2]], [1.0, 2.0, 3.0, 4.0], [4, 5])
    step = tf1.train.limit_epochs(tf.constant(7), num_epochs=2)
    with tf.control_dependencies([step]):
      rows = tf.sparse.reorder(rows)
    with tf.control_dependencies([step]):
      label = tf.identity(tf.range(4))
    batch = tf1.train.batch([rows, label], 3, enqueue_many=True, allow_smaller_final_batch=True)
    with session_of(cluster) as session:
      return batches(session, batch)

  on_both(program)


def test_sparse_tensors_as_strings(on_both):
  def program(cluster):
    with tf.device("/job:ps/task:0"):
      values = tf1.placeholder(tf.float32, [None])
      rows = tf.SparseTensor(tf.constant([[0, 1], [0, 3], [2, 0]], tf.int64), values, [4, 5])
      one, many = tf.io.serialize_sparse(rows), tf.io.serialize_many_sparse(rows)
    with tf.device("/job:worker/task:1"):
      back = tf.io.deserialize_many_sparse(many, tf.float32, rank=1)
      wrong = tf.io.deserialize_many_sparse(many, tf.int32)
      single = tf1.deserialize_many_sparse(tf.stack([one, one]), tf.float32)
    feed = {values: np.array([1, 2, 3], np.float32)}
    with session_of(cluster) as session:
      return {
        "one": session.run(one, feed),
        "many": session.run(many, feed),
        "back": list(session.run(back, feed)),
        "single": list(session.run(single, feed)),
        "wrong": outcome(lambda: session.run(wrong, feed)),
      }

  on_both(program)


def test_sets(on_both):
  def program(cluster):
    a = tf.constant([[1, 2, 2, 3], [9, 8, 8, 8]])
    b = tf.constant([[2, 3, 4], [1, 9, 9]])
    sparse = tf.sparse.from_dense(tf.constant([[2, 0, 7], [0, 9, 0]]))
    fetches = {
      "size": tf.sets.size(sparse),
      "intersection": tf.sets.intersection(a, b),
      "union": tf.sets.union(a, sparse),
      "difference": tf.sets.difference(a, b),
      "other": tf.sets.difference(a, b, aminusb=False),
      "sparse": tf.sets.union(sparse, sparse),
      "words": tf.sets.union(tf.as_string(a), tf.as_string(b)),
    }
    with session_of(cluster) as session:
      return {
        name: list(value) if isinstance(value, tf1.SparseTensorValue) else value for name, value in session.run(fetches).items()
      }

  on_both(program)


def test_metrics_at_k(on_both):
  def program(cluster):
    labels = tf.sparse.from_dense(tf.constant([[1, 0, 3], [2, 2, 0], [4, 3, 1]], tf.int64))
    predictions = tf.constant(np.random.RandomState(4).uniform(size=[3, 5]).astype(np.float32))
    metrics = [
      tf1.metrics.precision_at_k(labels, predictions, 2),
      tf1.metrics.recall_at_k(labels, predictions, 3),
      tf1.metrics.average_precision_at_k(labels, predictions, 3),
    ]
    with session_of(cluster) as session:
      session.run(tf1.local_variables_initializer())
      for _ in range(2):
        updates = session.run([update for _, update in metrics])
      return updates, session.run([value for value, _ in metrics])

  on_both(program)
