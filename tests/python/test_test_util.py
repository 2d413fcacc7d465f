"""tensorflow.python.framework.test_util: tests in the style of TensorFlow's own."""

import importlib
import sys
import unittest

import numpy as np
import pair_runner
import pytest

sys.path.insert(0, pair_runner.package_folder())

import millrace as tf

test_util = importlib.import_module("millrace.python.framework.test_util")


def ran(cls):
  """How the tests of a class end: their names in lists of what passed, failed and was skipped, with the reasons of the last."""
  result = unittest.TestResult()
  unittest.defaultTestLoader.loadTestsFromTestCase(cls).run(result)
  assert not result.errors, result.errors[0][1]
  skipped = {case.id().rpartition(".")[2]: why for case, why in result.skipped}
  skipped.pop("test_session", None)
  return result.testsRun, [case.id().rpartition(".")[2] for case, _ in result.failures], skipped


def test_decorators_of_tests():
  seen = []

  class Tests(tf.test.TestCase):
    @test_util.run_deprecated_v1
    def test_plain(self):
      with self.cached_session():
        seen.append(int(tf.constant(1).eval()))

    @test_util.run_deprecated_v1()
    @test_util.disable_xla("no reason")
    @test_util.run_v1_only("b/1")
    @test_util.deprecated_graph_mode_only()
    def test_called(self):
      with self.session(use_gpu=True):
        seen.append(int(tf.constant(2).eval()))

    @test_util.run_in_graph_and_eager_modes
    def test_modes(self):
      seen.append(int(self.evaluate(tf.constant(3))))
      self.assertIsNotNone(tf.get_default_session())

    @test_util.run_in_graph_and_eager_modes(use_gpu=False)
    def test_modes_on_cpu(self):
      self.assertEqual(tf.constant(4).device, "/device:CPU:0")
      seen.append(4)

    @test_util.build_as_function_and_v1_graph
    def test_graph(self):
      seen.append(len(tf.get_default_graph().get_operations()))

    @test_util.with_forward_compatibility_horizons(None, (2019, 8, 1), (2030, 1, 1))
    def test_horizons(self):
      seen.append(tf.compat.forward_compatible(2020, 1, 1))

    @test_util.run_v2_only
    def test_later(self):
      seen.append("later")

    @test_util.skip_if(lambda: True)
    def test_skipped(self):
      seen.append("skipped")

    @test_util.skip_if(False)
    def test_not_skipped(self):
      seen.append("not skipped")

    @test_util.run_deprecated_v1
    def test_wrong(self):
      self.fail()

  count, failed, skipped = ran(Tests)
  assert count == 11 and failed == ["test_wrong"]
  assert sorted(skipped) == ["test_later", "test_skipped"]
  assert sorted(map(str, seen)) == sorted(["1", "2", "3", "4", "0", "False", "False", "True", "not skipped"])


def test_decorators_of_classes():
  sessions = []

  @test_util.run_all_in_graph_and_eager_modes
  class Modes(tf.test.TestCase):
    def test_one(self):
      sessions.append(tf.get_default_session())

    def testSkipEager_two(self):
      sessions.append(tf.get_default_session())

  @test_util.run_v1_only("b/1")
  @test_util.run_all_in_deprecated_graph_mode_only
  @test_util.with_control_flow_v2
  @test_util.disable_all_xla("no reason")
  class Plain(tf.test.TestCase):
    def test_three(self):
      sessions.append(3)

  @test_util.run_gpu_only
  class OnGpus(tf.test.TestCase):
    def test_four(self):
      sessions.append(4)

  assert [ran(cls)[1] for cls in (Modes, Plain)] == [[], []]
  assert [one is None for one in sessions] == [True, False, False] and sessions[2] == 3
  skipped = {} if tf.test.is_gpu_available() else {"test_four": "Test requires GPU"}
  assert ran(OnGpus)[2] == skipped
  with pytest.raises(ValueError, match="takes tests"):
    test_util.run_in_graph_and_eager_modes(Plain)
  with pytest.raises(ValueError, match="has to be a text"):
    test_util.run_v1_only(Plain)
  for horizons in ((), ((2019, 8),)):
    with pytest.raises(ValueError, match="horizon"):
      test_util.with_forward_compatibility_horizons(*horizons)


def test_tensors_that_are_left():
  kept = []

  class Tests(tf.test.TestCase):
    @test_util.assert_no_new_tensors
    def test_gone(self):
      tf.constant(1) + 2

    @test_util.assert_no_new_tensors
    def test_kept(self):
      kept.append(tf.constant(1))

  with pytest.raises(AssertionError, match="1 tensors are left"):
    Tests("test_kept").test_kept()
  Tests("test_gone").test_gone()


def test_layouts():
  shape = [2, 3, 4, 8]
  assert test_util.NHWCToNCHW(shape) == [2, 8, 3, 4] and test_util.NCHWToNHWC([2, 8, 3, 4]) == shape
  assert test_util.NHWCToNCHW([1, 2, 3, 4, 5]) == [1, 5, 2, 3, 4] and test_util.NCHWToNHWC([1, 5, 2, 3, 4]) == [1, 2, 3, 4, 5]
  assert test_util.NHWCToNCHW_VECT_C(shape) == [2, 2, 3, 4, 4] and test_util.NCHW_VECT_CToNHWC([2, 2, 3, 4, 4]) == shape
  value = np.arange(2 * 3 * 4 * 8).reshape(shape)
  with tf.Graph().as_default(), tf.Session() as session:
    x = tf.constant(value)
    grouped = test_util.NHWCToNCHW_VECT_C(x)
    got = session.run([test_util.NHWCToNCHW(x), test_util.NCHWToNHWC(test_util.NHWCToNCHW(x)), grouped])
    back = session.run(test_util.NCHW_VECT_CToNHWC(grouped))
  np.testing.assert_array_equal(got[0], value.transpose(0, 3, 1, 2))
  np.testing.assert_array_equal(got[1], value)
  np.testing.assert_array_equal(got[2], value.reshape(2, 3, 4, 2, 4).transpose(0, 3, 1, 2, 4))
  np.testing.assert_array_equal(back, value)
  for call, wrong in ((test_util.NHWCToNCHW_VECT_C, [1, 2, 2, 6]), (test_util.NCHW_VECT_CToNHWC, [1, 2, 2, 2, 3])):
    with pytest.raises(ValueError, match="four"):
      call(wrong)


def test_graphs_and_devices():
  graph = tf.Graph()
  with graph.as_default():
    with test_util.force_gpu():
      a = tf.constant(1.0, name="a")
    with test_util.use_gpu():
      b = tf.constant(1.0, name="b")
    with test_util.force_cpu(), test_util.device(use_gpu=False):
      c = tf.Variable(1.0, name="c")
    expected = "/device:GPU:0" if tf.test.is_gpu_available() else "/device:CPU:0"
    assert [x.device for x in (a, b, c)] == ["/device:GPU:0", expected, "/device:CPU:0"]
    meta = tf.train.export_meta_graph()
  assert list(test_util.assert_ops_in_graph({"a": "Const"}, graph)) == ["a"]
  for wrong in ({"a": "Add"}, {"absent": "Const"}):
    with pytest.raises(ValueError, match="Node"):
      test_util.assert_ops_in_graph(wrong, graph)
  assert test_util.get_node_def_from_graph("b", meta.graph_def).op == "Const"
  assert test_util.get_node_def_from_graph("absent", meta.graph_def) is None
  other = tf.MetaGraphDef.FromString(meta.SerializeToString())
  case = tf.test.TestCase()
  test_util.assert_meta_graph_protos_equal(case, meta, other)
  other.collection_def["variables"].bytes_list.value[0] = b""
  with pytest.raises(AssertionError):
    test_util.assert_meta_graph_protos_equal(case, meta, other)
  test_util.assert_equal_graph_def_v1(meta.graph_def, graph.as_graph_def(add_shapes=True))
  test_util.assert_equal_graph_def_v2(meta.graph_def, graph.as_graph_def(add_shapes=True))
  old = tf.Graph()
  test_util.set_producer_version(old, 21)
  assert old.graph_def_versions.producer == 21


def test_answers(caplog):
  combinations = test_util.generate_combinations_with_testcase_name(dtype=["float32", "int32"], axis=[0, -1], flag=True)
  assert len(combinations) == 4 and combinations[0]["testcase_name"] == "_test_axis_0_dtype_float32_flag_True"
  assert {one["axis"] for one in combinations} == {0, -1} and combinations[3]["dtype"] == "int32"
  assert not test_util.IsMklEnabled() and not test_util.is_xla_enabled() and not test_util.IsBuiltWithROCm()
  assert test_util.IsGoogleCudaEnabled() == tf.test.is_built_with_cuda() and test_util.TensorFlowTestCase is tf.test.TestCase
  with tf.Graph().as_default(), test_util.ErrorLoggingSession() as session:
    with pytest.raises(tf.errors.InvalidArgumentError):
      session.run(tf.placeholder(tf.float32, name="unfed"))
  assert any("unfed" in record.getMessage() for record in caplog.records)


def test_a_cached_session_keeps_its_graph():
  graphs = []

  class Cases(test_util.TensorFlowTestCase):
    def test_loop(self):
      for _ in range(2):
        with tf.Graph().as_default(), self.cached_session() as session:
          graphs.append((session.graph, tf.get_default_graph()))
      with tf.Graph().as_default(), self.test_session(config=tf.ConfigProto()) as session:
        graphs.append((session.graph, tf.get_default_graph()))
      with self.assertRaisesRegex(ValueError, "The graph used to get the cached session is different"):
        with self.cached_session(graph=tf.Graph()):
          pass
      with self.assertRaisesRegex(ValueError, "The config used to get the cached session is different"):
        with self.cached_session(config=tf.ConfigProto()):
          pass

  assert ran(Cases)[1] == []
  assert len({graph for pair in graphs for graph in pair}) == 1 and len(graphs) == 3
