"""Iterators of data sets by the stock client: found by name or handle, waited for, cancelled, reset; on servers of ours and of stock."""

import threading

import pytest

pytest.importorskip("tensorflow")

import task_servers  # noqa: E402
import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402
from data_elements import PLENTY, drain  # noqa: E402

tf1 = tf.compat.v1
Dataset = tf1.data.Dataset
SOON = tf1.RunOptions(timeout_in_ms=700)


def test_feedable(on_both):
  """One get_next for iterators whose handles are fed, on two devices."""

  def program(cluster):
    handle = tf1.placeholder(tf.string, [])
    either = tf1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    wrong_type = tf1.data.Iterator.from_string_handle(handle, tf.float32, []).get_next()
    wrong_shape = tf1.data.Iterator.from_string_handle(handle, tf.int64, [2]).get_next()
    once = tf1.data.make_one_shot_iterator(Dataset.range(10))
    begun = tf1.data.make_initializable_iterator(Dataset.range(100, 200))
    with tf1.Session(cluster.target("worker")) as session:
      one, other = session.run([once.string_handle(), begun.string_handle()])
      seen = {"before": outcome(lambda: session.run(either, {handle: other}))}
      session.run(begun.initializer)
      seen["turns"] = [session.run(either, {handle: h}) for h in (one, other, other, one)]
      seen["type"] = outcome(lambda: session.run(wrong_type, {handle: one}))
      seen["shape"] = outcome(lambda: session.run(wrong_shape, {handle: one}))
      seen["nonsense"] = outcome(lambda: session.run(either, {handle: "nonsense"}))
      seen["empty"] = outcome(lambda: session.run(either, {handle: ""}))
      return seen

  on_both(program)


def test_reinitializable(on_both):
  def program(cluster):
    with tf.device("/job:ps/task:0"):
      iterator = tf1.data.Iterator.from_structure((tf.int64, tf.string), ([], [None]))
      following = iterator.get_next()
      train = iterator.make_initializer(Dataset.range(3).map(lambda x: (x, tf.fill([x], "t"))))
      test = iterator.make_initializer(Dataset.range(7, 9).map(lambda x: (x, ["e", "f"])))
    with tf1.Session(cluster.target("worker")) as session:
      seen = []
      for begin in (train, test, train):
        session.run(begin)
        seen.append(drain(session, following))
      session.run(train)
      seen.append(session.run(following))
      session.run(test)
      seen.append(drain(session, following))
      return seen

  on_both(program)


def test_shared_by_two_sessions(on_both):
  """An iterator with a name: another session, by another server, goes on where the first stopped."""

  def program(cluster):
    def build():
      with tf.device("/job:ps/task:0"):
        k = tf.constant(100, tf.int64)
        iterator = tf1.data.make_initializable_iterator(Dataset.range(6).map(lambda x: x + k).prefetch(1), shared_name="both")
        return iterator.initializer, iterator.get_next()

    seen = []
    with tf1.Graph().as_default() as first:
      begin, following = build()
      with tf1.Session(cluster.target("worker"), graph=first) as session:
        session.run(begin)
        seen += [session.run(following) for _ in range(2)]
    with tf1.Graph().as_default() as second:
      begin, following = build()
      with tf1.Session(cluster.target("worker", 1), graph=second) as session:
        seen += drain(session, following)
        session.run(begin)
        seen.append(session.run(following))
    return seen

  on_both(program)


def test_a_reset_frees_iterators(on_both):
  def program(cluster):
    def build():
      with tf.device("/job:ps/task:0"), tf1.container("inputs"):
        iterator = tf1.data.make_initializable_iterator(Dataset.range(6).repeat().prefetch(2), shared_name="it")
        return iterator.initializer, iterator.get_next()

    seen = []
    for _ in range(2):
      with tf1.Graph().as_default() as graph:
        begin, following = build()
        with tf1.Session(cluster.target("worker"), graph=graph) as session:
          seen.append(outcome(lambda: session.run(following)))
          session.run(begin)
          seen.append(session.run(following))
      tf1.Session.reset(cluster.target("worker"), ["inputs"])
    return seen

  on_both(program)


def test_a_wait_that_times_out_loses_nothing(our_cluster):
  """A map that waits for a queue: the calls that end early take nothing with them."""
  with tf1.Graph().as_default():
    with tf.device("/job:ps/task:0"):
      q = tf1.FIFOQueue(10, [tf.int64], [[]], shared_name="slow", name="slow")

      def wait(x):
        inner = tf1.FIFOQueue(10, [tf.int64], [[]], shared_name="slow", name="slow")
        return x * 100 + inner.dequeue()

      iterator = tf1.data.make_initializable_iterator(Dataset.range(10).map(wait))
      following = iterator.get_next()
      batches = tf1.data.make_initializable_iterator(Dataset.range(10).map(wait).batch(2))
      pair = batches.get_next()
    value = tf1.placeholder(tf.int64, [])
    put = q.enqueue(value)
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run([iterator.initializer, batches.initializer])
      for _ in range(2):
        with pytest.raises(tf.errors.DeadlineExceededError):
          session.run(following, options=SOON)
      session.run(put, {value: 7})
      assert session.run(following, options=PLENTY) == 7
      threads = [threading.Thread(target=lambda: session.run(put, {value: v})) for v in (1, 2)]
      session.run(put, {value: 3})
      with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(pair, options=SOON)
      for thread in threads:
        thread.start()
      for thread in threads:
        thread.join()
      assert session.run(pair, options=PLENTY)[0] == 3
      assert session.run(following, options=PLENTY) in (101, 102)


def test_an_endless_call_ends_with_its_step(our_cluster):
  with tf1.Graph().as_default():
    with tf.device("/job:ps/task:0"):
      spin = Dataset.range(3).map(lambda x: tf.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, [x]))
      following = tf1.data.make_one_shot_iterator(spin).get_next()
      empty = tf1.data.make_one_shot_iterator(Dataset.range(2).repeat().filter(lambda x: x < 0)).get_next()
    with tf1.Session(our_cluster.target("worker")) as session:
      for fetch in (following, empty, following):
        with pytest.raises(tf.errors.DeadlineExceededError):
          session.run(fetch, options=SOON)
      assert session.run(tf1.constant(1)) == 1


def test_working_ahead_ends_with_the_session(our_cluster):
  """What a prefetch calls counts; after the session nothing counts any more."""

  def build():
    with tf.device("/job:ps/task:0"):
      v = tf1.get_variable("calls", [], tf.int64, initializer=tf.zeros_initializer(), use_resource=True)
      count = Dataset.range(10**9).map(lambda x: v.assign_add(1))
      ahead = tf1.data.make_initializable_iterator(count.prefetch(10**6))
      return v, ahead.initializer, ahead.get_next()

  with tf1.Graph().as_default():
    v, begin, following = build()
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(v.initializer)
      session.run(begin)
      assert session.run(following, options=PLENTY) == 1
      before = session.run(v)
      task_servers.wait_for(lambda: session.run(v) >= before + 100, "it does not work ahead")
  with tf1.Graph().as_default():
    v, _, _ = build()
    with tf1.Session(our_cluster.target("worker")) as session:
      task_servers.wait_for(lambda: len({int(session.run(v)) for _ in range(20)}) == 1, "it counts on after the session")


def test_many_ask_at_once(our_cluster):
  """Each element goes to one of the steps that wait."""
  with tf1.Graph().as_default():
    with tf.device("/job:ps/task:0"):
      ds = Dataset.range(400).map(lambda x: x, num_parallel_calls=4).shuffle(50).prefetch(5)
      following = tf1.data.make_one_shot_iterator(ds).get_next()
    with tf1.Session(our_cluster.target("worker")) as session:
      got = []

      def take():
        while True:
          try:
            got.append(session.run(following, options=PLENTY))
          except tf.errors.OutOfRangeError:
            return

      threads = [threading.Thread(target=take) for _ in range(8)]
      for thread in threads:
        thread.start()
      for thread in threads:
        thread.join()
      assert sorted(got) == list(range(400))


def test_wrong_elements(on_both):
  """Types and shapes that an iterator does not have."""

  def program(cluster):
    iterator = tf1.data.Iterator.from_structure(tf.int64, [2])
    following = iterator.get_next()
    fits = Dataset.range(4).batch(2)
    bad = Dataset.range(5).batch(2).map(lambda x: tf.ensure_shape(tf1.placeholder_with_default(x, [None]), [None]))
    begin = iterator.make_initializer(bad)
    with tf1.Session(cluster.target("worker")) as session:
      session.run(begin)
      return drain(session, following), outcome(lambda: session.run(iterator.make_initializer(fits)))

  on_both(program)
