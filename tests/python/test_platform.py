"""Flags, main functions, test cases, and other parts of the platform that pairs do not show."""

import package
import pytest


def run(folder, text, *words):
  (folder / "program.py").write_text("import millrace as tf\n" + text)
  return package.python("program.py", *words, cwd=str(folder))


FLAGS = """
flags = tf.app.flags
flags.DEFINE_string("name", "x", "The name.")
flags.DEFINE_integer("steps", 10, "Steps.")
flags.DEFINE_boolean("fast", False, "Fast?")
FLAGS = flags.FLAGS
def main(argv):
  print(argv[1:], FLAGS.name, FLAGS.steps, FLAGS.fast)
  return 4
if __name__ == "__main__":
  tf.app.run()
"""


def test_app_run(tmp_path):
  ran = run(tmp_path, FLAGS, "--name=a", "b", "--steps", "3", "--unknown=1", "--fast")
  assert (ran.returncode, ran.stdout) == (4, "['b', '--unknown=1'] a 3 True\n"), ran.stderr
  ran = run(tmp_path, FLAGS, "--steps=x")
  assert ran.returncode == 1 and "flag --steps=x: invalid literal for int()" in ran.stderr
  ran = run(tmp_path, FLAGS, "--help")
  assert ran.returncode == 1 and "--[no]fast: Fast?" in ran.stdout and "(an integer)" in ran.stdout


def test_flags_are_read_when_first_asked_for(tmp_path):
  ran = run(tmp_path, 'tf.flags.DEFINE_float("rate", 0.5, "")\nprint(tf.flags.FLAGS.rate)\n', "--rate=2", "--other")
  assert ran.stdout == "2.0\n", ran.stderr


def test_older_names_of_arguments(tmp_path):
  ran = run(tmp_path, 'tf.flags.DEFINE_string(flag_name="n", default_value="d", docstring="t")\nprint(tf.flags.FLAGS.n)\n')
  assert ran.stdout == "d\n", ran.stderr


def test_flagfile(tmp_path):
  (tmp_path / "flags").write_text("# comment\n--a=1\n\n--b=2\n")
  text = 'for n in "ab":\n  tf.flags.DEFINE_integer(n, 0, "")\nprint(tf.flags.FLAGS.a, tf.flags.FLAGS.b)\n'
  assert run(tmp_path, text, "--flagfile=flags", "--b=3").stdout == "1 3\n"


def test_flags_are_removed(tmp_path):
  text = """
flags = tf.app.flags
flags.DEFINE_string("name", "x", "")
for name in list(flags.FLAGS._flags()):
  flags.FLAGS.__delattr__(name)
flags.DEFINE_integer("name", 3, "")
print(flags.FLAGS.name)
"""
  assert run(tmp_path, text).stdout == "3\n"


BESIDE_ABSL = """
import sys
from absl import app, flags
import tensorflow as tf
import other
flags.DEFINE_integer("steps", 10, "Steps.")
tf.flags.DEFINE_boolean("fast", False, "Fast?")
def main(argv):
  print(argv[1:], tf.flags.FLAGS.name, flags.FLAGS.name, tf.flags.FLAGS.steps, flags.FLAGS.fast, other.rate(), other.first)
  print(sorted(set(tf.flags.FLAGS.__flags) & {"name", "steps", "fast", "rate"}))
  tf.flags.FLAGS.steps = 7
  assert flags.FLAGS.steps == 7 and "name" in tf.flags.FLAGS and tf.flags.FLAGS["name"].default == "x"
  assert flags.FLAGS.find_module_defining_flag("name") == "other"
(tf.app if "--ours" in sys.argv else app).run(main)
"""
BESIDE_ABSL_OTHER = """
import tensorflow as tf
tf.flags.DEFINE_string(flag_name="name", default_value="x", docstring="The name.")
tf.flags.DEFINE_float("rate", 0.5, "The rate.")
first = tf.flags.FLAGS.is_parsed()
def rate():
  return tf.flags.FLAGS.rate
"""


@pytest.mark.parametrize("app", ("absl", "ours"))
def test_flags_beside_absl(app, tmp_path):
  """Programs define flags by tf.flags in one file and by absl in another, and read them by either's app.run."""
  pytest.importorskip("absl")
  (tmp_path / "other.py").write_text(BESIDE_ABSL_OTHER)
  words = ["a", "--steps=3", "--name=n", "--fast", "--rate", "2"] + (["--ours"] if app == "ours" else [])
  ran = package.script(tmp_path, BESIDE_ABSL, *words)
  rest = ["a", "--ours"] if app == "ours" else ["a"]
  assert ran.stdout == "%s n n 3 True 2.0 False\n['fast', 'name', 'rate', 'steps']\n" % rest, ran.stderr


def test_flags_are_read_when_first_asked_for_beside_absl(tmp_path):
  pytest.importorskip("absl")
  ran = package.script(
    tmp_path, BESIDE_ABSL_OTHER + "import absl.flags\nprint(rate(), absl.flags.FLAGS.name)\n", "--rate=3", "--other"
  )
  assert ran.stdout == "3.0 x\n", ran.stderr


def test_logging(tmp_path):
  text = """
log = tf.logging
log.debug("no")
log.info("no")
log.warn("w %d", 1)
log.set_verbosity(log.INFO)
log.info("i")
log.log(log.ERROR, "l")
log.log_if(log.INFO, "if", False)
for i in range(5):
  log.log_every_n(log.INFO, "every %d", 2, i)
  log.log_first_n(log.INFO, "first %d", 1, i)
log.vlog(log.INFO, "v")
log.error("e")
log.fatal("f")
log.TaskLevelStatusMessage("t")
"""
  said = run(tmp_path, text).stderr.splitlines()
  assert said == [
    "WARNING:tensorflow:w 1",
    "INFO:tensorflow:i",
    "ERROR:tensorflow:l",
    "INFO:tensorflow:every 0",
    "INFO:tensorflow:first 0",
    "INFO:tensorflow:every 2",
    "INFO:tensorflow:every 4",
    "INFO:tensorflow:v",
    "ERROR:tensorflow:e",
    "CRITICAL:tensorflow:f",
    "ERROR:tensorflow:t",
  ]


CASES = """
import numpy as np

class Cases(tf.test.TestCase):
  def test_comparisons(self):
    self.assertAllClose({"a": [1.0, (2, 3)]}, {"a": [1.0, (2, 3)]})
    self.assertAllEqual([1, 2], np.array([1, 2]))
    self.assertAllEqual([np.nan], [np.nan])
    self.assertNotAllClose([1.0], [1.1])
    self.assertNotAllEqual([1], [2])
    self.assertAllCloseAccordingToType(np.float16([1]), np.float16([1.0005]))
    self.assertAllInRange([1, 2], 0, 3)
    self.assertAllInSet([1, 2], {1, 2})
    self.assertAllGreater([2], 1)
    self.assertAllLess([2], 3)
    self.assertAllGreaterEqual([2], 2)
    self.assertAllLessEqual([2], 2)
    self.assertNear(1.0, 1.01, 0.1)
    self.assertArrayNear([1.0], [1.01], 0.1)
    self.assertNDArrayNear(np.ones(2), np.ones(2) + 0.01, 0.1)
    self.assertShapeEqual(np.zeros([2, 3]), tf.zeros([2, 3]))
    self.assertDTypeEqual(np.zeros(2), np.float64)
    self.assertDeviceEqual("/cpu:0", "/device:CPU:0")
    self.assertProtoEquals("allow_soft_placement: true", tf.ConfigProto(allow_soft_placement=True))
    self.assertProtoEquals("f: 0.01", tf.AttrValue.ListValue(f=[0.01 + 1e-8]))
    self.assertProtoEquals("f: nan", tf.AttrValue.ListValue(f=[float("nan")]))
    values = tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=2)]).value
    self.assertProtoEquals(tf.Summary(value=values).value, values)
    for wrong in (
      lambda: self.assertAllClose([1.0], [1.1]),
      lambda: self.assertAllClose([1.0], [[1.0]]),
      lambda: self.assertAllEqual([1], [2]),
      lambda: self.assertAllEqual([1, 2], [1]),
      lambda: self.assertAllInRange([5], 0, 3),
      lambda: self.assertAllInSet([5], {1}),
      lambda: self.assertNear(1.0, 2.0, 0.1),
      lambda: self.assertShapeEqual(np.zeros(2), np.zeros(3)),
      lambda: self.assertProtoEquals("", tf.ConfigProto(allow_soft_placement=True)),
      lambda: self.assertProtoEquals("f: 0.01", tf.AttrValue.ListValue(f=[0.0101])),
      lambda: self.assertProtoEquals(tf.Summary().value, values),
    ):
      with self.assertRaises(AssertionError):
        wrong()

  def test_errors(self):
    with self.assertRaisesOpError("foo"):
      raise tf.errors.NotFoundError(None, None, "a foo b")
    with self.assertRaisesWithPredicateMatch(ValueError, lambda e: "x" in str(e)):
      raise ValueError("x")
    with self.assertRaisesWithLiteralMatch(ValueError, "a+b"):
      raise ValueError("a+b")
    with self.assertRaises(AssertionError):
      with self.assertRaisesOpError("foo"):
        pass

  def test_sessions(self):
    with self.session() as session:
      self.assertEqual(tf.get_default_session(), session)
      self.assertEqual(self.evaluate(tf.constant(3)), 3)
      self.assertEqual(tf.constant(1).device, "/device:CPU:0")
    with self.session(use_gpu=True):
      self.assertEqual(tf.constant(1).device, "")
    with tf.Graph().as_default(), self.test_session() as session, self.test_session(config=tf.ConfigProto()) as again:
      assert session is again and tf.get_default_graph() is session.graph
    with self.assertRaisesRegex(ValueError, "The config used to get the cached session is different"):
      with self.cached_session(config=tf.ConfigProto()):
        pass
    with self.assertRaisesRegex(ValueError, "The graph used to get the cached session is different"):
      with self.cached_session(graph=tf.Graph()):
        pass
    with self.cached_session() as one, self.cached_session() as two:
      self.assertIs(one, two)
    with self.test_session(graph=tf.Graph()) as session:
      self.assertAllEqual(tf.constant([1, 2]) + 1, [2, 3])
    self.assertEqual(tf.get_default_graph().seed, 87654321)

  def test_others(self):
    self.assertTrue(self.get_temp_dir().startswith(tf.test.get_temp_dir()))
    done = []
    thread = self.checkedThread(target=lambda x: done.append(x), args=(5,))
    thread.start()
    thread.join()
    self.assertEqual(done, [5])
    thread = self.checkedThread(target=lambda: 1 / 0)
    thread.start()
    with self.assertRaises(AssertionError):
      thread.join()
    self._threads.clear()
    with tf.test.StubOutForTesting() as stubs:
      stubs.Set(np, "pi", 3)
      self.assertEqual(np.pi, 3)
      stubs.SmartSet(Cases, "marker", 2)
      self.assertEqual(Cases.marker, 2)
    self.assertGreater(np.pi, 3)
    self.assertEqual(Cases.marker, 1)
    with tf.test.mock.patch.object(np, "pi", 4):
      self.assertEqual(np.pi, 4)
    self.assertFalse(tf.test.is_gpu_available())
    self.assertFalse(tf.test.is_gpu_available(cuda_only=True, min_cuda_compute_capability=(3, 5)))
    self.assertEqual(tf.test.gpu_device_name(), "")
    self.assertFalse(tf.test.is_built_with_cuda())
    self.assertTrue(tf.test.test_src_dir_path("a/b").endswith("a/b"))
    tf.logging.warning("w")

  marker = 1

if __name__ == "__main__":
  import sys
  tf.test.main(argv=sys.argv)
"""


def test_cases(tmp_path):
  ran = run(tmp_path, CASES)
  assert ran.returncode == 0 and "Ran 5 tests" in ran.stderr and "skipped=1" in ran.stderr, ran.stderr


def test_gradients_against_differences(tmp_path):
  text = """
import numpy as np
x = tf.placeholder(tf.float64, [2, 3])
w = tf.constant(np.arange(6.0).reshape(3, 2))
y = tf.matmul(tf.square(x), w)
with tf.Session():
  theory, numeric = tf.test.compute_gradient(x, [2, 3], y, [2, 2], x_init_value=np.ones([2, 3]), delta=1e-4)
  assert theory.shape == (6, 4)
  np.testing.assert_allclose(theory, numeric, atol=1e-6)
  assert tf.test.compute_gradient_error(x, [2, 3], y, [2, 2]) < 1e-5
  pairs = tf.test.compute_gradient([x], [[2, 3]], y, [2, 2], init_targets=[tf.no_op()], extra_feed_dict={})
  assert len(pairs) == 1
"""
  ran = run(tmp_path, text)
  assert ran.returncode == 0, ran.stderr


def test_graphs_are_compared(tmp_path):
  text = """
def graph(value):
  with tf.Graph().as_default() as made:
    tf.constant(value, name="a")
    return made.as_graph_def()
tf.test.assert_equal_graph_def(graph(1), graph(1))
for one, two in ((graph(1), graph(2)), (graph(1), tf.GraphDef())):
  try:
    tf.test.assert_equal_graph_def(one, two)
    raise SystemExit("equal")
  except AssertionError:
    pass
"""
  ran = run(tmp_path, text)
  assert ran.returncode == 0, ran.stderr


def test_benchmark(tmp_path):
  text = """
tf.logging.set_verbosity(tf.logging.INFO)
class Steps(tf.test.Benchmark):
  def benchmarkConstant(self):
    with tf.Session(config=tf.test.benchmark_config()) as session:
      result = self.run_op_benchmark(session, tf.constant(1), burn_iters=1, min_iters=3, extras={"k": 1}, mbs=2)
      assert result["iters"] == 3 and result["wall_time"] > 0 and result["throughput"] > 0
      self.report_benchmark(iters=1, cpu_time=2, wall_time=3, throughput=4, extras={"e": 5}, name="named", metrics=[6])
      assert self.evaluate(tf.constant(2)) == 2
if __name__ == "__main__":
  tf.test.main()
"""
  ran = run(tmp_path, text, "--benchmarks=all")
  assert ran.returncode == 0, ran.stderr
  assert (
    "Benchmark [Steps.benchmarkConstant] iters: 3" in ran.stderr
    and "Benchmark [Steps.named] iters: 1, wall_time: 3" in ran.stderr
  )


def test_local_cluster(tmp_path):
  text = """
config = tf.ConfigProto(inter_op_parallelism_threads=2)
workers, servers = tf.test.create_local_cluster(2, 1, protocol="grpc", worker_config=config, ps_config=config)
assert len(workers) == 2 and len(servers) == 1
with tf.device("/job:ps/task:0"):
  x = tf.Variable(1.0)
with tf.device("/job:worker/task:1"):
  y = x + 2.0
with tf.Session(workers[0].target) as session:
  session.run(x.initializer)
  assert session.run(y) == 3.0
"""
  ran = run(tmp_path, text)
  assert ran.returncode == 0, ran.stderr


def test_libraries(tmp_path):
  (tmp_path / "ops.so").write_bytes(b"")
  text = """
for load in (tf.load_op_library, tf.load_library, tf.load_file_system_library):
  try:
    load("ops.so")
    raise SystemExit("loaded")
  except tf.errors.UnimplementedError as error:
    assert "ops.so" in error.message
assert tf.GRAPH_DEF_VERSION == tf.version.GRAPH_DEF_VERSION > 100
"""
  ran = run(tmp_path, text)
  assert ran.returncode == 0, ran.stderr


def test_resources(tmp_path):
  (tmp_path / "data.txt").write_text("content")
  text = """
r = tf.resource_loader
assert r.load_resource("data.txt") == b"content"
assert r.get_path_to_datafile("data.txt").endswith("/data.txt") and r.get_data_files_path() == r.get_root_dir_with_all_resources()
assert r.readahead_file_path("x") == "x"
assert tf.sysconfig.get_include().endswith("include") and tf.sysconfig.get_lib()
assert tf.sysconfig.get_compile_flags()[0].startswith("-I") and tf.sysconfig.get_link_flags()[0].startswith("-L")
"""
  ran = run(tmp_path, text)
  assert ran.returncode == 0, ran.stderr
