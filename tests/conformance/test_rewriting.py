"""Graphs that are rewritten: the same values and errors as stock's, and as without rewriting; traces say what was fused."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import assert_same, outcome  # noqa: E402

tf1 = tf.compat.v1

PS0, WORKER1 = "/job:ps/task:0", "/job:worker/task:1"


def config(rewritten):
  made = tf1.ConfigProto()
  made.graph_options.rewrite_options.disable_meta_optimizer = not rewritten
  if not rewritten:
    made.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
  return made


def both_ways(cluster, fetches, feeds=None, **tolerances):
  """What a run gives, which must be the same with and without rewriting."""
  results = []
  for rewritten in (False, True):
    with tf1.Session(cluster.target("worker"), config=config(rewritten)) as session:
      session.run(tf1.global_variables_initializer())
      results.append(outcome(lambda: session.run(fetches, feeds)))
  assert_same(results[1], results[0], **tolerances)
  return results[1]


def labels(cluster, fetches, feeds, rewritten=True):
  metadata = tf1.RunMetadata()
  options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
  with tf1.Session(cluster.target("worker"), config=config(rewritten)) as session:
    session.run(fetches, feeds, options=options, run_metadata=metadata)
  return [node.timeline_label for device in metadata.step_stats.dev_stats for node in device.node_stats]


def chain(x, y):
  p = tf.multiply(x, y, name="p")
  return tf.nn.relu(tf.add(p, y, name="s"), name="r")


def test_chains(on_both):
  def program(cluster):
    results = []
    for dtype in (tf.float32, tf.float64, tf.float16):
      tolerance = 2e-2 if dtype == tf.float16 else 1e-5
      x, y = tf1.placeholder(dtype, None), tf1.placeholder(dtype, None)
      z = chain(x, y)
      for _ in range(40):
        z = tf.tanh(z * 0.5 - y) + tf.square(z) * 0.1
      inner = z - 1.0
      last = tf.sigmoid(tf.maximum(tf.nn.leaky_relu(inner, 0.25), x) / 2.0)
      for shapes in (((3, 4), (3, 4)), ((3, 4), ()), ((), (5,)), ((2, 1), (3,)), ((0, 2), ()), ((), ())):
        a, b = (np.linspace(-0.3, 0.4, int(np.prod(s))).reshape(s) for s in shapes)
        for fetches in ([last], [last, inner]):
          results.append(both_ways(cluster, fetches, {x: a, y: b}, rtol=tolerance, atol=tolerance))
    return [np.asarray(v, np.float64) for r in results for v in r]

  on_both(program, rtol=2e-2, atol=2e-2)


def test_a_network_and_its_gradients(on_both, era):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [None, 6])
    net, sizes = x, [6, 5, 4]
    for i, (m, n) in enumerate(zip(sizes, sizes[1:])):
      with tf.device(PS0):
        w = tf1.get_variable(f"w{i}", initializer=np.linspace(-1, 1, m * n).reshape(m, n).astype(np.float32))
        b = tf1.get_variable(f"b{i}", initializer=np.linspace(-0.5, 0.5, n).astype(np.float32))
      with tf.device(WORKER1):
        net = tf.nn.relu(tf.matmul(net, w) + b) if i == 0 else tf.nn.tanh(tf.nn.bias_add(tf.matmul(net, w), b))
    loss = tf.reduce_mean(tf.square(net - tf.ones_like(net) * tf.constant(0.5) * 2.0))
    gradients = tf1.gradients(loss, tf1.trainable_variables())
    return both_ways(cluster, [loss] + gradients, {x: np.linspace(-1, 2, 18).reshape(3, 6)})

  on_both(program)


def test_constants_and_control_dependencies(on_both):
  def program(cluster):
    v = tf1.get_variable("v", initializer=1.0, use_resource=True)
    grow = v.assign_add(1.0)
    with tf.control_dependencies([grow]):
      late = tf.constant(2.0) * 3.0 + 4.0
    with tf.control_dependencies([late]):
      seen = v.read_value()
    same = [tf.reduce_sum(seen * late), tf.reduce_sum(seen * late)]
    return both_ways(cluster, [late, seen, tf.cond(seen > 1.5, lambda: tf.constant(1.0) + 2.0, lambda: late)] + same)

  on_both(program)


def test_errors_name_their_nodes(on_both):
  def program(cluster):
    x, y = tf1.placeholder(tf.int32, None, name="x"), tf1.placeholder(tf.int32, None, name="y")
    last = tf.negative(tf.math.floordiv(x, tf.add(x, y, name="sum"), name="quotient"), name="last")
    results = []
    for feeds in ({x: [1, 1], y: [1, -1]}, {x: [1, 2], y: [1, 2, 3]}):
      results.append(both_ways(cluster, last, feeds))
    return [r[1] for r in results]

  on_both(program)


def test_a_placeholder_that_nobody_reads_needs_no_value(on_both):
  def program(cluster):
    results = {}
    for name, follow in {
      "itself": lambda x: x,
      "product": lambda x: x * 2.0,
      "chain": lambda x: tf.exp(x * 2.0 + 1.0),
      "shape": tf.shape,
      "group": lambda x: tf.group(x * 2.0),
    }.items():
      x = tf1.placeholder(tf.float32, [None, 3])
      given = tf1.placeholder_with_default([1.0, 2.0], [2])
      with tf.control_dependencies([follow(x)]):
        value = tf.exp(given * 3.0) + tf.sin(given)
      read = tf.reduce_sum(x) + value
      with tf1.Session(cluster.target("worker")) as session:
        results[name] = [session.run(value), outcome(lambda: session.run(read))[0]]
    return results

  on_both(program)


def test_a_shape_that_is_known_needs_no_value(on_both):
  def program(cluster):
    results = {}
    for name, follow in {"itself": lambda x: x, "product": lambda x: tf.multiply(x, 2.0)}.items():
      for shape in ([2, 3], [None, 3]):
        # tf.shape would answer in the client.
        asked = tf.raw_ops.Shape(input=follow(tf1.placeholder(tf.float32, shape)))
        used = tf.cast(asked, tf.float32) * tf1.placeholder_with_default([1.0, 2.0], [2])
        with tf1.Session(cluster.target("worker")) as session:
          seen = outcome(lambda: session.run(used))
        results[f"{name} of {shape}"] = seen[0] if isinstance(seen, tuple) else seen
    return results

  on_both(program)


def test_the_trace_says_what_was_fused(our_cluster):
  with tf.Graph().as_default():
    x, y = tf1.placeholder(tf.float32, None), tf1.placeholder(tf.float32, None)
    z = chain(x, y)
    feeds = {x: [1.0, 2.0], y: 3.0}
    assert "r = _FusedElementwise[Mul,AddV2,Relu](" in "\n".join(labels(our_cluster, z, feeds))
    assert not [label for label in labels(our_cluster, z, feeds, rewritten=False) if "Fused" in label]
