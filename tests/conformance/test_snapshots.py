"""Snapshots of data sets (SnapshotDataset) on servers of ours and of stock: the same elements and errors, and each reads the other's files."""

import gzip
import time

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import assert_same, outcome  # noqa: E402
from data_elements import drain  # noqa: E402

tf1 = tf.compat.v1
Dataset = tf1.data.Dataset
raw = tf.raw_ops

COMPRESSIONS = ["", "GZIP", "SNAPPY"]


def mixed(count):
  """Elements of texts, rows of numbers and flags; long enough that they compress."""
  texts = np.array([["", f"number {i} " * i] for i in range(count)])
  rows = np.repeat(np.arange(count, dtype=np.float32), 700).reshape(count, 700)
  return Dataset.from_tensor_slices((texts, rows, np.arange(count) % 2 == 0))


def following(dataset, path, **attrs):
  """The ops that begin a pass over a snapshot of the data set, and that get an element."""
  shapes = tf.nest.flatten(tf1.data.get_output_shapes(dataset))
  elements = {
    "output_types": tf.nest.flatten(tf1.data.get_output_types(dataset)),
    "output_shapes": [shape.as_list() for shape in shapes],
  }
  made = raw.SnapshotDataset(input_dataset=dataset._variant_tensor, path=str(path), **elements, **attrs)
  iterator = raw.IteratorV2(shared_name="", container="", **elements)
  return raw.MakeIterator(dataset=made, iterator=iterator), raw.IteratorGetNext(iterator=iterator, **elements)


def elements_of(cluster, dataset, path, most=60, **attrs):
  """What a pass in a graph of its own gives."""
  with tf1.Graph().as_default():
    begin, element = following(dataset(), path, **attrs)
    with tf1.Session(cluster.target("worker")) as session:
      session.run(begin)
      return drain(session, element, most)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("name", ["", "mine"])
def test_what_was_written_is_read(on_both, tmp_path, compression, name):
  def program(cluster):
    path = tmp_path / cluster.kind
    attrs = dict(compression=compression, snapshot_name=name)
    written = elements_of(cluster, lambda: mixed(20), path, **attrs)
    assert len(written) == 21
    # By its name it is found whatever the data set is now.
    return written, elements_of(cluster, lambda: mixed(20 if name == "" else 3), path, **attrs)

  on_both(program)


def test_another_data_set_has_another_snapshot(on_both, tmp_path):
  def program(cluster):
    path = tmp_path / cluster.kind
    return [elements_of(cluster, lambda n=n: Dataset.range(n), path) for n in (3, 5, 3)]

  on_both(program)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("shard_size_bytes", [-1, 10_000])
def test_files_go_both_ways(our_cluster, stock_cluster, tmp_path, compression, shard_size_bytes):
  attrs = dict(snapshot_name="x", compression=compression, shard_size_bytes=shard_size_bytes)
  files = []
  for writer, reader in [(our_cluster, stock_cluster), (stock_cluster, our_cluster)]:
    path = tmp_path / writer.kind
    expected = elements_of(writer, lambda: mixed(20), path, **attrs)
    got = elements_of(reader, lambda: mixed(1), path, **attrs)
    assert len(got) == 21
    assert_same(got[:-1], expected[:-1])
    files.append(sorted(file.name for file in (path / "custom-x" / "custom").iterdir()))
  # How well elements are compressed is not quite the same.
  assert compression or files[0] == files[1]
  assert compression or len(files[0]) == (1 if shard_size_bytes == -1 else 5)


def test_files_are_those_of_stock(our_cluster, stock_cluster, tmp_path):
  files = []
  for cluster in (our_cluster, stock_cluster):
    path = tmp_path / cluster.kind
    elements_of(cluster, lambda: mixed(5), path, snapshot_name="x")
    files.append((path / "custom-x" / "custom" / "00000000.snapshot").read_bytes())
  assert files[0] == files[1]


def test_a_pass_that_stops_behind_the_last_element_is_whole(on_both, tmp_path):
  def program(cluster):
    path = tmp_path / cluster.kind
    first = elements_of(cluster, lambda: Dataset.range(4), path, most=4, snapshot_name="x")
    return first, elements_of(cluster, lambda: Dataset.range(1), path, snapshot_name="x")

  on_both(program)


def test_modes(on_both, tmp_path):
  def program(cluster):
    path = tmp_path / cluster.kind

    def take(count, **attrs):
      return elements_of(cluster, lambda: Dataset.range(count), path, most=12, snapshot_name="x", **attrs)

    return [
      take(3, mode="read"),
      take(3, mode="passthrough"),
      take(3, mode="write"),
      take(5),
      take(5, mode="passthrough"),
      take(2, mode="write"),
      take(5, mode="read"),
    ]

  on_both(program)


def test_a_snapshot_that_is_being_written(on_both, tmp_path):
  """Others pass the elements on, until it is so old that its writer has gone."""

  def program(cluster):
    path = tmp_path / cluster.kind
    seen = [elements_of(cluster, lambda: Dataset.range(9), path, most=2, snapshot_name="x")]
    seen.append(elements_of(cluster, lambda: Dataset.range(3), path, snapshot_name="x", pending_snapshot_expiry_seconds=600))
    time.sleep(1.1)
    seen.append(elements_of(cluster, lambda: Dataset.range(4), path, snapshot_name="x", pending_snapshot_expiry_seconds=1))
    finalized = b"\xc0\x3e\x01"
    return seen, (path / "custom-x" / "snapshot.metadata").read_bytes().endswith(finalized)

  on_both(program)


def test_another_type_than_that_of_the_snapshot(on_both, tmp_path):
  def program(cluster):
    path = tmp_path / cluster.kind
    elements_of(cluster, lambda: Dataset.range(2), path, snapshot_name="x")
    others = [lambda: Dataset.from_tensors("a"), lambda: Dataset.zip((Dataset.range(2), Dataset.range(2)))]
    return [elements_of(cluster, other, path, most=1, snapshot_name="x") for other in others]

  on_both(program)


def test_files_in_any_order(our_cluster, tmp_path):
  attrs = dict(snapshot_name="x", shard_size_bytes=16)
  written = elements_of(our_cluster, lambda: Dataset.range(40), tmp_path, **attrs)
  orders = [
    elements_of(our_cluster, lambda: Dataset.range(40), tmp_path, shuffle_on_read=True, seed=seed, **attrs) for seed in (1, 1, 2)
  ]
  for order in orders:
    assert sorted(order[:-1]) == written[:-1] and order[:-1] != written[:-1]
  assert orders[0] == orders[1] != orders[2]


def test_damaged_files(our_cluster, tmp_path):
  """An error, or fewer elements; and what cannot be read is said."""
  attrs = dict(snapshot_name="x", most=5)
  elements_of(our_cluster, lambda: Dataset.range(3), tmp_path, **attrs)
  folder = tmp_path / "custom-x"
  file = folder / "custom" / "00000000.snapshot"
  whole = file.read_bytes()
  for damaged, first in [
    (b"", "OutOfRangeError"),
    (whole[:10], "OutOfRangeError"),
    (b"\xff" * 8 + whole, "OutOfRangeError"),
    (b"\x05" + bytes(7) + b"\xff" * 5, "DataLossError"),
    (bytes(8), "InvalidArgumentError"),  # an element without components
  ]:
    file.write_bytes(damaged)
    seen = elements_of(our_cluster, lambda: Dataset.range(3), tmp_path, **attrs)
    assert seen[0][0] == first, (damaged, seen)
  file.write_bytes(gzip.compress(whole)[:-4])
  assert len(elements_of(our_cluster, lambda: Dataset.range(3), tmp_path, compression="GZIP", **attrs)) >= 1
  file.unlink()
  assert elements_of(our_cluster, lambda: Dataset.range(3), tmp_path, **attrs)[0][0] == "NotFoundError"
  (folder / "snapshot.metadata").write_bytes(b"\xff\xff")
  assert elements_of(our_cluster, lambda: Dataset.range(3), tmp_path, **attrs)[0][0] == "DataLossError"


def test_a_data_set_over_a_resource_needs_a_name(our_cluster, tmp_path):
  """Its variable is no part of a graph by which it is found again."""

  def of_variable(name):
    variable = tf1.get_variable("v", initializer=np.int64(2), use_resource=True)
    begin, element = following(Dataset.range(3).map(lambda x: x * variable), tmp_path, snapshot_name=name)
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(variable.initializer)
      session.run(begin)
      return outcome(lambda: session.run(element)[0])

  with tf1.Graph().as_default():
    error = of_variable("")
    assert error[0] == "UnimplementedError", error
  with tf1.Graph().as_default():
    assert of_variable("named") == 0


def test_the_place_in_a_snapshot(our_cluster, tmp_path):
  """It is saved of one that is read or passed on, not of one that is being written."""

  def restored(mode, after):
    with tf1.Graph().as_default():
      begin, element = following(Dataset.range(200), tmp_path, snapshot_name="x", mode=mode)
      handle = begin.inputs[1]
      state = raw.SerializeIterator(resource_handle=handle, external_state_policy=1)
      restore = raw.DeserializeIterator(resource_handle=handle, serialized=state)
      with tf1.Session(our_cluster.target("worker")) as session:
        session.run(begin)
        for i in range(after):
          assert session.run(element)[0] == i
        error = outcome(lambda: session.run(restore))
        return error, [e[0] for e in drain(session, element, 210)[:-1]]

  error, rest = restored("write", 3)
  assert error[0] == "UnimplementedError" and len(rest) == 197, error
  for mode in ("read", "passthrough"):
    for after in (0, 3, 150, 200):
      error, rest = restored(mode, after)
      assert error is None and rest == list(range(after, 200)), (mode, after, error, rest)
