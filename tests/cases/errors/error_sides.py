"""The two servers that are asked: ours, and stock's with what it once answered."""

import dataclasses
import importlib.metadata
import json
import os
import signal
import tempfile
import threading
import time

import error_answers as ea
import forked_python
import grpc
import our_server
import raw_client as raw
from error_mutants import placed
from error_samples import PREFIX
from free_ports import free_ports
from waiting import wait_for

READY_S = 120
END_S = 3.0  # in which a server that has fallen is seen to have
MEMORY = 10 << 30  # of stock's address space: some graphs ask for all there is
OUR_FLAGS = ("--memory_limit", "2GB", "--log_level", "off")
CALL_ENDED = "Deadline Exceeded"  # what gRPC says of a call, not a server of a step
# Part of what stored answers are found by: another one when what is asked of stock changes otherwise than by the graph.
FORMAT = 1

STOCK_SERVER = """
import os, resource, sys
address, memory = sys.argv[1], int(sys.argv[2])
os.chdir(sys.argv[3])
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
import tensorflow as tf
server = tf.compat.v1.train.Server({"local": [address]}, job_name="local", task_index=0)
import threading
threading.Event().wait()
"""


def _own_folder(parent, name):
  """Where a side runs: some graphs write files of relative names."""
  path = os.path.join(parent, name)
  os.makedirs(path, exist_ok=True)
  return path


def connected(address):
  wire = raw.Wire(address)
  grpc.channel_ready_future(wire.channel).result(READY_S)
  return wire


class StockServer:
  """A server of stock's in a process that may fall; another one is up by then. Started when it is needed."""

  def __init__(self, folder):
    self.folder = folder
    self.process, self.wire, self.asked = None, None, 0
    self.next = None  # (process, address)

  def _new_process(self):
    address = "127.0.0.1:%d" % free_ports(1)[0]
    with open(os.path.join(self.folder, "stock.log"), "ab") as log:
      command = ["-c", STOCK_SERVER, address, str(MEMORY), _own_folder(self.folder, "stock")]
      return forked_python.start(command, stdout=log, stderr=log), address

  def _start(self):
    self.process, address = self.next or self._new_process()
    self.wire = connected(address)
    self.next = self._new_process()

  def _end(self):
    """Of the process that is asked."""
    if self.process:
      self.wire.channel.close()
      _kill(self.process)
      self.process = None

  def stop(self):
    self._end()
    if self.next:
      _kill(self.next[0])
      self.next = None

  def ask(self, mutant):
    if not self.process:
      self._start()
    self.asked += 1
    answer = ea.ask(self.wire, mutant, self.asked, ea.STEP_MS / 1000)
    if answer.code == ea.UNAVAILABLE and _ends(self.process):
      answer = dataclasses.replace(answer, ended="aborts")
    elif answer.code == ea.DEADLINE_EXCEEDED and answer.text == CALL_ENDED:
      answer = dataclasses.replace(answer, ended="blocks")
    if answer.ended:
      self._end()  # it may still be at it
    return answer


def _kill(process):
  process.send_signal(signal.SIGKILL)
  process.wait(60)


def _ends(process):
  end = time.monotonic() + END_S
  while process.poll() is None and time.monotonic() < end:
    time.sleep(0.02)
  return process.poll() is not None


def wheel():
  """The name and version of the wheel, without its import."""
  for name in ("tensorflow-cpu", "tensorflow"):
    try:
      return "%s-%s" % (name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
      pass
  return None


class Stock:
  """Answers of stock, those of earlier runs from a file. For several threads."""

  def __init__(self, path):
    """path: of the file, to whose end goes what is new."""
    self.path, self.new, self.lock = path, 0, threading.Lock()
    self.known = {}
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
      with open(path, encoding="utf-8") as f:
        for line in f:
          if line.endswith("\n"):  # the last one may have been cut
            key, *answer = json.loads(line)
            self.known[key] = ea.Answer(*answer)

  def ask(self, mutant, server):
    """What is known, or what the server says now."""
    key = "%d %s" % (FORMAT, mutant.key)
    with self.lock:
      if key in self.known:
        return self.known[key]
    answer = server.ask(mutant)
    with self.lock:
      self.known[key] = answer
      self.new += 1
      with open(self.path, "a", encoding="utf-8") as f:
        f.write(json.dumps([key, *dataclasses.astuple(answer)]) + "\n")
    return answer


class Ours:
  """A server of ours, started again when it falls."""

  def __init__(self, folder):
    log, own = os.path.join(folder, "millrace.log"), _own_folder(folder, "ours")
    self.server = our_server.OurServer(log, OUR_FLAGS, own)
    self.wire, self.asked = None, 0

  def __enter__(self):
    self.server.__enter__()
    self.wire = connected(self.server.address)
    return self

  def __exit__(self, *problem):
    self.wire.channel.close()
    self.server.__exit__(*problem)

  def ask(self, mutant, step_ms=ea.STEP_MS):
    starts = self.server.starts
    self.asked += 1
    answer = ea.ask(self.wire, mutant, self.asked, step_ms=step_ms)
    if not answer.ended and answer.code != ea.UNAVAILABLE:
      # Of some resources, such as writers, a server keeps only so many.
      left = raw.new("ResetRequest", container=[placed(PREFIX.encode(), self.asked)])
      self.wire.call("MasterService/Reset", left, ea.CALL_S)
    if answer.code == ea.UNAVAILABLE:
      try:
        wait_for(lambda: self.server.starts > starts, "the server has not ended", END_S)
      except TimeoutError:
        return answer
      self.wire.channel.close()
      self.wire = connected(self.server.address)
      return dataclasses.replace(answer, ended="aborts")
    if answer.code == ea.DEADLINE_EXCEEDED and answer.text == CALL_ENDED:
      return dataclasses.replace(answer, ended="blocks")  # the call did, not the step
    return answer


def log_folder():
  return tempfile.TemporaryDirectory(prefix="millrace_errors_")
