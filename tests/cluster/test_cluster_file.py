"""A server reads its cluster from a file that is still being written."""

import os
import subprocess

import pytest

import task_servers
from task_servers import COMMAND

pytestmark = pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")


class Reader:
  """A server of worker 0; what it logs is in `said`."""

  def __init__(self, folder):
    self.file = folder / "cluster"
    self._log = folder / "log"
    self._folder = folder
    self.process = None

  def start(self):
    with open(self._log, "wb") as log:
      self.process = subprocess.Popen(
        [COMMAND, "server", "--cluster", f"@{self.file}", "--job", "worker", "--task", "0", "--port", "0"],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
      )

  @property
  def said(self):
    return self._log.read_text(errors="replace")

  def wait_for(self, text):
    task_servers.wait_for(lambda: text in self.said or self.process.poll() is not None, lambda: self.said)
    assert text in self.said and self.process.poll() is None, self.said


@pytest.fixture
def reader(tmp_path):
  made = Reader(tmp_path)
  yield made
  if made.process is not None:
    made.process.kill()
    made.process.wait()


@pytest.mark.parametrize("there_at_the_start", [True, False])
def test_half_a_file_is_waited_for(reader, there_at_the_start):
  half = "worker=127.0.0.1:2222,127.0.0.1:2"
  if there_at_the_start:
    reader.file.write_text(half)
  reader.start()
  reader.wait_for("grpc://")
  if not there_at_the_start:
    reader.file.write_text(half)
  reader.wait_for("no line end; expected one behind the last line")
  assert "has its cluster" not in reader.said
  reader.file.write_text(half + "223\n")
  reader.wait_for("has its cluster: worker=127.0.0.1:2222,127.0.0.1:2223")


def test_a_wrong_file_is_an_error_at_the_start(reader):
  reader.file.write_text("worker\n")
  reader.start()
  assert reader.process.wait(task_servers.START_SECONDS) == 2
  assert f"--cluster @{reader.file}: " in reader.said and "expected JOB=HOST:PORT" in reader.said
