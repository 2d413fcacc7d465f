"""A server of Millrace that is started again, at its address, when it ends."""

import os
import subprocess
import sys
import threading

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from free_ports import free_ports  # noqa: E402

COMMAND = os.environ.get("MILLRACE_COMMAND", "build/dev/millrace")


class OurServer:
  def __init__(self, log, flags=(), folder=None):
    """log: path of a file. folder: where relative paths of graphs lead; by default where this program runs."""
    self.flags = list(flags)
    self.command = os.path.abspath(COMMAND) if os.path.dirname(COMMAND) else COMMAND
    self.folder = folder
    self.address = "127.0.0.1:%d" % free_ports(1)[0]
    self.log = log
    self.starts = 0
    self._process = None
    self._ends = False
    self._changes = threading.Lock()
    self._keeper = threading.Thread(target=self._keep, daemon=True)

  def target(self):
    return "grpc://" + self.address

  def _start(self):
    """Whether it was started: not after the end."""
    with self._changes, open(self.log, "ab") as log:
      if self._ends:
        return False
      self.starts += 1
      self._process = subprocess.Popen(
        [self.command, "server", "--cluster", "local=" + self.address, "--job", "local", "--task", "0", *self.flags],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd=self.folder,
      )
      return True

  def _keep(self):
    while self._start():
      self._process.wait()

  def __enter__(self):
    self._keeper.start()
    return self

  def __exit__(self, *unused):
    with self._changes:
      self._ends = True
      self._process.kill()
    self._keeper.join()
