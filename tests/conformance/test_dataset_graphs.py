"""Data sets as graphs and back, beside stock."""

import tempfile

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops
Dataset = tf1.data.Dataset


def lines():
  with tempfile.NamedTemporaryFile("w", delete=False) as f:
    f.write("one\ntwo\n")
  return tf1.data.TextLineDataset([f.name])


def captures():
  five = tf1.placeholder_with_default(tf.constant(5, tf.int64), [])
  return Dataset.range(3).map(lambda x: x + five)


DATASETS = {
  "range": lambda: Dataset.range(5),
  "map and batch": lambda: Dataset.range(5).map(lambda x: x + 1).batch(2),
  "slices": lambda: Dataset.from_tensor_slices(np.arange(6).reshape(3, 2)).repeat(2).skip(1),
  "concatenate": lambda: Dataset.range(2).concatenate(Dataset.range(3)),
  "flat_map": lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(x)),
  "zip": lambda: Dataset.zip((Dataset.range(2), Dataset.from_tensors("text").repeat())),
  "cond in a function": lambda: Dataset.range(4).map(lambda x: tf.cond(x > 1, lambda: x * 2, lambda: -x)),
  "captures": captures,
  "lines": lines,
}


def elements_of(session, graph, structure):
  """What an iterator over the data set of a graph gives, until its first error.

  The graph is fed, since stock's rewriting would make a constant of the data set, and fail.
  """
  types = dict(output_types=tf1.data.get_output_types(structure), output_shapes=tf1.data.get_output_shapes(structure))
  types = {key: tf.nest.flatten(value) if not isinstance(value, tf.TensorShape) else [value] for key, value in types.items()}
  iterator = raw.IteratorV2(shared_name="all", container="", **types)
  fed = tf1.placeholder(tf.string, [])
  session.run(raw.MakeIterator(dataset=raw.DatasetFromGraph(graph_def=fed), iterator=iterator), {fed: graph})
  following, found = raw.IteratorGetNext(iterator=iterator, **types), []
  while True:
    element = outcome(lambda: session.run(following))
    found.append(element)
    if isinstance(element, tuple):
      return found


@pytest.mark.parametrize("name", DATASETS)
def test_there_and_back(on_both, name):
  def program(cluster):
    with tf.device("/job:ps/task:1"):
      dataset = DATASETS[name]()
      text = raw.DatasetToGraph(input_dataset=dataset._variant_tensor)
      with tf1.Session(cluster.target("worker")) as session:
        graph = tf1.GraphDef.FromString(session.run(text))
        elements = elements_of(session, graph.SerializeToString(), dataset)
        return {"elements": elements, "result": [(n.name, n.op) for n in graph.node if n.op == "_Retval"]}

  assert len(on_both(program)["elements"]) > 1


def test_graphs_of_the_other(our_cluster, stock_cluster):
  """A graph that one server writes makes the same data set on the other."""
  clusters, graphs = [our_cluster, stock_cluster], []
  for cluster in clusters:
    tf1.Session.reset(cluster.target("worker"))
    with tf1.Graph().as_default(), tf1.Session(cluster.target("worker")) as session:
      graphs.append(session.run(raw.DatasetToGraph(input_dataset=DATASETS["map and batch"]()._variant_tensor)))
  for cluster, graph in zip(clusters, reversed(graphs)):
    with tf1.Graph().as_default(), tf1.Session(cluster.target("worker")) as session:
      *batches, end = elements_of(session, graph, DATASETS["map and batch"]())
      assert [b[0].tolist() for b in batches] == [[1, 2], [3, 4], [5]] and end[0] == "OutOfRangeError"


def test_state(on_both):
  def program(cluster):
    def draws():
      return Dataset.range(3).map(lambda x: tf1.random.uniform([]) + tf.cast(x, tf.float32))

    def reads():
      v = tf1.get_variable("v", initializer=1.0, use_resource=True)
      return Dataset.range(3).map(lambda x: tf.cast(x, tf.float32) + v)

    results = {}
    with tf.device("/job:ps/task:1"):
      for make in (draws, reads):
        text = raw.DatasetToGraph(input_dataset=make()._variant_tensor)
        with tf1.Session(cluster.target("worker")) as session:
          session.run(tf1.global_variables_initializer())
          results[make.__name__] = outcome(lambda text=text, session=session: session.run(text))
      allowed = raw.DatasetToGraph(input_dataset=draws()._variant_tensor, allow_stateful=True)
      with tf1.Session(cluster.target("worker")) as session:
        results["allowed"] = [n.op for n in tf1.GraphDef.FromString(session.run(allowed)).node]
    return results

  assert on_both(program)["draws"][0] == "FailedPreconditionError"


@pytest.mark.parametrize("graph", [b"\xff\xff", b""], ids=["no message", "no result"])
def test_what_is_no_data_set(on_both, graph):
  def program(cluster):
    fed = tf1.placeholder(tf.string, [])
    size = raw.DatasetCardinality(input_dataset=raw.DatasetFromGraph(graph_def=fed))
    with tf1.Session(cluster.target("worker")) as session:
      return outcome(lambda: session.run(size, {fed: graph}))

  on_both(program)
