"""What the steps of several workers meet at, by the stock client, on servers of ours and of stock: the same values, codes
and first words."""

import threading

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import task_servers  # noqa: E402
import tensorflow as tf  # noqa: E402
from compare_runs import PLENTY, SOON, compare  # noqa: E402
from tensorflow.python.ops import data_flow_ops  # noqa: E402

tf1 = tf.compat.v1
errors = tf.errors

pytestmark = pytest.mark.filterwarnings("ignore")


def train_together(cluster, steps):
  """Two workers train one weight by SyncReplicasOptimizer; returns the weight of the end."""
  failed = []

  def work(index):
    try:
      train(index)
    except Exception as e:  # pylint: disable=broad-except
      failed.append(e)

  def train(index):
    with tf1.Graph().as_default():
      with tf1.device(tf1.train.replica_device_setter(cluster=cluster.spec(), worker_device=f"/job:worker/task:{index}")):
        step = tf1.train.get_or_create_global_step()
        weights = tf1.get_variable("w", initializer=[1.0, 2.0, 3.0], use_resource=False)
        loss = tf.reduce_sum(tf.square(weights))
        optimizer = tf1.train.SyncReplicasOptimizer(
          tf1.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2, total_num_replicas=2
        )
        update = optimizer.minimize(loss, global_step=step)
      hooks = [optimizer.make_session_run_hook(index == 0), tf1.train.StopAtStepHook(last_step=steps)]
      config = tf1.ConfigProto(operation_timeout_in_ms=60_000)
      with tf1.train.MonitoredTrainingSession(
        cluster.target("worker", index),
        is_chief=index == 0,
        hooks=hooks,
        config=config,
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
        stop_grace_period_secs=5,
      ) as session:
        while not session.should_stop():
          session.run(update)

  threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(2)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join(180)
    assert not thread.is_alive()
  assert not failed, failed
  with tf1.Graph().as_default(), tf1.Session(cluster.target("worker")) as session:
    with tf.device("/job:ps/task:0"):
      weights = tf1.get_variable("w", shape=[3], use_resource=False)
    return session.run(weights, options=PLENTY)


def test_synchronous_training(clusters):
  steps = 6
  for cluster in clusters:
    weights = train_together(cluster, steps)
    # As many updates as one worker alone would have done, or one more that was under way.
    expected = [np.array([1.0, 2.0, 3.0]) * 0.8**n for n in (steps, steps + 1)]
    assert any(np.allclose(weights, e, rtol=1e-5) for e in expected), weights


def test_accumulators(clusters):

  def accumulate(seen):
    with tf.device("/job:ps/task:0"):
      dense = tf1.ConditionalAccumulator(tf.float32, [2], name="dense")
      total = tf1.ConditionalAccumulator(tf.float32, [2], name="total", reduction_type="SUM")
      sparse = tf1.SparseConditionalAccumulator(tf.float32, [4, 2], name="sparse")
    for a in (dense, total):
      seen.run("apply", a.apply_grad([1.0, 2.0], local_step=0))
      seen.run("apply", a.apply_grad([3.0, 5.0], local_step=1))
      seen.run("count", a.num_accumulated())
      seen.run("take", a.take_grad(2))
      seen.run("late", a.apply_grad([3.0, 5.0], local_step=0))
      seen.run("count", a.num_accumulated())
      seen.run("none", a.take_grad(1), options=SOON)
      seen.run("set", a.set_global_step(7))
    seen.run("slices", sparse.apply_grad([0, 2], [[1.0, 1.0], [2.0, 2.0]]))
    seen.run("slices", sparse.apply_grad([2, 3], [[4.0, 4.0], [6.0, 6.0]]))
    seen.run("take", sparse.take_grad(2))

  compare(clusters, accumulate)


def test_staging_areas(clusters):

  def stages(seen):
    with tf.device("/job:ps/task:0"):
      area = data_flow_ops.StagingArea([tf.int32, tf.string], [[], [2]], capacity=3, shared_name="area")
      x = tf1.placeholder(tf.int32, [])
      put = area.put([x, tf.constant(["s", "t"])])
      take, peek, size, clear = area.get(), area.peek(1), area.size(), area.clear()
      keyed = data_flow_ops.MapStagingArea([tf.int32, tf.float32], [[], [2]], ["a", "b"], ordered=True, shared_name="keyed")
      key = tf1.placeholder(tf.int64, [])
      both = keyed.put(key, {"a": x, "b": tf.constant([0.5, 1.5])})
      part_a, part_b = keyed.put(key, {"a": x}), keyed.put(key, {"b": tf.constant([2.5, 3.5])})
      taken, least = keyed.get(key), keyed.get()
      sizes = [keyed.size(), keyed.incomplete_size()]
    for i in range(3):
      seen.run("put", put, {x: i})
    seen.run("size", size)
    seen.run("peek", peek)
    seen.run("take", take)
    seen.run("put", put, {x: 3})
    seen.run("clear", clear)
    seen.run("size", size)
    for k in (7, 3, 5):
      seen.run("both", both, {key: k, x: k})
    seen.run("part", part_a, {key: 4, x: 44})
    seen.run("sizes", sizes)
    seen.run("again", part_a, {key: 4, x: 44})
    seen.run("part", part_b, {key: 4})
    seen.run("taken", [taken[1]["a"], taken[1]["b"]], {key: 5})
    for _ in range(3):
      seen.run("least", [least[0], least[1]["a"], least[1]["b"]])
    seen.run("sizes", sizes)

  compare(clusters, stages)


def test_a_blocked_staging_area_heeds_the_deadline(clusters):
  """Stock's does not."""
  with tf1.Graph().as_default(), tf1.Session(clusters[0].target("worker")) as session:
    area = data_flow_ops.StagingArea([tf.int32], [[]], capacity=2, shared_name="deadline")
    put, take, size = area.put([tf.constant(7)]), area.get(), area.size()
    with pytest.raises(errors.DeadlineExceededError):
      session.run(take, options=SOON)
    for _ in range(2):
      session.run(put, options=PLENTY)
    with pytest.raises(errors.DeadlineExceededError):
      session.run(put, options=SOON)
    # By the clock of the server, which may be a little behind the client's, the put still waits.
    ours = clusters[0]
    task_servers.wait_for(lambda: "staging area deadline" not in ours.status("worker"), lambda: ours.status("worker"))
    assert session.run(size, options=PLENTY) == 2
    assert [np.ravel(session.run(take, options=PLENTY)).tolist() for _ in range(2)] == [[7], [7]]
    assert session.run(size, options=PLENTY) == 0


def test_barriers(clusters):

  def meets(seen):
    with tf.device("/job:ps/task:0"):
      barrier = data_flow_ops.Barrier([tf.string, tf.int32], [[], []], name="b")
      seen.run("a", barrier.insert_many(0, ["k1", "k2"], ["a", "b"]))
      seen.run("b", barrier.insert_many(1, ["k1"], [1]))
      seen.run("c", barrier.insert_many(0, ["k3"], ["c"]))
      seen.run("d", barrier.insert_many(1, ["k3"], [3]))
      seen.run("e", barrier.insert_many(1, ["k2"], [2]))
      seen.run("ready", barrier.ready_size())
      indices, keys, (first, second) = barrier.take_many(2)
      seen.run("take", [indices, keys, first, second])
      # Of a barrier of its own: on a busy machine stock's take goes on for a while after its time is over.
      seen.run("none", data_flow_ops.Barrier([tf.string], [[]], name="empty").take_many(2)[1], options=SOON)
      seen.run("f", barrier.insert_many(0, ["k4"], ["d"]))
      seen.run("begun", barrier.incomplete_size())
      seen.run("close", barrier.close())
      seen.run("new", barrier.insert_many(0, ["k5"], ["e"]))
      seen.run("g", barrier.insert_many(1, ["k4"], [4]))
      seen.run("rest", barrier.take_many(5, allow_small_batch=True)[1])
      seen.run("end", barrier.take_many(1)[1])

  compare(clusters, meets)


def test_critical_sections(clusters):
  """Two threads of each of two sessions add to one variable, reading it first; no addition is lost."""

  def adds(seen):
    with tf.device("/job:ps/task:0"):
      counter = tf1.get_variable("counter", initializer=0, use_resource=True)
      section = tf1.CriticalSection(shared_name="section")

      def add():
        value = counter.read_value()
        with tf.control_dependencies([counter.assign(value + 1, read_value=False)]):
          return tf.identity(value)

      update = section.execute(add).op
    seen.run("init", counter.initializer)

    def work(target):
      with tf1.Session(target) as session:
        for _ in range(10):
          session.run(update, options=PLENTY)

    graph = tf1.get_default_graph()

    def in_graph():
      with graph.as_default():
        work(seen.session.sess_str)

    threads = [threading.Thread(target=in_graph) for _ in range(4)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join(120)
      assert not thread.is_alive()
    seen.run("counter", counter)

  assert compare(clusters, adds)[-1] == ("counter", 40)
