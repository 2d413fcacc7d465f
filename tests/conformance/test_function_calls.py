"""Functions called by their name (Defun), and ops that call functions, on servers of ours and of stock."""

import threading

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf
from compare_runs import compare
from google.protobuf import text_format
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops, gen_dataset_ops

tf1 = tf.compat.v1
Defun = function.Defun


def test_calls(clusters):
  def program(seen):
    @Defun(tf.float32, tf.float32)
    def two(x, y):
      return x + y, x * y

    @Defun(tf.float32)
    def calls(x):
      a, b = two(x, 2.0)
      return two(a, b)[1]

    @Defun(tf.float32, noinline=True)
    def apart(x):
      return calls(x) + 1.0

    @Defun(tf.float32)
    def unread(x):
      tf.reshape(x, tf.fill([tf.size(x) + 1], 2))  # would fail
      return x * 2.0

    @Defun(tf.float32)
    def fails(x):
      return x, tf.reshape(x, tf.fill([tf.size(x) + 1], 2))

    @Defun(tf.float32)
    def asserts(x):
      tf1.Assert(x < 0, ["positive"])
      return x * 2.0

    @Defun()
    def nothing_in():
      return tf.constant([1, 2]), tf.constant("a")

    x = tf1.placeholder(tf.float32)
    feed = {x: 3.0}
    seen.run("both", two(x, 2.0), feed)
    seen.run("one", two(x, 2.0)[1], feed)
    seen.run("nested", calls(x), feed)
    seen.run("noinline", apart(x), feed)
    seen.run("named", calls(x, name="my_call"), feed)
    seen.run("unread", unread(x), feed)
    seen.run("an output that is not fetched", fails(x)[0], feed)
    seen.run("assert", asserts(x), feed)
    seen.run("assert holds", asserts(-x), feed)
    seen.run("no arguments", nothing_in())
    seen.run("target", two(x, 2.0)[0].op, feed)

  compare(clusters, program)


def test_overloads(clusters):
  def program(seen):
    @Defun()
    def twice(x):
      return x + x

    for value in (np.float32(2), np.int32(2), np.float64(2), "a"):
      seen.run(str(value), twice(tf.constant(value)))

  compare(clusters, program)


# A function that calls one by its name, and one that says to take a reference.
LIBRARY = """
versions { producer: 27 }
library {
  function {
    signature {
      name: "Twice" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT }
    }
    node_def { name: "n" op: "AddV2" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "n:z:0" }
  }
  function {
    signature {
      name: "Calls" input_arg { name: "x" type: DT_FLOAT } input_arg { name: "i" type: DT_INT32 }
      output_arg { name: "y" type: DT_FLOAT } output_arg { name: "j" type: DT_INT32 }
    }
    node_def { name: "a" op: "Twice" input: "x" }
    node_def { name: "b" op: "Twice" input: "a:y:0" }
    ret { key: "y" value: "b:y:0" } ret { key: "j" value: "i" }
  }
  function {
    signature { name: "ByReference" input_arg { name: "x" type: DT_FLOAT is_ref: true } output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "a" op: "Twice" input: "x" }
    ret { key: "y" value: "a:y:0" }
  }
}
node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 1.5 tensor_shape {} } } } }
node { name: "i" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor { dtype: DT_INT32 int_val: 7 tensor_shape {} } } } }
node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } }
node { name: "assign" op: "Assign" input: "v" input: "c" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "calls" op: "Calls" input: "c" input: "i" }
node { name: "read" op: "Calls" input: "v" input: "i" }
node { name: "reference" op: "ByReference" input: "v" }
"""


def test_imported_calls_and_references(clusters):
  def program(seen):
    graph = tf1.GraphDef()
    text_format.Parse(LIBRARY, graph)
    for prefix in ("one", "two"):  # imported twice
      tf.import_graph_def(graph, name=prefix)
      seen.run(prefix, [f"{prefix}/calls:0", f"{prefix}/calls:1"])
      seen.run("unset " + prefix, f"{prefix}/read:0")
      seen.run("assign " + prefix, f"{prefix}/assign:0")
      seen.run("read " + prefix, f"{prefix}/read:0")
      seen.run("reference " + prefix, f"{prefix}/reference:0")

  compare(clusters, program, deviations=("unset one", "unset two"))


def test_captures_and_state(clusters):
  def program(seen):
    reference = tf1.get_variable("reference", initializer=3.0, use_resource=False)
    resource = tf1.get_variable("resource", initializer=4.0, use_resource=True)
    k = tf.constant(10.0)

    @Defun(tf.float32)
    def captures(x):
      return x + reference * k + resource

    @Defun(tf.float32)
    def changes(x):
      resource.assign_add(x)
      return tf.constant(7.0)

    @Defun(tf.float32)
    def only_changes(x):
      resource.assign_add(x)

    @Defun(tf.float32)
    def draws(x):
      return x + tf1.random_uniform([2], seed=3)

    @Defun(tf.float32)
    def draws_again(x):
      return draws(x)

    @Defun(tf.float32)
    def scales(x):
      return x * tf1.random_uniform([2], seed=3)

    seen.run("init", tf1.global_variables_initializer())
    seen.run("captures", captures(1.0))
    changed = changes(1.0)
    seen.run("changes", changed)
    seen.run("after", resource)
    seen.run("target", changed.op)
    seen.run("after target", resource)
    seen.run("twice", [changed, changes(2.0)])
    seen.run("after twice", resource)
    seen.run("no outputs", only_changes(100.0))
    seen.run("after no outputs", resource)
    drawn = draws(1.0)
    for i in range(3):
      seen.run(f"draws {i}", drawn)
    # Each call draws numbers of its own, and so does the gradient.
    others = [draws(1.0), draws_again(1.0), draws_again(1.0), scales(1.0)]
    slope = tf1.gradients(others[-1], others[-1].op.inputs[0])
    for i in range(3):
      seen.run(f"other draws {i}", [*others, *slope])

  compare(clusters, program)


def test_in_control_flow(clusters):
  def program(seen):
    @Defun(tf.float32)
    def half(x):
      return x / 2.0

    @Defun(tf.float32)
    def more(x):
      return x > 1.0

    x = tf1.placeholder(tf.float32)
    loop = tf1.while_loop(lambda i: i > 1.0, lambda i: half(i), [x])
    seen.run("while_loop", loop, {x: 40.0})
    seen.run("While", functional_ops.While([x], more, half), {x: 40.0})
    branch = tf1.cond(x > 0.0, lambda: half(x), lambda: x * 7.0)
    for value in (-2.0, 2.0):
      seen.run(f"cond {value}", branch, {x: value})
      seen.run(f"If {value}", functional_ops.If(x > 0.0, [x], half, half), {x: value})
    seen.run("map", tf1.map_fn(half, tf.constant([1.0, 2.0, 3.0])))
    elements = tf1.data.Dataset.range(3).map(lambda i: half(tf.cast(i, tf.float32)))
    following = tf1.data.make_one_shot_iterator(elements).get_next()
    for i in range(4):
      seen.run(f"element {i}", following)

  compare(clusters, program)


def test_for(clusters):
  def program(seen):
    @Defun(tf.int32, tf.float32, tf.float32)
    def body(i, x, y):
      return x + tf.cast(i, tf.float32), y * 2.0

    @Defun(tf.int32, tf.float32)
    def fails(i, x):
      return tf.reshape(x, tf.stack([i + 2]))

    @Defun(tf.int32, tf.float32)
    def two(i, x):
      return x, x

    @Defun(tf.int32, tf.float32)
    def other(i, x):
      return tf.cast(x, tf.int32)

    numbers = [tf1.placeholder(tf.int32) for _ in range(3)]
    start, limit, delta = numbers
    loop = functional_ops.For(start, limit, delta, inputs=[tf.constant(1.0), tf.constant(1.0)], body=body)
    values = [(0, 10, 1), (10, 0, -3), (0, 10, 3), (0, 0, 1), (0, 0, 0), (5, 0, 1), (0, 5, -1), (0, 5, 0)]
    values += [([0], 5, 1), (0, [5], 1), (0, 5, [1])]
    for value in values:
      seen.run(str(value), loop, dict(zip(numbers, value)))
    one = [tf.constant([1.0])]
    seen.run("body fails", tf.raw_ops.For(start=0, limit=3, delta=1, input=one, body=fails))
    seen.run("two results", tf.raw_ops.For(start=0, limit=3, delta=1, input=one, body=two))
    seen.run("other type", tf.raw_ops.For(start=0, limit=3, delta=1, input=one, body=other))

  compare(clusters, program)


def test_map_defun(clusters):
  def program(seen):
    def mapped(name, f, arguments, types, shapes, feed=None, captured=()):
      op = gen_dataset_ops.map_defun(
        arguments=arguments, captured_inputs=list(captured), output_types=types, output_shapes=shapes, f=f
      )
      seen.run(name, op, feed)

    @Defun(tf.float32)
    def twice(x):
      return x * 2.0

    @Defun(tf.float32, tf.float32)
    def times(x, y):
      return x * y

    @Defun(tf.string)
    def text(x):
      return x + "a", tf.strings.length(x)

    @Defun(tf.int32)
    def grows(x):
      return tf.fill([x], x)

    @Defun(tf.int32)
    def divides(x):
      return 10 // x

    p = tf1.placeholder(tf.float32)
    floats, scalar = [tf.float32], [[]]
    mapped("scalars", twice, [tf.constant([1.0, 2.0, 3.0])], floats, scalar)
    mapped("rows", twice, [tf.constant([[1.0, 2.0], [2.0, 3.0]])], floats, [[2]])
    mapped("unknown shape", twice, [tf.constant([[1.0, 2.0], [2.0, 3.0]])], floats, [None])
    mapped("many", twice, [tf.range(1000.0)], floats, scalar)
    mapped("captured", times, [tf.constant([1.0, 2.0])], floats, scalar, captured=[tf.constant(5.0)])
    mapped("strings", text, [tf.constant(["a", "bb"])], [tf.string, tf.int32], [[], []])
    mapped("empty", twice, [tf.zeros([0, 3])], floats, [[3]])
    mapped("empty, unknown shape", twice, [tf.zeros([0, 3])], floats, [None])
    mapped("no rows", twice, [p], floats, scalar, {p: 1.0})
    mapped("other rows", times, [tf.constant([1.0, 2.0]), p], floats, scalar, {p: [1.0, 2.0, 3.0]})
    mapped("other shape", grows, [tf.constant([2, 2])], [tf.int32], [[3]])
    mapped("fails", divides, [tf.constant([1, 0])], [tf.int32], scalar)
    mapped("other type", grows, [tf.constant([1, 1])], floats, [[1]])
    mapped("other number", text, [tf.constant(["a", "bb"])], [tf.string], scalar)

  compare(clusters, program)


def test_remote_calls(clusters):
  def program(seen):
    with tf1.device("/job:ps/task:0"):
      resource = tf1.get_variable("resource", initializer=5.0, use_resource=True)

    @Defun(tf.float32, tf.float32)
    def two(x, y):
      return x * y, x + y

    @Defun(tf.float32)
    def fails(x):
      return tf.reshape(x, tf.fill([tf.size(x) + 1], 2))

    def call(f, target, *args, types=(tf.float32,)):
      return functional_ops.remote_call(args=[tf.constant(a) for a in args], Tout=list(types), f=f, target=target)

    seen.run("init", tf1.global_variables_initializer())
    both = [tf.float32, tf.float32]
    for target in (
      "",
      "/cpu:0",
      "CPU:0",
      "/job:worker/replica:0/task:0/device:CPU:0",
      "/job:ps/task:0/cpu:0",
      "/job:worker/task:1/cpu:0",
      "nonsense",
    ):
      seen.run(target, call(two, target, 2.0, 3.0, types=both))
    for target in ("/cpu:0", "/job:ps/task:0/cpu:0"):
      seen.run("fails on " + target, call(fails, target, 2.0))
    seen.run("no device", call(two, "/cpu:7", 2.0, 3.0, types=both))
    seen.run("no task", call(two, "/job:nowhere/task:0/cpu:0", 2.0, 3.0, types=both))
    there = "/job:ps/task:0/cpu:0"
    again = call(two, there, 4.0, 5.0, types=both)
    for i in range(3):
      seen.run(f"again {i}", again)
    elements = tf1.data.Dataset.range(3).map(
      lambda i: functional_ops.remote_call(args=[tf.cast(i, tf.float32), 10.0], Tout=both, f=two, target="/job:ps/task:0/cpu:0")[
        0
      ]
    )
    following = tf1.data.make_initializable_iterator(elements)
    seen.run("iterator", following.initializer)
    for i in range(4):
      seen.run(f"element {i}", following.get_next())
    seen.run("variable", resource)

  compare(clusters, program)


def run_together(seen, name, fetches, feeds):
  """Runs at the same time, each begun after the one before it."""
  results = [None] * len(feeds)

  def run(i):
    results[i] = seen.session.run(fetches, feeds[i])

  threads = []
  for i in range(len(feeds)):
    threads.append(threading.Thread(target=run, args=(i,)))
    threads[-1].start()
  for thread in threads:
    thread.join(60)
  # Who is first is chance.
  seen.add(name, sorted(np.asarray(r).tolist() for r in results))


def test_batches(clusters):
  def program(seen):
    x = tf1.placeholder(tf.float32)
    limits = {"num_batch_threads": 1, "max_batch_size": 4, "batch_timeout_micros": 20_000_000}
    batch = tf.raw_ops.Batch(in_tensors=[x], grad_timeout_micros=20_000_000, **limits)
    rows = tf.raw_ops.Unbatch(
      batched_tensor=batch.batched_tensors[0] * 10.0,
      batch_index=batch.batch_index,
      id=batch.id,
      timeout_micros=20_000_000,
    )
    # A batch is full with the last of these.
    run_together(seen, "unbatch", rows, [{x: [1.0]}, {x: [2.0]}, {x: [3.0]}, {x: [4.0]}])
    seen.run("no rows", batch, {x: []})
    seen.run("too many rows", batch, {x: [1.0] * 5})
    seen.run("scalar", batch, {x: 1.0})

    @Defun(tf.float32, tf.float32)
    def scale(x, by):
      return x * by, tf.fill(tf.shape(x), tf.size(x))

    @Defun(tf.float32)
    def shrinks(x):
      return tf.reduce_sum(x)

    @Defun(tf.float32)
    def other_rows(x):
      return tf.fill([1], tf.reduce_sum(x))

    types = [tf.float32, tf.int32]
    scaled = tf.raw_ops.BatchFunction(in_tensors=[x], captured_tensors=[tf.constant(10.0)], f=scale, Tout=types, **limits)
    run_together(seen, "function", scaled[0], [{x: [1.0]}, {x: [2.0]}, {x: [3.0]}, {x: [4.0]}])
    seen.run("sizes", scaled, {x: [1.0, 2.0, 3.0, 4.0]})
    limits = {"num_batch_threads": 1, "max_batch_size": 4, "batch_timeout_micros": 1000}
    padded = tf.raw_ops.BatchFunction(
      in_tensors=[x], captured_tensors=[tf.constant(10.0)], f=scale, Tout=types, allowed_batch_sizes=[2, 4], **limits
    )
    seen.run("padded", padded, {x: [1.0, 2.0, 3.0]})
    for f in (shrinks, other_rows):
      bad = tf.raw_ops.BatchFunction(in_tensors=[x], captured_tensors=[], f=f, Tout=[tf.float32], **limits)
      seen.run(f"function {f.name[:8]}", bad, {x: [1.0, 2.0]})

  compare(clusters, program)
