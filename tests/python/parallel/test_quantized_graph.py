"""parallel.quantized_graph: networks in 8 bits give nearly the values of floats, by Millrace's kernels and by TensorFlow's."""

import os
import sys

import numpy as np
import pytest

import millrace
from millrace import parallel

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools"))
import processor  # noqa: E402

tensorflow = pytest.importorskip("tensorflow")


def of_stock():
  tensorflow.compat.v1.disable_v2_behavior()
  return tensorflow.compat.v1


def uniform(shape, low, high, seed=0):
  return np.random.RandomState(seed).uniform(low, high, shape).astype(np.float32)


class Network:
  """A graph with weights that are variables, its session, and the names of what goes in and comes out."""

  def __init__(self, tf, shape, build, low=0, high=1):
    self.tf = tf
    self.graph = tf.Graph()
    with self.graph.as_default():
      self.x = tf.placeholder(tf.float32, [None, *shape], name="x")
      self.y = tf.identity(build(tf, self.x), name="y")
      self.session = tf.Session(graph=self.graph)
      self.session.run(tf.global_variables_initializer())
    self.examples = uniform([60, *shape], low, high)

  def quantize(self, **options):
    return parallel.quantized_graph(None, [self.y], [{self.x: self.examples}], session=self.session, **options)

  def values(self):
    return self.session.run(self.y, {self.x: self.examples})


def run(tf, graph_def, examples, times=3):
  """What a graph says of examples, each time the same: kernels keep weights from the second run on."""
  graph = tf.Graph()
  with graph.as_default():
    tf.import_graph_def(tf.GraphDef.FromString(graph_def.SerializeToString()), name="")
    with tf.Session(graph=graph) as session:
      found = [session.run("y:0", {"x:0": examples}) for _ in range(times)]
  assert all(np.array_equal(found[0], other) for other in found)
  return found[0]


def ops_of(graph_def):
  counts = {}
  for node in graph_def.node:
    if "uantize" in node.op:
      counts[node.op] = counts.get(node.op, 0) + 1
  return counts


def variable(tf, name, shape, low=-1.0, high=1.0, seed=0):
  return tf.get_variable(name, initializer=uniform(shape, low, high, seed), use_resource=seed % 2 == 0)


def dense(tf, x, units, name, activation=None):
  with tf.variable_scope(name):
    y = tf.matmul(x, variable(tf, "w", [int(x.shape[-1]), units], seed=units))
    y = tf.nn.bias_add(y, variable(tf, "b", [units], seed=units + 1))
  return activation(y) if activation else y


def conv(tf, x, filters, name, activation=None, padding="SAME"):
  with tf.variable_scope(name):
    y = tf.nn.conv2d(x, variable(tf, "w", [3, 3, int(x.shape[-1]), filters], seed=filters), [1, 1, 1, 1], padding)
    y = y + variable(tf, "b", [filters], seed=filters + 1)
  return activation(y) if activation else y


def three_layers(tf, x):
  return dense(tf, dense(tf, dense(tf, x, 64, "a", tf.nn.relu), 48, "b", tf.nn.relu), 10, "c")


def images(tf, x):
  y = tf.nn.max_pool(conv(tf, x, 8, "a", tf.nn.relu), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
  y = conv(tf, y, 6, "b", tf.nn.relu, "VALID")
  return dense(tf, tf.reshape(y, [-1, 4 * 4 * 6]), 10, "c")


def mixed(tf, x):
  hidden = dense(tf, x, 64, "a", tf.nn.tanh)
  return tf.nn.softmax(dense(tf, hidden, 10, "b", tf.nn.relu6) + tf.reduce_mean(hidden, 1, keepdims=True))


NETWORKS = [
  (three_layers, [40], 0, {"QuantizedMatMulWithBiasAndReluAndRequantize": 2, "QuantizedMatMulWithBias": 1}),
  (three_layers, [40], -2, {"QuantizedMatMulWithBiasAndReluAndRequantize": 2, "QuantizedMatMulWithBias": 1}),
  (
    images,
    [12, 12, 3],
    0,
    {"QuantizedConv2DWithBiasAndReluAndRequantize": 2, "QuantizedMaxPool": 1, "QuantizedMatMulWithBias": 1},
  ),
  (mixed, [40], -1, {"QuantizeV2": 2, "QuantizedMatMulWithBias": 2, "Dequantize": 2}),
]


@pytest.mark.parametrize("build,shape,low,ops", NETWORKS, ids=["dense", "dense below 0", "images", "mixed"])
def test_values(tf, build, shape, low, ops):
  network = Network(tf, shape, build, low)
  wanted = network.values()
  graph_def, report = network.quantize()
  assert not report.left
  assert report.bytes_after < 0.4 * report.bytes_before
  found = ops_of(graph_def)
  assert {**found, **ops} == found
  values = run(millrace, graph_def, network.examples)
  # On average within a hundredth of the largest value.
  assert 0 < np.abs(values - wanted).mean() < 0.02 * np.abs(wanted).max()
  if processor.sums_of_bytes_saturate():
    return
  by_stock = run(of_stock(), graph_def, network.examples)
  # A number of 8 bits may be rounded the other way, which later layers see.
  assert np.abs(by_stock - values).mean() < 0.004 * np.abs(wanted).max()


def explicit_pool(tf, y):
  paddings = [[0, 0], [1, 1], [1, 1], [0, 0]]
  return tf.nn.max_pool_v2(y, [1, 2, 2, 1], [1, 2, 2, 1], paddings)


def channel_pool(tf, y):
  return tf.nn.max_pool(y, [1, 1, 1, 2], [1, 1, 1, 2], "VALID")


@pytest.mark.parametrize("pool", [explicit_pool, channel_pool])
def test_pools_that_bytes_have_not_stay_in_float(tf, pool):
  """QuantizedMaxPool has neither paddings of its own nor pools of channels."""

  def build(tf, x):
    pooled = pool(tf, conv(tf, x, 8, "a", tf.nn.relu))
    return dense(tf, tf.reshape(pooled, [-1, int(np.prod(pooled.shape.as_list()[1:]))]), 5, "b")

  network = Network(tf, [6, 6, 2], build)
  graph_def, _ = network.quantize()
  assert ops_of(graph_def) == {
    "QuantizeV2": 2,
    "QuantizedConv2DWithBiasAndRelu": 1,
    "QuantizedMatMulWithBias": 1,
    "Dequantize": 2,
  }
  wanted = network.values()
  for module in (millrace,) if processor.sums_of_bytes_saturate() else (millrace, of_stock()):
    assert 0 < np.abs(run(module, graph_def, network.examples) - wanted).mean() < 0.02 * np.abs(wanted).max()


def test_references_to_variables_are_refused(tf):
  """Constants can not be updated."""

  def message(use):
    network = Network(tf, [8], lambda tf, x: tf.matmul(x, use(tf, tf.get_variable("w", [8, 4], use_resource=False))))
    with pytest.raises(ValueError) as raised:
      network.quantize()
    return str(raised.value)

  def waits(tf, w):
    with tf.control_dependencies([tf.assign_add(w, w, name="more")]):
      return tf.identity(w)

  assert "node more (AssignAdd) takes a reference to the variable w" in message(
    lambda tf, w: tf.assign_add(w, tf.ones([8, 4]), name="more")
  )
  assert "node rows (ScatterAdd) takes" in message(lambda tf, w: tf.scatter_add(w, [1], tf.ones([1, 4]), name="rows"))
  assert "node more (AssignAdd) takes" in message(waits)


def test_both_clients_make_the_same_graph():
  made = {}
  for module in (of_stock(), millrace):
    parallel.use(module)
    made[module.__name__] = Network(module, [40], three_layers, -1).quantize().graph_def
  parallel.use(None)
  ours, stock = ({node.name: node for node in graph_def.node} for graph_def in made.values())
  assert set(ours) == set(stock)
  for name, node in ours.items():
    other = stock[name]
    assert (node.op, list(node.input)) == (other.op, list(other.input)), name
    if node.op == "Const" and node.attr["dtype"].type == tensorflow.qint8.as_datatype_enum:
      assert node.attr["value"].tensor.tensor_content == other.attr["value"].tensor.tensor_content


def test_a_frozen_graph_needs_no_session(tf):
  network = Network(tf, [40], three_layers)
  frozen = tf.graph_util.convert_variables_to_constants(network.session, network.graph.as_graph_def(), ["y"])
  batches = ({"x": network.examples[i : i + 20]} for i in range(0, 60, 20))
  graph_def, _ = parallel.quantized_graph(frozen, "y", batches)
  with_session = network.quantize().graph_def
  by_session = run(millrace, with_session, network.examples)
  # The ranges may differ by the last bit: some processors round products of 20 examples otherwise than those of 60.
  assert np.abs(run(millrace, graph_def, network.examples) - by_session).mean() < 0.004 * np.abs(by_session).max()


def test_report(tf):
  def build(tf, x):
    y = dense(tf, dense(tf, x, 16, "a", tf.nn.relu), 16, "b")
    return tf.matmul(y, y, transpose_b=True, name="squares")

  network = Network(tf, [8], build)
  report = network.quantize(skip=["b/MatMul"]).report
  assert report.quantized == [("a/MatMul", "MatMul+BiasAdd+Relu", 8 * 16 * 4, 8 * 16 + 8)]
  assert report.left == {"b/MatMul": "it is to be skipped", "squares": "its weights are not a constant"}
  assert "a/MatMul: MatMul+BiasAdd+Relu, 512 to 136 bytes" in str(report).splitlines()
  assert "squares stays in float: its weights are not a constant" in str(report).splitlines()


def test_percentiles(tf):
  network = Network(tf, [1], lambda tf, x: tf.matmul(x, variable(tf, "w", [1, 1])))
  network.examples = np.append(np.linspace(0, 1, 10_000), 1e6).astype(np.float32)[:, None]

  def largest(**options):
    constants = {node.name: node for node in network.quantize(**options).graph_def.node}
    return float(tf.make_ndarray(constants["x/quantized/bytes/max"].attr["value"].tensor))

  assert largest() == 1e6
  assert largest(percentile=99.9) == pytest.approx(0.999, abs=1e-3)


def test_wrong_arguments(tf):
  network = Network(tf, [8], lambda tf, x: dense(tf, x, 4, "a"))
  batches = [{network.x: network.examples}]
  frozen = network.graph.as_graph_def()
  named = dict(session=network.session)

  def message(*args, **kwargs):
    with pytest.raises(ValueError) as raised:
      parallel.quantized_graph(*args, **kwargs)
    return str(raised.value)

  assert "or a session" in message(None, ["y"], batches)
  assert "The graph has variables (a/" in message(frozen, ["y"], batches)
  assert "outputs is empty" in message(None, [], batches, **named)
  assert "outputs names z, which the graph does not have" in message(None, ["z"], batches, **named)
  assert "calibration has no batch" in message(None, ["y"], [], **named)
  assert "calibration has no example: x" in message(None, ["y"], [{"x": np.zeros([0, 8], np.float32)}], **named)
  bad = np.full([1, 8], np.nan, np.float32)
  assert "x has NaN or infinite numbers in calibration batch 0" in message(None, ["y"], [{"x": bad}], **named)
  assert "percentile is 0.5" in message(None, ["y"], batches, percentile=0.5, **named)
  assert "skip names dense" in message(None, ["y"], batches, skip=["dense"], **named)
  assert "nothing to quantize: the graph has neither" in message(None, ["x"], batches, **named)
  assert "it is to be skipped" in message(None, ["y"], batches, skip=["a/MatMul"], **named)
  with pytest.raises(TypeError, match="a dictionary of feeds"):
    parallel.quantized_graph(None, ["y"], [network.examples], **named)
