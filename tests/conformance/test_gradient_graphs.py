"""Graphs with gradients of ours, run by the stock runtime and compared with the gradients that stock builds itself."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
tf1 = tf.compat.v1

BUILD = pathlib.Path(os.environ.get("MILLRACE_BUILD", "build/dev"))
PROGRAM = BUILD / "tests" / "gradient_graphs"
MODELS = [
  "network",
  "broadcast",
  "embedding",
  "only_rows",
  "reductions",
  "shapes",
  "conditional",
  "second_order",
  "special",
  "batch_norm_training",
  "batch_norm_inference",
  "colors",
  "projection",
  "singular_values",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
  if not PROGRAM.exists():
    pytest.skip(f"{PROGRAM} is not built")
  path = tmp_path_factory.mktemp("gradients")
  done = subprocess.run([PROGRAM, str(path)], capture_output=True, text=True)
  assert done.returncode == 0, done.stderr
  return path


def models(folder):
  return {line.split()[0]: line.split()[1:] for line in (folder / "models.txt").read_text().splitlines()}


def test_the_list_is_complete(folder):
  assert sorted(models(folder)) == sorted(MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_gradients_are_those_of_stock(folder, model):
  y, *pairs = models(folder)[model]
  graph_def = tf1.GraphDef.FromString((folder / f"{model}.graph").read_bytes())
  with tf1.Graph().as_default() as graph, tf1.Session() as session:
    tf1.import_graph_def(graph_def, name="")
    tensor = graph.get_tensor_by_name
    for x, ours in zip(pairs[::2], pairs[1::2]):
      (stock,) = tf1.gradients(tensor(y), [tensor(x)])
      assert isinstance(stock, tf.IndexedSlices) == ("," in ours)
      if "," in ours:
        values, indices = map(tensor, ours.split(","))
        ours_dense = tf1.unsorted_segment_sum(values, indices, tensor(x).shape[0])
        stock = tf.convert_to_tensor(stock)
      else:
        ours_dense = tensor(ours)
      got, want = session.run([ours_dense, stock])
      np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6, err_msg=x)
