"""tf.test beyond what stands in test_platform.py, debuggers that are none, and timelines of sessions."""

import importlib
import json
import os
import sys

import pytest
from millrace.profiler import messages

import millrace as tf


@pytest.fixture
def case():
  made = type("Case", (tf.test.TestCase,), {"runTest": lambda self: None})()
  made.setUp()
  yield made
  made.tearDown()


def fails(function, *args, **kwargs):
  with pytest.raises(AssertionError):
    function(*args, **kwargs)


def test_messages_that_are_close(case):
  one = tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0)])
  near = tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0001)])
  case.assertProtoEquals(one, near, relative_tolerance=1e-3)
  case.assertProtoEquals("value { tag: 'a' simple_value: 1.0 }", message=one)
  fails(case.assertProtoEquals, one, near)
  fails(case.assertProtoEquals, one, near, relative_tolerance=1e-6)
  other = tf.Summary(value=[tf.Summary.Value(tag="b", simple_value=1.0)])
  fails(case.assertProtoEquals, one, other, msg="tags", relative_tolerance=1e-3)


def test_addresses(case):
  case.assertUrlEqual("http://a/b?x=1&y=2", "http://a/b?y=2&x=1")
  fails(case.assertUrlEqual, "http://a/b?x=1", "http://a/b?x=2", msg="asked")
  fails(case.assertUrlEqual, "http://a/b", "http://a/c")


def test_commands(case):
  case.assertCommandSucceeds([sys.executable, "-c", "print('said')"], regexes=[b"sa.d"])
  case.assertCommandSucceeds("echo $WORD", regexes=["^x$"], env={"WORD": "x"}, close_fds=False)
  case.assertCommandFails("echo no; exit 3", regexes=b"no")
  fails(case.assertCommandSucceeds, "exit 1", msg="it ended")
  fails(case.assertCommandFails, "exit 0", regexes=[b""])
  fails(case.assertCommandFails, "exit 1", regexes=[b"word"], env={}, close_fds=True, msg="no word")


def test_contexts_of_a_test(case):
  calls = []

  class Context:
    def __enter__(self):
      calls.append("in")
      return 4

    def __exit__(self, *unused):
      calls.append("out")

  assert case.enter_context(Context()) == 4 and calls == ["in"]
  case.doCleanups()
  assert calls == ["in", "out"]


def test_debuggers_pass_everything_on(caplog):
  debug = importlib.import_module("millrace.scripts.debug_wrapper")
  with tf.Graph().as_default():
    x = tf.constant(3.0)
    with tf.Session() as inner:
      session = debug.LocalCLIDebugWrapperSession(inner, ui_type="readline", dump_root="/somewhere")
      session.add_tensor_filter("has_inf_or_nan", debug.has_inf_or_nan)
      assert session.run(x) == 3.0 and session.graph is inner.graph
    hook = debug.LocalCLIDebugHook(ui_type="curses")
    hook.add_tensor_filter("has_inf_or_nan", debug.has_inf_or_nan)
    assert debug.DumpingDebugHook is type(hook) and isinstance(hook, tf.train.SessionRunHook)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
      assert session.run(x) == 3.0
  texts = [record.getMessage() for record in caplog.records if "tfdbg is not part" in record.getMessage()]
  assert len(texts) == 2
  with pytest.raises(AttributeError):
    debug.Nothing  # noqa: B018


def test_a_timeline_of_a_session():
  from millrace.client import timeline

  metadata = tf.RunMetadata()
  with tf.Graph().as_default(), tf.Session() as session:
    product = tf.matmul(tf.ones([4, 4]), tf.fill([4, 4], 2.0), name="product")
    session.run(product, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
  trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_dataflow=True, show_memory=True)
  names = {event["args"]["name"] for event in json.loads(trace)["traceEvents"] if event.get("ph") == "X"}
  assert any("product" in name for name in names)


def _product():
  return tf.matmul(tf.ones([3, 4]), tf.ones([4, 5]), name="product")


def test_steps_of_a_context_are_profiled(tmp_path):
  folder = str(tmp_path / "profiles")
  options = tf.profiler.ProfileOptionBuilder(tf.profiler.ProfileOptionBuilder.float_operation()).with_empty_output()
  with tf.Graph().as_default(), tf.Session() as session:
    product = _product()
    original = tf.Session.run
    context = tf.contrib.tfprof.ProfileContext(folder, trace_steps=[1], dump_steps=[5], debug=True)
    with context as entered:
      assert entered is context
      context.add_auto_profiling("op", options.build(), [2])
      traces = []
      for step in range(6):
        metadata = tf.RunMetadata()
        if step == 4:
          context.trace_next_step()
        session.run(product, run_metadata=metadata)
        traces.append(len(metadata.step_stats.dev_stats) > 0)
      context.dump_next_step()
      assert session.run(product, options=tf.RunOptions(timeout_in_ms=60000)).tolist() == [[4.0] * 5] * 3
    assert tf.Session.run is original
    session.run(product)
  assert traces == [False, True, True, False, True, False]
  assert sorted(os.listdir(folder)) == ["profile_5", "profile_6"] + [f"run_meta_{step}" for step in (1, 2, 4, 6)]
  profile = context.profiler.profile_operations(options.with_step(4).build())
  assert profile.total_float_ops == 2 * 3 * 4 * 5
  assert list(context.get_profiles("op")) == [2]
  assert context.get_profiles("op")[2].total_float_ops == 120
  with open(os.path.join(folder, "profile_6"), "rb") as file:
    written = messages.ProfileProto.FromString(file.read())
  assert list(written.steps) == [1, 2, 4, 6]
  with open(os.path.join(folder, "run_meta_4")) as file:
    assert "step_stats" in file.read()


def test_contexts_of_profiles_that_are_usual_or_refused(tmp_path):
  context_class = tf.contrib.tfprof.ProfileContext
  with pytest.raises(ValueError, match="Must have a directory for profile"):
    context_class("")
  with context_class(str(tmp_path / "off"), enabled=False) as off, tf.Graph().as_default(), tf.Session() as session:
    off.dump_next_step()
    session.run(_product())
    assert off.profiler is None
  assert not os.path.exists(str(tmp_path / "off"))
  with tf.Graph().as_default(), tf.Session() as session:
    product = _product()
    with context_class(str(tmp_path / "usual")) as usual:
      for _ in range(12):
        session.run(product)
    with pytest.raises(ValueError, match="No autoprofiler for command: scope, was run"):
      usual.get_profiles("scope")
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown cmd: all"):
      usual.add_auto_profiling("all", {}, [1])
  assert os.listdir(str(tmp_path / "usual")) == ["profile_10"]


def test_the_older_names_of_profiles(tmp_path, capfd):
  analyzer = tf.contrib.tfprof.model_analyzer
  with tf.Graph().as_default() as graph, tf.Session() as session:
    product = _product()
    metadata = tf.RunMetadata()
    session.run(product, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
  path = str(tmp_path / "report")
  options = dict(analyzer.PRINT_ALL_TIMING_MEMORY, dump_to_file=path)
  message = analyzer.print_model_analysis(graph, run_meta=metadata, tfprof_cmd="op", tfprof_options=options)
  assert isinstance(message, tf.profiler.MultiGraphNodeProto) and message.total_exec_micros > 0
  with open(path) as file:
    assert "MatMul" in file.read()
  flops = analyzer.print_model_analysis(graph, tfprof_options=analyzer.FLOAT_OPS_OPTIONS)
  assert isinstance(flops, tf.profiler.GraphNodeProto) and flops.total_float_ops == 120
  assert "product (120/120 flops)" in capfd.readouterr().out
  with pytest.raises(tf.errors.UnimplementedError, match=r"tf\.profiler\.advise is not part of Millrace"):
    tf.profiler.advise(graph, metadata)
  assert tf.profiler.AdviceProto().checkers == {}
