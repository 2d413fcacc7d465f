"""Programs of control flow, names, strings, sizes and sessions: the same on servers of ours and of stock."""

import threading

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1

PS0, PS1, WORKER1 = "/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:1"


def run(cluster, fetches, feeds=None, worker=0):
  with tf1.Session(cluster.target("worker", worker)) as session:
    return session.run(fetches, feeds)


def test_a_loop_over_tasks(on_both, era):
  def program(cluster):
    def body(i, total):
      with tf.device(PS0):
        twice = total * 2
      with tf.device(WORKER1):
        return i + 1, twice + tf.cast(i, tf.float32)

    limit = tf1.placeholder(tf.int32, [])
    loop = tf1.while_loop(lambda i, _: i < limit, body, [tf.constant(0), tf.constant(1.0)])
    return [run(cluster, loop, {limit: n}) for n in (0, 1, 7)]

  on_both(program)


def test_nested_loops(on_both, era):
  def program(cluster):
    def outer(i, total):
      def inner(j, t):
        with tf.device(PS0 if not tf1.control_flow_v2_enabled() else None):
          return j + 1, t + i * j

      _, total = tf1.while_loop(lambda j, _: j < i, inner, [tf.constant(0), total])
      return i + 1, total

    return run(cluster, tf1.while_loop(lambda i, _: i < 6, outer, [tf.constant(0), tf.constant(0)]))

  on_both(program)


def test_gradient_of_a_loop(on_both, era):
  def program(cluster):
    with tf.device(PS0):
      v = tf1.get_variable("v", initializer=[1.0, 1.1])

    def body(i, x):
      with tf.device(WORKER1):
        return i + 1, x * v + tf.sin(x)

    _, y = tf1.while_loop(lambda i, _: i < 4, body, [tf.constant(0), tf.constant([0.5, 0.6])])
    (gradient,) = tf1.gradients(tf.reduce_sum(y), [v])
    with tf1.Session(cluster.target("worker")) as session:
      session.run(v.initializer)
      return session.run([y, gradient])

  on_both(program)


def test_gradient_of_a_conditional(on_both, era):
  def program(cluster):
    with tf.device(PS0):
      v = tf1.get_variable("v", initializer=2.0)
    choose = tf1.placeholder(tf.bool, [])

    def yes():
      with tf.device(WORKER1):
        return v * v

    def no():
      with tf.device(PS1):
        return tf.exp(v) - 1.0

    y = tf1.cond(choose, yes, no)
    (gradient,) = tf1.gradients(y, [v])
    with tf1.Session(cluster.target("worker")) as session:
      session.run(v.initializer)
      return [session.run([y, gradient], {choose: c}) for c in (True, False)]

  on_both(program)


def test_conditionals_that_assign(on_both, era):
  def program(cluster):
    with tf.device(PS1):
      v = tf1.get_variable("v", initializer=0)
    n = tf1.placeholder(tf.int32, [])
    step = tf1.cond(n > 2, lambda: tf.identity(tf1.assign_add(v, n)), lambda: tf.identity(tf1.assign_sub(v, n)))
    case = tf1.case(
      [(n < 1, lambda: tf.constant(b"low")), (n < 3, lambda: tf.constant(b"middle"))], default=lambda: tf.constant(b"high")
    )
    with tf1.Session(cluster.target("worker")) as session:
      session.run(v.initializer)
      return [session.run([step, case], {n: i}) for i in (0, 5, 2, 3)]

  on_both(program)


# The branches' numbers, and those that only the last one takes.
BRANCHES = [0, 1, 2, 3, 4, -1, -(2**31), 2**31 - 1]


def test_switch_case(on_both):
  """Branches that use a variable whole, by rows and not at all, read it, change it, or choose again; with gradients."""

  def program(cluster):
    v = tf1.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]])
    index = tf1.placeholder(tf.int32, [])
    x = tf1.placeholder(tf.float32, [2])

    def again():
      return tf.switch_case(tf.cast(x[0], tf.int32), [lambda: v[0] * x, lambda: tf.exp(v[1]) * x])

    branches = [lambda: tf.reduce_sum(v, 0) * tf.sin(x), lambda: tf.gather(v, [1])[0] * x, lambda: x * x * x, again]
    y = tf.switch_case(index, branches)
    with_default = tf.switch_case(index, branches[:3], default=lambda: tf.constant([-1.0, -2.0]))
    slope, dx = tf1.gradients(y * y, [v, x])
    (curve,) = tf1.gradients(dx, [x])
    change = tf.switch_case(index, {0: lambda: tf.identity(tf1.assign_add(v, v)), 1: lambda: tf.identity(v)})
    with tf1.Session(cluster.target("worker")) as session:
      session.run(v.initializer)
      fetches = [y, with_default, tf.convert_to_tensor(slope), dx, curve]
      results = [session.run(fetches, {index: i, x: [first, 0.5]}) for i in BRANCHES for first in (0.25, 1.5)]
      return results + [session.run(change, {index: i}) for i in (1, 0, 2, 0, -1)]

  on_both(program, rtol=1e-4)


def test_case_nodes(on_both):
  """Both ops as they are, with shapes and without, in the step and inside of a function; what is no number of a branch."""

  def program(cluster):
    index = tf1.placeholder(tf.int32)
    x = tf1.placeholder(tf.float32)
    functions = [
      tf.function(f).get_concrete_function(tf.TensorSpec(None, tf.float32)) for f in (tf.sin, tf.square, lambda x: x + 2)
    ]
    for function in functions:
      function.add_to_graph()
    nodes, results = [], []
    for case in (tf.raw_ops.Case, tf.raw_ops.StatelessCase):
      for shapes in ([], [tf.TensorShape([2])]):
        nodes += case(branch_index=index, input=[x], Tout=[tf.float32], branches=functions, output_shapes=shapes)
      nodes.append(
        tf.function(
          lambda i, v, case=case: case(  # noqa: B023
            branch_index=i, input=[v], Tout=[tf.float32], branches=functions, output_shapes=[]
          )[0]
        )(index, x)
      )
    wrong = tf.raw_ops.Case(branch_index=index, input=[x], Tout=[tf.float32], branches=functions, output_shapes=[], name="wrong")[
      0
    ]
    with tf1.Session(cluster.target("worker")) as session:
      for i in BRANCHES:
        results.append(session.run(nodes, {index: i, x: [0.5, 3.0]}))
      for i in ([1], [], [[0]]):
        kind, node, words = outcome(lambda i=i: session.run(wrong, {index: i, x: 1.0}))
        results.append([kind, node, " ".join(words).replace(",", "").startswith("branch_index must be scalar")])
    return [[list(node.shape) if node.shape.rank is not None else None for node in nodes]] + results

  on_both(program)


def test_map_and_scan(on_both, era):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 3])
    with tf.device(PS0):
      squares = tf1.map_fn(lambda row: tf.reduce_sum(row * row), x)
      sums = tf1.scan(lambda a, row: a + row, x)
      last = tf1.foldl(lambda a, row: a * 0.5 + row, x)
    gradient = tf1.gradients(squares, [x])
    return run(cluster, [squares, sums, last, gradient], {x: np.arange(12, dtype=np.float32).reshape(4, 3)})

  on_both(program)


def test_tensor_arrays(on_both, era):
  def program(cluster):
    with tf.device(WORKER1):
      array = tf1.TensorArray(tf.float32, 4, clear_after_read=False)
      array = array.scatter([0, 1, 3], tf.constant([[1.0], [2.0], [4.0]]))
      array = array.write(2, [9.0])
      return run(cluster, [array.read(2), array.stack(), array.gather([3, 0]), array.size(), array.concat()])

  on_both(program)


def test_strings(on_both):
  def program(cluster):
    x = tf1.placeholder(tf.string, [None])
    with tf.device(PS0):
      joined = tf1.string_join([x, tf.constant("é")], separator="-")
      text = tf.as_string(tf.constant([1.5, -2.0]), precision=2)
    with tf.device(WORKER1):
      lengths = tf1.strings.length(joined)
      numbers = tf1.string_to_number(tf.constant(["3.5", "-1e3"]))
      hashes = tf1.string_to_hash_bucket_fast(x, 1000)
      strong = tf1.string_to_hash_bucket_strong(x, 1000, [1, 2])
      parts = tf1.substr(joined, 1, 2)
      split = tf1.string_split(tf.constant(["a b c", "d"])).values
      replaced = tf1.regex_replace(joined, "[a-c]", "_")
      reduced = tf1.reduce_join(joined, 0, separator="+")
      encoded = tf.io.decode_base64(tf.io.encode_base64(joined))
      raw = tf1.decode_raw(tf.constant([b"\x01\x02\x03\x04"]), tf.int16)
      bad = tf1.string_to_number(tf.constant("no number"))
    with tf1.Session(cluster.target("worker")) as session:
      feeds = {x: [b"abc", b"", b"\xff\x00" * 300, "ü".encode()]}
      fetches = [joined, text, lengths, numbers, hashes, strong, parts, split, replaced, reduced, encoded, raw]
      return [outcome(lambda: session.run(f, feeds)) for f in fetches] + [outcome(lambda: session.run(bad))]

  on_both(program, missing="kernels of AsString, StringLength, StringToNumber, StringToHashBucketFast, Substr and others")


NAMES = [
  "a",
  "A.b/c-d_e/f.1",
  "x" * 1000,
  "0",
  "..",
  "a/b/c/d/e/f/g/h/i/j",
  "_not_first",
  "loop/while/Exit",
  "v/read",
  "Const",
  "save/restore_all",
  "a_1",
  "a_1_1",
  "job:worker",
]


def test_unusual_names(on_both):
  def program(cluster):
    results = []
    with tf1.Session(cluster.target("worker")) as session:
      for i, name in enumerate(NAMES):
        with tf.device(PS0 if i % 2 else WORKER1):
          try:
            x = tf1.placeholder(tf.int32, [], name="p/" + name)
            y = tf.add(x, i, name=name)
          except ValueError as e:
            results.append(str(e)[:20])
            continue
        results.append([y.name[:80], session.run(y, {x: 1}), session.run(y.name, {x.name: 2}), outcome(lambda: session.run(y))])
      v = tf1.get_variable("scope.with-dots/v/v", initializer=3.0)
      session.run(v.initializer)
      results.append(session.run("scope.with-dots/v/v:0") if not tf1.resource_variables_enabled() else session.run(v))
      with tf1.container("container.of/some-name1"):
        with tf.device(PS0):
          w = tf1.get_variable("w", initializer=1, use_resource=False)
      session.run(w.initializer)
      results.append(session.run(tf1.assign_add(w, 1)))
    tf1.Session.reset(cluster.target("worker"), ["container.of/some-name1"])
    with tf1.Session(cluster.target("worker")) as session:
      results.append(outcome(lambda: session.run(w)))
    with tf1.container("what is refused"), tf.device(PS0):
      bad = tf1.get_variable("bad", initializer=1, use_resource=False)
    with tf1.Session(cluster.target("worker")) as session:
      results.append(outcome(lambda: session.run(bad.initializer)))
    return results

  on_both(program)


def test_large_feeds_and_fetches(on_both):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None])
    with tf.device(PS0):
      y = x + 1.0
    with tf.device(WORKER1):
      z = tf.reverse(y, [0])
    value = np.arange(100e6 // 4, dtype=np.float32)  # 100 MB
    got = run(cluster, z, {x: value})
    np.testing.assert_array_equal(got, (value + 1)[::-1])
    return [got.shape, got[:5], got[-5:]]

  on_both(program)


def test_a_large_constant(on_both):
  def program(cluster):
    value = np.random.RandomState(0).bytes(60 << 20)
    x = tf.constant(np.frombuffer(value, np.uint8))
    with tf.device(PS1):
      total = tf.reduce_sum(tf.cast(x, tf.int64))
    return run(cluster, total)

  on_both(program)


def test_sessions_that_wait_for_their_chief(on_both):
  def program(cluster):
    with tf.device(PS0):
      v = tf1.get_variable("v", initializer=7.0)
      w = tf1.get_variable("w", initializer=tf.ones([3]))
    init = tf1.global_variables_initializer()
    ready = tf1.report_uninitialized_variables()
    ready.mark_used()
    local_init = tf1.no_op()
    graph = tf1.get_default_graph()
    got = {}

    def wait(target):
      with graph.as_default():
        manager = tf1.train.SessionManager(
          ready_op=ready, ready_for_local_init_op=ready, local_init_op=local_init, recovery_wait_secs=0.2, graph=graph
        )
        with manager.wait_for_session(target, max_wait_secs=60) as session:
          got["waited"] = session.run([v, w])

    thread = threading.Thread(target=wait, args=[cluster.target("worker", 1)], daemon=True)
    thread.start()
    with tf1.Session(cluster.target("worker", 0)) as session:
      got["missing"] = session.run(ready)
      assert "waited" not in got
      session.run(init)
      thread.join()
      assert "waited" in got
      got["ready"] = session.run(ready)
    manager = tf1.train.SessionManager(ready_op=ready, recovery_wait_secs=0.2, graph=graph)
    session = manager.prepare_session(cluster.target("worker", 0), init_op=init)
    got["prepared"] = session.run(v)
    return got

  on_both(program)


def test_a_session_manager_gives_up(on_both):
  def program(cluster):
    v = tf1.get_variable("v", initializer=7.0)
    ready = tf1.report_uninitialized_variables()
    ready.mark_used()
    manager = tf1.train.SessionManager(ready_op=ready, recovery_wait_secs=0.2, graph=tf1.get_default_graph())
    return [v.op.name, outcome(lambda: manager.wait_for_session(cluster.target("worker"), max_wait_secs=1))]

  on_both(program)


def test_callables_and_targets(on_both):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [2], name="x")
    with tf.device(PS0):
      v = tf1.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
      add = tf1.assign_add(v, x)
    with tf.control_dependencies([add]):
      done = tf.no_op(name="done")
      after = tf.identity(v.read_value())
    with tf1.Session(cluster.target("worker", 1)) as session:
      session.run(v.initializer)
      step = session.make_callable([add, done], [x])
      results = [step(np.array([1.0, 1.0], np.float32)) for _ in range(3)]
      results.append(session.run({"after": after, "pair": (x, [after])}, {x: [0.5, 0.5]}))
      results.append(outcome(lambda: session.run(done)))
      results.append(outcome(lambda: session.run(after, {x: [1.0, 2.0]}, tf1.RunOptions(timeout_in_ms=10000))))
      return results

  on_both(program)


def test_errors(on_both):
  def program(cluster):
    with tf1.Session(cluster.target("worker")) as session:
      a, b = tf1.placeholder(tf.float32, name="a"), tf1.placeholder(tf.float32, name="b")
      index = tf1.placeholder(tf.int32, name="index")
      with tf.device(PS0):
        ops = {
          "add": tf.add(a, b),
          "matmul": tf.linalg.matmul(a, b),
          "concat": tf.concat([a, b], 0),
          "reshape": tf.reshape(a, index),
          "gather": tf.gather(a, index),
          "slice": tf.slice(a, index, [1]),
          "check": tf1.check_numerics(a, "my check"),
          "assert": tf1.Assert(tf.reduce_all(a < 0), [a], name="my_assert"),
          "tile": tf.tile(a, index),
          "transpose": tf.transpose(a, index),
          "split": tf.split(a, 2)[0],
          "argmax": tf.argmax(a, tf.reshape(index, [])),
          "expand": tf.expand_dims(a, index),
          "squeeze": tf.squeeze(a, [0]),
          "fill": tf.fill(index, 1.0),
          "range": tf.range(index),
          "bias": tf.nn.bias_add(a, b),
          "divide": tf.cast(a, tf.int32) // tf.cast(b, tf.int32),
          "stack": tf.stack([a, b]),
          "segment": tf.math.segment_sum(a, tf.cast(b, tf.int32)),
          "one_hot": tf.one_hot(index, tf.reduce_min(index) - 10),
          "loss": tf.nn.sparse_softmax_cross_entropy_with_logits(labels=index, logits=a),
          "reverse": tf.reverse(a, index),
          "boolean": tf.boolean_mask(a, [True]),
          "scatter": tf.scatter_nd([[5]], [1.0], [3]),
          "top": tf.nn.in_top_k(index, a, 1),
          "print": tf1.Print(a, [a]),
        }
      feeds = {a: [1.0, 2.0, 3.0], b: [1.0, 0.0], index: [9]}
      results = {n: outcome(lambda: session.run(op, feeds)) for n, op in ops.items()}
      results["nan"] = outcome(lambda: session.run(ops["check"], {a: [np.nan]}))
      results["unfed"] = outcome(lambda: session.run(ops["add"], {a: 1.0}))
      return results

  on_both(program)


def test_graphs_that_are_refused(on_both):
  def program(cluster):
    results = []
    for device in ("/job:ps/task:7", "/job:nobody", "/device:GPU:0", "/job:ps/task:0/device:CPU:3"):
      with tf1.Graph().as_default(), tf1.Session(cluster.target("worker")) as session:
        with tf.device(device):
          x = tf.constant(1, name="misplaced")
        results.append(outcome(lambda: session.run(x))[:2])
      with tf1.Graph().as_default():
        config = tf1.ConfigProto(allow_soft_placement=True)
        with tf1.Session(cluster.target("worker"), config=config) as session:
          with tf.device(device):
            x = tf.constant(1, name="misplaced")
          result = outcome(lambda: session.run(x))
          results.append(result[:2] if isinstance(result, tuple) else result)
    return results

  on_both(program)
