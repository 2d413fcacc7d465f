"""Queues by the stock client, on servers of ours and of stock: the same values, codes and first words."""

import threading

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
import task_servers  # noqa: E402
from compare_runs import PLENTY, SOON, compare  # noqa: E402

tf1 = tf.compat.v1
errors = tf.errors

pytestmark = pytest.mark.filterwarnings("ignore")


KINDS = {
  "fifo": lambda cap, types, shapes, **kw: tf1.FIFOQueue(cap, types, shapes, **kw),
  "padding": lambda cap, types, shapes, **kw: tf1.PaddingFIFOQueue(cap, types, shapes, **kw),
  "shuffle": lambda cap, types, shapes, **kw: tf1.RandomShuffleQueue(cap, 0, types, shapes, seed=5, **kw),
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_life_of_a_queue(clusters, kind):

  def life(seen):
    with tf.device("/job:ps/task:0"):
      q = KINDS[kind](4, [tf.int32, tf.float32], [[], [2]], name="q")
    x = tf1.placeholder(tf.int32, [])
    rows = tf1.placeholder(tf.int32, [None])
    put = q.enqueue([x, tf.stack([tf.cast(x, tf.float32), 0.5])])
    many = q.enqueue_many([rows, tf.stack([tf.cast(rows, tf.float32)] * 2, axis=1)])
    size, take, take2, up_to = q.size(), q.dequeue(), q.dequeue_many(2), q.dequeue_up_to(3)
    closed, close, stop = q.is_closed(), q.close(), q.close(cancel_pending_enqueues=True)
    wrong = q.enqueue_many([rows, tf1.placeholder_with_default(np.zeros([1, 2], np.float32), [None, 2])])
    seen.run("size", size)
    for i in range(3):
      seen.run("put", put, {x: i})
    seen.run("size", size)
    seen.run("take", take)
    seen.run("take2", take2)
    seen.run("none", take, options=SOON)
    seen.run("full", many, {rows: range(10, 16)}, options=SOON)
    seen.run("size", size)
    seen.run("take2", take2)
    seen.run("wrong", wrong, {rows: [1, 2, 3]})
    seen.run("closed", closed)
    seen.run("close", close)
    seen.run("closed", closed)
    seen.run("closed put", put, {x: 1})
    seen.run("closed many", many, {rows: [1]})
    seen.run("close again", close)
    seen.run("stop", stop)
    seen.run("up to", up_to)
    seen.run("up to", up_to)
    seen.run("take", take)
    seen.run("take2", take2)

  compare(clusters, life)


def test_a_dequeue_that_times_out_loses_nothing(clusters):

  def lose(seen):
    q = tf1.FIFOQueue(10, [tf.int32], [[]], name="kept")
    seen.run("put", q.enqueue_many([[1, 2, 3]]))
    seen.run("late", q.dequeue_many(5), options=SOON)
    seen.run("size", q.size())  # 0 on stock: what it had taken is gone
    if seen.all[-1][1] == 3:
      assert seen.session.run(q.dequeue_many(3)).tolist() == [1, 2, 3]

  ours = compare(clusters, lose, deviations=("size",))
  assert ours[-1] == ("size", 3)


def test_priority(clusters):

  def order(seen):
    q = tf1.PriorityQueue(100, [tf.string], [[]], name="p")
    seen.run("put", q.enqueue_many([[3, 1, 2, 1, 3, -1], ["a", "b", "c", "d", "e", "f"]]))
    seen.run("take", q.dequeue())
    seen.run("many", q.dequeue_many(4))
    seen.run("size", q.size())

  compare(clusters, order)


def test_padding(clusters):

  def pads(seen):
    q = tf1.PaddingFIFOQueue(100, [tf.int32, tf.string], [[None], [None, 2]], name="pad")
    for n in (1, 3, 2):
      seen.run("put", q.enqueue([tf.range(n), tf.fill([n, 2], "x")]))
    seen.run("many", q.dequeue_many(3))

  compare(clusters, pads)


def test_shuffle_is_stocks(clusters):

  def shuffles(seen):
    q = tf1.RandomShuffleQueue(200, 10, [tf.int32], [[]], seed=42, name="s")
    seen.run("put", q.enqueue_many([tf.range(100)]))
    for _ in range(3):
      seen.run("take", q.dequeue_many(20))
    seen.run("one", q.dequeue())
    seen.run("close", q.close())
    seen.run("rest", q.dequeue_up_to(100))

  compare(clusters, shuffles)


def test_shared_queues(clusters):

  def shares(seen):
    with tf.device("/job:ps/task:0"):
      a = tf1.FIFOQueue(10, [tf.int32], [[]], shared_name="both")
      b = tf1.FIFOQueue(10, [tf.int32], [[]], shared_name="both")
      other = tf1.FIFOQueue(9, [tf.int32], [[]], shared_name="both")
      types = tf1.FIFOQueue(10, [tf.int64], [[]], shared_name="both")
      kind = tf1.RandomShuffleQueue(10, 0, [tf.int32], [[]], shared_name="both")
    seen.run("put", a.enqueue(7))
    seen.run("take", b.dequeue())
    seen.run("capacity", other.size())
    seen.run("types", types.size())
    seen.run("kind", kind.size())
    chosen = tf1.QueueBase.from_list(tf1.placeholder_with_default(1, []), [a, b])
    seen.run("put", a.enqueue(8))
    seen.run("chosen", chosen.dequeue())
    with tf1.Session(seen.session.sess_str) as second:
      second.run(a.enqueue(9), options=PLENTY)
    seen.run("of the other session", b.dequeue())

  compare(clusters, shares)


def test_cancel_by_closing_the_session(clusters):
  for cluster in clusters:
    with tf1.Graph().as_default():
      q = tf1.FIFOQueue(10, [tf.int32], [[]], name="blocked")
      began = tf1.FIFOQueue(1, [tf.int32], [[]], shared_name="the_step_began")
      with tf.control_dependencies([began.enqueue(1)]):
        take = q.dequeue()
      begun = began.dequeue()
      session = tf1.Session(cluster.target("worker"))
      session.run(q.size())
      caught = []

      def run():
        try:
          session.run(take)
        except errors.OpError as e:
          caught.append(e)

      thread = threading.Thread(target=run)
      thread.start()
      with tf1.Session(cluster.target("worker")) as other:
        other.run(begun, options=PLENTY)
      session.close()
      thread.join(20)
      assert not thread.is_alive()
      assert isinstance(caught[0], (errors.CancelledError, errors.AbortedError)), caught


def test_waits_are_shown(clusters):
  """`millrace status` says who waits for which queue."""
  ours = clusters[0]
  with tf1.Graph().as_default():
    with tf.device("/job:ps/task:0"):
      q = tf1.FIFOQueue(10, [tf.int32], [[]], shared_name="starved")
      take = q.dequeue(name="hungry")
    with tf1.Session(ours.target("worker")) as session:
      thread = threading.Thread(target=lambda: session.run(take, options=PLENTY))
      thread.start()
      task_servers.wait_for(lambda: "dequeue from queue starved" in ours.status("ps"), lambda: ours.status("ps"))
      assert "node hungry" in ours.status("ps")
      session.run(q.enqueue(1), options=PLENTY)
      thread.join(20)
      assert not thread.is_alive()
