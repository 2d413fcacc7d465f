"""tensorflow.python.grappler.tf_optimizer: what is left of a graph, and that it computes the same."""

import importlib

import numpy as np
import pytest

import millrace as tf

optimizer = importlib.import_module("millrace.python.grappler.tf_optimizer")


def meta_graph(fetches):
  """A graph with constants that are added, and with something that no fetch needs."""
  with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [2], name="x")
    total = tf.add(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]), name="total")
    tf.multiply(x, total, name="product")
    tf.square(x, name="unused")
    for name in fetches:
      tf.add_to_collection("train_op", name)
    return tf.train.export_meta_graph()


def optimized(optimizers, fetches=("x:0", "product:0")):
  config = tf.ConfigProto()
  config.graph_options.rewrite_options.optimizers[:] = optimizers
  meta = meta_graph([])
  meta.collection_def["train_op"].node_list.value.extend(fetches)
  return {node.name: node.op for node in optimizer.OptimizeGraph(config, meta).node}


def test_constants_are_folded():
  assert optimized(["constfold", "function"]) == {"x": "Placeholder", "total": "Const", "product": "Mul", "unused": "Square"}


def test_what_nobody_runs_goes():
  found = optimized(["pruning"])
  assert "unused" not in found and found["total"].startswith("Add")
  assert optimized([]) == {"x": "Placeholder", "total": "Const", "product": "Mul"}
  assert optimized([], ["total"]) == {"total": "Const"}


def test_without_fetches_nothing_changes():
  assert len(optimized([], [])) == 6


def test_values_stay():
  config, meta = tf.ConfigProto(), meta_graph([])
  meta.collection_def["train_op"].node_list.value.extend(["x", "product"])
  with tf.Graph().as_default():
    tf.import_graph_def(optimizer.OptimizeGraph(config, meta, cluster=None), name="")
    with tf.Session() as session:
      np.testing.assert_allclose(session.run("product:0", {"x:0": [1, 10]}), [4, 60])


def test_wrong_messages():
  with pytest.raises(TypeError):
    optimizer.OptimizeGraph(tf.GraphDef(), meta_graph([]))
