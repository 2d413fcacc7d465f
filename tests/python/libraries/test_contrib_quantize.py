"""tf.contrib.quantize: parts of graphs that look like a pattern; the rest says what to use."""

import importlib

import package
import pytest

import millrace as tf

matcher = importlib.import_module("millrace.contrib.quantize.python.graph_matcher")


@pytest.fixture(autouse=True)
def graph():
  with tf.Graph().as_default():
    yield


def parts():
  x = tf.placeholder(tf.float32, [1, 4, 4, 1], name="x")
  product = tf.nn.conv2d(x, tf.ones([1, 1, 1, 2]), [1, 1, 1, 1], "SAME", name="conv")
  total = tf.add(tf.ones([2]), product, name="total")
  return x, product, tf.nn.relu6(total, name="result")


def test_a_chain_of_ops_is_found():
  x, product, result = parts()
  tf.nn.relu6(x, name="other")
  conv = matcher.OpTypePattern("Conv2D|DepthwiseConv2dNative", name="product", inputs=["Placeholder", "*"])
  total = matcher.OpTypePattern("Add|AddV2", inputs=[conv, "*"], ordered_inputs=False)
  pattern = matcher.OpTypePattern("Relu6", inputs=[total])
  (found,) = matcher.GraphMatcher(pattern).match_graph(tf.get_default_graph())
  assert found.get_op(pattern) is result.op and found.get_tensor(pattern) is None
  assert found.get_tensor("product") is product and found.get_op(conv) is product.op and found.get_op("nothing") is None
  with pytest.raises(ValueError, match="Expect Pattern or str"):
    found.get_op(3)
  ordered = matcher.OpTypePattern("Add|AddV2", inputs=[conv, "*"])
  assert list(matcher.GraphMatcher(ordered).match_graph(tf.get_default_graph())) == []


def test_one_of_several_patterns():
  x, product, result = parts()
  pattern = matcher.OneofPattern([matcher.OpTypePattern("Conv2D", name="a"), matcher.OpTypePattern("*", name="b", inputs=["*"])])
  matches = [matcher.GraphMatcher(pattern).match_op(op) for op in (product.op, result.op, x.op)]
  assert matches[0].get_op("a") is product.op and matches[1].get_op("b") is result.op and matches[2] is None
  with pytest.raises(ValueError, match="is already bound to another pattern"):
    matches[0].add(matcher.OpTypePattern("*", name="a"), result.op, None)
  with pytest.raises(ValueError, match="inputs are allowed when ordered_inputs is False"):
    matcher.OpTypePattern("AddN", inputs=["*"] * 9, ordered_inputs=False)


def test_rewriting_says_what_to_use():
  said = package.said(
    """
import millrace
millrace.install()
from tensorflow.contrib import quantize
from tensorflow.contrib.quantize.python import graph_matcher
import tensorflow as tf
for module in (quantize, tf.contrib.quantize, graph_matcher and tf.contrib.quantize):
  try:
    module.create_training_graph()
  except AttributeError as error:
    print(error)
"""
  ).splitlines()
  assert len(said) == 3
  for line in said:
    assert line.startswith("tf.contrib.quantize.create_training_graph is not part of Millrace. Use tf.quantization.fake_quant")
