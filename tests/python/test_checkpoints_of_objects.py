"""tf.train.Checkpoint and its manager: modules and layers, and the counter that each checkpoint has."""

import numpy as np
import pytest


@pytest.fixture
def tf():
  """The package, with an empty graph as the default one."""
  import millrace

  with millrace.Graph().as_default():
    yield millrace


def _net(tf):
  class Net(tf.Module):
    def __init__(self):
      super().__init__(name="net")
      self._w = tf.Variable([1.0, 2.0], name="w")
      self.parts = [tf.Variable(3.0, name="part"), {"deep": tf.Variable(4.0, name="deep")}]
      self.dense = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer(), name="dense")

  net = Net()
  net.dense(tf.constant([[1.0, 1.0]]))
  return net


def test_modules_and_layers(tf, tmp_path):
  net = _net(tf)
  checkpoint = tf.train.Checkpoint(net=net)
  names = ("net/_w", "net/parts/0", "net/parts/1/deep", "net/dense/kernel", "net/dense/bias")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = checkpoint.save(str(tmp_path / "c"))
    session.run([tf.assign(v, v * 0 - 1) for v in tf.global_variables()])
    checkpoint.restore(path).assert_consumed().run_restore_ops()
    np.testing.assert_array_equal(session.run(net._w), [1, 2])
    assert session.run([net.parts[0], net.parts[1]["deep"]]) == [3, 4]
    np.testing.assert_array_equal(session.run(net.dense.kernel), np.ones((2, 2)))
  found = {name for name, _ in tf.train.list_variables(path)}
  assert {name + "/.ATTRIBUTES/VARIABLE_VALUE" for name in names} <= found


def test_a_number_of_the_program(tf, tmp_path):
  """The counter is in the checkpoint and counts all the same."""
  for first in (5, 7):
    with tf.Graph().as_default(), tf.Session() as session:
      v = tf.Variable(1.0)
      session.run(tf.global_variables_initializer())
      checkpoint = tf.train.Checkpoint(v=v)
      manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "m"), 3)
      if manager.latest_checkpoint:
        checkpoint.restore(manager.latest_checkpoint).assert_consumed().run_restore_ops()
      manager.save(checkpoint_number=first)
      path = manager.save(checkpoint_number=first + 1)
      assert path.endswith("ckpt-%d" % (first + 1))
      assert session.run(checkpoint.save_counter) == first - 3


def _words(tf):
  class Words(tf.train.experimental.PythonState):
    words = b"begin"

    def serialize(self):
      return self.words

    def deserialize(self, string_value):
      self.words = string_value

  return Words()


def test_a_final_graph_is_saved_and_restored(tf, tmp_path):
  """The nodes are made by the first call: a training saves as long as it lasts."""
  v, w, words = tf.Variable(1.0), tf.get_variable("w", initializer=[1.0], use_resource=True), _words(tf)
  checkpoint = tf.train.Checkpoint(v=v, w=w, words=words)
  add, first = [tf.assign_add(v, 1.0).op, tf.assign_add(w, [10.0]).op], tf.identity(w)[0]
  manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "m"), max_to_keep=9)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    paths = [checkpoint.save(str(tmp_path / "c"))]
    checkpoint.restore(paths[0]).run_restore_ops()
    session.graph.finalize()
    saves = [lambda: checkpoint.save(str(tmp_path / "c")), lambda: checkpoint.write(str(tmp_path / "d")), manager.save]
    for number in range(3):
      session.run(add)
      words.words = b"%d" % number
      paths.append(saves[number]())
    found = []
    for path in paths:
      checkpoint.restore(path).assert_consumed().run_restore_ops()
      found.append((*session.run([v, first]), words.words))
  assert found == [(1.0, 1.0, b"begin"), (2.0, 11.0, b"0"), (3.0, 21.0, b"1"), (4.0, 31.0, b"2")]


def test_objects_that_come_between_two_checkpoints(tf, tmp_path):
  v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
  checkpoint = tf.train.Checkpoint(v=v)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before = checkpoint.save(str(tmp_path / "c"))
    checkpoint.w = w
    after = checkpoint.save(str(tmp_path / "c"))
    for path in (before, after, before):
      session.run([tf.assign(v, 0.0), tf.assign(w, 0.0)])
      checkpoint.restore(path).run_restore_ops()
      assert session.run([v, w]) == [1.0, 2.0 if path == after else 0.0]
  key = "w/.ATTRIBUTES/VARIABLE_VALUE"
  assert [key in dict(tf.train.list_variables(path)) for path in (before, after)] == [False, True]
