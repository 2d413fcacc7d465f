"""Files that cannot be written, as on a full disk: errors of TensorFlow, and nothing is left behind."""

import contextlib
import os

import pytest
from millrace.platform import file as files_of_platform
from millrace.train.saver import files

import millrace as tf


def is_full():
  return pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device")


def fill_up(file):
  """Lets all further writes of an open file fail."""
  device = os.open("/dev/full", os.O_WRONLY)
  os.dup2(device, file.fileno())
  os.close(device)


@pytest.fixture
def full_disk(monkeypatch):
  """Files can be made there, and nothing can be written to them."""

  def opened(path, mode):
    file = open(path, mode)  # noqa: SIM115 (whoever opens it closes it)
    if "w" in mode:
      fill_up(file)
    return file

  monkeypatch.setattr(files_of_platform, "open", opened, raising=False)


def test_files():
  file = tf.gfile.GFile("/dev/full", "w")
  file.write("text")  # it fits into the buffer
  with is_full():
    file.flush()
  with is_full():
    file.close()
  file.close()
  file = tf.gfile.GFile("/dev/full", "wb")
  with is_full():
    file.write(b"x" * 1_000_000)
  with contextlib.suppress(tf.errors.OpError):
    file.close()


def test_a_file_that_is_written_beside_another_one(tmp_path, full_disk):
  (tmp_path / "checkpoint").write_text("old")
  with is_full():
    files.write_atomically(str(tmp_path / "checkpoint"), "new")
  assert os.listdir(tmp_path) == ["checkpoint"] and (tmp_path / "checkpoint").read_text() == "old"
  with pytest.raises(tf.errors.NotFoundError):
    files.write_atomically(str(tmp_path / "none" / "checkpoint"), "new")


def file_of(writer):
  return writer.event_writer._events._writer._file._writer


def is_closed(writer):
  return writer.event_writer._closed and not writer.event_writer._worker.is_alive()


def test_writers_of_summaries_are_closed_all_the_same(tmp_path):
  tf.summary.FileWriterCache.clear()
  with tf.Graph().as_default():
    writers = [tf.summary.FileWriterCache.get(str(tmp_path / name)) for name in ("a", "b", "c")]
  opened = [file_of(writer) for writer in writers]
  fill_up(opened[1])
  for writer in writers:
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="t", simple_value=1.0)]), 1)
  with is_full():
    tf.summary.FileWriterCache.clear()
  assert all(is_closed(writer) for writer in writers) and all(file.closed for file in opened)
  writers[1].close()
  tf.summary.FileWriterCache.clear()
  for name in ("a", "c"):
    (path,) = (tmp_path / name).iterdir()
    events = list(tf.train.summary_iterator(str(path)))
    assert events[-1].summary.value[0].tag == "t"
