"""Clusters of both: a ps of ours under a stock master and worker, a stock worker under a master of ours.

The same programs as on a cluster of stock alone give the same values, codes and first words.
"""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import compare_clusters  # noqa: E402
import task_servers  # noqa: E402
import tensorflow as tf  # noqa: E402
import variant_programs  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1

JOBS = {"ps": 1, "worker": 2}
MIXED = {
  # The master is that of worker 0, which the programs talk to.
  "our_ps": {("ps", 0): "millrace"},
  "our_master": {("worker", 0): "millrace"},
  "our_ps_and_master": {("ps", 0): "millrace", ("worker", 0): "millrace"},
  "our_second_worker": {("worker", 1): "millrace"},
}


@pytest.fixture(scope="module")
def stock():
  with task_servers.Cluster(JOBS, kind="stock", together=True) as made:
    yield made


@pytest.fixture(scope="module", params=MIXED)
def mixed(request):
  with task_servers.Cluster(JOBS, kind="stock", kinds=MIXED[request.param]) as made:
    yield made


@pytest.fixture
def on_mixed(mixed, stock):
  return lambda program, **options: compare_clusters.run(program, mixed, stock, **options)


def at(job, task=0):
  return tf1.device(f"/job:{job}/task:{task}/cpu:0")


def test_variables_and_updates(on_mixed, era):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 20], name="x")
    with at("ps"):
      w = tf1.get_variable("w", initializer=np.linspace(-1, 1, 60, dtype=np.float32).reshape(20, 3))
      b = tf1.get_variable("b", initializer=tf.zeros([3]))
    with at("worker", 1):
      loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, w) + b) - 1.0))
    train = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    feed = {x: np.random.RandomState(0).rand(8, 20).astype(np.float32)}
    with tf1.Session(cluster.target("worker")) as session:
      session.run(tf1.global_variables_initializer())
      losses = [session.run([loss, train], feed)[0] for _ in range(20)]
      return {"losses": losses, "w": session.run(w), "b": session.run(b)}

  # A stock master's rewriting makes one op of MatMul, BiasAdd and Relu.
  assert on_mixed(program)["losses"][-1] < 0.6


def test_every_type_travels(on_mixed):
  def program(cluster):
    values = [
      np.arange(6).reshape(2, 3).astype(t)
      for t in ("float32 float64 float16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128").split()
    ]
    values += [np.array([b"", b"a\0b", b"long" * 100], object), np.zeros([0, 4], np.float32), np.float32(3)]
    fetched = []
    with at("ps"):
      sent = [tf.constant(v) for v in values] + [tf.cast(tf.constant([1.5, 2.5]), tf.bfloat16)]
    with at("worker", 1):
      fetched = [tf.identity(s) for s in sent[:-1]] + [tf.cast(sent[-1], tf.float32)]
    with tf1.Session(cluster.target("worker")) as session:
      return [v if v.dtype != object else [bytes(b).decode("latin1") for b in v] for v in map(np.asarray, session.run(fetched))]

  on_mixed(program)


@pytest.mark.parametrize("program", variant_programs.PROGRAMS, ids=lambda p: p.__name__)
def test_variants_travel(on_mixed, program):
  on_mixed(program)


def test_queues(on_mixed):
  def program(cluster):
    with at("ps"):
      queue = tf.queue.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], []], shared_name="mixed")
    with at("worker", 1):
      put = queue.enqueue_many([[1, 2, 3], ["a", "b", "c"]])
      take = queue.dequeue()
    with tf1.Session(cluster.target("worker")) as session:
      session.run(put)
      first = session.run(take)
      session.run(queue.close())
      return {
        "first": int(first[0]),
        "size": int(session.run(queue.size())),
        "rest": [int(session.run(take)[0]) for _ in range(2)],
        "end": outcome(lambda: session.run(take)),
      }

  assert on_mixed(program)["end"][0] == "OutOfRangeError"


def test_loops_over_tasks(on_mixed, era):
  def program(cluster):
    with at("worker", 1):
      i = tf.constant(0)
    with at("ps"):
      limit = tf.constant(7)

    def body(i, total):
      with at("ps"):
        return i + 1, total + tf.cast(i, tf.float32)

    count, total = tf1.while_loop(lambda i, t: i < limit, body, [i, tf.constant(0.0)])
    with tf1.Session(cluster.target("worker")) as session:
      return [np.asarray(v) for v in session.run([count, total])]

  if era == "tf2":
    pytest.skip("stock's servers place the loop as one op; ours likewise, so nothing crosses tasks")
  on_mixed(program)


def test_switch_case(on_mixed):
  """A stock master makes nodes of the branches, ours calls them."""

  def program(cluster):
    index = tf1.placeholder(tf.int32, [])
    with at("worker", 1):
      x = tf.constant([1.0, 2.0])
      y = tf.switch_case(index, [lambda: tf.sin(x), lambda: x * x, lambda: tf.constant([5.0, 6.0])])
      (slope,) = tf1.gradients(y * y, [x])
    with tf1.Session(cluster.target("worker")) as session:
      return [session.run([y, slope], {index: i}) for i in (0, 1, 2, 3, -1)]

  on_mixed(program)


def test_errors(on_mixed):
  def program(cluster):
    with at("ps"):
      unset = tf1.get_variable("unset", [2])
      bad = tf.gather([1, 2, 3], tf1.placeholder_with_default(7, []), name="bad")
    with at("worker", 1):
      after = tf.negative(bad, name="after")
      asserts = tf.debugging.Assert(tf1.placeholder_with_default(False, []), ["no", 1], name="asserts")
    with tf1.Session(cluster.target("worker")) as session:
      kinds = {}
      for name, fetch in (("unset", unset + 1.0), ("gather", after), ("assert", asserts)):
        got = outcome(lambda: session.run(fetch))
        kinds[name] = got[0]
      return kinds | {"still works": np.asarray(session.run(tf.constant(1)))}

  result = on_mixed(program)
  assert result["unset"] == "FailedPreconditionError" and result["gather"] == "InvalidArgumentError"


def test_reset_and_sharing(on_mixed):
  def program(cluster):
    with at("ps"), tf1.container("mine"):
      v = tf1.get_variable("v", initializer=1.0)
    add = tf1.assign_add(v, 2.0)
    with tf1.Session(cluster.target("worker")) as session:
      session.run(tf1.global_variables_initializer())
      session.run(add)
    with tf1.Session(cluster.target("worker", 1)) as session:
      seen = np.asarray(session.run(v))
    tf1.Session.reset(cluster.target("worker"), ["mine"])
    with tf1.Session(cluster.target("worker")) as session:
      return {"seen": seen, "after": outcome(lambda: session.run(v))[0]}

  assert on_mixed(program)["after"] == "FailedPreconditionError"
