"""What the programs of examples/parallel/python share: clusters, tables, pictures, images."""

import gzip
import importlib.util
import os
import pathlib
import sys

import numpy as np
import pytest

from task_servers import COMMAND, is_gone, wait_for

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "examples" / "parallel" / "python"


def load(name):
  """A module of the folder, under a name that no other has."""
  spec = importlib.util.spec_from_file_location("parallel_examples_" + name, FOLDER / (name + ".py"))
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


cluster, images, picture, table = (load(name) for name in ("cluster", "images", "picture", "table"))
needs_command = pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")


@needs_command
def test_a_cluster(monkeypatch):
  monkeypatch.setenv("MILLRACE_COMMAND", COMMAND)
  usable = sorted(os.sched_getaffinity(0))
  with cluster.Cluster(ps=1, worker=2, cores={"worker": 1}) as tasks:
    assert {job: len(addresses) for job, addresses in tasks.spec.items()} == {"ps": 1, "worker": 2}
    assert tasks.status("worker", 1)["task"] == "/job:worker/replica:0/task:1"
    assert tasks.target("ps") == "grpc://" + tasks.spec["ps"][0]
    assert tasks.bytes_between_tasks() == tasks.bytes_sent("worker") == tasks.bytes_sent("worker", 1) == 0
    pids = {task: process.pid for task, process in tasks.processes.items()}
    assert os.sched_getaffinity(pids["ps", 0]) == set(usable)
    for i in range(2):
      assert os.sched_getaffinity(pids["worker", i]) == {usable[i % len(usable)]}
    folder = tasks.folder
    closed = []
    session = type("Session", (), {"close": lambda self: closed.append(tasks.processes["ps", 0].poll())})()
    cluster.closes_before(tasks.target("worker", 1), session)
    cluster.closes_before("grpc://127.0.0.1:1", object())
  assert closed == [None]  # while the tasks ran
  wait_for(lambda: all(is_gone(pid) for pid in pids.values()), "the tasks do not end")
  assert not folder.exists()


@needs_command
def test_clusters_that_do_not_start(monkeypatch):
  monkeypatch.setenv("MILLRACE_COMMAND", COMMAND)
  with pytest.raises(RuntimeError, match="(?s)The server of ps 0 ended with .*--no_such_flag"):
    cluster.Cluster(ps=1, flags=["--no_such_flag"])
  with pytest.raises(ValueError, match="one task or more of each job"):
    cluster.Cluster(ps=0, worker=1)
  with pytest.raises(ValueError, match="one task or more of each job"):
    cluster.Cluster()
  with pytest.raises(ValueError, match="1 core or more, not 0"):
    cluster.Cluster(worker=1, cores=0)


def test_the_command_is_looked_for(monkeypatch, tmp_path):
  monkeypatch.delenv("MILLRACE_COMMAND", raising=False)
  monkeypatch.setenv("PATH", str(tmp_path))
  monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
  monkeypatch.setattr(cluster, "ROOT", tmp_path)
  with pytest.raises(FileNotFoundError, match="MILLRACE_COMMAND.*build/release/millrace"):
    cluster.command()
  (tmp_path / "millrace").touch(mode=0o755)
  assert cluster.command() == str(tmp_path / "millrace")
  monkeypatch.setenv("MILLRACE_COMMAND", "elsewhere")
  assert cluster.command() == "elsewhere"


def test_tables(tmp_path, capsys):
  found = table.Table("Title", "What it shows.")
  found.add(
    form="sync", a_step=table.seconds(0.0215), right=table.percent(0.8812), moved=table.size(12345), rate=table.count(1234.6)
  )
  found.add(form="a|b", a_step=table.seconds(None), right=table.percent(1), moved=table.size(12), rate=3)
  found.show(tmp_path)
  found.show(tmp_path)
  assert "  form   a step    right    moved   rate\n  sync  21.5 ms   88.1 %  12.3 kB  1,235\n" in capsys.readouterr().out
  once = """\
**Title**

| form | a step | right | moved | rate |
|---|--:|--:|--:|--:|
| sync | 21.5 ms | 88.1 % | 12.3 kB | 1,235 |
| a\\|b | - | 100.0 % | 12 B | 3 |

What it shows.
"""
  assert (tmp_path / "TABLE.md").read_text() == once + "\n" + once
  assert found.value(0, "rate") == 1234.6 and found.value(1, "rate") == 3 and found.value(1, "a_step") is None
  with pytest.raises(ValueError, match="A row of this table has"):
    found.add(form="other")


def test_generated_images_can_be_learnt():
  one, again = images.generated(1000, 500), images.generated(1000, 500)
  assert np.array_equal(one.train, again.train) and np.array_equal(one.test_labels, again.test_labels)
  assert one.train.shape == (1000, 784) and one.train.dtype == np.uint8 and one.test_labels.dtype == np.int32
  assert set(one.train_labels) == set(range(10)) and one.source == "generated images"
  # The class of the nearest mean of a class is right far more often than a guess, and not always.
  means = np.stack([one.train[one.train_labels == c].mean(0) for c in range(10)])
  nearest = ((one.test[:, None].astype(np.float32) - means) ** 2).sum(2).argmin(1)
  assert 0.3 < np.mean(nearest == one.test_labels) < 0.95
  assert images.load(small=True).source == "generated images"


def test_images_that_are_not_there(tmp_path):
  with pytest.raises(FileNotFoundError, match="train-images-idx3-ubyte.gz is not there: install .*dataset-fashion-mnist"):
    images.load(str(tmp_path))
  (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(b"\0\0\x08\x03" + bytes(12)))
  with pytest.raises(ValueError, match="train-images-idx3-ubyte.gz is no file of"):
    images.load(str(tmp_path))


@pytest.mark.skipif(not os.path.exists(images.DEBIAN_FOLDER), reason="the data set is not installed")
def test_fashion_mnist():
  found = images.load(images.DEBIAN_FOLDER, small=True)
  assert found.source == "Fashion-MNIST" and len(found.train) == 2000 and len(found.test) == 500
  assert found.train_labels[:5].tolist() == [9, 0, 0, 3, 0] and found.train[0].max() == 255


def draw():
  drawn = picture.Picture("A picture")
  drawn.lines({"one": ([0, 1, 2], [0.1, 0.5, 0.7]), "two": ([0, 1], [0.2, 0.4])}, x="seconds", y="accuracy", level=0.5)
  drawn.bars({"one": 52300, "two": 3.21}, axis="examples/s", errors={"one": 100})
  return drawn


def test_a_picture(tmp_path):
  pytest.importorskip("matplotlib")
  draw().write(tmp_path, "drawn")
  text = (tmp_path / "drawn.svg").read_text()
  for words in ("A picture", "seconds", "examples/s", "52,300", "3.21"):
    assert words in text
  draw().write(tmp_path, "again")
  assert (tmp_path / "again.svg").read_text() == text
  draw().write(None, "nowhere")


def test_no_picture_without_matplotlib(tmp_path, capsys, monkeypatch):
  monkeypatch.setitem(sys.modules, "matplotlib", None)
  draw().write(tmp_path, "drawn")
  assert capsys.readouterr().out.count("pip install matplotlib") == 1
  assert not list(tmp_path.iterdir())
