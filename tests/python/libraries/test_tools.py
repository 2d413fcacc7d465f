"""tf.test beyond what stands in test_platform.py, debuggers that are none, and timelines of sessions."""

import importlib
import json
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import pair_runner  # noqa: E402

sys.path.insert(0, pair_runner.package_folder())

import millrace as tf  # noqa: E402


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
