"""A cluster of `millrace server` processes on this machine, for the programs of this folder.

    with Cluster(ps=1, worker=2) as cluster:
      with tf.Session(cluster.target("worker", 0)) as session:
        ...

The servers take ports that the system gives them, and learn each other from a file. They end with this process, also if it is killed.
"""

import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref

ROOT = pathlib.Path(__file__).resolve().parents[3]
START_SECONDS = 60  # of a server, on a busy machine
STOP_SECONDS = 5
STATUS_SECONDS = 30
_POLL_SECONDS = 0.005
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_running = weakref.WeakSet()


def command():
  """The command `millrace`: $MILLRACE_COMMAND, else that on the path, beside this Python, or of a build of this tree."""
  given = os.environ.get("MILLRACE_COMMAND")
  if given:
    return given
  places = [
    shutil.which("millrace"),
    os.path.join(os.path.dirname(sys.executable), "millrace"),
    str(ROOT / "build" / "release" / "millrace"),
    str(ROOT / "build" / "dev" / "millrace"),
  ]
  for place in places:
    if place and os.access(place, os.X_OK):
      return place
  raise FileNotFoundError(
    "There is no command `millrace`: put it on the path, set MILLRACE_COMMAND to it, or build it (./dev build), which puts it at "
    + places[2]
  )


def closes_before(target, session):
  """Has a session of a cluster of this program closed before the tasks end: closing one whose server is gone may wait for it."""
  for cluster in list(_running):
    if target in cluster.targets:
      cluster.sessions.add(session)


class Cluster:
  """Tasks by job, such as `Cluster(ps=1, worker=2)`, each a process; all listen and know each other.

  `cores` is how many cores each task may use, a number or one for some jobs ({"worker": 1}); the tasks of a job take those that this
  process may use in turn. Without it a task may use all. `flags` go to `millrace server`, and `environment` before this process's.
  A server that does not start raises RuntimeError with what it said.
  """

  def __init__(self, cores=None, flags=(), environment=None, **jobs):
    if not jobs or any(count < 1 for count in jobs.values()):
      raise ValueError("A cluster has one task or more of each job, such as Cluster(ps=1, worker=2), not %s" % jobs)
    self._folder = tempfile.TemporaryDirectory(prefix="millrace_parallel_")
    self.folder = pathlib.Path(self._folder.name)
    self.tasks = [(job, task) for job, count in jobs.items() for task in range(count)]
    self.processes = {}
    self.sessions = weakref.WeakSet()
    self._ports = {}
    try:
      for job, task in self.tasks:
        count = cores.get(job) if isinstance(cores, dict) else cores
        self._start(job, task, _cores_of(task, count), flags, environment)
      for job, task in self.tasks:
        self._await(job, task, "listen", lambda: self._port_file(job, task).exists())
        self._ports[job, task] = int(self._port_file(job, task).read_text())
      self._write_cluster_file()
      for job, task in self.tasks:
        self._await(job, task, "learn its cluster", lambda: "has its cluster" in self.log(job, task))
    except BaseException:
      self.stop()
      raise
    _running.add(self)

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    self.stop()

  @property
  def spec(self):
    """{job: [addresses]}, as tf.train.ClusterSpec and replica_device_setter take it."""
    jobs = {}
    for job, task in self.tasks:
      jobs.setdefault(job, []).append(self.address(job, task))
    return jobs

  @property
  def targets(self):
    return [self.target(job, task) for job, task in self.tasks]

  def address(self, job, task=0):
    return "127.0.0.1:%d" % self._ports[job, task]

  def target(self, job, task=0):
    """What a session of a client is opened with: grpc://HOST:PORT."""
    return "grpc://" + self.address(job, task)

  def status(self, job, task=0):
    """What `millrace status --json` says of a task."""
    done = subprocess.run(
      [command(), "status", "--json", self.address(job, task)],
      capture_output=True,
      text=True,
      timeout=STATUS_SECONDS,
      check=False,
    )
    if done.returncode != 0:
      raise RuntimeError("millrace status of %s %d ended with %d: %s" % (job, task, done.returncode, done.stderr))
    return json.loads(done.stdout)

  def bytes_sent(self, job, task=None):
    """The bytes of tensors that a task has sent to other tasks so far, or all tasks of a job; what clients feed and fetch is not in it."""
    tasks = [t for j, t in self.tasks if j == job] if task is None else [task]
    return sum(self.status(job, t)["bytes_sent"] for t in tasks)

  def bytes_between_tasks(self):
    """The bytes of tensors that all tasks have sent to each other so far."""
    return sum(self.bytes_sent(job) for job in self.spec)

  def log(self, job, task=0):
    return (self.folder / ("%s%d.log" % (job, task))).read_text(errors="replace")

  def stop(self):
    """Closes the sessions, which ends what they run, and ends all tasks."""
    _running.discard(self)
    closing = threading.Thread(target=lambda: [session.close() for session in list(self.sessions)], daemon=True)
    closing.start()
    closing.join(STOP_SECONDS)
    for process in self.processes.values():
      process.terminate()
    for process in self.processes.values():
      try:
        process.wait(STOP_SECONDS)
      except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    self.processes = {}
    self._folder.cleanup()

  def _port_file(self, job, task):
    return self.folder / ("%s%d.port" % (job, task))

  def _write_cluster_file(self):
    part = self.folder / "cluster.part"
    part.write_text(";".join("%s=%s" % (job, ",".join(addresses)) for job, addresses in self.spec.items()) + "\n")
    part.rename(self.folder / "cluster")

  def _start(self, job, task, cores, flags, environment):
    words = [command(), "server", "--cluster", "@%s" % (self.folder / "cluster"), "--job", job, "--task", str(task)]
    words += ["--port", "0", "--port_file", str(self._port_file(job, task)), *flags]
    if cores:
      words += ["--intra_op_threads", str(len(cores))]
    parent = os.getpid()

    def prepare():
      ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
      if os.getppid() != parent:
        os._exit(1)
      if cores:
        os.sched_setaffinity(0, cores)

    with open(self.folder / ("%s%d.log" % (job, task)), "wb") as log:
      self.processes[job, task] = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=dict(os.environ, **environment or {}),
        preexec_fn=prepare,
      )

  def _await(self, job, task, what, is_so):
    end = time.monotonic() + START_SECONDS
    while not is_so():
      code = self.processes[job, task].poll()
      if code is not None:
        raise RuntimeError("The server of %s %d ended with %d: %s" % (job, task, code, self.log(job, task)))
      if time.monotonic() > end:
        raise RuntimeError("The server of %s %d did not %s in %d s: %s" % (job, task, what, START_SECONDS, self.log(job, task)))
      time.sleep(_POLL_SECONDS)


def _cores_of(task, count):
  """The cores of a task, or None for all: `count` of those that this process may use, in turn by the number of the task."""
  if count is None:
    return None
  if count < 1:
    raise ValueError("A task has 1 core or more, not %r" % count)
  usable = sorted(os.sched_getaffinity(0))
  return {usable[(task * count + i) % len(usable)] for i in range(min(count, len(usable)))}
