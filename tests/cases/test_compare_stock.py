"""The comparison itself: the same answers as compare_test.cc."""

import json
import os
import resource
import signal
import time

import numpy as np
import pytest

pytest.importorskip("tensorflow", reason="no TensorFlow wheel is installed")

import compare_stock  # noqa: E402
import stock_cases  # noqa: E402
import stock_values  # noqa: E402
import tensorflow as tf  # noqa: E402


def case(**options):
  return dict(dict(ulp=-1, has_tolerance=False, relative=0, absolute=0, random=False), **options)


def same(options, a, b, dtype=np.float32):
  return stock_values.difference(options, np.array(a, dtype), np.array(b, dtype)) == ""


def test_default_tolerance():
  assert same(case(), [1.000001, np.nan, np.inf], [1, np.nan, np.inf])
  assert not same(case(), [1.0001], [1])
  assert not same(case(), [np.inf], [-np.inf])
  assert not same(case(), [np.inf], [3e38])
  assert not same(case(), [np.nan], [1])
  assert not same(case(), [3], [4], np.int32)
  assert same(case(has_tolerance=True, relative=0, absolute=1), [3], [4], np.int32)
  assert same(case(), [1000 + 0.001j], [1000], np.complex64)
  assert not same(case(), [1000 + 0.1j], [1000], np.complex64)


def test_ulp():
  assert same(case(ulp=1), [np.nextafter(np.float32(1), np.float32(2)), -0.0], [1, 0])
  assert not same(case(ulp=1), [1.0000003], [1])
  assert not same(case(ulp=0), [-0.0], [0.0])
  assert same(case(ulp=0), [np.nan], [-np.nan])


def test_shapes_types_strings():
  assert not same(case(), [1], 1)
  assert stock_values.difference(case(), np.float64(1), np.float32(1))
  assert stock_values.difference(case(), np.array([b"a"], object), np.array([b"b"], object))
  assert not stock_values.difference(case(), np.array([b"a\0"], object), np.array([b"a\0"], object))
  assert same(case(random=True), [1], [2])
  quantized = np.array([(1,), (2,)], np.dtype([("qint8", "i1")]))
  assert not stock_values.difference(case(), quantized, np.array([1, 2], np.int8))


def export(folder, stem, build, runs, value=None, **options):
  """A file of one case as `cases_tests --export` writes it; runs are names of operations, of whose first outputs `value`
  is ours."""
  with tf.Graph().as_default() as graph:
    with tf.name_scope("c" + stem):
      build()
  values = tf.compat.v1.GraphDef()
  if value is not None:
    values.node.add(name="k0", op="Const").attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
  entry = dict(
    id="c" + stem,
    op="Op",
    family="family",
    name=stem,
    no_stock="",
    deviates="",
    random=False,
    ulp=-1,
    has_tolerance=False,
    relative=0,
    absolute=0,
    deprecated=0,
    build_error=False,
    build_words="",
    shapes=[],
    feeds={},
    init=[],
    variables=[],
    runs=[
      dict(
        targets=["c%s/%s" % (stem, name)],
        code=0,
        words="",
        our_code=0,
        our_message="",
        fetches=[] if value is None else [["c%s/%s:0" % (stem, name), "k0", False]],
      )
      for name in runs
    ],
  )
  entry.update(options)
  (folder / (stem + ".graph")).write_bytes(graph.as_graph_def().SerializeToString())
  (folder / (stem + ".values")).write_bytes(values.SerializeToString())
  (folder / (stem + ".json")).write_text(json.dumps([entry]))


def test_a_case_that_blocks_is_named(tmp_path, monkeypatch):
  """By a deadline, or by the end of the process; the cases after it run."""
  monkeypatch.setattr(stock_cases, "STEP_MS", 2000)
  monkeypatch.setattr(compare_stock, "SILENCE_S", 12)

  def queue():
    q = tf.raw_ops.FIFOQueueV2(component_types=[tf.int32], name="q")
    tf.raw_ops.QueueSizeV2(handle=q, name="size")
    tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.int32], name="take")

  def stage():
    tf.raw_ops.Unstage(dtypes=[tf.int32], name="take")

  export(tmp_path, "0", queue, ["size", "take", "size"])
  export(tmp_path, "1", stage, ["take"])
  export(tmp_path, "2", queue, ["size"])
  report = compare_stock.compare(str(tmp_path))
  assert report.against_stock == 3
  assert len(report.failures) == 2, report.failures
  assert report.failures[0].startswith("family.Op, 0: run 1: stock blocks for more than 2000 ms in a step of take")
  assert report.failures[1].startswith("family.Op, 1: stock blocks: nothing within 12 s")


def test_what_this_processor_lacks_is_not_run(tmp_path):
  export(tmp_path, "0", lambda: tf.no_op(name="op"), ["op"], stock_needs="no_such_flag", stock_needs_why="slow")
  export(tmp_path, "1", lambda: tf.no_op(name="op"), ["op"], stock_needs=min(stock_cases.processor.flags()))
  report = compare_stock.compare(str(tmp_path))
  assert (report.cases, report.against_stock, report.failures) == (2, 1, [])
  assert report.not_run == ["family.Op, 0: slow; this processor has no no_such_flag"]


@pytest.mark.parametrize("flags, differs", [({"avx2"}, False), ({"avx2", "avx_vnni"}, True)])
def test_sums_that_saturate_on_this_processor_may_differ(tmp_path, monkeypatch, flags, differs):
  monkeypatch.setattr(stock_cases.processor, "flags", lambda: flags)
  export(tmp_path, "0", lambda: tf.constant(3, name="op"), ["op"], value=4, family="quantize_fused")
  report = compare_stock.compare(str(tmp_path))
  assert (report.against_stock, len(report.failures), len(report.deviations)) == (1, differs, not differs)


def test_an_op_that_stock_lacks_is_not_run(tmp_path):
  """The other cases of its graph are."""
  export(tmp_path, "0", lambda: tf.no_op(name="op"), ["op"])
  graph = stock_cases.load_graph(str(tmp_path / "0.graph"))
  graph.node.add(name="c1/op", op="_SlicedProduct")
  (tmp_path / "0.graph").write_bytes(graph.SerializeToString())
  (entry,) = json.loads((tmp_path / "0.json").read_text())
  (tmp_path / "0.json").write_text(json.dumps([entry, dict(entry, id="c1", op="_SlicedProduct", name="1")]))
  report = compare_stock.compare(str(tmp_path))
  assert (report.cases, report.against_stock, report.failures) == (2, 1, [])
  assert report.not_run[0].startswith("family._SlicedProduct, 1: stock has no such op, which is a part of a product")


def test_what_stock_gives_on_other_processors_is_allowed(tmp_path, monkeypatch):
  """oneDNN's pool and Eigen's treat NaN otherwise, for float on all processors."""

  def pool():
    window = tf.constant([np.nan, -np.inf], tf.float32, [1, 1, 1, 2, 1])
    tf.raw_ops.MaxPool3D(input=window, ksize=[1, 1, 1, 2, 1], strides=[1, 1, 1, 2, 1], padding="VALID", name="op")

  def value(number):
    return np.full([1, 1, 1, 1, 1], number, np.float32)

  export(tmp_path, "0", pool, ["op"], value(np.finfo(np.float32).min))
  export(tmp_path, "1", pool, ["op"], value(-np.inf))
  export(tmp_path, "2", pool, ["op"], value(1))
  report = compare_stock.compare(str(tmp_path))
  assert [line.split(":")[0] for line in report.failures] == ["family.Op, 1", "family.Op, 2"]
  monkeypatch.setattr(compare_stock, "BY_PROCESSOR", ("float32",))
  report = compare_stock.compare(str(tmp_path))
  assert [line.split(":")[0] for line in report.failures] == ["family.Op, 2"]
  assert report.deviations[0].startswith("family.Op, 1: op:0: element 0 is")
  assert "on processors without instructions" in report.deviations[0]


def test_who_has_no_processor_is_not_silent(monkeypatch):
  """By a clock of its own: this machine may be as busy as the one of the test."""
  now = [0]

  def select(_, __, ___, seconds):
    now[0] += seconds
    return [], [], []

  monkeypatch.setattr(compare_stock.time, "monotonic", lambda: now[0])
  monkeypatch.setattr(compare_stock.select, "select", select)
  starved = iter([0, 0, 2, 4, 4])
  with pytest.raises(TimeoutError):
    next(compare_stock.lines_of(-1, 1, lambda: next(starved)))
  assert (now[0], list(starved)) == (5, [])


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="the kernel does not say")
def test_the_time_without_a_processor_is_known():
  core = os.sched_getaffinity(0)
  starved = compare_stock.starved_seconds(os.getpid())
  other = os.fork()
  if not other:
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))  # whatever becomes of this process
    while True:
      pass
  try:
    os.sched_setaffinity(other, {min(core)})
    os.sched_setaffinity(0, {min(core)})
    end = time.monotonic() + 60
    # Who sleeps needs no processor, so this one does not.
    while compare_stock.starved_seconds(os.getpid()) < starved + 0.02:
      assert time.monotonic() < end, "it is not seen that this process waits for the other's processor"
  finally:
    os.sched_setaffinity(0, core)
    os.kill(other, signal.SIGKILL)
    os.waitpid(other, 0)
  assert compare_stock.starved_seconds(other) == 0


def test_a_silent_pipe():
  reader, writer = os.pipe()
  os.write(writer, b"one\ntwo\nthr")
  lines = compare_stock.lines_of(reader, 0.05)
  assert [next(lines), next(lines)] == [b"one", b"two"]
  with pytest.raises(TimeoutError):
    next(lines)
  os.close(writer)
  assert not list(compare_stock.lines_of(reader, 5))
  os.close(reader)
