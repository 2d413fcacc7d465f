"""Reads of reference variables are what they are in TensorFlow: the sentences of docs/design/0016-reference-variables.md.

In stock what is read of a reference variable is its buffer, so whoever runs behind an update sees the update, however the
value got there. Every program has one answer: its updates and readers are ordered by control dependencies.
"""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops

PS = "/job:ps/task:0"


@pytest.fixture(autouse=True)
def reference_variables():
  """The first generation: reference variables, Switch and Merge."""
  resources, functions = tf1.resource_variables_enabled(), tf1.control_flow_v2_enabled()
  tf1.disable_resource_variables()
  tf1.disable_control_flow_v2()
  yield
  if resources:
    tf1.enable_resource_variables()
  if functions:
    tf1.enable_control_flow_v2()


NOT_REWRITTEN = tf1.ConfigProto()
NOT_REWRITTEN.graph_options.rewrite_options.disable_meta_optimizer = True
NOT_REWRITTEN.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
REWRITTEN = tf1.ConfigProto()
REWRITTEN.graph_options.rewrite_options.min_graph_nodes = -1


@pytest.fixture(params=["rewritten", "as it is"])
def config(request):
  """With graph rewriting and without."""
  return REWRITTEN if request.param == "rewritten" else NOT_REWRITTEN


def variable(value, name="v", **options):
  return tf1.Variable(tf.constant(value), name=name, use_resource=False, **options)


def table(rows=4, columns=16, name="v", start=0.0):
  return variable(np.arange(start, start + rows * columns, dtype=np.float32).reshape(rows, columns), name)


def after(*ops):
  return tf1.control_dependencies(list(ops))


def runs(cluster, config, fetches, count=1, feeds=None):
  """The values of `fetches` of `count` runs, from initial values on. Stock's rewriting is always off, as it moves reads over
  updates; and the variables' task is the master, as others fetch from it at any time in stock."""
  with tf1.Session(cluster.target("ps"), config=config if cluster.kind == "millrace" else NOT_REWRITTEN) as session:
    session.run(tf1.global_variables_initializer())
    return [session.run(fetches, feeds) for _ in range(count)]


def test_a_read_behind_an_update_sees_it(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable(0.0)
      with after(tf1.assign_add(v, 1.0)):
        y = v + 10.0
    return runs(cluster, config, y, 4)

  assert on_both(program) == [11, 12, 13, 14]


def test_a_fetch_is_what_the_variable_is_behind_the_step(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable([4.0])
      return runs(cluster, config, [tf1.assign_add(v, [1.0]), v, tf.identity(v), v.value()], 3)

  assert np.all(np.array(on_both(program)).ravel() == np.repeat([5, 6, 7], 4))


def test_an_update_sees_the_one_before(on_both, config):
  """Moving averages of a variable that the step assigns."""

  def program(cluster):
    with tf1.device(PS):
      v = variable(4.0)
      average = tf1.train.ExponentialMovingAverage(0.5)
      with after(tf1.assign(v, 8.0)):
        maintain = average.apply([v])
      with after(maintain):
        y = average.average(v) * 1.0
    return runs(cluster, config, [y, average.average(v)], 2)

  assert np.allclose(on_both(program), [[6, 6], [7, 7]])


HANDED_ON = {
  "identity": tf.identity,
  "identity_n": lambda x: raw.IdentityN(input=[x, tf.constant(1)])[0],
  "stop_gradient": tf.stop_gradient,
  "prevent_gradient": lambda x: raw.PreventGradient(input=x),
  "check_numerics": lambda x: tf1.check_numerics(x, "bad"),
  "reshape": lambda x: tf.reshape(x, [2, 32]),
  "expand_dims": lambda x: tf.expand_dims(x, 0),
  "squeeze": lambda x: tf.squeeze(tf.expand_dims(x, 0), [0]),
  "ensure_shape": lambda x: tf.ensure_shape(x, [4, None]),
  "bitcast": lambda x: tf.bitcast(x, tf.int32),
  "cast": lambda x: raw.Cast(x=x, DstT=tf.float32),
  "tile": lambda x: raw.Tile(input=x, multiples=[1, 1]),
  "pad": lambda x: tf.pad(x, [[0, 0], [0, 0]]),
  "transpose": lambda x: tf.transpose(tf.reshape(x, [4, 1, 16]), [1, 0, 2]),
  "reduce": lambda x: raw.Sum(input=x, axis=np.zeros([0], np.int32)),
  "add_n": lambda x: raw.AddN(inputs=[x]),
  "pack": lambda x: tf.stack([x]),
  "slice": lambda x: tf.slice(x, [1, 0], [2, 16]),
  "strided_slice": lambda x: x[1:3],
  "row": lambda x: x[2],
  "split": lambda x: tf.split(x, 2)[1],
  "split_v": lambda x: tf.split(x, [1, 3])[1],
  "unstack": lambda x: tf.unstack(x)[3],
  "broadcast": lambda x: tf.broadcast_to(x, [4, 16]),
  "select": lambda x: raw.Select(condition=tf.constant(True), x=x, y=x),
  "einsum": lambda x: raw.Einsum(inputs=[x], equation="ij->ij"),
  "einsum_of_one": lambda x: raw.Einsum(inputs=[tf.reshape(x, [64, 1])], equation="ij->i"),
  "split_vector": lambda x: tf.split(tf.reshape(x, [-1]), [16, 48])[1],
  "moved_ones": lambda x: tf.transpose(tf.reshape(x, [1, 64]), [1, 0]),
  "print": lambda x: tf1.Print(x, [x], first_n=1),
  "placeholder": lambda x: tf1.placeholder_with_default(x, [4, 16]),
  "of_a_slice": lambda x: tf.reshape(tf.identity(x[1:3])[1], [4, 4]),
}
BOUND = {
  "plus": lambda x: x + 0.5,
  "times_one": lambda x: x * 1.0,
  "minus_zero": lambda x: x - 0.0,
  "twice_negative": lambda x: -(-x),
  "snapshot": lambda x: raw.Snapshot(input=x),
  "deep_copy": lambda x: raw.DeepCopy(x=x),
  "unaligned_slice": lambda x: tf.slice(x, [1, 1], [2, 8]),
  "column": lambda x: x[:, 3],
  "gather": lambda x: tf.gather(x, [3, 1]),
  "gather_nd": lambda x: tf.gather_nd(x, [[3, 1]]),
  "tensor_scatter": lambda x: tf.tensor_scatter_nd_add(x, [[1]], tf.ones([1, 16])),
  "parallel_stack": lambda x: tf.parallel_stack([x, x]),
  "reverse": lambda x: tf.reverse(x, [0]),
  "transpose": tf.transpose,
  "turned_row": lambda x: x[2:1:-1],
  "badly_split_vector": lambda x: tf.split(tf.reshape(x, [-1]), [16, 17, 31])[0],
  "euclidean_norm": lambda x: raw.EuclideanNorm(input=x, axis=np.zeros([0], np.int32)),
  "conjugate": lambda x: raw.ConjugateTranspose(x=x, perm=[0, 1]),
  "concat": lambda x: tf.concat([x, tf.zeros([0, 16])], 0),
  "tile": lambda x: tf.tile(x, [2, 1]),
  "unaligned_split": lambda x: tf.split(tf.reshape(x, [16, 4]), 2)[1],
  "split_vector": lambda x: tf.split(tf.reshape(x, [-1]), 2)[1],
  "add_n": lambda x: tf.add_n([x, x]),
  "pack": lambda x: tf.stack([x, x]),
  "mean": tf.reduce_mean,
  "matmul": lambda x: tf.matmul(x, x, transpose_b=True),
  "chain": lambda x: tf.tanh(x * 0.01 + 1.0) * 2.0,
}


@pytest.mark.parametrize("name", HANDED_ON)
def test_ops_that_hand_their_buffer_on(on_both, config, name):
  def program(cluster):
    with tf1.device(PS):
      v = table()
      made = HANDED_ON[name](tf.identity(v))
      with after(made):
        update = tf1.assign_add(v, tf.ones([4, 16]) * 100)
      with after(update):
        reader = tf.identity(made)
    return runs(cluster, config, [made, reader], 2)

  made, reader = on_both(program)[0]
  np.testing.assert_array_equal(made, reader)


@pytest.mark.parametrize("name", BOUND)
def test_all_others_bind_when_they_start(on_both, config, name):
  def program(cluster):
    with tf1.device(PS):
      v = table()
      made = BOUND[name](tf.identity(v))
      with after(made):
        update = tf1.assign_add(v, tf.ones([4, 16]) * 100)
      with after(update):
        reader, now = tf.identity(made), v + 0.0
    return runs(cluster, config, [made, reader, now], 2)

  on_both(program)


def test_assignments_of_as_many_elements_keep_the_memory(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable(np.zeros([4, 4], np.float32), validate_shape=False)
      view = tf.identity(v)
      with after(view):
        reshaped = tf1.assign(v, np.full([2, 8], 7, np.float32), validate_shape=False)
      with after(reshaped):
        behind = view + 0.0
      with after(behind):
        longer = tf1.assign(v, np.full([3, 8], 9, np.float32), validate_shape=False)
      with after(longer):
        again = tf1.assign(v, np.full([4, 4], 5, np.float32), validate_shape=False)
      with after(again):
        last = [view + 0.0, v.read_value() + 0.0]
    return runs(cluster, config, [behind] + last)

  behind, view, now = on_both(program)[0]
  assert np.all(behind == 7) and np.all(view == 7) and np.all(now == 5) and view.shape == (4, 4)


def test_a_view_of_nothing_fails(on_both):
  def program(cluster):
    with tf1.device(PS):
      v = variable(1.0)
      with tf1.Session(cluster.target("worker")) as session:
        return outcome(lambda: session.run(tf.identity(tf.identity(v, name="view"), name="behind")))

  assert on_both(program)[0] == "FailedPreconditionError"


# The update by the variable's own value x, and what it makes of the values.
UPDATES = {
  "assign": (lambda v, x: tf1.assign(v, x * 3), lambda a: a * 3),
  "assign_add": (tf1.assign_add, lambda a: a + a),
  "assign_sub": (tf1.assign_sub, lambda a: a - a),
  "scatter_add": (lambda v, x: tf1.scatter_add(v, [0, 2], x[1:3]), lambda a: a + np.stack([a[1], 0 * a[0], a[2], 0 * a[0]])),
  "scatter_sub": (lambda v, x: tf1.scatter_sub(v, [3, 0], x[2:4]), lambda a: a - np.stack([a[3], 0 * a[0], 0 * a[0], a[2]])),
  "scatter_update": (lambda v, x: tf1.scatter_update(v, [0, 1, 2], x[1:4]), lambda a: a[[1, 2, 3, 3]]),
  "scatter_mul": (lambda v, x: tf1.scatter_mul(v, [1], x[1:2]), lambda a: np.stack([a[0], a[1] * a[1], a[2], a[3]])),
  "scatter_nd_add": (lambda v, x: tf1.scatter_nd_add(v, [[0]], x[1:2]), lambda a: np.stack([a[0] + a[1], a[1], a[2], a[3]])),
  "scatter_nd_sub": (lambda v, x: tf1.scatter_nd_sub(v, [[3]], x[2:3]), lambda a: np.stack([a[0], a[1], a[2], a[3] - a[2]])),
  "scatter_nd_update": (lambda v, x: tf1.scatter_nd_update(v, [[0]], x[3:4]), lambda a: a[[3, 1, 2, 3]]),
  "ref_select": (
    lambda v, x: raw.AssignAdd(
      ref=raw.RefSelect(index=1, inputs=[variable(np.zeros([4, 16], np.float32), "o")._ref(), v._ref()]), value=x
    ),
    lambda a: a + a,
  ),
  "gradient_descent": (lambda v, x: raw.ApplyGradientDescent(var=v._ref(), alpha=0.5, delta=x), lambda a: a - 0.5 * a),
  "momentum": (
    lambda v, x: raw.ApplyMomentum(
      var=v._ref(), accum=variable(np.zeros([4, 16], np.float32), "m")._ref(), lr=0.25, grad=x, momentum=0.5
    ),
    None,
  ),
}
# Rows that it has written and then reads.
STOCK_READS_WHAT_IT_WRITES = ("scatter_update", "scatter_sub")


@pytest.mark.parametrize("name", UPDATES)
def test_updates_by_the_variables_own_value(on_both, our_cluster, config, name):
  make, expected = UPDATES[name]

  def program(cluster):
    with tf1.device(PS):
      v = table(start=1.0)
      with after(make(v, tf.identity(v))):
        last = v + 0.0
    return runs(cluster, config, last, 2)

  if name in STOCK_READS_WHAT_IT_WRITES:
    with tf1.Graph().as_default():
      values = program(our_cluster)
  else:
    values = on_both(program)
  if expected is not None:
    once = expected(np.arange(1, 65, dtype=np.float32).reshape(4, 16))
    np.testing.assert_allclose(values, [once, expected(once)], 1e-6)


def test_updates_that_cross_over_two_variables(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      a, b = table(name="a"), table(name="b", start=1000.0)
      copies = [tf.identity(a)[0:2] * 1.0, tf.identity(b)[0:2] * 1.0]
      with after(*copies):
        updates = [tf1.scatter_add(a, [2, 3], copies[1]), tf1.scatter_add(b, [2, 3], copies[0])]
      with after(*updates):
        more = [tf1.assign_add(a, tf.ones([4, 16])), tf1.assign_sub(b, tf.ones([4, 16]))]
      with after(*more):
        last = [a + 0.0, b + 0.0]
    return runs(cluster, config, last, 3)

  on_both(program)


def test_loops_see_the_updates_of_their_bodies(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable(2.0)

      def body(i):
        with after(tf1.assign(v, v * v)):
          return i + 1

      turns = tf1.while_loop(lambda i: i < 3, body, [tf.constant(0)], back_prop=False, parallel_iterations=1)
      with after(turns):
        last = v + 0.0
    return runs(cluster, config, [turns, last])

  assert on_both(program)[0][1] == 256


def test_conditions_on_what_is_updated(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable(0.0)
      x = tf.identity(v)
      with after(tf1.assign_add(v, 1.0)):
        y = tf1.cond(x > 2.0, lambda: x * 10.0, lambda: -x)
    return runs(cluster, config, [y, x], 5)

  assert np.allclose(on_both(program), [[-1, 1], [-2, 2], [30, 3], [40, 4], [50, 5]])


def test_functions_take_views(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable(np.arange(4, dtype=np.float32))
      x = tf.identity(v)
      taken = tf.function(lambda t: tf.identity(t))(x)
      computed = tf.function(lambda t: t * 2.0)(x)
      with after(taken, computed):
        update = tf1.assign_add(v, tf.ones([4]))
      with after(update):
        readers = [taken + 0.0, computed + 0.0]
    return runs(cluster, config, readers, 2)

  on_both(program)


def test_between_devices(on_both, config):
  """A send to another task binds when it starts; the rest of the step there reads what was sent."""

  def program(cluster):
    with tf1.device(PS):
      v = variable(np.arange(4, dtype=np.float32))
      x = tf.identity(v)
    with tf1.device("/job:worker/task:1"):
      there = x + 0.5
    with tf1.device(PS), after(there):
      update = tf1.assign_add(v, tf.ones([4]))
    with tf1.device("/job:worker/task:1"), after(update):
      behind = x + 0.0
    with tf1.device(PS), after(behind):
      last = v + 0.0
    return runs(cluster, config, [there, behind, last], 3)

  on_both(program)


@pytest.mark.parametrize("master", ["ps", "worker"])
@pytest.mark.parametrize("waits_for", ["worker/task:0", "worker/task:1", "queue"])
def test_a_fetch_beside_an_update_that_waits(on_both, config, master, waits_for):
  """A fetch is sent to the master's task as soon as it is there, so a worker that runs [train_op, global_step] is given the
  step before the update; a master on the variable's own task reads the variable when the step has ended."""

  def program(cluster):
    with tf1.device(PS):
      v = variable(np.int64(0))
      snapshot = tf.identity(tf.identity(v))
      queue = tf1.FIFOQueue(10, tf.float32, [[]])
    if waits_for == "queue":
      with tf1.device(PS):
        gradient = queue.dequeue()
      with tf1.device("/job:worker/task:1"):
        feed = queue.enqueue(tf.reduce_sum(tf1.random.uniform([100, 100])))
    else:
      with tf1.device("/job:" + waits_for):
        gradient = tf.reduce_sum(tf1.random.uniform([100, 100]))  # which no rewriting takes out
      feed = tf.no_op()
    with tf1.device(PS), after(gradient):
      update = tf1.assign_add(v, 1)
    with tf1.Session(cluster.target(master), config=config if cluster.kind == "millrace" else NOT_REWRITTEN) as session:
      session.run(tf1.global_variables_initializer())
      runs = [[got - step for got in session.run([update.op, feed, v, snapshot])[2:]] for step in range(20)]
      if cluster.kind == "millrace":
        assert all(run == runs[0] for run in runs)
      return max(runs, key=runs.count)  # stock's request comes late at times

  seen = 1 if master == "ps" else 0
  assert on_both(program) == [seen, seen]


def test_a_fetch_from_another_task_beside_updates_that_wait_for_nothing(our_cluster, config):
  """What stock gives depends on which comes first, the update or the master's request; it is mostly the update."""
  with tf1.Graph().as_default():
    with tf1.device(PS):
      v = variable(0.0, "early")
      updates = tf.group(tf1.assign_add(v, 1.0), tf1.assign_add(v, 2.0))
    with tf1.Session(our_cluster.target("worker"), config=config) as session:
      session.run(tf1.global_variables_initializer())
      assert [session.run([updates, v])[1] for _ in range(4)] == [3, 6, 9, 12]


def test_feeds_and_partial_runs(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable([1.0, 2.0])
      x = tf.identity(v)
      a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
      first = tf1.assign_add(v, [1.0, 1.0] * tf.ones([2]) * a)
      with after(first):
        middle = x * 2.0
      with after(middle):
        second = tf1.assign_add(v, tf.ones([2]) * b)
      with after(second):
        last = x * 1.0
    with tf1.Session(cluster.target("worker"), config=config) as session:
      session.run(tf1.global_variables_initializer())
      handle = session.partial_run_setup([middle, last], [a, b])
      parts = [session.partial_run(handle, middle, {a: 1.0}), session.partial_run(handle, last, {b: 10.0})]
      fed = session.run([middle, last], {a: 1.0, b: 1.0, x: [100.0, 100.0]})
      call = session.make_callable([middle, last], [a, b])
      return parts, fed, call(1.0, 2.0)

  parts, fed, _ = on_both(program)
  assert np.allclose(parts, [[4, 6], [12, 13]]) and np.allclose(fed, [[200, 200], [100, 100]])


def test_lookups_behind_updates_of_rows(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = table(rows=50)
      x = tf.identity(v)
      with after(tf1.scatter_add(v, [3, 7], tf.ones([2, 16]))):
        rows = [
          tf.gather(x, [7, 3, 0]),
          tf.nn.embedding_lookup(v, [3, 3]),
          tf.gather_nd(x, [[7, 2], [0, 0]]),
          tf.gather(x, [0, 15], axis=1),
          x[3],
          x[2:9, 1:3],
          tf.slice(x, [3, 2], [5, 3]),
          x[9:2:-3],
        ]
      with after(*rows):
        more = tf1.scatter_sub(v, [7], tf.ones([1, 16]) * 5)
      with after(more):
        last = [tf.gather(x, [7, 3]), x[7] + 0.0, tf.reduce_sum(x)]
    return runs(cluster, config, rows + last, 3)

  on_both(program)


def test_strings_and_lookups_of_strings(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable(np.array([b"a", b"b" * 40, b"c"]))
      x = tf.identity(v)
      with after(tf1.scatter_update(v, [1], tf.constant([b"d" * 50]))):
        rows = [tf.gather(x, [1, 0]), tf.strings.join([x, x])]
    return runs(cluster, config, rows + [x])

  on_both(program)


def test_queues_keep_what_was_computed(on_both, config):
  def program(cluster):
    with tf1.device(PS):
      v = variable([1.0, 2.0])
      queue = tf1.FIFOQueue(10, [tf.float32], [[2]])
      put = queue.enqueue(tf.identity(v) * 2.0)
      with after(put):
        update = tf1.assign_add(v, [1.0, 1.0])
      with after(update):
        got = queue.dequeue()
    return runs(cluster, config, [got, v], 3)

  on_both(program)
