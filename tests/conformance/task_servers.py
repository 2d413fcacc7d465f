"""Clusters of servers in processes of their own, for the tests of this folder.

    with task_servers.Cluster({"ps": 1, "worker": 2}) as cluster:
      session = tf.compat.v1.Session(cluster.target("worker", 0))

Servers of ours listen on ports that the system chose and learn each other by a cluster file.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import forked_python

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from free_ports import free_ports  # noqa: E402
from waiting import wait_for  # noqa: E402

COMMAND = os.environ.get("MILLRACE_COMMAND", "build/dev/millrace")
START_SECONDS = 180  # importing TensorFlow on a busy machine

STOCK_SERVER = """
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf
names, cluster = eval(sys.argv[1]), eval(sys.argv[2])
servers = [tf.compat.v1.train.Server(cluster, job_name=job, task_index=task) for job, task in names]
print("listens", flush=True)
import threading
threading.Event().wait()
"""


_given_ports = set()
# Test processes that run side by side give ports of their own each.
_WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))


def free_port():
  """A port that nobody listens on, and that no other test of this run is given."""
  port = free_ports(1, lambda port: port % _WORKERS == _WORKER and port not in _given_ports)[0]
  _given_ports.add(port)
  return port


def is_gone(pid):
  """Whether a process has ended, also if nobody has waited for it."""
  try:
    with open(f"/proc/{pid}/stat") as f:
      return f.read().rsplit(")", 1)[1].split()[0] == "Z"
  except FileNotFoundError:
    return True


def is_pending(pid, number):
  """Whether a signal that was sent to a process has not come there."""
  pending = re.search(r"^ShdPnd:\s*(\w+)$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]
  return bool(int(pending, 16) >> (number - 1) & 1)


def states(pid):
  """Of a process's threads, a letter each: R runs, S sleeps, T is stopped."""
  found = []
  for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
    try:
      found.append(stat.read_text().rpartition(")")[2].split()[0])
    except (FileNotFoundError, ProcessLookupError):
      pass  # ended just now
  return found


def freeze(process):
  """Stops a process of ours, and returns when it stands still: the others of its threads run on for a while after the
  signal, and may answer calls. On a busy machine that is some 10 ms."""
  process.send_signal(signal.SIGSTOP)
  wait_for(lambda: set(states(process.pid)) == {"T"}, lambda: f"process {process.pid} does not stop: {states(process.pid)}")


def _die_with_parent():
  import ctypes

  ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


class Cluster:
  """Tasks by job, each with a process; those of `absent` are in the cluster and not started.

  Those of stock can share one process (`together`), which is up sooner; then none can be killed. `kinds` names the kind of
  single tasks, for clusters of both. `environment` goes before this process's.
  """

  def __init__(self, tasks, absent=(), kind="millrace", flags=(), together=False, kinds=None, environment=None):
    self.kind = kind
    self.kinds = dict(kinds or {})
    self.together = together
    self.flags = list(flags)
    self.environment = environment
    self._folder = tempfile.TemporaryDirectory(prefix="millrace_")
    self.folder = pathlib.Path(self._folder.name)
    self.names = [(job, i) for job, count in tasks.items() for i in range(count)]
    self.absent = set(absent)
    self.processes = {}
    self.ports = {name: free_port() for name in self.names if kind == "stock" or self.kinds or name in self.absent}
    if self.kinds:
      self._write_cluster_file()
    try:
      for name in self.names[:1] if together else self.names:
        if name not in self.absent:
          self._start(name)
      self._await_ports()
    except BaseException:
      self.stop()
      raise

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    self.stop()

  def address(self, job, task=0):
    return f"127.0.0.1:{self.ports[job, task]}"

  def target(self, job, task=0):
    return "grpc://" + self.address(job, task)

  def status(self, job, task=0, options=()):
    """What `millrace status` prints of a task."""
    return subprocess.run(
      [COMMAND, "status", self.address(job, task), *options], capture_output=True, text=True, check=True, timeout=60
    ).stdout

  def spec(self):
    jobs = {}
    for job, task in self.names:
      jobs.setdefault(job, []).append(self.address(job, task))
    return jobs

  def log(self, job, task=0):
    return (self.folder / f"{job}{task}.log").read_text(errors="replace")

  def kill(self, job, task=0):
    process = self.processes.pop((job, task))
    process.kill()
    process.wait()

  def start(self, job, task=0):
    """Starts an absent or killed task, at its old address."""
    self._start((job, task))
    self._await_ports()

  def stop(self):
    for process in self.processes.values():
      process.terminate()
    for process in self.processes.values():
      try:
        process.wait(5)
      except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    self.processes = {}
    self._folder.cleanup()

  def kind_of(self, name):
    return self.kinds.get(name, self.kind)

  def _cluster_file(self):
    return self.folder / "cluster"

  def _write_cluster_file(self):
    part = self.folder / "cluster.part"
    part.write_text(";".join(f"{job}={','.join(addresses)}" for job, addresses in self.spec().items()) + "\n")
    part.rename(self._cluster_file())

  def _port_file(self, name):
    return self.folder / f"{name[0]}{name[1]}.port"

  def _start(self, name):
    job, task = name
    if self.kind_of(name) == "stock":
      names = self.names if self.together else [name]
      argv = ["-c", STOCK_SERVER, repr(names), repr(self.spec())]
    else:
      self._port_file(name).unlink(missing_ok=True)
      argv = [
        COMMAND,
        "server",
        "--cluster",
        f"@{self._cluster_file()}",
        "--job",
        job,
        "--task",
        str(task),
        "--port",
        str(self.ports.get(name, 0)),
        "--port_file",
        str(self._port_file(name)),
        *self.flags,
      ]
    with open(self.folder / f"{job}{task}.log", "ab") as log:
      if self.kind_of(name) == "stock" and not self.environment:
        self.processes[name] = forked_python.start(argv, stdout=log, stderr=log)
        return
      if self.kind_of(name) == "stock":
        argv.insert(0, sys.executable)
      self.processes[name] = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=dict(os.environ, **self.environment or {}),
        preexec_fn=_die_with_parent,
      )

  def _listens(self, name):
    process = self.processes[name]
    if process.poll() is not None:
      raise RuntimeError(f"{name} ended with {process.returncode}:\n{self.log(*name)}")
    if self.kind_of(name) == "stock":
      return "listens" in self.log(*name)
    return self._port_file(name).exists()

  def _await_ports(self):
    for name in self.processes:
      wait_for(lambda: self._listens(name), lambda: f"{name} does not listen: {self.log(*name)}")
      if self.kind_of(name) != "stock":
        self.ports[name] = int(self._port_file(name).read_text())
    if self.kind == "stock" or self._cluster_file().exists():
      return
    self._write_cluster_file()
    for name in self.processes:
      wait_for(lambda: "has its cluster" in self.log(*name), lambda: f"{name} has no cluster: {self.log(*name)}")
