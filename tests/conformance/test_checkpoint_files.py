"""Checkpoints, records and event files: ours read by the stock client, stock's read by ours."""

import os
import pathlib
import subprocess
import zlib

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
tf1 = tf.compat.v1

BUILD = pathlib.Path(os.environ.get("MILLRACE_BUILD", "build/dev"))
PROGRAM = BUILD / "tests" / "checkpoint_files"

PLAIN = [
  "float32",
  "float64",
  "int32",
  "uint8",
  "int16",
  "int8",
  "complex64",
  "int64",
  "bool",
  "bfloat16",
  "uint16",
  "complex128",
  "float16",
  "uint32",
  "uint64",
]
QUANTIZED = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}
OUR_NAMES = {"float32": "float", "float64": "double", "float16": "half"}
STRINGS = [("x" * (i % 7 * 50) + str(i)).encode() for i in range(6)]


def run(*args):
  done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)
  assert done.returncode == 0, done.stderr
  return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
  if not PROGRAM.exists():
    pytest.skip(f"{PROGRAM} is not built")
  path = tmp_path_factory.mktemp("ours")
  run("write", path)
  return path


def restore(prefix, name, dtype, spec=""):
  """RestoreV2 of the stock runtime; quantized values as the integers they are."""
  with tf1.Graph().as_default(), tf1.Session() as session:
    (value,) = tf.raw_ops.RestoreV2(prefix=str(prefix), tensor_names=[name], shape_and_slices=[spec], dtypes=[tf.as_dtype(dtype)])
    if dtype in QUANTIZED:
      value = tf.bitcast(value, tf.as_dtype(QUANTIZED[dtype]))
    return session.run(value)


def numbers(dtype):
  grid = np.arange(6).reshape(2, 3)
  if dtype == "bool":
    return grid % 2 == 1
  return grid.astype(tf.as_dtype(QUANTIZED.get(dtype, dtype)).as_numpy_dtype)


@pytest.mark.parametrize("prefix", ["types", "v1"])
def test_every_dtype(folder, prefix):
  reader = tf.train.load_checkpoint(str(folder / prefix))
  for dtype in PLAIN + list(QUANTIZED):
    name = OUR_NAMES.get(dtype, dtype)
    if prefix == "v1" and dtype in ("bfloat16", "uint32", "uint64", "qint16", "quint16"):
      continue  # stock neither writes nor reads these in format V1
    np.testing.assert_array_equal(restore(folder / prefix, name, dtype), numbers(dtype), err_msg=name)
    if dtype not in QUANTIZED:
      assert reader.get_variable_to_dtype_map()[name] == tf.as_dtype(dtype)
  assert list(restore(folder / prefix, "string", "string").flat) == STRINGS


def test_scalar_and_empty(folder):
  reader = tf.train.load_checkpoint(str(folder / "types"))
  assert reader.get_tensor("scalar") == 42.5
  assert reader.get_tensor("empty").shape == (0, 4)


def test_sharded_and_partitioned(folder):
  assert tf.train.latest_checkpoint(str(folder)) == str(folder / "sharded-5")
  reader = tf.train.load_checkpoint(str(folder))
  np.testing.assert_array_equal(reader.get_tensor("part"), np.arange(14.0).reshape(7, 2))
  np.testing.assert_array_equal(reader.get_tensor("own1"), [0, 1, 2])
  np.testing.assert_array_equal(restore(folder / "sharded-5", "part", "float32", "7 2 2,2:0,2"), [[4, 5], [6, 7]])
  with tf1.Graph().as_default(), tf1.Session() as session:
    part = tf1.get_variable("part", shape=[7, 2], partitioner=tf1.fixed_size_partitioner(2))
    tf1.train.Saver().restore(session, str(folder / "sharded-5"))
    np.testing.assert_array_equal(session.run(tf.convert_to_tensor(part)), np.arange(14.0).reshape(7, 2))


def test_old_format_in_slices(folder):
  # Stock restores parts of such a variable, but not the whole.
  np.testing.assert_array_equal(restore(folder / "v1", "part", "float32", "4 2 1,2:0,2"), [[2, 3], [4, 5]])


def test_index_of_several_blocks(folder):
  assert (folder / "many.index").stat().st_size > 2 * 262144
  reader = tf.train.load_checkpoint(str(folder / "many"))
  names = reader.get_variable_to_shape_map()
  assert len(names) == 6000
  for name in list(names)[::97]:
    assert reader.get_tensor(name) == int(name.rsplit("n", 1)[1])


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
def test_records(folder, compression):
  path = str(folder / ("records" + compression))
  with tf1.Graph().as_default(), tf1.Session() as session:
    records = tf1.data.make_one_shot_iterator(tf.data.TFRecordDataset(path, compression).batch(200)).get_next()
    assert list(session.run(records)) == [b"r" * (i * 13) for i in range(100)]


def test_events(folder):
  (path,) = folder.glob("events.out.tfevents.*")
  first, scalar, histogram, log = list(tf1.train.summary_iterator(str(path)))
  assert first.file_version == "brain.Event:2"
  assert (scalar.step, scalar.summary.value[0].tag, scalar.summary.value[0].simple_value) == (1, "loss", 0.25)
  assert log.session_log.checkpoint_path == "/ckpt-3"
  with tf1.Graph().as_default(), tf1.Session() as session:
    values = tf.constant([i * 0.37 for i in range(-50, 50)], tf.float64)
    stock = tf1.Summary.FromString(session.run(tf.raw_ops.HistogramSummary(tag="weights", values=values)))
  assert histogram.summary.value[0].histo == stock.value[0].histo


def listing(prefix):
  lines = [line.split("\t") for line in run("list", prefix).splitlines()]
  return {name: (dtype, shape, int(crc)) for name, dtype, shape, crc in lines}


def test_ours_reads_stock(folder, tmp_path):
  rng = np.random.default_rng(1)
  named = {}
  for i in range(6000):
    named["%d%s%d" % (i * 7919 % 6000, "n" * 120, i)] = np.int32(i)
  for dtype in PLAIN:
    named[dtype] = rng.integers(0, 2, (17, 3)).astype(tf.as_dtype(dtype).as_numpy_dtype)
  named["big"] = rng.standard_normal((1000, 1000))
  named["text"] = np.array([b"", b"abc", b"\0" * 70000], dtype=object)
  prefix = tmp_path / "stock"
  with tf1.Graph().as_default(), tf1.Session() as session:
    feeds = {tf1.placeholder(tf.as_dtype(v.dtype) if v.dtype != object else tf.string, v.shape): v for v in named.values()}
    save = tf.raw_ops.SaveV2(
      prefix=str(prefix), tensor_names=list(named), shape_and_slices=[""] * len(named), tensors=list(feeds)
    )
    session.run(save, feeds)
  assert (tmp_path / "stock.index").stat().st_size > 2 * 262144
  expected = {}
  for name, value in named.items():
    dtype = "string" if value.dtype == object else tf.as_dtype(value.dtype).name
    data = b"".join(value) if value.dtype == object else value.tobytes()
    expected[name] = (OUR_NAMES.get(dtype, dtype), ",".join(map(str, value.shape)), zlib.crc32(data))
  assert listing(prefix) == expected


def test_same_index_as_stock(folder, tmp_path):
  """The same tensors give the same index, byte for byte, also over several blocks."""
  named = {"%d%s%d" % (i * 7919 % 6000, "n" * 120, i): i for i in range(6000)}
  with tf1.Graph().as_default(), tf1.Session() as session:
    value = tf1.placeholder(tf.int32, [6000])
    save = tf.raw_ops.SaveV2(
      prefix=str(tmp_path / "stock"), tensor_names=list(named), shape_and_slices=[""] * len(named), tensors=tf.unstack(value)
    )
    session.run(save, {value: list(named.values())})
  assert (tmp_path / "stock.index").read_bytes() == (folder / "many.index").read_bytes()
