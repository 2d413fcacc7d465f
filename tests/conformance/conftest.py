"""Two clusters of 2 ps and 2 workers, of ours and of stock, that every file of this folder may share."""

import os
import textwrap

import pytest

import task_servers


@pytest.fixture(scope="session")
def our_cluster():
  if not os.path.exists(task_servers.COMMAND):
    pytest.skip(f"{task_servers.COMMAND} is not built")
  with task_servers.Cluster({"ps": 2, "worker": 2}) as made:
    yield made


@pytest.fixture(scope="session")
def stock_cluster():
  with task_servers.Cluster({"ps": 2, "worker": 2}, kind="stock", together=True) as made:
    yield made


@pytest.fixture(scope="module")
def clusters():
  """A cluster of ours and one of stock, of a process a task, for one file."""
  if not os.path.exists(task_servers.COMMAND):
    pytest.skip(f"{task_servers.COMMAND} is not built")
  with task_servers.Cluster({"ps": 1, "worker": 2}) as ours:
    with task_servers.Cluster({"ps": 1, "worker": 2}, kind="stock") as stock:
      yield ours, stock


@pytest.fixture
def script(tmp_path):
  """Writes a script from its lines and gives its path."""

  def write(text):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(text))
    return str(path)

  return write


@pytest.fixture
def on_both(our_cluster, stock_cluster):
  """Runs a program on both clusters, compares what it returns, and returns that."""
  import compare_clusters

  return lambda program, **options: compare_clusters.run(program, our_cluster, stock_cluster, **options)


@pytest.fixture(params=["tf1", "tf2"])
def era(request):
  """Reference variables and Switch/Merge as in TensorFlow 1, or resources and If/While, the default since 2."""
  import tensorflow as tf

  tf1 = tf.compat.v1
  resources, functions = tf1.resource_variables_enabled(), tf1.control_flow_v2_enabled()
  if request.param == "tf1":
    tf1.disable_resource_variables()
    tf1.disable_control_flow_v2()
  yield request.param
  if resources:
    tf1.enable_resource_variables()
  if functions:
    tf1.enable_control_flow_v2()
