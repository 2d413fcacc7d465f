"""Variables, scopes and initializers: what programs in pairs with TensorFlow cannot show, with formulas written out."""

import os
import subprocess
import sys
import threading

import numpy as np
import package
import pair_runner
import pytest

sys.path.insert(0, pair_runner.package_folder())
sys.path.append(os.path.join(pair_runner.ROOT, "tools"))

import millrace as tf  # noqa: E402
import waiting  # noqa: E402


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()
  yield
  tf.reset_default_graph()


@pytest.fixture
def session():
  with tf.Session() as made:
    yield made


def test_initialized_value_of_resources(session):
  v = tf.Variable([1.0, 2.0], use_resource=True)
  w = tf.Variable(lambda: v.initialized_value() * 2.0, dtype=tf.float32, use_resource=True)
  session.run(w.initializer)
  assert session.run(w).tolist() == [2.0, 4.0]
  session.run(v.initializer)
  session.run(v.assign([3.0, 4.0]).op)
  assert session.run(v.initialized_value()).tolist() == [3.0, 4.0]


def test_initializers_take_their_types(session):
  # TensorFlow 2.21 forgets the types of these two.
  for initializer in (tf.glorot_uniform_initializer(seed=1, dtype=tf.float64), tf.glorot_normal_initializer(2, tf.float64)):
    assert initializer([20, 30]).dtype == tf.float64
    assert initializer.get_config()["dtype"] == "float64"
  uniform = session.run(tf.glorot_uniform_initializer(seed=1, dtype=tf.float64)([20, 30]))
  assert np.abs(uniform).max() <= np.sqrt(6 / 50)
  assert np.std(uniform) == pytest.approx(np.sqrt(2 / 50), rel=0.1)


@pytest.mark.parametrize(
  "initializer, variance",
  [
    (lambda: tf.initializers.lecun_normal(seed=1), 1 / 200),
    (lambda: tf.initializers.lecun_uniform(seed=1), 1 / 200),
    (lambda: tf.initializers.he_normal(seed=1), 2 / 200),
    (lambda: tf.initializers.he_uniform(seed=1), 2 / 200),
    (lambda: tf.glorot_normal_initializer(seed=1), 2 / 500),
    (lambda: tf.variance_scaling_initializer(3.0, "fan_out", "untruncated_normal", seed=1), 3 / 300),
    (lambda: tf.uniform_unit_scaling_initializer(2.0, seed=1), 4 / 200),
  ],
)
def test_variances_of_initializers(session, initializer, variance):
  values = session.run(initializer()([200, 300]))
  assert abs(values.mean()) < 0.01
  assert values.var() == pytest.approx(variance, rel=0.05)


def test_orthogonal_initializer(session):
  q = session.run(tf.orthogonal_initializer(2.0, seed=3)([5, 3]))
  np.testing.assert_allclose(q.T @ q, 4 * np.eye(3), atol=1e-5)
  rows = session.run(tf.orthogonal_initializer(seed=3)([2, 2, 6]))
  np.testing.assert_allclose(rows.reshape(4, 6) @ rows.reshape(4, 6).T, np.eye(4), atol=1e-5)


def test_partitions_are_assigned_part_by_part(session):
  v = tf.get_variable("v", [5, 2], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2))
  whole = np.arange(10, dtype=np.float32).reshape(5, 2)
  session.run(tf.global_variables_initializer())
  for written in (v.assign(whole), v.assign_add(whole, use_locking=True), v.assign_sub(np.ones([5, 2], np.float32))):
    parts = session.run(written)
    assert [p.shape for p in parts] == [(3, 2), (2, 2)]
  np.testing.assert_array_equal(session.run(v.as_tensor()), 2 * whole - 1)
  with pytest.raises(NotImplementedError):
    _as_reference(v)


def _as_reference(variable):
  from millrace.framework import convert

  return convert.convert_to_tensor(variable, as_ref=True)


def test_partition_info():
  found = []

  def initializer(shape, dtype=None, partition_info=None):
    found.append((shape, partition_info.full_shape, partition_info.var_offset, partition_info.single_offset(shape)))
    return tf.zeros(shape, dtype)

  tf.get_variable("v", [5, 4], initializer=initializer, partitioner=tf.fixed_size_partitioner(3, axis=1))
  assert found == [([5, 2], [5, 4], [0, 0], 0), ([5, 1], [5, 4], [0, 2], 2), ([5, 1], [5, 4], [0, 3], 3)]


def test_losses_of_regularizers_are_used_as_tensors(session):
  tf.get_variable("v", initializer=[1.0, 2.0], regularizer=lambda v: tf.reduce_sum(v * v))
  (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
  session.run(tf.global_variables_initializer())
  assert tf.is_tensor(loss)
  assert session.run([loss, loss + 1.0, 2.0 * loss, sum([loss, loss])]) == [5.0, 6.0, 10.0, 10.0]
  assert loss.eval() == 5.0
  assert loss.name.startswith("v/Regularizer/") and loss.dtype == tf.float32 and loss.shape.ndims == 0
  # Inside of a conditional the loss is built there.
  inside = tf.cond(tf.constant(True), lambda: tf.identity(loss), lambda: tf.constant(0.0))
  assert session.run(inside) == 5.0


def test_scopes_are_of_threads():
  names = []

  def work(graph, name):
    with graph.as_default(), tf.variable_scope(name):
      barrier.wait(10)
      names.append(tf.get_variable("v", [1]).name)
      barrier.wait(10)

  barrier = threading.Barrier(2)
  graph = tf.get_default_graph()
  threads = [threading.Thread(target=work, args=(graph, name)) for name in ("a", "b")]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert sorted(names) == ["a/v:0", "b/v:0"]


def test_scopes_are_left_by_exceptions():
  with pytest.raises(ZeroDivisionError):
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
      raise ZeroDivisionError
  assert tf.get_variable_scope().name == ""
  assert tf.get_default_graph().get_name_scope() == ""
  with pytest.raises(ValueError, match="reuse=True cannot be used without a name_or_scope"):
    with tf.variable_scope(None, "a", reuse=True):
      pass
  assert tf.get_variable("v", [1]).name == "v:0"


def test_variables_in_collections_and_dictionaries():
  v, w = tf.Variable(1.0), tf.Variable(1.0)
  assert v in [v] and w not in [v]
  assert {v: 1, w: 2}[v] == 1
  assert (v == w, v == v, v != w) == (False, True, True)


def test_numpy_leaves_operators_to_variables(session):
  v = tf.Variable([1.0, 2.0])
  session.run(tf.global_variables_initializer())
  assert session.run(np.array([1.0, 1.0], np.float32) + v).tolist() == [2.0, 3.0]


def test_device_of_reports(session, monkeypatch):
  tf.Variable(1.0, name="v")
  monkeypatch.setenv("TF_DEVICE_FOR_UNINITIALIZED_VARIABLE_REPORTING", "/job:localhost/replica:0/task:0/device:CPU:0")
  report = tf.report_uninitialized_variables()
  assert report.device == "/job:localhost/replica:0/task:0/device:CPU:0"
  assert session.run(report).tolist() == [b"v"]


def test_many_variables_are_made_fast():
  import time

  start = time.perf_counter()
  for i in range(1000):
    tf.get_variable("v%d" % i, [3, 3])
  assert time.perf_counter() - start < 20
  assert len(tf.global_variables()) == 1000


def test_training_rows_needs_no_room_for_the_table(tmp_path):
  """A server that has room for a table of 64 MB once: neither lookups, nor their gradients, nor updates copy it."""
  port = tmp_path / "port"
  command = os.path.join(pair_runner.package_folder(), "millrace", "bin", "millrace")
  with open(tmp_path / "log", "w") as log:
    words = [command, "server", "--cluster", "local", "--memory_limit", "100M", "--port_file", str(port)]
    server = subprocess.Popen(words, stdout=log, stderr=log)
  try:
    waiting.wait_for(port.exists, "the server listens")
    program = f"""
import millrace as tf
table = tf.Variable(tf.zeros([250000, 64]))
rows = tf.nn.embedding_lookup(table, [1, 2, 3])
train = tf.train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(2.0 * rows))
with tf.Session("grpc://127.0.0.1:{port.read_text().strip()}") as session:
  session.run(table.initializer)
  for _ in range(3):
    session.run(train)
  print(session.run(tf.gather(table, [0, 1, 3]))[:, 63].tolist())
"""
    assert package.said(program) == "[0.0, -1.5, -1.5]\n"
  finally:
    server.terminate()
    server.wait()
