"""Programs with arrays and lists of tensors, recurrent networks and their gradients: the same on servers of ours and of stock."""

import re

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1

PS0, WORKER1 = "/job:ps/task:0", "/job:worker/task:1"
ROWS = np.arange(12, dtype=np.float32).reshape(4, 3) / 7


@pytest.fixture
def array_ops():
  """Arrays are resources, not lists."""
  tf1.disable_control_flow_v2()
  yield
  tf1.enable_control_flow_v2()


def run(cluster, fetches, feeds=None, worker=0):
  with tf1.Session(cluster.target("worker", worker)) as session:
    return session.run(fetches, feeds)


class Cell:
  """A recurrent cell with weights of its own."""

  output_size = state_size = 3

  def zero_state(self, batch_size, dtype):
    return tf.zeros([batch_size, 3], dtype)

  def __call__(self, inputs, state, scope=None):
    with tf1.variable_scope(scope or "cell", reuse=tf1.AUTO_REUSE):
      w = tf1.get_variable("w", initializer=np.linspace(-1, 1, 15, dtype=np.float32).reshape(5, 3))
    new = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), w))
    return new, new


@pytest.mark.parametrize("lengths", [None, [5, 2, 4]])
def test_dynamic_rnn(on_both, era, lengths):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, None, 2])
    with tf.device(PS0):
      cell = Cell()
    outputs, state = tf1.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)
    loss = tf.reduce_sum(outputs * outputs) + tf.reduce_sum(state)
    variables = tf1.trainable_variables()
    gradients = tf1.gradients(loss, variables + [x])
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    feeds = {x: np.sin(np.arange(30, dtype=np.float32)).reshape(3, 5, 2)}
    with tf1.Session(cluster.target("worker")) as session:
      session.run(tf1.global_variables_initializer())
      before = session.run([outputs, state, gradients], feeds)
      losses = [session.run([loss, train], feeds)[0] for _ in range(3)]
      return [before, losses, session.run(variables)]

  on_both(program, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("spread", [False, True])
def test_higher_order_functions(on_both, era, spread):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 3])
    with tf.device(PS0 if spread else None):
      pairs = tf1.map_fn(lambda r: (r * 2, tf.reduce_sum(r)), x, dtype=(tf.float32, tf.float32))
      names = tf1.map_fn(lambda r: tf.as_string(r[0], precision=2), x, dtype=tf.string)
      sums = tf1.scan(lambda a, r: a + r, x, reverse=True)
    with tf.device(WORKER1 if spread else None):
      there = tf.identity(x)  # arrays are where what is written into them is
      left = tf1.foldl(lambda a, r: a * 0.5 + r, there)
      right = tf1.foldr(lambda a, r: a * 0.5 - r, there, initializer=tf.ones([3]))
      nested = tf1.map_fn(lambda r: tf1.foldl(lambda a, e: a * e + 1.0, r), there)
    total = sum(tf.reduce_sum(tf.sin(t)) for t in (pairs[0], pairs[1], sums, left, right, nested))
    gradient = tf1.gradients(total, [x])
    return run(cluster, [pairs, names, sums, left, right, nested, gradient], {x: ROWS})

  on_both(program)


def test_an_array_in_a_loop(on_both, era):
  def program(cluster):
    n = tf1.placeholder(tf.int32, [])
    x = tf1.placeholder(tf.float32, [None, 2])
    rows = tf1.TensorArray(tf.float32, n).unstack(x)

    def body(i, out, state):
      with tf.device(WORKER1):
        state = tf.tanh(state + rows.read(i))
      return i + 1, out.write(i, state * tf.cast(i, tf.float32)), state

    _, out, last = tf1.while_loop(
      lambda i, *_: i < n, body, [tf.constant(0), tf1.TensorArray(tf.float32, n, element_shape=[2]), tf.constant([0.1, 0.2])]
    )
    stacked = out.stack()
    gradient = tf1.gradients([stacked, last], [x])
    feeds = {x: np.cos(np.arange(8, dtype=np.float32)).reshape(4, 2), n: 4}
    return run(cluster, [stacked, last, out.size(), gradient], feeds)

  on_both(program)


def test_an_array_that_grows(on_both, era):
  def program(cluster):
    n = tf1.placeholder(tf.int32, [])
    _, out = tf1.while_loop(
      lambda i, _: i < n,
      lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) * 2)),
      [tf.constant(0), tf1.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])],
    )
    return [run(cluster, [out.stack(), out.size()], {n: k}) for k in (1, 6)]

  on_both(program)


@pytest.mark.parametrize("dtype", [tf.float64, tf.int64, tf.bool, tf.string, tf.complex64, tf.bfloat16])
def test_values_of_all_kinds(on_both, era, dtype):
  def program(cluster):
    values = (
      tf.constant([[b"a", b"bc"], [b"", b"\xff"], [b"x", b"y"]])
      if dtype == tf.string
      else tf.cast(tf.constant([[1, 0], [3, 4], [0, 6]]), dtype)
    )
    with tf.device(PS0):
      array = tf1.TensorArray(dtype, 3).unstack(values)
      split = tf1.TensorArray(dtype, 2, infer_shape=False).split(values, [1, 2])
      fetches = [array.gather([2, 0]), split.concat()]
    if dtype == tf.bfloat16:
      fetches = [tf.cast(t, tf.float32) for t in fetches]
    return run(cluster, fetches)

  on_both(program)


def test_gradients_of_splits(on_both, array_ops):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 2])
    array = tf1.TensorArray(tf.float32, 3, infer_shape=False).split(x, [1, 0, 3])
    joined = tf.concat([array.read(2) * 2, array.read(0)], 0)
    return run(cluster, [joined, tf1.gradients(joined * joined, [x])], {x: np.arange(8, dtype=np.float32).reshape(4, 2)})

  on_both(program)


def failing(array):
  """(name, fetch) of what an array of two floats does not do."""
  written = array.write(0, [1.0, 2.0])
  first = written.read(0)
  with tf.control_dependencies([first]):
    second = written.read(0)
  yield "twice", second
  yield "too far", array.read(2)
  yield "too far in write", array.write(5, [1.0, 2.0]).flow
  yield "negative", array.write(-1, [1.0, 2.0]).flow
  yield "written twice", written.write(0, [3.0, 4.0]).flow
  yield "never written", array.stack()
  yield "too many", array.scatter([0, 1, 2], tf.ones([3, 2])).flow


def test_errors_of_arrays(on_both, array_ops):
  def program(cluster):
    results = {}
    with tf1.Session(cluster.target("worker")) as session:
      for name, fetch in failing(tf1.TensorArray(tf.float32, 2, infer_shape=False)):
        kind, op, words = outcome(lambda: session.run(fetch))
        # A number makes the array's name unique, in the process or the node.
        results[name] = kind, op, [re.sub(r"_\d+:", ":", word) for word in words]
    return results

  on_both(program)


def test_arrays_end_with_their_step(on_both, array_ops):
  def program(cluster):
    array = tf1.TensorArray(tf.float32, 1)
    value = array.write(0, tf1.random_uniform([1000])).read(0)
    with tf1.Session(cluster.target("worker")) as session:
      return [session.run(tf.shape(value)) for _ in range(50)]

  on_both(program)


def test_lists(on_both):
  def program(cluster):
    raw = tf.raw_ops
    with tf.device(PS0):
      empty = raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.float32)
      pushed = raw.TensorListPushBack(input_handle=empty, tensor=tf.constant([1.0, 2.0]))
      pushed = raw.TensorListPushBack(input_handle=pushed, tensor=tf.constant([3.0, 4.0]))
      stacked = raw.TensorListStack(input_handle=pushed, element_shape=-1, element_dtype=tf.float32)
      rest, last = raw.TensorListPopBack(input_handle=pushed, element_shape=-1, element_dtype=tf.float32)
      none = raw.OptionalNone()
      some = raw.OptionalFromValue(components=[last, tf.constant("x")])
      got = raw.OptionalGetValue(optional=some, output_types=[tf.float32, tf.string], output_shapes=[[2], []])
      missing = raw.OptionalGetValue(optional=none, output_types=[tf.float32], output_shapes=[[2]])
      length = raw.TensorListLength(input_handle=rest)
      has = [raw.OptionalHasValue(optional=o) for o in (none, some)]
    with tf1.Session(cluster.target("worker")) as session:
      values = session.run([stacked, last, length, has, got])
      return [values, outcome(lambda: session.run(missing))]

  on_both(program)


def test_gradient_of_nested_control_flow(on_both, era):
  def program(cluster):
    with tf.device(PS0):
      v = tf1.get_variable("v", initializer=[0.5, 0.7])

    def body(i, x):
      def odd():
        with tf.device(WORKER1):
          return x * v

      def even():
        _, y = tf1.while_loop(lambda j, _: j < i, lambda j, y: (j + 1, tf.sin(y) + v), [tf.constant(0), x])
        return y

      return i + 1, tf1.cond(tf.equal(i % 2, 1), odd, even)

    _, y = tf1.while_loop(lambda i, _: i < 5, body, [tf.constant(0), v + 1.0])
    (gradient,) = tf1.gradients(tf.reduce_sum(y), [v])
    with tf1.Session(cluster.target("worker")) as session:
      session.run(v.initializer)
      return session.run([y, gradient])

  on_both(program)


def of_version(producer):
  """Lets the current graph have ops that graphs from this version on may not have."""
  empty = tf1.GraphDef()
  empty.versions.producer = producer - 1
  tf.import_graph_def(empty, name="")


@pytest.mark.parametrize("generation", ["", "V2"])
def test_tensor_arrays_of_earlier_generations(on_both, generation):
  def op(name):
    return getattr(tf.raw_ops, "TensorArray" + name + generation)

  def program(cluster):
    of_version(16)
    with tf1.device("/job:ps/task:0"):
      array = op("")(size=3, dtype=tf.float32)
      rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
      flow = op("Scatter")(handle=array, indices=[2, 0, 1], value=rows, flow_in=0.0)
      row = op("Read")(handle=array, index=1, flow_in=flow, dtype=tf.float32)
      gradients = op("Grad")(handle=array, flow_in=flow, source="g")
      for value in ([1.0, 1.0], [0.5, 2.0]):
        flow = op("Write")(handle=gradients, index=0, value=value, flow_in=flow)
      summed = op("Gather")(handle=gradients, indices=[0, 2], flow_in=flow, dtype=tf.float32)
      size = op("Size")(handle=array, flow_in=flow)
      with tf.control_dependencies([row]):
        again = op("Read")(handle=array, index=1, flow_in=flow, dtype=tf.float32)
    with tf1.device("/job:worker/task:1"):
      total = tf.reduce_sum(summed) + row
    with tf1.Session(cluster.target("worker")) as session:
      seen = {"values": [session.run([row, summed, size, total]) for _ in range(2)]}
      # Stock's rewriting makes one of both reads where handles are values.
      if generation == "":
        seen["twice"] = outcome(lambda: session.run(again))[0]
      return seen

  on_both(program)


def test_stacks_of_the_first_generation(on_both):
  def program(cluster):
    with tf1.device("/job:ps/task:0"):
      stack = tf.raw_ops.Stack(elem_type=tf.float32, stack_name="s")
      order, popped = [], []
      for value in ([1.0, 2.0], [3.0]):
        with tf.control_dependencies(order):
          order = [tf.raw_ops.StackPush(handle=stack, elem=value)]
      for _ in range(3):
        with tf.control_dependencies(order):
          popped.append(tf.raw_ops.StackPop(handle=stack, elem_type=tf.float32))
          order = [popped[-1]]
    with tf1.Session(cluster.target("worker")) as session:
      return {
        "values": [session.run(popped[:2]) for _ in range(2)],
        "empty": outcome(lambda: session.run(popped[2]))[0],
      }

  on_both(program)
